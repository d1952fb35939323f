//! Lines, columns and paths.

use crate::source::{
    SourceFile,
    column::{ColumnUnit, Position},
    is_below, join,
};

#[test]
fn columns_count_what_they_say() {
    let file = SourceFile::new("a", "\u{feff}ab\n日🎉x\r\nlast");
    let at = |offset, unit| file.position(offset, unit);
    assert_eq!(at(4, ColumnUnit::Characters), Position { line: 1, column: 2 });
    assert_eq!(at(13, ColumnUnit::Characters), Position { line: 2, column: 3 });
    assert_eq!(at(13, ColumnUnit::Utf16), Position { line: 2, column: 4 });
    assert_eq!(file.line_text(1), "日🎉x");
    assert_eq!(file.line_text(2), "last");
    assert_eq!(at(999, ColumnUnit::Characters).line, 3);
}

#[test]
fn joining_never_leaves_the_root() {
    assert_eq!(join("a/b", "../c/./d").as_deref(), Some("a/c/d"));
    assert_eq!(join("a", "../../etc/passwd"), None);
    assert_eq!(join("", "x").as_deref(), Some("x"));
}

#[test]
fn below_is_by_whole_names() {
    for (folder, other, below) in [
        ("apps/dev", "apps", true),
        ("apps", "apps", true),
        ("apps-old", "apps", false),
        ("apps", "apps/dev", false),
        ("anything", "", true),
    ] {
        assert_eq!(is_below(folder, other), below, "{folder} below {other}");
    }
}
