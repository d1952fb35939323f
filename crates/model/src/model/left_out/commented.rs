//! What only Terraform code in comments uses: files it reads, as in
//! `# manifest = yamldecode(file("${path.module}/pool.yaml"))`, and modules it calls.

use std::collections::HashMap;

use memchr::memmem;

use crate::source::{FileId, Files, SourceFile, Span, join};

/// The functions that read a file, up to its path.
const READS: [&str; 2] = ["file(\"", "templatefile(\""];
/// What the path of a file may begin with.
const FOLDERS: [&str; 3] = ["${path.module}/", "${path.root}/", "${path.cwd}/"];

/// The paths that lines of Terraform in comments read, each with the file of that line.
pub(super) fn read_in_comments(files: &Files) -> HashMap<String, FileId> {
    let reads = |text: &str| memmem::find(text.as_bytes(), b"file(\"").is_some();
    let is_code = |it: &SourceFile| matches!(it.ending(), "tf" | "tofu") && it.is_loaded();
    let code = files.iter().filter(|(_, it)| is_code(it) && reads(it.text()));
    let in_file = |(id, file): (FileId, &SourceFile)| {
        let paths = commented(file.text()).filter_map(|it| join(file.folder(), it));
        paths.map(|it| (it, id)).collect::<Vec<_>>()
    };
    code.flat_map(in_file).collect()
}

/// The folders of modules that only calls in comments lead to, each with the line that names it.
pub(super) fn called_in_comments(files: &Files) -> HashMap<String, Span> {
    let is_code = |it: &SourceFile| matches!(it.ending(), "tf" | "tofu") && it.is_loaded();
    let code = files.iter().filter(|(_, it)| is_code(it));
    let in_file = |(id, file): (FileId, &SourceFile)| {
        let calls = calls(file.text()).into_iter();
        let calls = calls.filter_map(|(at, path)| Some((join(file.folder(), path)?, (at, path))));
        calls.map(|(to, (at, path))| (to, Span::new(id, at, at + path.len()))).collect::<Vec<_>>()
    };
    code.flat_map(in_file).collect()
}

/// The sources of whole calls of local modules in the comments of a text, each with its offset.
fn calls(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut in_call = false;
    for line in text.lines() {
        let bare = line.trim_start();
        let code = bare.trim_start_matches(['#', '/']).trim_start();
        if bare.len() == code.len() && !bare.is_empty() {
            in_call = false;
        } else if code.starts_with("module \"") {
            in_call = true;
        } else if in_call
            && let Some(value) = code.strip_prefix("source").map(str::trim_start)
            && let Some((_, value)) = value.strip_prefix('=').and_then(|it| it.split_once('"'))
            && let Some((path, _)) = value.split_once('"').filter(|it| it.0.starts_with('.'))
        {
            found.push((path.as_ptr() as usize - text.as_ptr() as usize, path));
        }
    }
    found
}

/// The paths that the commented lines of a text read, as far as they are written.
fn commented(text: &str) -> impl Iterator<Item = &str> {
    let comments = text.lines().filter(|it| it.trim_start().starts_with(['#', '/']));
    let paths = comments.flat_map(|line| {
        let found = READS.into_iter().filter_map(|it| Some(line.split_once(it)?.1));
        found.filter_map(|it| Some(it.split_once('"')?.0))
    });
    let below = |it| FOLDERS.into_iter().find_map(|folder| str::strip_prefix(it, folder));
    paths.map(move |it| below(it).unwrap_or(it)).filter(|it| !it.contains('$'))
}

#[cfg(test)]
mod tests {
    use super::{calls, commented};

    #[test]
    fn whole_calls_in_comments_lead_to_modules() {
        let text = "\
# module \"a\" {
#   # count = 1
#   source = \"./modules/a\"
# }
module \"b\" {
  source = \"git::https://example.com/b.git\"
  # source = \"./modules/b\"
}
// module \"c\" {
//   source = \"example/c/aws\"
";
        let found: Vec<&str> = calls(text).into_iter().map(|it| it.1).collect();
        assert_eq!(found, ["./modules/a"]);
    }

    #[test]
    fn comments_name_what_they_would_read() {
        let text = "\
# a = file(\"${path.module}/pools/a.yaml\")
  // b = templatefile(\"./b.yaml\", {})
c = file(\"c.yaml\")
# d = file(\"${var.folder}/d.yaml\")
# e = file(
";
        let found: Vec<&str> = commented(text).collect();
        assert_eq!(found, ["pools/a.yaml", "./b.yaml", "./b.yaml"]);
    }
}
