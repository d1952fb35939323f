//! Places inside text, and equality.

use super::{Kind, Symbol, Text, TextPiece, TextSource, Value};
use crate::source::{FileId, Span};

fn span(start: usize, end: usize) -> Span {
    Span::new(FileId(0), start, end)
}

#[test]
fn pieces_map_back_to_their_source() {
    // "ab" + hole + "cd", written as `ab${x}cd` at 10..18.
    let pieces = [
        TextPiece { at: 0, len: 2, span: span(10, 12) },
        TextPiece { at: 2, len: 7, span: span(12, 16) },
        TextPiece { at: 9, len: 2, span: span(16, 18) },
    ];
    let text = Text {
        layout: TextSource::Pieces(pieces.to_vec().into()),
        ..Text::computed("ab\u{e000}0\u{e001}cd")
    };
    let whole = span(9, 19);
    assert_eq!(text.locate(0, 2, whole), span(10, 12));
    assert_eq!(text.locate(1, 10, whole), span(11, 17));
    assert_eq!(text.locate(2, 9, whole), span(12, 16));
    assert_eq!(text.locate(10, 11, whole), span(17, 18));
}

#[test]
fn equality_of_unknowns_is_by_symbol() {
    let unknown = |text: &str| Value::unknown(Symbol::new("root", text), span(0, 1));
    assert_eq!(unknown("var.a").same_as(&unknown("var.a")), Some(true));
    assert_eq!(unknown("var.a").same_as(&unknown("var.b")), None);
    let list = |items| Value::list(items, span(0, 1));
    let one = Value::new(Kind::Number(1.0), span(0, 1));
    let two = Value::new(Kind::Number(2.0), span(0, 1));
    assert_eq!(
        list(vec![one.clone(), unknown("a")]).same_as(&list(vec![two, unknown("b")])),
        Some(false)
    );
    assert_eq!(list(vec![one.clone()]).same_as(&list(vec![unknown("b")])), None);
    assert_eq!(list(vec![one.clone()]).same_as(&list(vec![one])), Some(true));
}

#[test]
fn a_text_with_something_added_is_another() {
    let symbol = |text: &str| Symbol::new("root", text);
    let text = |text: &str, holes: &[&str]| {
        let holes: Vec<Symbol> = holes.iter().map(|it| symbol(it)).collect();
        let text = Text { holes: holes.into(), ..Text::computed(text) };
        Value::new(Kind::String(text), span(0, 1))
    };
    let whole = Value::unknown(symbol("var.a"), span(0, 1));
    let (hole, queue) = ("\u{e000}0\u{e001}", "\u{e000}0\u{e001}-queue");
    for (one, other, wanted) in [
        (whole.clone(), text(queue, &["var.a"]), Some(false)),
        (text(queue, &["var.a"]), text(hole, &["var.a"]), Some(false)),
        (text("a-\u{e000}0\u{e001}", &["var.a"]), whole.clone(), Some(false)),
        (whole.clone(), text(queue, &["var.b"]), None),
        // The second hole may be empty.
        (whole, text("\u{e000}0\u{e001}\u{e000}1\u{e001}", &["var.a", "var.b"]), None),
        (text(queue, &["var.a"]), text(queue, &["var.b"]), None),
    ] {
        assert_eq!(one.same_as(&other), wanted, "{one:?} {other:?}");
        assert_eq!(other.same_as(&one), wanted, "{other:?} {one:?}");
    }
}
