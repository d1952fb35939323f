//! Calls of `terraform-aws-modules/eks` and its submodules, and of `aws-ia/eks-blueprints-addons`, with their
//! versions.

use crate::{
    findings::change::Change,
    knowledge::module_step,
    model::Model,
    resolve::terraform::{
        module_source::{ModuleSource, TwoAddresses},
        object::{BlockInstance, Mode},
        root::Root,
    },
    source::Span,
    value::{Field, Value},
    version::{Version, constraint::Constraint},
};

/// The modules, with the names that `knowledge` has for them.
const MODULES: [(&str, TwoAddresses); 5] = [
    ("", ModuleSource::EKS),
    ("karpenter", ModuleSource::EKS_KARPENTER),
    ("eks-managed-node-group", ModuleSource::EKS_MANAGED_NODE_GROUP),
    ("fargate-profile", ModuleSource::EKS_FARGATE),
    ("eks-blueprints-addons", ModuleSource::BLUEPRINTS_ADDONS),
];

/// A call of one of them, in a file of the project's own.
#[derive(Clone, Copy, Debug)]
pub struct ModuleCall<'m> {
    /// The root that it is in.
    pub root: &'m Root,
    /// The call.
    pub object: &'m BlockInstance,
    /// The submodule, empty for `terraform-aws-modules/eks` itself.
    pub module: &'static str,
    /// Where the call is: the root and the object as indices.
    pub index: (usize, usize),
}

impl<'m> ModuleCall<'m> {
    /// All of them that are there.
    pub fn all(model: &'m Model) -> impl Iterator<Item = Self> {
        let roots = model.terraform.roots.iter().enumerate();
        roots.flat_map(move |(at, root)| {
            (0..root.objects.len()).filter_map(move |it| Self::at(model, (at, it)))
        })
    }

    /// The call at a place, if it is one.
    #[must_use]
    pub fn at(model: &'m Model, index: (usize, usize)) -> Option<Self> {
        Self::of(index.0, model.terraform.roots.get(index.0)?, index.1)
    }

    /// The call that is an object of a root, if it is one.
    #[must_use]
    pub fn of(index: usize, root: &'m Root, object: usize) -> Option<Self> {
        let index = (index, object);
        let object = root.objects.get(object)?;
        let is_own = object.mode == Mode::Module && object.foreign.is_none();
        let source = ModuleSource::of(object);
        let (module, _) = MODULES.iter().find(|(_, known)| is_own && source.is(*known))?;
        Some(Self { root, object, module, index })
    }

    /// Its version as it is written: in `version`, or in the query of its source.
    #[must_use]
    pub fn version(&self) -> Option<String> {
        match self.object.body.get("version") {
            Field::Present(version) => version.as_str().map(str::to_owned),
            Field::Unknown => None,
            Field::Missing => pin(source(self.object)?.as_str()?).map(|it| it.to_string()),
        }
    }

    /// Where its version is written, or what it is missing from.
    #[must_use]
    pub fn version_place(&self) -> Span {
        version_place(self.object)
    }
}

fn source(object: &BlockInstance) -> Option<&Value> {
    object.body.get("source").present()
}

/// Where a call has its version, or what it is missing from.
#[must_use]
pub fn version_place(object: &BlockInstance) -> Span {
    let written = object.body.get("version").present();
    written.or_else(|| pinned_source(object)).map_or(object.header, |it| it.span)
}

/// The source of a call, if it names its version.
#[must_use]
pub fn pinned_source(object: &BlockInstance) -> Option<&Value> {
    source(object).filter(|it| it.as_str().and_then(pin).is_some())
}

/// The versions a call may have: of those that it allows the ones that have its inputs, unless none has.
#[must_use]
pub fn version_of(object: &BlockInstance) -> Option<Constraint> {
    let allowed = allowed_by(object)?;
    let source = ModuleSource::of(object);
    let Some((module, _)) = MODULES.iter().find(|(_, known)| source.is(*known)) else {
        return Some(allowed);
    };
    let inputs: Vec<&str> = object.body.entries().iter().map(|it| &*it.key).collect();
    Some(match module_step::first_without(module, &inputs) {
        Some(ending) => allowed.below(ending).unwrap_or(allowed),
        None => allowed,
    })
}

/// The versions a call allows: of a registry's module any if none is written, of one from git the tag.
fn allowed_by(object: &BlockInstance) -> Option<Constraint> {
    match object.body.get("version") {
        Field::Present(version) => Constraint::parse(version.as_str()?),
        Field::Unknown => None,
        Field::Missing => {
            let source = source(object)?.as_str()?;
            let from_git =
                source.contains("://") || source.contains(".git") || source.contains('@');
            match pin(source) {
                Some(version) => Some(version.into()),
                None if from_git || source.starts_with("github.com") => None,
                None => Constraint::parse("*"),
            }
        }
    }
}

/// What lets a call take a version, as its author writes versions; `None` where that is not written for this
/// call alone.
#[must_use]
pub fn raise(object: &BlockInstance, to: &Version) -> Option<Change> {
    let written = object.body.get("version").present();
    let (value, raised) = match (written, pinned_source(object)) {
        (Some(value), _) => (value, raised(value.as_str()?, to)?),
        (None, Some(value)) => {
            let text = value.as_str()?;
            let (start, end) = pin_range(text)?;
            let tag = raised(text.get(start..end)?, to)?;
            (value, format!("{}{tag}{}", text.get(..start)?, text.get(end..)?))
        }
        (None, None) => return None,
    };
    let is_own = value.steps().next().is_none();
    is_own.then(|| Change::reword(value.span, value.as_str().unwrap_or_default(), &raised))
}

/// `20.37.0` becomes `21.19.0`, and `~> 20.0` becomes `~> 21.19`.
fn raised(text: &str, to: &Version) -> Option<String> {
    let digit = text.find(|it: char| it.is_ascii_digit())?;
    let (before, number) = text.split_at(digit);
    let parts = number.split('.').count();
    let is_number = number.split('.').all(|it| it.parse::<u64>().is_ok());
    match before.trim_end() {
        _ if !is_number => None,
        "~>" if parts <= 2 => Some(format!("{before}{}.{}", to.major, to.minor)),
        "" | "v" | "=" | "~>" if parts == 3 => Some(format!("{before}{to}")),
        _ => None,
    }
}

/// The version that a source names: `?ref=v20.8.4`, `?version=20.8.4`.
fn pin(source: &str) -> Option<Version> {
    let (start, end) = pin_range(source)?;
    Version::parse(source.get(start..end)?)
}

/// Where a source names its version.
fn pin_range(source: &str) -> Option<(usize, usize)> {
    let query = source.find('?')? + 1;
    let mut at = query;
    for part in source.get(query..)?.split('&') {
        if let Some((key, value)) = part.split_once('=')
            && matches!(key, "ref" | "version")
        {
            return Some((at + key.len() + 1, at + key.len() + 1 + value.len()));
        }
        at += part.len() + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{pin, raised};
    use crate::version::Version;

    #[test]
    fn sources_name_versions_in_their_query() {
        for (source, wanted) in [
            ("git::https://example.com/m.git//modules/karpenter?ref=v20.8.4", Some("20.8.4")),
            ("git::https://example.com/m.git?depth=1&ref=21.0.0", Some("21.0.0")),
            (
                "tfr:///terraform-aws-modules/eks/aws//modules/karpenter?version=20.8.4",
                Some("20.8.4"),
            ),
            ("git::https://example.com/m.git?ref=main", None),
            ("git::https://example.com/m.git?ref=0a1b2c3d4e5f", None),
            ("terraform-aws-modules/eks/aws//modules/karpenter", None),
        ] {
            let found = pin(source).map(|it| it.to_string());
            assert_eq!(found.as_deref(), wanted, "{source}");
        }
    }

    #[test]
    fn a_version_is_raised_as_it_is_written() {
        let to = Version::new(21, 19, 0);
        for (text, wanted) in [
            ("20.37.2", Some("21.19.0")),
            ("v20.37.2", Some("v21.19.0")),
            ("= 20.37.2", Some("= 21.19.0")),
            ("~> 20.0", Some("~> 21.19")),
            ("~> 20", Some("~> 21.19")),
            ("~>20.24.1", Some("~>21.19.0")),
            (">= 20.0", None),
            ("~> 20.0, < 20.30", None),
            ("main", None),
        ] {
            assert_eq!(raised(text, &to).as_deref(), wanted, "{text}");
        }
    }
}
