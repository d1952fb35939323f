//! What commands apply first, before the rest of a root module: `terraform apply -target=module.karpenter`.

use std::{collections::HashSet, sync::Arc};

use memchr::memmem;

use crate::{
    model::command_files,
    project::kind::FileKind,
    resolve::terraform::object::without_keys,
    source::{FileId, Files, SourceFile, Span},
};

/// An address that a command applies first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstTarget {
    /// The address without keys of instances: `module.karpenter.helm_release.this`.
    pub address: String,
    /// Where the command is.
    pub span: Span,
    /// The folder of the module in whose code only a comment gives the command; none for a command that is run or
    /// that a document gives.
    pub comment_in: Option<Arc<str>>,
}

impl FirstTarget {
    /// Whether it applies what has one address, and not what has the other one. A comment may leave out the modules
    /// around its own.
    pub(super) fn applies(&self, address: &str, other: &str) -> bool {
        let inside = || address.strip_suffix(&*self.address).is_some_and(|it| it.ends_with('.'));
        let is_it = holds(&self.address, address) || (self.comment_in.is_some() && inside());
        is_it && !holds(&self.address, other)
    }
}

/// The flag that names an address.
pub(super) const FLAG: &str = "-target";

/// The addresses that the commands of some files apply first, then those that comments in the Terraform code of these
/// folders name.
pub(super) fn all(files: &Files, folders: &HashSet<&str>) -> Vec<FirstTarget> {
    let meant = command_files::may_hold_commands;
    let found =
        command_files::found_in(files, &[FLAG], meant, |id, _, text| of_text(id, text, None));
    let is_code = |it: &SourceFile| {
        folders.contains(it.folder()) && FileKind::of(it.path()) == Some(FileKind::Terraform)
    };
    let code = files.iter().filter(|(_, it)| is_code(it));
    let comments = code.map(|(id, it)| it.skim(|text| of_text(id, text, Some(it.folder()))));
    found.into_iter().chain(comments).flatten().collect()
}

/// The targets in a text, each with the line that names it: of commands, or of comments in the code of a folder. A
/// command may go over several lines.
fn of_text(id: FileId, text: &str, code_of: Option<&str>) -> Vec<FirstTarget> {
    if memmem::find(text.as_bytes(), FLAG.as_bytes()).is_none() {
        return Vec::new();
    }
    let comment_in: Option<Arc<str>> = code_of.map(Arc::from);
    let mut found = Vec::new();
    let (mut at, mut applies, mut continues) = (0, false, false);
    for line in text.split_inclusive('\n') {
        let command = line.trim();
        let is_comment = match comment_in {
            None => command.starts_with("# ") || command.starts_with("//"),
            Some(_) => command.starts_with(['#', '/', '*']),
        };
        applies = (continues && applies) || command.contains(" apply") || command.contains(" plan");
        if applies && is_comment == comment_in.is_some() && !command.contains(" destroy") {
            let start = at + (line.len() - line.trim_start().len());
            let span = Span::new(id, start, start + command.len());
            let mut named: Vec<String> = command.split(FLAG).skip(1).filter_map(address).collect();
            // A loop goes through a list of them.
            if named.is_empty() && command.contains(FLAG) && command.contains('$') {
                named.extend(text.get(..at).into_iter().flat_map(listed));
            }
            let comment_in = &comment_in;
            let target = |address| FirstTarget { address, span, comment_in: comment_in.clone() };
            found.extend(named.into_iter().map(target));
        }
        continues = command.ends_with('\\');
        at += line.len();
    }
    found
}

/// The address behind a flag: `='module.karpenter'`.
pub(super) fn address(rest: &str) -> Option<String> {
    let rest = rest.strip_prefix(['=', ' '])?.trim_start().trim_start_matches(['"', '\'']);
    let end = rest.find([' ', '\'', '`', ';', '&', '\\', ')']).unwrap_or(rest.len());
    let address = without_keys(rest.get(..end)?);
    let address = address.trim_end_matches('"');
    address.contains('.').then(|| address.to_owned())
}

/// The addresses that a text lists, as those that a loop goes through.
pub(super) fn listed(text: &str) -> impl Iterator<Item = String> {
    const TYPES: &[&str] =
        &["module.", "helm_release.", "kubectl_manifest.", "kubernetes_manifest."];
    let words = text.split([' ', '\t', '\n', '\r', '"', '\'', '(', ')', ';', ',']);
    let addresses = words.filter(|it| TYPES.iter().any(|kind| it.starts_with(kind)));
    addresses.filter_map(|it| address(&format!("={it}")))
}

/// Whether a target is an address or holds it.
pub(super) fn holds(target: &str, address: &str) -> bool {
    address.strip_prefix(target).is_some_and(|it| it.is_empty() || it.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::of_text;
    use crate::source::FileId;

    #[test]
    fn targets_of_commands_are_found() {
        for (text, wanted) in [
            (
                "terraform apply -target='module.a.helm_release.this'\n",
                "module.a.helm_release.this",
            ),
            (
                "tofu apply -auto-approve \\\n  -target=module.a \\\n  -target \"module.b[0]\"\n",
                "module.a module.b",
            ),
            ("- run: terraform plan -target=module.a && terraform apply\n", "module.a"),
            ("terraform destroy -target=module.a\n", ""),
            (
                "all=(\n  \"module.a\"\n  \"module.b\"\n)\nfor it in \"${all[@]}\"; do\n  terraform apply -target=\"$it\"\ndone\n",
                "module.a module.b",
            ),
            ("# terraform apply -target=module.a\n", ""),
            ("docker build -target=runtime\n", ""),
        ] {
            let found: Vec<String> =
                of_text(FileId(0), text, None).into_iter().map(|it| it.address).collect();
            assert_eq!(found.join(" "), wanted, "{text}");
        }
    }

    #[test]
    fn comments_name_what_is_inside_their_module() {
        let text = "# Run this first:\n#   terraform apply -target=helm_release.karpenter\nx = 1\n";
        let found = of_text(FileId(0), text, Some("modules/karpenter"));
        let [target] = &*found else { unreachable!("{found:?}") };
        let pools = "module.karpenter.kubernetes_manifest.pools";
        assert!(target.applies("module.karpenter.helm_release.karpenter", pools));
        assert!(!target.applies("module.karpenter.other_helm_release.karpenter", pools));
        assert!(!target.applies("module.karpenter.helm_release.crds", pools));
    }
}
