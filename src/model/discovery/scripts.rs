//! Tags that something else than Terraform puts on subnets and security groups.

use memchr::memmem;

use crate::source::Files;

/// The endings of code and scripts.
const CODE: &[&str] = &[
    "sh", "bash", "Makefile", "mk", "justfile", "Taskfile", "py", "ts", "js", "go", "cs", "java",
    "rb", "ps1",
];

/// Whether code, a script or a template of `CloudFormation` may put a tag of that key on subnets or security
/// groups: it has the key, or makes such resources.
#[must_use]
pub fn is_tagged_elsewhere(files: &Files, key: &str) -> bool {
    let has = |text: &str, word: &str| memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    files.iter().any(|(_, file)| {
        let ending = file.ending();
        let worth = |text: &str| match ending {
            "yaml" | "yml" | "json" | "template" => {
                has(text, "AWS::EC2::Subnet") || has(text, "AWS::EC2::SecurityGroup")
            }
            "tf" | "tofu" | "hcl" => has(text, "create-tags"),
            _ => has(text, key) || has(text, "create-tags"),
        };
        let read = ["yaml", "yml", "json", "template", "tf", "tofu", "hcl"].contains(&ending);
        (read || CODE.contains(&ending)) && file.text_if(worth).is_some()
    })
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
