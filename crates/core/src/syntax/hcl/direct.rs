//! What is written as nearly everybody writes it, straight into our tree.
//!
//! hcl-edit keeps all white space and comments in a tree of its own, at ten times the price. So a text is read
//! here first, and the reader gives up at the first thing that is rare or doubtful: errors, repairs and the odd
//! corners of the grammar are hcl-edit's. What is read here is the same tree, which a test compares.

mod body;
mod cursor;
mod expression;
mod term;
mod text;

use std::cell::RefCell;

use crate::{
    source::FileId,
    syntax::hcl::{Body, direct::cursor::Cursor, snippet::Snippet},
};

/// The attributes and blocks of a whole text that begins at `offset` in the file; `None` where only hcl-edit knows.
pub(super) fn read(file: FileId, text: &str, offset: usize) -> Option<Body> {
    let notes = RefCell::default();
    let snippet = Snippet { file, text, offset, escapes: &[], notes: &notes };
    let body = Cursor::new(snippet)?.whole()?;
    notes.borrow().is_empty().then_some(body)
}

#[cfg(test)]
mod tests {
    use std::{fs, io, path::Path};

    use crate::{
        source::FileId,
        syntax::hcl::{direct::read, recover},
    };

    /// Whether a text is read here, and then as the same tree as by hcl-edit.
    fn is_read(text: &str) -> bool {
        let Some(body) = read(FileId(7), text, 0) else { return false };
        let other = recover::read(FileId(7), text, 0);
        assert_eq!(other.parse_errors, [], "{text}");
        assert_eq!(format!("{body:?}"), format!("{:?}", other.body), "{text}");
        true
    }

    /// Text that is read here.
    const READ: &[&str] = &[
        "",
        "# a

// b
/* c
*/",
        "a=1",
        "a = 1 # b
b = 2
",
        "a {}
",
        "a { b = 1 }
",
        "a \"b\" c { # d\n  e = 1\n\n  f \"é\" {\n  }\n}\n",
        "a = 1.5 - -2 * (3 + 4) % 5 / 6 <= 7 && !b || c != d == e > f < g >= h\n",
        "a = -0\nb = - 1\nc = -x.y\nd = !!e\n",
        "a = b ? c : d ? [1] : {}\n",
        "a = f(\n  b, # c\n  d...\n)\n",
        "a = f()[0].b\n",
        "a = [\n 1,\n \"é\", # b\n]\nb = []\nc = {}\n",
        "a = { b = 1, \"c\" : 2\n (d) = 3 // e\n \"${f}\" = 4, 5 = 6, null = 7 }\n",
        "a = b.c.0.d[\"e\"][*].f[0].*.g.h[1].i\nj = k.*.l[0].*.m\n",
        "a = [for b in c : b.d if b.e]\nf = {\n for k, v in g : k => v... if v\n}\n",
        "a = \"b $ % $$ $${c} %%{d} \\n\\\"${ e }${~ f(\"${g}\") ~} h\"\n",
        "a = <<E\n  b\n\n  ${c}\n $${d}\n  E\nf = <<-G\n    h ${i}\n   é\n  G\n",
        "a = f(<<-E\n  b\n  E\n)\n",
        "a = (\n b\n + c\n)\n",
        "a = [b]\n\nc = f(d)\ne = 1\n",
        "a = b /* c */ + /* d\n */ e\n",
        "a = f(b)\n  .c\n",
        "a = [1]\n + 2\n",
    ];

    /// Text that is left to the reader of everything.
    const LEFT: &[&str] = &[
        "a",
        "a = ",
        "a = 1 b = 2\n",
        "a = 1\na = 2\n",
        "a {\n",
        "a }\n",
        "a { b = 1, c = 2 }\n",
        "a = { b = 1, \"b\" = 2 }\n",
        "a = { (b) = 1, (b) = 2 }\n",
        "a = \"b\nc\"\n",
        "a = \"\\d\"\n",
        "a = \"\\u00e9\"\n",
        "a = \"%{ if b }c%{ endif }\"\n",
        "a = <<E\nE\n",
        "a = <<E\nb\n",
        "é = 1\n",
        "a = bé\n",
        "a = b::c(d)\n",
        "a = 1e3\n",
        "a = 1.\n",
        "a = 12345678901234567890\n",
        "a = b\rc = d\n",
        "a = b & c\n",
        "a = b\n + c\n",
        "a = [,]\n",
        "a = f(,)\n",
        "a \"${b}\" {}\n",
        "a = {for b in c : b => d ?\n 1 : 2}\n",
    ];

    #[test]
    fn common_text_is_read_and_rare_text_is_left() {
        for text in READ {
            assert!(is_read(text), "{text}");
        }
        for text in LEFT {
            assert!(!is_read(text), "{text}");
        }
        for open in ["[", "{a=", "(", "f(", "\"${", "-", "!", "a ? ", "a[", "1 + "] {
            assert!(!is_read(&format!("a = {}", open.repeat(100_000))), "{open}");
        }
        assert!(!is_read(&"a {\n".repeat(100_000)));
        assert!(!is_read(&format!("a = b{}", ".c".repeat(100_000))));
    }

    #[test]
    fn what_fixtures_hold_is_read_as_the_same_tree() {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
        let mut waiting = vec![fixtures];
        let (mut all, mut read) = (0, 0);
        while let Some(folder) = waiting.pop() {
            for entry in fs::read_dir(folder).expect("a folder").flatten() {
                let path = entry.path();
                if path.is_dir() {
                    waiting.push(path);
                } else if path.extension().is_some_and(|it| it == "tf" || it == "tfvars")
                    && let Ok(text) = io::read_to_string(fs::File::open(&path).expect("a file"))
                {
                    all += 1;
                    read += usize::from(is_read(&text));
                }
            }
        }
        assert!(read * 10 > all * 9, "{read} of {all}");
    }
}
