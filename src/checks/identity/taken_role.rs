//! The role that a controller takes on, where its root makes it.

use crate::{
    checks::identity::{
        account::role_of_release,
        association::{Association, role_of_own_account},
        trust::resource_of,
    },
    resolve::{
        release::Release,
        terraform::{object::BlockInstance, root::Root},
    },
    value::Field,
};

/// Whether the controller takes on a further role by that which its pods get (in its settings before 1.0).
pub(super) fn takes_another(release: &Release) -> bool {
    let paths = ["settings.assumeRoleARN", "settings.aws.assumeRoleARN"];
    let is_set = |it: &&str| match release.values.at(it) {
        Field::Missing => false,
        Field::Present(value) => value.as_str() != Some(""),
        Field::Unknown => true,
    };
    paths.iter().any(is_set)
}

/// The role that a release surely takes on, by an association or else by an annotation, if its root makes it.
pub(super) fn role_of<'m>(
    root: &'m Root,
    index: usize,
    release: &'m Release,
) -> Option<&'m BlockInstance> {
    let association = Association::of_release(root, index, release).next();
    let value = match association {
        Some(it) => {
            it.object.body.get("target_role_arn").is_missing().then_some(())?;
            it.object.body.get("role_arn").present()?
        }
        None => role_of_release(release)
            .present()
            .or_else(|| role_of_own_account(root, index, release))?,
    };
    resource_of(root, "aws_iam_role", value)
}
