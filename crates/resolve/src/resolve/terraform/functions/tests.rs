//! Answers against Terraform's own, recorded in `expected.txt` and checked with its binary.
//!
//! Not in the list, because values do not show it: a set given where Terraform insists on a list (it
//! faults, we answer), and numbers of more than 53 bits.

mod oracle;
mod parts;
mod places;

use std::{cell::LazyCell, sync::Arc};

use super::{
    FUNCTIONS, How, call,
    call::{Call, CallResult, EvaluationError},
    json,
};
use crate::{
    source::{FileId, Files, SourceFile, Span},
    syntax::hcl::{self, Expr, ExprKind, TemplatePart, Unary},
    value::{Entry, Kind, Symbol, Text, Value},
};

/// All functions of Terraform 1.11.4 (`terraform metadata functions`), as this crate answers them:
/// `+` computed, `?` unknown by nature, `=` by the evaluator.
const STATES: &str = "\
    +abs ?abspath +alltrue +anytrue +base64decode +base64encode ?base64gzip +base64sha256 \
    +base64sha512 +basename ?bcrypt =can +ceil +chomp +chunklist +cidrhost +cidrnetmask +cidrsubnet \
    +cidrsubnets +coalesce +coalescelist +compact +concat +contains +csvdecode +dirname +distinct \
    +element +endswith +ephemeralasnull +file +filebase64 +filebase64sha256 +filebase64sha512 \
    +fileexists +filemd5 +fileset +filesha1 +filesha256 +filesha512 +flatten +floor +format \
    +formatdate +formatlist +indent +index =issensitive +join +jsondecode +jsonencode +keys +length \
    +log +lookup +lower +matchkeys +max +md5 +merge +min +nonsensitive +one +parseint +pathexpand \
    ?plantimestamp +pow +range +regex +regexall +replace +reverse ?rsadecrypt +sensitive \
    +setintersection +setproduct +setsubtract +setunion +sha1 +sha256 +sha512 +signum +slice +sort \
    +split +startswith +strcontains +strrev +substr +sum =templatefile =templatestring \
    +textdecodebase64 +textencodebase64 +timeadd +timecmp ?timestamp +title +tobool +tolist +tomap \
    +tonumber +toset +tostring +transpose +trim +trimprefix +trimspace +trimsuffix =try +upper \
    +urlencode ?uuid +uuidv5 +values +yamldecode +yamlencode +zipmap";

/// Answers in a hundred that may be unknown where Terraform has a value.
const MOST_UNKNOWN: usize = 3;

#[test]
fn every_function_has_a_state() {
    let listed = FUNCTIONS.iter().map(|super::Function(name, _, _, how)| match how {
        How::Whole(_) | How::Parts(_) => format!("+{name}"),
        How::Never => format!("?{name}"),
        How::Evaluator => format!("={name}"),
    });
    assert_eq!(listed.collect::<Vec<_>>(), STATES.split_whitespace().collect::<Vec<_>>());
    assert!(FUNCTIONS.is_sorted_by_key(|it| it.0), "the table is searched by halves");
}

#[test]
fn answers_are_terraforms_or_unknown() {
    let (mut wrong, mut unknown) = (Vec::new(), Vec::new());
    for (expression, expected) in expectations() {
        let answer = match evaluate_text(expression) {
            Ok(value) if !value.is_wholly_known() => {
                unknown.extend((expected != "unknown").then_some(expression));
                continue;
            }
            Ok(value) => json::encode(&value).text.to_string(),
            Err(_) => "fault".to_owned(),
        };
        if answer != expected {
            wrong.push(format!("{expression}\n  terraform {expected}\n  karplint  {answer}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
    let known = expectations().filter(|it| it.1 != "unknown").count();
    eprintln!("{} of {known} answers are unknown: {unknown:#?}", unknown.len());
    assert!(unknown.len() * 100 <= known * MOST_UNKNOWN);
}

/// The recorded expressions and Terraform's answers: JSON, `fault` or `unknown`.
fn expectations() -> impl Iterator<Item = (&'static str, &'static str)> {
    include_str!("expected.txt").lines().filter_map(|it| it.split_once(" => "))
}

/// Evaluates an expression of literals and calls.
fn evaluate_text(expression: &str) -> CallResult {
    let text = format!("v = {expression}\n");
    let file = hcl::read::parse(FileId(0), &text);
    assert!(file.parse_errors.is_empty(), "{expression}: {:?}", file.parse_errors);
    let attribute = file.body.attribute("v").expect("an attribute");
    let files = project();
    evaluate(&attribute.value, &files)
}

/// A small project with a module in `stack`.
fn project() -> Files {
    Files::new(vec![
        SourceFile::new("stack/main.tf", ""),
        SourceFile::new("stack/values.yaml", "\u{feff}a: 1\nb:\n  c: x\n"),
        SourceFile::new("stack/stack/values.yaml", "inner: 1\n"),
        SourceFile::new("shared/pool.yaml", "kind: NodePool\n"),
        SourceFile::new("shared/deep/class.yaml", "kind: EC2NodeClass\n"),
    ])
}

fn evaluate(expr: &Expr, files: &Files) -> CallResult {
    let span = expr.span;
    let kind = match &expr.kind {
        ExprKind::Null => Kind::Null,
        ExprKind::Bool(flag) => Kind::Bool(*flag),
        ExprKind::Number(number) => Kind::Number(*number),
        ExprKind::Template(parts) => Kind::String(literal(parts)),
        ExprKind::Parens(inner) => return evaluate(inner, files),
        ExprKind::Array(items) => {
            let items = items.iter().map(|it| evaluate(it, files));
            return Ok(Value::list(items.collect::<Result<_, _>>()?, span));
        }
        ExprKind::Object(items) => {
            let mut entries = Vec::new();
            for item in items {
                let key = super::scalar::text(&evaluate(&item.key, files)?).expect("a key");
                let value = evaluate(&item.value, files)?.named(item.key.span);
                entries.push(Entry { key, key_span: item.key.span, value });
            }
            return Ok(Value::map(entries, span));
        }
        ExprKind::Unary(Unary::Negate, inner) => {
            Kind::Number(-evaluate(inner, files)?.as_number().expect("a number"))
        }
        ExprKind::Variable(name) => {
            return Ok(Value::unknown(Symbol::new("root", name.clone()), span));
        }
        ExprKind::Call { name, arguments, .. } => {
            let values = arguments.iter().map(|it| evaluate(it, files));
            return apply(name, &values.collect::<Result<Vec<_>, _>>()?, span, files);
        }
        other => panic!("not for this test: {other:?}"),
    };
    Ok(Value::new(kind, span))
}

fn apply(name: &str, arguments: &[Value], span: Span, files: &Files) -> CallResult {
    let symbol = || Symbol::new("root", format!("{name}(…)"));
    let symbol = LazyCell::new(&symbol as &dyn Fn() -> Symbol);
    let read = &std::cell::RefCell::default();
    call(&Call { name, span, symbol, files, read, folder: "stack" }, arguments)
}

/// The text of a template; `${name}` becomes a hole.
fn literal(parts: &[TemplatePart]) -> Text {
    let mut text = super::assemble::Assembly::default();
    for part in parts {
        match part {
            TemplatePart::Literal(literal) => {
                let layout = crate::value::TextSource::Pieces(literal.pieces.clone().into());
                let run = Text { layout, ..Text::computed(literal.text.clone()) };
                text.push_text(&run, Span::new(FileId(0), 0, 0));
            }
            TemplatePart::Interpolation(Expr { kind: ExprKind::Variable(name), .. }, span) => {
                text.push_hole(&Symbol::new("root", Arc::clone(name)), *span);
            }
            other => panic!("not for this test: {other:?}"),
        }
    }
    text.finish()
}

/// What went wrong, for tests of messages.
fn fault(expression: &str) -> EvaluationError {
    evaluate_text(expression).expect_err(expression)
}
