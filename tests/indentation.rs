//! Indentation means nothing in HCL: the same is found, and fixed in the same way, however code is indented.

use karplint::{
    config::Config,
    findings::{Finding, Safety},
    fix, lint,
    project::Project,
};
use rayon::prelude::*;

use crate::fixtures::folder::{self, Fixture, Linted, Texts};

/// How a line is indented, by its number and its text without indentation.
type Indent = fn(usize, &str) -> String;

/// Every line at the margin, and lines here and there.
const INDENTS: [(&str, Indent); 2] = [
    ("stripped", |_, code| code.to_owned()),
    ("garbled", |number, code| " ".repeat(number * 7 % 5) + code),
];

fn is_hcl(path: &str) -> bool {
    [".tf", ".tofu", ".tfvars", ".hcl"].iter().any(|it| path.ends_with(it))
}

/// The word that ends the heredoc which a line opens.
fn opened(line: &str) -> Option<&str> {
    let word = line.rsplit_once("<<")?.1.trim_start_matches('-').trim();
    let is_word = |it: char| it.is_alphanumeric() || it == '_';
    (!word.is_empty() && word.chars().all(is_word)).then_some(word)
}

/// The text with other indentation outside of heredocs; the lines are the same.
fn indented(text: &str, indent: Indent) -> String {
    let mut heredoc: Option<String> = None;
    let line = |(number, line): (usize, &str)| {
        if let Some(end) = &heredoc {
            if line.trim() == end {
                heredoc = None;
            }
            return line.to_owned();
        }
        heredoc = opened(line).map(str::to_owned);
        let code = line.trim_start();
        if code.trim().is_empty() { line.to_owned() } else { indent(number, code) }
    };
    text.split_inclusive('\n').enumerate().map(line).collect()
}

fn all_indented(files: &Texts, indent: Indent) -> Texts {
    let file = |(path, text): &(String, String)| {
        let text = if is_hcl(path) { indented(text, indent) } else { text.clone() };
        (path.clone(), text)
    };
    files.iter().map(file).collect()
}

/// The words of a text: what is left when layout means nothing.
fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// What is found, with lines for places, and the words of the files after each fix.
fn found(linted: &Linted) -> Vec<String> {
    let place = |span: karplint::source::Span| {
        let file = linted.project.files.get(span.file);
        format!("{}:{}", file.path(), file.line_of(span.start as usize) + 1)
    };
    let one = |it: &Finding| {
        let notes = it.notes.iter().map(|it| format!("{} {}", place(it.span), it.message));
        let fixed = fix::apply(&linted.project.files, [it], Safety::Unsafe);
        let fixed: Vec<String> = fixed.iter().map(|(_, text)| words(text).join(" ")).collect();
        let (notes, title) = (notes.collect::<Vec<_>>(), it.fix.as_ref().map(|it| &it.title));
        format!("{} {} {}\n  {notes:?}\n  {title:?} {fixed:?}", place(it.span), it.rule, it.message)
    };
    let mut found: Vec<String> = linted.outcome.findings.iter().map(one).collect();
    found.sort();
    found
}

fn differences(fixture: &Fixture) -> Vec<String> {
    if !fixture.files.iter().any(|(path, _)| is_hcl(path)) {
        return Vec::new();
    }
    let wanted = found(fixture.linted());
    let differ = |(how, indent): &(&str, Indent)| {
        let got = found(&Linted::new(all_indented(&fixture.files, *indent)));
        let lost = wanted.iter().filter(|it| !got.contains(it)).map(|it| format!("- {it}"));
        let new = got.iter().filter(|it| !wanted.contains(it)).map(|it| format!("+ {it}"));
        let lines: Vec<String> = lost.chain(new).collect();
        (!lines.is_empty()).then(|| format!("{} {how}:\n{}", fixture.name, lines.join("\n")))
    };
    INDENTS.iter().filter_map(differ).collect()
}

#[test]
fn indentation_of_hcl_changes_no_finding_and_no_fix() {
    // What of a broken block is read ends where the next seems to begin.
    let is_whole =
        |it: &&Fixture| it.linted().outcome.findings.iter().all(|it| it.rule != "unreadable");
    // What a change brings is asked of the earlier state, too, which is not indented here.
    let is_alone = |it: &&Fixture| it.before.is_none();
    let whole = folder::all().par_iter().filter(is_whole).filter(is_alone);
    let wrong: Vec<String> = whole.flat_map_iter(differences).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_shared_local_is_not_rewritten_however_it_is_indented() {
    let locals = |indent: &str| format!("locals {{\n{indent}skip = false\n}}\n");
    let main = r#"resource "helm_release" "karpenter" {
  chart     = "karpenter"
  version   = "1.8.0"
  skip_crds = local.skip
}
resource "helm_release" "crds" {
  chart     = "karpenter-crd"
  version   = "1.8.0"
}
resource "helm_release" "other" {
  chart     = "other"
  skip_crds = local.skip
}
"#;
    for indent in ["", "  ", "\t"] {
        let text = locals(indent) + main;
        let project = Project::from_memory(vec![("main.tf".to_owned(), text)]);
        let outcome = lint::run(&project, &Config::default());
        let finding = outcome.findings.iter().find(|it| it.rule == "crds-not-skipped").unwrap();
        assert!(finding.fix.is_none(), "{indent:?}: {:?}", finding.fix);
    }
}
