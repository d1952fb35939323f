//! The variables that one script of a folder sets for those that run after it.

use crate::{
    resolve::release::script::variables::Script,
    source::{Files, SourceFile},
    value::{Kind, Text, Value},
};

/// What the shell scripts of a folder set a variable to that one of them uses and does not set itself, written as
/// `$NAME`: the text on which all of them agree.
#[must_use]
pub fn exported(files: &Files, folder: &str, used: &Value) -> Option<Value> {
    let Kind::Unknown(symbol) = &used.kind else { return None };
    let name = symbol.text.strip_prefix('$').filter(|_| symbol.scope.starts_with("script "))?;
    let is_shell = |it: &&SourceFile| matches!(it.ending(), "sh" | "bash") && it.folder() == folder;
    let mut found: Option<Value> = None;
    for (id, file) in files.iter().filter(|(_, it)| is_shell(it)) {
        let Some(text) = file.text_if(|it| it.contains(name)) else { continue };
        let whole = crate::source::Span::new(id, 0, text.len());
        let mut script = Script::new(folder);
        script.add_shell(Text::verbatim(text, whole), whole);
        if !script.assigns(name) {
            continue;
        }
        let value = script.given(name)?;
        let agrees = |it: &Value| it.as_str() == value.as_str();
        if !found.as_ref().is_none_or(agrees) {
            return None;
        }
        found = Some(value);
    }
    found
}
