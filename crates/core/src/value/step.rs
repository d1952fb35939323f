//! The steps by which a value came from its literal to its use, and the words for them.

use std::{
    fmt::{self, Display, Formatter},
    sync::Arc,
};

use crate::source::Span;

/// A step of a value's origin, from the literal to its use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The reference that passes the value on.
    pub span: Span,
    /// What happens there.
    pub kind: StepKind,
    /// The step before, nearer to the literal.
    pub before: Option<Arc<Step>>,
}

/// What happens to a value at a step. `Display` gives the words for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// A reference of Terraform's language.
    Reference {
        /// What it leads to.
        to: Referent,
        /// The name of that: of `var.pool.limits`, `pool`.
        name: Arc<str>,
        /// The whole reference.
        text: Arc<str>,
    },
    /// An argument of a module call.
    Argument {
        /// The name of the call.
        call: Arc<str>,
        /// The variable that is given a value.
        variable: Arc<str>,
    },
    /// A function reads a file; the whole call.
    File(Arc<str>),
    /// `templatefile` renders the file of that path.
    TemplateFile(Arc<str>),
    /// Another tool puts it in place of this mark: `{{ name }}`.
    Placeholder(Arc<str>),
    /// An alias of YAML, with its `*`.
    Alias(Arc<str>),
    /// A merge of YAML (`<<`) by this alias.
    Merge(Arc<str>),
    /// Kustomize changes a text.
    Kustomize(Rewrite),
}

/// What a reference of Terraform's language leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Referent {
    /// `var.x`
    Variable,
    /// `local.x`
    Local,
    /// `module.x`
    Module,
    /// `aws_eks_cluster.x`
    Resource,
    /// `data.aws_ami.x`
    Data,
}

/// How kustomize changes a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// `vars`
    Variable,
    /// `namePrefix`
    Prefix,
    /// `nameSuffix`
    Suffix,
    /// A replacement takes a part of the value here.
    PartTaken,
    /// A replacement puts the value here into a part of the text.
    PartPut,
    /// `images`
    Image,
    /// The name of an object that was renamed.
    Name,
    /// The hash of a generated object.
    Hash,
}

impl StepKind {
    /// The variable that a reference leads to.
    #[must_use]
    pub fn variable(&self) -> Option<&str> {
        match self {
            Self::Reference { to: Referent::Variable, name, .. } => Some(name),
            _ => None,
        }
    }
}

impl Display for StepKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reference { text, .. } | Self::File(text) | Self::Placeholder(text) => {
                write!(f, "through `{text}`")
            }
            Self::Argument { call, variable } => {
                write!(f, "passed to `module.{call}` as `{variable}`")
            }
            Self::TemplateFile(path) => write!(f, "through `templatefile(\"{path}\")`"),
            Self::Alias(alias) => write!(f, "through the alias `{alias}`"),
            Self::Merge(alias) => write!(f, "through the merge of `{alias}`"),
            Self::Kustomize(rewrite) => f.write_str(rewrite.words()),
        }
    }
}

impl Rewrite {
    fn words(self) -> &'static str {
        match self {
            Self::Variable => "the value of this variable",
            Self::Prefix => "gets this prefix",
            Self::Suffix => "gets this suffix",
            Self::PartTaken => "a part of this value",
            Self::PartPut => "a part of it comes from here",
            Self::Image => "in place of this image",
            Self::Name => "the name of this object",
            Self::Hash => "gets a hash of its content",
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::value::step::{Referent, Rewrite, StepKind};

    #[test]
    fn a_step_has_words_and_a_variable() {
        let reference = |to, name: &str, text: &str| StepKind::Reference {
            to,
            name: name.into(),
            text: text.into(),
        };
        let argument = StepKind::Argument { call: "m".into(), variable: "v".into() };
        for (kind, words, variable) in [
            (
                reference(Referent::Variable, "pool", "var.pool.limits"),
                "through `var.pool.limits`",
                Some("pool"),
            ),
            (reference(Referent::Local, "limits", "local.limits"), "through `local.limits`", None),
            (argument, "passed to `module.m` as `v`", None),
            (StepKind::File("file(\"a\")".into()), "through `file(\"a\")`", None),
            (StepKind::TemplateFile("a.tpl".into()), "through `templatefile(\"a.tpl\")`", None),
            (StepKind::Placeholder("{{ x }}".into()), "through `{{ x }}`", None),
            (StepKind::Alias("*alias".into()), "through the alias `*alias`", None),
            (StepKind::Merge("*alias".into()), "through the merge of `*alias`", None),
            (StepKind::Kustomize(Rewrite::Hash), "gets a hash of its content", None),
        ] {
            assert_eq!((kind.to_string().as_str(), kind.variable()), (words, variable));
        }
    }
}
