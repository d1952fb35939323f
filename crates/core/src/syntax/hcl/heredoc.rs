//! Where a place of HCL code is text of a heredoc.

use std::ops::Range;

use crate::{
    source::SourceFile,
    syntax::hcl::{
        Body, ExprKind, TemplatePart,
        change::{Visited, in_expr},
    },
};

/// The lines of the innermost heredoc whose own text is at a byte of a file: from the line after `<<EOT` to the
/// line of the closing delimiter. `None` in code, also in that of an interpolation in a heredoc.
#[must_use]
pub fn lines_around(file: &SourceFile, body: &mut Body, at: usize) -> Option<Range<usize>> {
    let found = body.attributes.iter_mut().find_map(|attribute| {
        // The innermost node is visited first, and decides.
        let mut found = None;
        in_expr(&mut attribute.value, &mut |it| {
            found = found.take().or_else(|| innermost(file, &it, at));
        });
        found
    });
    match found {
        Some(Around::Text(lines)) => Some(lines),
        Some(Around::Code) => None,
        None => body.blocks.iter_mut().find_map(|it| lines_around(file, &mut it.body, at)),
    }
}

/// What is around a byte.
enum Around {
    /// The text of a heredoc, on these lines.
    Text(Range<usize>),
    /// The code of an interpolation.
    Code,
}

/// What a node is to a byte in it.
fn innermost(file: &SourceFile, node: &Visited<'_>, at: usize) -> Option<Around> {
    match node {
        Visited::Expr(it) if matches!(it.kind, ExprKind::Template(_)) => {
            let written = it.span.range();
            let first = file.line_of(written.start) + 1;
            let last = file.line_of(written.end.saturating_sub(1));
            let lines = file.line_range(first).start..file.line_range(last).start;
            (file.slice(written).starts_with("<<") && lines.contains(&at))
                .then_some(Around::Text(lines))
        }
        Visited::Part(TemplatePart::Interpolation(_, span)) => {
            span.range().contains(&at).then_some(Around::Code)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::lines_around;
    use crate::{
        source::{FileId, SourceFile},
        syntax::hcl::read::parse,
    };

    #[test]
    fn a_place_is_in_the_text_of_a_heredoc_or_in_code() {
        for (text, wanted) in [
            ("a = <<EOT\nb @\nEOT\n", Some("b @\n")),
            ("a = <<-EOT\n  b\n  @\n  EOT\nc = 1\n", Some("  b\n  @\n")),
            ("b \"c\" {\n  a = [f(<<EOT\n@\nEOT\n  )]\n}\n", Some("@\n")),
            ("a = <<EOT # @\nb\nEOT\n", None),
            ("a = <<EOT\nb\nEOT\nc = \"@\"\n", None),
            // Code in a text, and a text in that.
            ("a = <<EOT\n${f({\n  b = \"@\"\n})}\nEOT\n", None),
            ("a = <<EOT\n${f(<<IN\n@\nIN\n)}\nEOT\n", Some("@\n")),
            ("a = <<EOT\n%{ if b }\n@\n%{ endif }\nEOT\n", Some("%{ if b }\n@\n%{ endif }\n")),
            // What only looks like one.
            ("# <<EOT\na = \"@\"\n", None),
            ("/* <<EOT\n*/\na = \"@\"\n", None),
            ("a = \"<<EOT\"\nb = \"@\"\n", None),
            // A line that begins with the delimiter; another block that cannot be read.
            ("a = <<EOT\nEOTS\n@\nEOT\n", Some("EOTS\n@\n")),
            ("b {\n  c = \n}\na = <<EOT\n@\nEOT\n", Some("@\n")),
        ] {
            let file = SourceFile::new("a.tf", text);
            let mut body = parse(FileId(0), text).body;
            let lines = lines_around(&file, &mut body, text.find('@').unwrap());
            assert_eq!(lines.map(|it| file.slice(it)), wanted, "{text}");
        }
    }
}
