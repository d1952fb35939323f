//! What several answers say together, when each of them may be that it is not known.

/// What all of them say, if they say the same; `None` without any.
pub fn agreed<T: PartialEq>(answers: impl IntoIterator<Item = Option<T>>) -> Option<T> {
    let mut answers = answers.into_iter();
    let first = answers.next()??;
    answers.all(|it| it.as_ref() == Some(&first)).then_some(first)
}

/// Whether all say yes: one no decides, one doubt leaves it open.
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
    fn doubt_counts_only_where_nothing_is_decided() {
        let (yes, no) = (Some(true), Some(false));
        for (answers, all_say, one_says, alike) in [
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
            assert_eq!(all(answers.clone()), all_say, "all of {answers:?}");
            assert_eq!(any(answers.clone()), one_says, "any of {answers:?}");
            assert_eq!(agreed(answers.clone()), alike, "{answers:?} together");
        }
    }
}
