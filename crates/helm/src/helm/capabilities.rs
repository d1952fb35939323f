//! `.Capabilities`, as templates see it.

use std::rc::Rc;

use crate::{
    helm::{
        cluster::{ApiVersions, Assumptions},
        semver::Semver,
        value::{Field, Kind, Struct, Val},
    },
    value::Symbol,
};

/// `.Capabilities`
pub(crate) fn capabilities(assumptions: &Assumptions) -> Val {
    let written = assumptions.kubernetes.as_deref();
    let with_patch = |it: &str| match it.matches('.').count() {
        1 => format!("{it}.0"),
        _ => it.to_owned(),
    };
    let version = written.and_then(|it| {
        let bare = it.strip_prefix('v').unwrap_or(it);
        Semver::parse(&format!("v{}", with_patch(bare)))
    });
    let kubernetes = match version {
        Some(version) => Kind::Version(Rc::new(version.kept())).into(),
        None => Val::unknown(Symbol::of_installation(".Capabilities.KubeVersion")),
    };
    let versions = Kind::ApiVersions(Rc::new(ApiVersions::new(assumptions)));
    let helm = [
        ("Version", "version", "v3.17.3"),
        ("GitCommit", "git_commit", ""),
        ("GitTreeState", "git_tree_state", "clean"),
        ("GoVersion", "go_version", "go1.23.7"),
    ];
    let field =
        |(name, json, value)| Field { name, json, omit_empty: true, value: Val::text(value) };
    let fields = helm.map(field).into();
    let helm = Kind::Struct(Rc::new(Struct { type_name: "version.BuildInfo", fields })).into();
    let entries =
        [("KubeVersion", kubernetes), ("APIVersions", versions.into()), ("HelmVersion", helm)];
    let field = |(name, value)| Field { name, json: name, omit_empty: false, value };
    let fields = entries.map(field).into();
    Kind::Struct(Rc::new(Struct { type_name: "*chartutil.Capabilities", fields })).into()
}

/// The API versions that are served, as a list.
pub(crate) fn list(versions: &ApiVersions) -> Val {
    match versions.all() {
        Some(all) => Val::list(all.iter().map(|it| Val::text(*it)).collect()),
        None => Val::unknown(Symbol::new("helm", ".Capabilities.APIVersions")),
    }
}
