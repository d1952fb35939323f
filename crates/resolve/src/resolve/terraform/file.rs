//! Which files Terraform and `OpenTofu` read in a folder, and what they are called.

use std::sync::Arc;

use crate::{
    findings::Severity,
    project::kind::is_downloaded,
    source::{FileId, Files, SourceFile, file_name},
    syntax::{
        ParseError,
        hcl::{self, HclFile, JsonProperty},
    },
};

/// A configuration file's name, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Name<'p> {
    stem: &'p str,
    /// Whether only `OpenTofu` reads it.
    tofu: bool,
    json: bool,
}

/// Takes a configuration file's path apart; `None` for other files and for those Terraform ignores.
pub(super) fn configuration(path: &str) -> Option<Name<'_>> {
    let name = file_name(path);
    let (stem, tofu, json) = [
        (".tf", false, false),
        (".tofu", true, false),
        (".tf.json", false, true),
        (".tofu.json", true, true),
    ]
    .into_iter()
    .find_map(|(ending, tofu, json)| Some((name.strip_suffix(ending)?, tofu, json)))?;
    (!stem.starts_with('.')).then_some(Name { stem, tofu, json })
}

impl Name<'_> {
    /// Whether it is merged over the folder's other files.
    pub(super) fn overrides(self) -> bool {
        self.stem == "override" || self.stem.ends_with("_override")
    }

    /// The path of the file that `OpenTofu` reads instead.
    fn preferred(self, path: &str) -> Option<String> {
        let ending = if self.json { ".tf.json" } else { ".tf" };
        let tofu = ending.replace("tf", "tofu");
        (!self.tofu).then(|| Some(format!("{}{tofu}", path.strip_suffix(ending)?)))?
    }
}

/// Whether the file gives values to variables.
pub(super) fn gives_values(path: &str) -> bool {
    (path.ends_with(".tfvars") || path.ends_with(".tfvars.json")) && !is_downloaded(path)
}

/// Whether Terraform, or `OpenTofu` where it has files of its own, reads the file.
pub(super) fn is_read(files: &Files, file: &SourceFile) -> bool {
    let path = file.path();
    match configuration(path) {
        Some(name) => name.preferred(path).is_none_or(|it| files.find(&it).is_none()),
        None => gives_values(path),
    }
}

/// Whether a file is no HCL because something else fills it in first: a line of Jinja or of Go templates, or
/// a place for a value in the very line that cannot be read.
pub(super) fn is_template(file: &SourceFile, parse_errors: &[ParseError]) -> bool {
    let marked = |line: &str| line.contains("{{") || line.contains("{%");
    let errors = parse_errors.iter().filter(|it| it.severity == Severity::Error);
    // Of many errors in one line, the line is looked at once.
    let mut lines: Vec<usize> = errors.map(|it| file.line_of(it.span.start as usize)).collect();
    lines.dedup();
    let directive = |it: &str| ["{%", "{{"].iter().any(|mark| it.trim_start().starts_with(mark));
    let mut texts = lines.iter().map(|it| file.line_text(*it));
    texts.any(|it| marked(it) || names_placeholder(it) || holds_placeholder(it))
        || (!lines.is_empty() && file.text().lines().any(directive))
}

/// Whether a line has a placeholder where Terraform wants a name: `${name}_region = …` or `var.${name}`
/// is for envsubst. Inside the quotes of a value it is an interpolation, in those of a block's label not.
fn names_placeholder(line: &str) -> bool {
    // What is before the last `${`: where it ends, whether a quote is open, and whether a value has begun.
    let (mut seen, mut quoted, mut in_value) = (0, false, false);
    line.match_indices("${").any(|(at, _)| {
        let between = line.get(seen..at).unwrap_or_default();
        quoted ^= between.matches('"').count() % 2 == 1;
        in_value |= between.contains(['=', ':', '(', ',']);
        seen = at;
        let rest = line.get(at + 2..).unwrap_or_default();
        let name = rest.bytes().take_while(|it| is_of_name(*it)).count();
        !(quoted && in_value) && name > 0 && rest.as_bytes().get(name) == Some(&b'}')
    })
}

/// Whether a line gives a placeholder in place of a value: `size = <size>`.
fn holds_placeholder(line: &str) -> bool {
    line.split_once('=').is_some_and(|(_, value)| {
        let name = value.trim().strip_prefix('<').and_then(|it| it.split_once('>'));
        name.is_some_and(|(name, _)| {
            name.starts_with(|it: char| it.is_ascii_alphabetic())
                && name.chars().all(|it| it.is_ascii_alphanumeric() || "_- .".contains(it))
        })
    })
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Reads a configuration or variable file in the syntax its extension names.
pub(super) fn parse(files: &Files, id: FileId) -> HclFile {
    let file = files.get(id);
    let (path, text) = (file.path(), file.text());
    if file.ending() != "json" {
        return hcl::read::parse(id, text);
    }
    if gives_values(path) {
        return hcl::json::parse(id, text, &|_, _| JsonProperty::Literal);
    }
    hcl::json::parse(id, text, &shape)
}

/// Nested blocks that are read as blocks however they are written, because rules and expressions expect
/// a list; every other object is a value. An array of objects is a list either way.
const NESTED: &[&str] = &[
    "lifecycle",
    "connection",
    "timeouts",
    "validation",
    "precondition",
    "postcondition",
    "set",
    "set_list",
    "set_sensitive",
    "postrender",
    "selector",
    "taint",
    "scaling_config",
    "update_config",
    "content",
    "backend",
    "cloud",
    "required_providers",
];

/// What a property of Terraform's JSON syntax is. Terraform knows from the providers' schemas; here the
/// names of the language and of [`NESTED`] decide.
fn shape(around: &[Arc<str>], name: &str) -> JsonProperty {
    let Some(outer) = around.first() else {
        return match name {
            "resource" | "data" | "ephemeral" => JsonProperty::Blocks(2),
            "module" | "variable" | "output" | "provider" | "check" => JsonProperty::Blocks(1),
            "locals" | "terraform" | "moved" | "import" | "removed" => JsonProperty::Blocks(0),
            _ => JsonProperty::Attribute,
        };
    };
    match (&**outer, name) {
        ("variable", "type")
        | ("moved" | "import" | "removed", "from" | "to")
        | ("module", "depends_on" | "providers") => JsonProperty::Reference,
        ("variable", "default" | "description") => JsonProperty::Literal,
        ("locals" | "module", _) => JsonProperty::Attribute,
        ("terraform", "backend") | (_, "dynamic" | "provisioner") => JsonProperty::Blocks(1),
        (_, "depends_on" | "provider" | "ignore_changes" | "replace_triggered_by" | "iterator") => {
            JsonProperty::Reference
        }
        (_, name) if NESTED.contains(&name) => JsonProperty::Blocks(0),
        _ => JsonProperty::Attribute,
    }
}

#[cfg(test)]
mod tests {
    use crate::resolve::terraform::file::{Name, configuration};

    #[test]
    fn names_are_taken_apart() {
        let cases = [
            ("a/main.tf", Some(false)),
            ("a/override.tf", Some(true)),
            ("x_override.tf.json", Some(true)),
            ("my-override.tofu", Some(false)),
            (".hidden.tf", None),
            ("main.tf.txt", None),
            ("a.tfvars", None),
        ];
        for (path, expected) in cases {
            let name = configuration(path);
            assert_eq!(name.map(Name::overrides), expected, "{path}");
        }
        let preferred = |path| configuration(path).and_then(|it| it.preferred(path));
        assert_eq!(preferred("a/main.tf").as_deref(), Some("a/main.tofu"));
        assert_eq!(preferred("a/main.tf.json").as_deref(), Some("a/main.tofu.json"));
        assert_eq!(preferred("a/main.tofu"), None);
    }
}
