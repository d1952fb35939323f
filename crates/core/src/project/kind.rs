//! What the files of a project are written in.

use crate::source::{ending, file_name};

/// What a file is written in, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// `.tf`, `.tofu` and their JSON forms.
    Terraform,
    /// `.tfvars`, `.tfvars.json`
    Variables,
    /// `terragrunt.hcl`
    Terragrunt,
    /// `.yaml`, `.yml`
    Yaml,
    /// `.json`
    Json,
    /// `.sh`, `.ps1`, a Makefile, a justfile, a `Jenkinsfile`
    Script,
    /// `.karplint/policies/*.yaml`
    Policy,
}

impl FileKind {
    /// The kind of the file of that name; `None` when karplint does not check such files.
    #[must_use]
    pub fn of(path: &str) -> Option<Self> {
        let name = file_name(path);
        let (before, last) = ending(name);
        let kind = match last {
            "tf" | "tofu" => Self::Terraform,
            "tfvars" => Self::Variables,
            "hcl" if before == "terragrunt" => Self::Terragrunt,
            "yaml" | "yml" if path.starts_with(POLICIES) => Self::Policy,
            "yaml" | "yml" => Self::Yaml,
            "json" => match ending(before).1 {
                "tf" | "tofu" => Self::Terraform,
                "tfvars" => Self::Variables,
                _ => Self::Json,
            },
            "sh" | "bash" | "ps1" | "mk" | "just" => Self::Script,
            _ if SCRIPTS.contains(&name) || is_jenkinsfile(name) => Self::Script,
            _ => return None,
        };
        (!is_downloaded(path)).then_some(kind)
    }
}

/// The names of scripts without an ending.
const SCRIPTS: [&str; 6] =
    ["Makefile", "makefile", "GNUmakefile", "justfile", "Justfile", ".justfile"];

/// Whether Terraform reads a file of that name by itself, whatever git ignores.
#[must_use]
pub fn is_read_by_terraform(name: &str) -> bool {
    let name = name.strip_suffix(".json").unwrap_or(name);
    name == "terraform.tfvars" || name.ends_with(".auto.tfvars")
}

/// Whether a file of that name is a pipeline of Jenkins: `Jenkinsfile`, `Jenkinsfile-deploy`, `deploy.Jenkinsfile`.
#[must_use]
pub fn is_jenkinsfile(name: &str) -> bool {
    const OTHER: [&str; 8] = ["md", "txt", "adoc", "html", "bak", "old", "orig", "disabled"];
    let (before, ending) = ending(name);
    let begins = before.strip_prefix("Jenkinsfile").or_else(|| before.strip_prefix("jenkinsfile"));
    let is_named = begins.is_some_and(|it| it.is_empty() || it.starts_with(['.', '-', '_']));
    ending.eq_ignore_ascii_case("jenkinsfile") || (is_named && !OTHER.contains(&ending))
}

/// The folder of a project's policies.
pub const POLICIES: &str = ".karplint/policies/";

/// Whether a path lies in a folder that tools fill: its files are not edited by hand.
#[must_use]
pub fn is_downloaded(path: &str) -> bool {
    path.starts_with(".terraform/") || path.contains("/.terraform/")
}

#[cfg(test)]
mod tests {
    use super::FileKind;

    #[test]
    fn names_say_what_a_file_is() {
        let cases = [
            ("a/main.tf", Some(FileKind::Terraform)),
            ("main.tofu", Some(FileKind::Terraform)),
            ("cdk.tf.json", Some(FileKind::Terraform)),
            ("x.tofu.json", Some(FileKind::Terraform)),
            ("x.auto.tfvars.json", Some(FileKind::Variables)),
            ("terraform.tfvars", Some(FileKind::Variables)),
            ("live/terragrunt.hcl", Some(FileKind::Terragrunt)),
            ("live/root.hcl", None),
            ("plan.json", Some(FileKind::Json)),
            ("tf.json", Some(FileKind::Json)),
            ("hack/install.sh", Some(FileKind::Script)),
            ("Makefile", Some(FileKind::Script)),
            ("ci/Jenkinsfile", Some(FileKind::Script)),
            ("Jenkinsfile-deploy", Some(FileKind::Script)),
            ("Jenkinsfile.prod", Some(FileKind::Script)),
            ("Jenkinsfile.md", None),
            ("Jenkinsfile.yaml", Some(FileKind::Yaml)),
            ("Jenkinsfiles", None),
            ("README.md", None),
            ("a/.terraform/modules/x/main.tf", None),
        ];
        for (path, expected) in cases {
            assert_eq!(FileKind::of(path), expected, "{path}");
        }
    }
}
