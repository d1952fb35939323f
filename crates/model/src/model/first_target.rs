//! What commands apply first, before the rest of a root module: `terraform apply -target=module.karpenter`.

use crate::{
    model::command_files,
    resolve::terraform::object::without_keys,
    source::{FileId, Files, Span},
};

/// An address that a command applies first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstTarget {
    /// The address without keys of instances: `module.karpenter.helm_release.this`.
    pub address: String,
    /// Where the command is.
    pub span: Span,
}

/// The flag that names an address.
pub(super) const FLAG: &str = "-target";

/// The addresses that the commands of some files apply first.
pub(super) fn all(files: &Files) -> Vec<FirstTarget> {
    let meant = command_files::may_hold_commands;
    let found = command_files::found_in(files, &[FLAG], meant, |id, _, text| of_text(id, text));
    found.into_iter().flatten().collect()
}

/// The targets in a text, each with the line that names it. A command may go over several lines.
fn of_text(id: FileId, text: &str) -> Vec<FirstTarget> {
    let mut found = Vec::new();
    let (mut at, mut applies, mut continues) = (0, false, false);
    for line in text.split_inclusive('\n') {
        let command = line.trim();
        let is_comment = command.starts_with("# ") || command.starts_with("//");
        applies = (continues && applies) || command.contains(" apply") || command.contains(" plan");
        if applies && !is_comment && !command.contains(" destroy") {
            let start = at + (line.len() - line.trim_start().len());
            let span = Span::new(id, start, start + command.len());
            let named = command.split(FLAG).skip(1).filter_map(address);
            found.extend(named.map(|address| FirstTarget { address, span }));
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
            ("# terraform apply -target=module.a\n", ""),
            ("docker build -target=runtime\n", ""),
        ] {
            let found: Vec<String> =
                of_text(FileId(0), text).into_iter().map(|it| it.address).collect();
            assert_eq!(found.join(" "), wanted, "{text}");
        }
    }
}
