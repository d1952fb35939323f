//! What is reported of what cannot be read, and how bad it is.

use super::reported;
use crate::{
    findings::Severity,
    source::{FileId, Files, SourceFile, Span},
    syntax::ParseError,
};

fn error(file: u32, at: usize, message: &str, severity: Severity) -> ParseError {
    ParseError::new(Span::new(FileId(file), at, at + 1), message, severity)
}

#[test]
fn a_key_written_twice_in_code_matters_where_it_is_about_karpenter() {
    for (path, text, severity) in [
        ("dns.tf", "locals { zones = { a = 1, a = 2 } }", Severity::Note),
        ("dns.tf", "locals { karpenter = { a = 1, a = 2 } }", Severity::Warning),
        ("dns.hcl", "inputs = { zones = { a = 1, a = 2 } }", Severity::Note),
        ("dns.hcl", "inputs = { karpenter = { a = 1, a = 2 } }", Severity::Warning),
        ("dns.yaml", "a: 1", Severity::Warning),
    ] {
        let files = Files::new(vec![SourceFile::new(path, text)]);
        let twice = error(0, 0, "duplicate key `a`: the last one counts", Severity::Warning);
        let found = reported(&files, std::iter::once(twice));
        assert_eq!(found.iter().map(|it| it.severity).collect::<Vec<_>>(), [severity], "{path}");
    }
}

fn files(path: &str) -> Files {
    Files::new(vec![SourceFile::new(path, "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n")])
}

#[test]
fn a_place_is_reported_once_and_a_file_three_times() {
    let broken = |at| error(0, at, "no value", Severity::Error);
    let errors = [broken(0), broken(0), broken(4), broken(8), broken(12), broken(16)];
    let found = reported(&files("a.yaml"), errors.into_iter());
    let places: Vec<u32> = found.iter().map(|it| it.span.start).collect();
    assert_eq!(places, [0, 4, 8]);
    assert_eq!(found[2].notes[0].message, "2 more in this file");
}

#[test]
fn helm_reads_no_object_beside_the_chart() {
    for (path, text, wanted) in [
        ("shop/pod.yaml", "kind: Pod\n", Severity::Note),
        ("shop/values-prod.yaml", "image: {}\n", Severity::Error),
        ("shop/templates/pod.yaml", "kind: Pod\n", Severity::Error),
    ] {
        let chart = SourceFile::new("shop/Chart.yaml", "name: shop\n");
        let files = Files::new(vec![SourceFile::new(path, text), chart]);
        let id = files.find(path).map_or(u32::MAX, |it| it.0);
        let found = reported(&files, [error(id, 2, "no value", Severity::Error)].into_iter());
        assert_eq!(found[0].severity, wanted, "{path}");
    }
}

#[test]
fn a_key_written_twice_counts_as_its_strictest_reader_says() {
    let twice = |at| error(0, at, "duplicate key `a`", Severity::Warning);
    let refused = error(0, 4, "duplicate key `a`", Severity::Error);
    let found = reported(&files("a.yaml"), [twice(4), refused].into_iter());
    assert_eq!(found.iter().map(|it| it.severity).collect::<Vec<_>>(), [Severity::Error]);
    let found = reported(&files("a.yaml"), [twice(2), twice(4), twice(8)].into_iter());
    let places: Vec<_> = found.iter().map(|it| (it.span.start, it.notes.len())).collect();
    assert_eq!(places, [(2, 1), (8, 0)]);
}

#[test]
fn keys_written_twice_in_one_mapping_are_one_mistake() {
    let twice = |at, severity, mapping: usize| {
        let place = Span::new(FileId(0), mapping, mapping);
        error(0, at, "duplicate key `a`", severity).inside(place)
    };
    let (warning, note) = (Severity::Warning, Severity::Note);
    let errors = [twice(0, note, 0), twice(6, warning, 0), twice(10, warning, 8)];
    let found = reported(&files("a.yaml"), errors.into_iter());
    let places: Vec<_> = found.iter().map(|it| (it.span.start, it.notes.len())).collect();
    assert_eq!(places, [(6, 1), (10, 0)]);
}

#[test]
fn files_that_nobody_applies_are_notes() {
    for (path, severity) in [
        ("deploy/a.json", Severity::Error),
        (".github/workflows/matrix.json", Severity::Note),
        ("charts/a/values.schema.json", Severity::Note),
        ("app/.vscode/settings.json", Severity::Note),
        ("lib/testData/wrong.yaml", Severity::Note),
        ("modules/vpc/_examples/terragrunt.hcl", Severity::Note),
        ("modules/vpc/main.tf", Severity::Error),
        ("app/questions.yaml", Severity::Error),
        ("charts/a/questions.yaml", Severity::Note),
    ] {
        let chart = SourceFile::new("charts/a/Chart.yaml", "name: a\n");
        let files = Files::new(vec![SourceFile::new(path, "a\nb\n"), chart]);
        let file = files.find(path).map_or(0, |it| it.0);
        let found = reported(&files, [error(file, 0, "no value", Severity::Error)].into_iter());
        assert_eq!(found[0].severity, severity, "{path}");
    }
}
