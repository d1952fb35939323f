//! Directives of templates that write whole lines: where their last line ends, and how far all of them are indented.

use crate::syntax::hcl::TemplatePart;

/// The line break with which the text of a directive ends, and the indentation after it.
pub(super) fn line_end(parts: &[TemplatePart]) -> Option<&str> {
    let text = |it: &'_ str| it.trim_end_matches([' ', '\t']).len();
    let is_blank =
        |it: &&TemplatePart| matches!(it, TemplatePart::Literal(it) if text(&it.text) == 0);
    match parts.iter().rev().find(|it| !is_blank(it))? {
        TemplatePart::Literal(it) => {
            it.text.get(text(&it.text) - 1..).filter(|it| it.starts_with('\n'))
        }
        TemplatePart::Interpolation(..) => None,
        TemplatePart::If { then, otherwise, .. } => line_end(then).or_else(|| line_end(otherwise)),
        TemplatePart::For { body, .. } => line_end(body),
    }
}

/// The least indentation of the lines that branches write behind `before` columns; `None` where that is not seen: a
/// value may have lines of its own only where it is not alone in its line.
pub(super) fn indentation(branches: &[&[TemplatePart]], before: usize) -> Option<usize> {
    let each: Option<Vec<usize>> =
        branches.iter().map(|it| least_indentation(it, before)).collect();
    each?.into_iter().min().filter(|it| *it < NO_LINES)
}

/// The indentation of a branch without lines.
const NO_LINES: usize = usize::MAX;

/// The least indentation of the lines of one branch.
fn least_indentation(parts: &[TemplatePart], before: usize) -> Option<usize> {
    let mut text = " ".repeat(before);
    flatten(parts, &mut text);
    let mut least = NO_LINES;
    for line in text.lines().filter(|it| !it.trim().is_empty()) {
        let bare = line.trim_start_matches(' ');
        if bare.starts_with([VALUE, '\t']) {
            return None;
        }
        least = least.min(line.len() - bare.len());
    }
    Some(least)
}

/// What stands for a value: nothing that is written in a template.
const VALUE: char = '\u{0}';

fn flatten(parts: &[TemplatePart], text: &mut String) {
    for part in parts {
        match part {
            TemplatePart::Literal(literal) => text.push_str(&literal.text),
            TemplatePart::Interpolation(..) => text.push(VALUE),
            TemplatePart::If { then, otherwise, .. } => {
                flatten(then, text);
                flatten(otherwise, text);
            }
            TemplatePart::For { body, .. } => flatten(body, text),
        }
    }
}
