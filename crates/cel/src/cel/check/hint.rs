//! "Did you mean".

/// The near name, as the end of a message; nothing if none is near.
#[must_use]
pub(super) fn did_you_mean<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let near = |it: &'a str| {
        let same = it.eq_ignore_ascii_case(name);
        let nearness = strsim::normalized_damerau_levenshtein(name, it);
        (same || nearness > 0.6).then_some((it, if same { 1.0 } else { nearness }))
    };
    let best = known.filter_map(near).max_by(|a, b| a.1.total_cmp(&b.1));
    best.map_or_else(String::new, |(it, _)| format!("; did you mean `{it}`?"))
}
