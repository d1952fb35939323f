//! Pipelines of Jenkins: the commands of their `sh` steps, and the variables that they set.

use crate::{
    resolve::release::script::variables::Script,
    source::FileId,
    syntax::{
        groovy::{self, Piece},
        shell::word,
    },
};

/// Adds the commands of a `Jenkinsfile`, and its variables.
pub(super) fn add(script: &mut Script, file: FileId, text: &str) {
    let pieces = groovy::pieces(file, text);
    for (index, piece) in pieces.iter().enumerate() {
        let (before, line) = piece.code.rsplit_once('\n').unwrap_or(("", &piece.code));
        let computed = before.lines().filter_map(assignment);
        computed.for_each(|it| script.assign_word(it.name, None));
        let assignment = assignment(line);
        let Some((text, span)) = &piece.text else {
            if let Some(it) = assignment {
                script.assign_word(it.name, None);
            }
            continue;
        };
        match assignment {
            Some(it) if it.is_open && ends(pieces.get(index + 1)) => {
                script.assign(it.name, text.clone(), *span);
            }
            Some(it) => script.assign_word(it.name, None),
            None => {}
        }
        if runs(&piece.code) {
            script.add_shell(text.clone(), *span);
        }
    }
}

/// A line that gives a variable a value.
struct Assignment<'a> {
    name: &'a str,
    /// Whether what follows the line is the value.
    is_open: bool,
}

fn assignment(line: &str) -> Option<Assignment<'_>> {
    let (left, right) = line.split_once('=')?;
    let compares = left.ends_with(['!', '<', '>']) || right.starts_with(['=', '~']);
    let target = left.trim_end_matches(['+', '-', '*', '/']).trim_end();
    let name = target.rsplit(|it: char| !word::is_name(&format!("_{it}"))).next()?;
    let is_open = right.trim().is_empty() && target.len() == left.trim_end().len();
    (!compares && word::is_name(name)).then_some(Assignment { name, is_open })
}

/// Whether a statement ends where that piece begins.
fn ends(next: Option<&Piece>) -> bool {
    let line = next.and_then(|it| it.code.lines().next()).unwrap_or_default().trim();
    line.is_empty() && next.is_none_or(|it| it.text.is_none() || it.code.contains('\n'))
        || line.starts_with([';', '}'])
}

/// Whether code hands the text after it to a shell: `sh '…'`, `sh(script: '…')`.
fn runs(code: &str) -> bool {
    let code = code.trim_end();
    let named = code.strip_suffix("script:");
    let called = code.strip_suffix('(').unwrap_or(code).trim_end().strip_suffix("sh");
    let begins = |it: &str| !it.ends_with(|it: char| word::is_name(&format!("_{it}")));
    named.or(called).is_some_and(begins)
}
