//! What several answers amount to, each of which may be unknown (`None`).

/// The answer of all, if they agree; `None` without any.
pub fn agreed<T: PartialEq>(answers: impl IntoIterator<Item = Option<T>>) -> Option<T> {
    let mut answers = answers.into_iter();
    let first = answers.next()??;
    answers.all(|it| it.as_ref() == Some(&first)).then_some(first)
}

/// Whether all are true: one false decides; otherwise one unknown makes it unknown.
pub fn all(answers: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let mut sure = true;
    for answer in answers {
        match answer {
            Some(false) => return Some(false),
            Some(true) => {}
            None => sure = false,
        }
    }
    sure.then_some(true)
}

/// Whether one is true: one true decides; otherwise one unknown makes it unknown.
pub fn any(answers: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    all(answers.into_iter().map(|it| it.map(|it| !it))).map(|it| !it)
}

#[cfg(test)]
mod tests {
    use super::{agreed, all, any};

    #[test]
    fn unknown_counts_only_where_nothing_is_decided() {
        let (yes, no) = (Some(true), Some(false));
        for (answers, of_all, of_any, alike) in [
            (vec![], yes, no, None),
            (vec![yes], yes, yes, yes),
            (vec![no], no, no, no),
            (vec![None], None, None, None),
            (vec![yes, yes], yes, yes, yes),
            (vec![no, no], no, no, no),
            (vec![yes, no], no, yes, None),
            (vec![None, no], no, None, None),
            (vec![None, yes], None, yes, None),
            (vec![yes, None, no], no, yes, None),
        ] {
            assert_eq!(all(answers.clone()), of_all, "all of {answers:?}");
            assert_eq!(any(answers.clone()), of_any, "any of {answers:?}");
            assert_eq!(agreed(answers.clone()), alike, "{answers:?} together");
        }
    }
}
