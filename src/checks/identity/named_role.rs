//! Roles that a release names by their ARN, and the code of the repository that makes a role of that name.

use crate::{
    checks::identity::{
        account::Account,
        trust::{accounts_of_iam_module, accounts_of_role},
    },
    model::{Model, environment::are_apart, role_maker::truth},
    resolve::{
        release::Release,
        terraform::{
            object::{BlockInstance, Mode},
            root::Root,
        },
    },
    source::Span,
    value::{HOLE_END, Kind, Value},
};

/// The accounts whose tokens the role of this name trusts, by what makes roles of its name; `None` where nothing does,
/// or where one of them is not known. The roots of other environments make other roles.
pub(super) fn accounts(
    model: &Model,
    release: &Release,
    name: &str,
) -> Option<Vec<(Account, Span)>> {
    let own = release.scope.root;
    let mut found = Vec::new();
    for (index, root) in model.terraform.roots.iter().enumerate() {
        if own != Some(index) && are_apart(&root.folder, &release.scope.folder) {
            continue;
        }
        for accounts in made(root, name) {
            found.extend(accounts.filter(|_| !root.reusable)?);
        }
    }
    (!found.is_empty()).then_some(found)
}

/// The name of the role that an ARN is of, behind its path.
pub(super) fn name_of_arn(role: &Value) -> Option<&str> {
    let Kind::String(text) = &role.kind else { return None };
    let arn = text.text.strip_prefix("arn:")?;
    let (_, name) = arn.split_once(":role/")?;
    let name = name.rsplit('/').next()?;
    let plain = |it: char| it.is_ascii_alphanumeric() || "+=,.@_-".contains(it);
    let is_name = !name.is_empty() && !name.contains(HOLE_END) && name.chars().all(plain);
    is_name.then_some(name)
}

/// The accounts that each role of this name trusts, of the roles that a root makes.
fn made<'r>(
    root: &'r Root,
    name: &'r str,
) -> impl Iterator<Item = Option<Vec<(Account, Span)>>> + 'r {
    let is_named = |it: &BlockInstance, key: &str| {
        it.body.get(key).present().and_then(Value::as_str) == Some(name)
    };
    let roles = root.of(Mode::Resource, "aws_iam_role").filter(move |it| is_named(it, "name"));
    let calls = root.of(Mode::Module, "module").filter(move |it| {
        let prefixed = truth(it.body.get("use_name_prefix"), true) != Some(false);
        !it.entered && (is_named(it, "role_name") || is_named(it, "name") && !prefixed)
    });
    let of_roles = roles.map(|it| accounts_of_role(root, it));
    of_roles.chain(calls.map(accounts_of_iam_module))
}

/// Whether a module that installs a chart has nothing to do with roles: it is one for Helm alone, and none of its inputs
/// is about a role.
pub(super) fn knows_no_role(call: &BlockInstance) -> bool {
    const WORDS: [&str; 4] = ["role", "iam", "irsa", "identity"];
    let source = call.body.get("source").present().and_then(Value::as_str).unwrap_or_default();
    let is_for_helm = matches!(source.split('/').collect::<Vec<_>>()[..], [_, _, "helm"]);
    let names_role = |key: &str| key.split('_').any(|it| WORDS.contains(&it));
    is_for_helm && !call.body.entries().iter().any(|it| names_role(&it.key))
}
