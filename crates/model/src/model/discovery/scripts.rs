//! Tags that something else than Terraform puts on subnets and security groups.

use memchr::memmem;

/// The endings of code and scripts.
const CODE: &[&str] = &[
    "sh",
    "bash",
    "Makefile",
    "Jenkinsfile",
    "mk",
    "justfile",
    "Taskfile",
    "py",
    "ts",
    "js",
    "go",
    "cs",
    "java",
    "rb",
    "ps1",
];

/// The endings of templates of `CloudFormation`.
const TEMPLATES: &[&str] = &["yaml", "yml", "json", "template"];

/// The endings of Terraform's files: the tags in them are read, the commands in them are not.
const TERRAFORM: &[&str] = &["tf", "tofu", "hcl"];

/// The kinds of a template that makes what classes select.
const KINDS: [&str; 2] = ["AWS::EC2::Subnet", "AWS::EC2::SecurityGroup"];

/// The command by which a script tags something.
const COMMAND: &str = "create-tags";

/// What a file that tags subnets and security groups may hold besides the tag's key.
pub const WORDS: [&str; 3] = [KINDS[0], KINDS[1], COMMAND];

/// Whether a file of that ending may tag something.
#[must_use]
pub fn is_read(ending: &str) -> bool {
    [CODE, TEMPLATES, TERRAFORM].iter().any(|it| it.contains(&ending))
}

/// Whether code, a script or a template of `CloudFormation` may put a tag of that key on subnets or security
/// groups: it has the key, or makes such resources.
#[must_use]
pub fn may_tag(ending: &str, text: &str, key: &str) -> bool {
    let has = |word: &str| memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    if TEMPLATES.contains(&ending) {
        return KINDS.iter().any(|it| has(it));
    }
    has(COMMAND) || (!TERRAFORM.contains(&ending) && has(key))
}

/// Whether a name only stands for the one people are to write.
#[must_use]
pub fn is_example(name: &str) -> bool {
    const WORDS: &[&str] =
        &["your", "replace", "example", "change", "my-", "my_", "xxx", "todo", "placeholder"];
    let lower = name.to_lowercase();
    name.contains(['<', '>', '{', '}', '$', '%', '#', ' '])
        || !name.contains(|it: char| it.is_ascii_lowercase())
        || WORDS.iter().any(|it| lower.contains(it))
}

#[cfg(test)]
mod tests {
    use super::is_example;

    #[test]
    fn names_to_fill_in_are_no_names() {
        for (name, wanted) in [
            ("shop-prod", false),
            ("CLUSTER_NAME", true),
            ("<cluster>", true),
            ("my-cluster", true),
            ("${CLUSTER}", true),
            ("your-cluster", true),
            ("eks1", false),
        ] {
            assert_eq!(is_example(name), wanted, "{name}");
        }
    }
}
