//! What karplint cannot judge: states and plans without their configuration that Terraform prints as JSON, and code that
//! Terragrunt writes.

use memchr::memmem;

use crate::{
    project::kind::FileKind,
    source::{FileId, Files, Span},
    syntax::json,
    value::{Text, Value},
};

const STATE: &str = "a Terraform state, which has no dependencies and is not judged: a plan is \
                     (`terraform show -json PLAN`)";
const BARE_PLAN: &str = "a Terraform plan without `configuration`, which is not judged: \
                         `terraform show -json PLAN` prints a whole one";
const UNNAMED_PLAN: &str =
    "a Terraform plan, which is judged where it is named: `karplint check FILE`";
const GENERATOR: &str = "Terragrunt writes Terraform code that names Karpenter from here \
                         (`generate`), which is not judged: a plan of the unit is \
                         (`terragrunt show -json PLAN`)";

/// A file that is not judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unjudged {
    /// The file.
    pub file: FileId,
    /// What it is and what to do.
    pub reason: &'static str,
    /// Whether it mentions Karpenter.
    pub names_karpenter: bool,
}

impl Unjudged {
    /// A file from which Terragrunt writes code that names Karpenter.
    #[must_use]
    pub fn generator(file: FileId) -> Self {
        Self { file, reason: GENERATOR, names_karpenter: true }
    }
}

/// Those among the files of a project that are likely to be plans, or are read for what they mention.
pub(super) fn find(files: &Files, is_likely: &dyn Fn(&str) -> bool) -> Vec<Unjudged> {
    let json = files.iter().filter(|(_, it)| FileKind::of(it.path()) == Some(FileKind::Json));
    let read = json.filter(|(_, it)| it.is_loaded() || is_likely(it.path()));
    let unjudged = read.filter_map(|(id, file)| {
        let text = file.text_if(may_be_output)?;
        let reason = reason(text, id, is_likely(file.path()))?;
        let names_karpenter = memmem::find(text.as_bytes(), b"karpenter").is_some();
        Some(Unjudged { file: id, reason, names_karpenter })
    });
    unjudged.collect()
}

fn may_be_output(text: &str) -> bool {
    memmem::find(text.as_bytes(), b"\"terraform_version\"").is_some()
}

fn reason(text: &str, id: FileId, is_likely: bool) -> Option<&'static str> {
    let whole = Span::new(id, 0, text.len());
    let top = json::parse(&Text::verbatim(text, whole), whole).values.into_iter().next()?;
    let has = |key: &str| top.get(key).present().is_some_and(|it| !it.is_null());
    top.get("terraform_version").present().and_then(Value::as_str)?;
    if has("planned_values") || has("resource_changes") {
        let is_whole = has("planned_values")
            && top.at("configuration.root_module").present().is_some_and(|it| !it.is_null());
        return match (is_whole, is_likely) {
            (true, true) => None,
            (true, false) => Some(UNNAMED_PLAN),
            (false, _) => Some(BARE_PLAN),
        };
    }
    let is_state = (has("format_version") && has("values")) || has("lineage");
    is_state.then_some(STATE)
}

#[cfg(test)]
mod tests {
    use super::{BARE_PLAN, STATE, UNNAMED_PLAN, find};
    use crate::source::{Files, SourceFile};

    #[test]
    fn states_and_partial_plans_are_named() {
        let of = |path: &str, rest: &str| {
            let text =
                format!("{{\"format_version\": \"1.2\", \"terraform_version\": \"1.9.0\"{rest}}}");
            let files = Files::new(vec![SourceFile::new(path, text)]);
            let found = find(&files, &|it| it.contains("plan"));
            found.first().map(|it| (it.reason, it.names_karpenter))
        };
        let whole = ", \"planned_values\": {}, \"configuration\": {\"root_module\": {}}";
        for (path, rest, wanted) in [
            ("plan.json", whole, None),
            ("out.json", whole, Some((UNNAMED_PLAN, false))),
            ("plan.json", ", \"planned_values\": {}", Some((BARE_PLAN, false))),
            (
                "plan.json",
                ", \"planned_values\": {\"a\": \"karpenter\"}, \"configuration\": null",
                Some((BARE_PLAN, true)),
            ),
            ("s.json", ", \"values\": {\"root_module\": {}}", Some((STATE, false))),
            ("s.json", ", \"lineage\": \"a\", \"resources\": []", Some((STATE, false))),
            ("s.json", "", None),
        ] {
            assert_eq!(of(path, rest), wanted, "{path}: {rest}");
        }
    }
}
