//! Whether a folder is that of production, or of what is tried out before, by its name.

/// What production is called.
const PRODUCTION: [&str; 4] = ["prod", "production", "prd", "live"];
/// What is tried out before, or apart.
const OTHERS: [&str; 15] = [
    "dev",
    "devel",
    "development",
    "nonprod",
    "nonproduction",
    "preprod",
    "qa",
    "sandbox",
    "sbx",
    "stage",
    "staging",
    "stg",
    "test",
    "testing",
    "uat",
];
/// What turns the name of production round: `non-prod`.
const NEGATIONS: [&str; 3] = ["non", "not", "pre"];

/// Whether the name of a folder is that of production.
pub(super) fn is_production(folder: &str) -> bool {
    of_name(folder) == Some(true)
}

/// Whether the name of a folder is that of another environment than production.
pub(super) fn is_other(folder: &str) -> bool {
    of_name(folder) == Some(false)
}

/// Whether a folder is for production; `None` where its name says nothing, or both.
fn of_name(folder: &str) -> Option<bool> {
    let name = folder.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let words: Vec<&str> = name.split(['-', '_', '.']).collect();
    let is_negated = |at: usize| at > 0 && NEGATIONS.contains(&words[at - 1]);
    let said = words.iter().enumerate().filter_map(|(at, word)| match *word {
        word if PRODUCTION.contains(&word) => Some(!is_negated(at)),
        word if OTHERS.contains(&word) => Some(false),
        _ => None,
    });
    let mut said: Vec<bool> = said.collect();
    said.dedup();
    <[bool; 1]>::try_from(said).ok().map(|[it]| it)
}

#[cfg(test)]
mod tests {
    use super::of_name;

    #[test]
    fn a_folder_names_its_environment() {
        for (folder, is_production) in [
            ("pools/prod", Some(true)),
            ("pools/eu-live", Some(true)),
            ("pools/non-prod", Some(false)),
            ("pools/nonprod", Some(false)),
            ("pools/Staging", Some(false)),
            ("prod/pools", None),
            ("dev-and-prod", None),
            ("products", None),
            ("", None),
        ] {
            assert_eq!(of_name(folder), is_production, "{folder}");
        }
    }
}
