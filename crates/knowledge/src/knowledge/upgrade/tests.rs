//! The way of every pair of releases, as upstream's guide has it.

use super::{
    asks, barrier, is_published, newest, newest_patches, path, path_to_kubernetes, rollback,
};
use crate::version::Version;

fn version(text: &str) -> Version {
    Version::parse(text).unwrap_or_else(|| unreachable!("{text} is a version"))
}

fn stops(from: &Version, to: &Version) -> Vec<String> {
    path(from, to).iter().map(|it| it.version.to_string()).collect()
}

/// The bands of releases between which the guide has rules: with alpha APIs only, with alpha and beta, with beta,
/// with beta and v1, with v1 only.
const BANDS: [(&str, &str); 5] = [
    ("0.27.0", "0.32.0"),
    ("0.32.0", "0.33.0"),
    ("0.33.0", "1.0.0"),
    ("1.0.0", "1.1.0"),
    ("1.1.0", "2.0.0"),
];

/// What lies between two bands, by their numbers: from the upgrade guide at 0.33 to 0.37 and 1.1, and the
/// introduction of the migration guide of 1.0.
const BETWEEN: [(usize, usize, &[&str]); 15] = [
    (0, 0, &[]),
    (0, 1, &[]),
    (0, 2, &["0.32.10"]),
    (0, 3, &["0.32.10", "0.37.8"]),
    (0, 4, &["0.32.10", "0.37.8", "1.0.14"]),
    (1, 1, &[]),
    (1, 2, &[]),
    (1, 3, &["0.37.8"]),
    (1, 4, &["0.37.8", "1.0.14"]),
    (2, 2, &[]),
    (2, 3, &[]),
    (2, 4, &["1.0.14"]),
    (3, 3, &[]),
    (3, 4, &[]),
    (4, 4, &[]),
];

fn band(it: &Version) -> usize {
    let of = |(since, until): &(&str, &str)| version(since) <= *it && *it < version(until);
    BANDS.iter().position(of).unwrap_or_else(|| unreachable!("{it} is in a band"))
}

#[test]
fn every_pair_of_minors_has_the_stops_of_the_guide() {
    let releases: Vec<&Version> = newest_patches().filter(|it| **it >= version("0.27.0")).collect();
    assert_eq!(releases.len(), 26);
    let mut pairs = 0;
    for (at, from) in releases.iter().enumerate() {
        for to in releases.iter().skip(at + 1) {
            let bands = (band(from), band(to));
            let between = BETWEEN.iter().find(|(a, b, _)| (*a, *b) == bands);
            let (_, _, between) = between.unwrap_or_else(|| unreachable!("{bands:?}"));
            let mut wanted: Vec<String> = between.iter().map(|it| (*it).to_owned()).collect();
            wanted.push(to.to_string());
            assert_eq!(stops(from, to), wanted, "{from} to {to}");
            assert_eq!(barrier(from, to).is_some(), wanted.len() > 1, "{from} to {to}");
            assert!(path(to, from).is_empty(), "{to} to {from}");
            pairs += 1;
        }
    }
    assert_eq!(pairs, 325);
}

#[test]
fn steps_name_the_stop_that_may_not_be_left_out() {
    for (from, to, wanted) in [
        ("0.31.0", "0.32.3", vec![("0.32.3", None)]),
        ("0.32.1", "0.34.13", vec![("0.34.13", None)]),
        ("0.33.0", "1.2.0", vec![("1.0.14", None), ("1.2.0", Some("1.0.14"))]),
        ("0.30.0", "0.33.0", vec![("0.32.10", None), ("0.33.0", Some("0.32.10"))]),
        ("1.0.2", "1.14.1", vec![("1.14.1", None)]),
        ("1.14.1", "1.14.1", vec![]),
    ] {
        let path = path(&version(from), &version(to));
        let found: Vec<(String, Option<String>)> = path
            .iter()
            .map(|it| {
                (it.version.to_string(), it.forbidden_without.as_ref().map(ToString::to_string))
            })
            .collect();
        let wanted: Vec<(String, Option<String>)> =
            wanted.into_iter().map(|(at, stop)| (at.to_owned(), stop.map(str::to_owned))).collect();
        assert_eq!(found, wanted, "{from} to {to}");
    }
}

#[test]
fn the_way_back_leads_to_patches_that_know_what_is_stored() {
    for (from, to, wanted) in [
        ("1.0.14", "0.37.7", true),
        ("1.5.0", "0.37.7", true),
        ("1.0.14", "0.37.6", false),
        ("1.0.14", "0.33.12", true),
        ("1.0.14", "0.32.10", false),
        ("0.37.8", "0.35.4", true),
        ("0.36.0", "0.35.2", false),
        ("0.37.8", "0.36.0", true),
        ("0.33.1", "0.32.1", true),
        ("0.32.1", "0.31.4", true),
        ("0.32.1", "0.31.2", false),
        ("0.32.1", "0.30.0", false),
        ("1.14.1", "1.1.0", true),
    ] {
        let found = rollback(&version(from), &version(to)).is_none();
        assert_eq!(found, wanted, "{from} back to {to}");
    }
}

#[test]
fn a_version_of_kubernetes_needs_a_way_too() {
    for (from, kubernetes, wanted) in [
        ("0.37.2", "1.33", vec!["1.0.14", "1.5.8"]),
        ("1.0.1", "1.34", vec!["1.6.8"]),
        ("1.14.1", "1.34", vec![]),
        ("1.14.1", "1.99", vec![]),
    ] {
        let path = path_to_kubernetes(&version(from), &version(kubernetes));
        let found: Vec<String> = path.iter().map(|it| it.version.to_string()).collect();
        assert_eq!(found, wanted, "{from} for Kubernetes {kubernetes}");
    }
}

#[test]
fn a_step_asks_for_what_its_minors_ask_for() {
    let asked = |from: &str, to: &str| -> Vec<String> {
        asks(&version(from), &version(to)).into_iter().map(|it| it.r#do).collect()
    };
    let first = asked("0.33.12", "0.34.13");
    assert!(first[0].ends_with("--version v0.34.13`"), "{first:?}");
    assert_eq!(asked("1.8.0", "1.8.8").len(), 1);
    let to_v1_only = asked("1.0.14", "1.14.1");
    assert!(to_v1_only.iter().any(|it| it.starts_with("Wait until stored versions are v1")));
    assert!(!asked("1.1.0", "1.14.1").iter().any(|it| it.contains("stored versions")));
    assert!(asked("1.11.3", "1.12.0").iter().any(|it| it.contains("drift")));
}

#[test]
fn releases_that_never_were_are_not_known() {
    assert_eq!(newest(), Some(&version("1.14.1")));
    for (text, wanted) in [
        ("0.27.8", true),
        ("0.27.7", false),
        ("1.14.1", true),
        ("1.14.2", false),
        ("1.15.0", false),
        ("0.16.3", false),
        ("1.0.0-rc.1", false),
    ] {
        assert_eq!(is_published(&version(text)), wanted, "{text}");
    }
}
