//! Input that is meant to hurt gives an error, soon.

use karplint_cel::cel::{bindings::Bindings, program::Program};
use karplint_core::{
    source::{FileId, Span},
    value::{Entry, Kind, Value},
};

use crate::{evaluate, shown};

fn refused(expression: &str) -> String {
    Program::parse(expression).expect_err("a mistake").message
}

fn result(expression: &str) -> String {
    let program = Program::parse(expression).expect("CEL");
    shown(&program.evaluate(&Bindings::default()).outcome)
}

#[test]
fn nesting_and_length_have_a_limit() {
    let deep = "nested deeper than 150 levels";
    for open in ["(", "[", "{1:", "f(", "a[", "!(", "-(", "true ? 1 : ", "a.all(x, "] {
        let message = refused(&open.repeat(9_000));
        assert!(message.contains(deep), "{open}: {message}");
    }
    let sum = vec!["1"; 10_000].join(" + ");
    assert!(refused(&sum).contains(deep));
    assert!(refused(&format!("a{}", ".b".repeat(10_000))).contains(deep));
    assert!(refused(&"1".repeat(100_001)).contains("100000 characters"));
    // Terms of one operator lie side by side.
    assert_eq!(result(&vec!["true"; 5_000].join(" && ")), "true");
    assert_eq!(result(&format!("{}true{}", "(".repeat(140), ")".repeat(140))), "true");
    assert_eq!(result(&format!("{}true", "!".repeat(50_000))), "true");
}

#[test]
fn what_takes_too_long_is_too_costly() {
    let ten = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 0]";
    let mut nested = "1".to_owned();
    for depth in 0..7 {
        nested = format!("{ten}.map(x{depth}, {nested})");
    }
    assert_eq!(result(&nested), "too costly");
    assert_eq!(result("lists.range(1000000).all(it, it >= 0)"), "too costly");
    assert_eq!(result("lists.range(1000000000)"), "too costly");
    let large = "'0123456789'.replace('', '0123456789').replace('', '0123456789')";
    let large = format!("{large}.replace('', '0123456789').replace('', '0123456789')");
    assert_eq!(
        result(&format!("{large}.replace('', '0123456789').replace('', '0123456789').size()")),
        "too costly"
    );
}

#[test]
fn a_million_elements_are_no_hang() {
    let span = Span::new(FileId(0), 0, 0);
    let item = |it: u32| Value::new(Kind::Number(it.into()), span);
    let items = Value::list((0..1_000_000).map(item).collect(), span);
    let entry = Entry { key: "items".into(), key_span: span, value: items };
    let object = Value::map(vec![entry], span);
    assert_eq!(shown(&evaluate("object.items.all(it, it >= 0)", &object).outcome), "too costly");
    assert_eq!(shown(&evaluate("object.items.size()", &object).outcome), "1000000");
}

#[test]
fn regular_expressions_take_linear_time() {
    let text = "a".repeat(50_000);
    assert_eq!(result(&format!("'{text}'.matches('^(a+)+$')")), "true");
    assert_eq!(result(&format!("'{text}!'.matches('^(a|a)*$')")), "false");
    assert!(result("'a'.matches('(')").starts_with("error: `(` is not a regular expression"));
    assert!(result("'a'.matches('((a{1000}){1000}){1000}')").starts_with("error: "));
}
