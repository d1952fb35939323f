//! What a finding is about: a Kubernetes object, a block of Terraform code, one of several instances.
//!
//! Facts of the model carry it from where they are read, so that no rule has to look for the object around a
//! place again.

use std::sync::Arc;

use crate::source::Span;

/// What a finding is about. Empty for what concerns a whole file.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Subject {
    /// The Kubernetes object, as it is named where it is written.
    pub object: Option<ObjectRef>,
    /// The block of Terraform code that holds it or makes it.
    pub block: Option<Block>,
    /// The Terraform root module it belongs to, as an index.
    pub root: Option<usize>,
    /// Which of several things it is that are made of the same text.
    pub instance: Option<InstanceKey>,
    /// For whom a chart made it, if one did.
    pub rendered: Option<Rendered>,
    /// The template that makes others, too, where the chart of the repository has one.
    pub shared: Option<SharedTemplate>,
    /// The value of its chart by which the template takes annotations for pods: `controller.podAnnotations`.
    pub pod_annotations: Option<Arc<str>>,
    /// Whether another program rendered the chart, so that nothing of it has a place of its own.
    pub is_printed: bool,
    /// Why Karpenter has nothing to do with it, where that is so.
    pub inert: Option<Inert>,
    /// What has to hold for it to be there, where that is not known.
    pub conditions: Vec<Condition>,
    /// The values without which it is not there: those of its chart leave it off.
    pub switches: Vec<Switch>,
}

/// A value that makes a chart print something, which its own values leave off.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Switch {
    /// As it would be written: `karpenter.enabled: true`.
    pub written: Arc<str>,
    /// What the chart's own values have instead.
    pub span: Span,
}

/// A condition of a template around a thing, of which it is not known whether it holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Condition {
    /// What is not known of it. Equal names are equal values.
    pub unknown: Arc<str>,
    /// The same as an author wrote it, if one did.
    pub expression: Option<Arc<str>>,
    /// The condition as it is written.
    pub written: Arc<str>,
    /// Where it is written.
    pub span: Option<Span>,
    /// Whether the thing is there where it holds, or where it does not.
    pub holds: bool,
}

impl Condition {
    /// Whether it is the same condition, perhaps of another template, whichever branch it is.
    fn is_like(&self, other: &Self) -> bool {
        (&self.unknown, &self.written) == (&other.unknown, &other.written)
    }

    /// On what it hangs, in words.
    #[must_use]
    pub fn words(&self) -> String {
        let on = self.expression.as_deref();
        let on = on.map_or("a value that is not known".to_owned(), |it| format!("`{it}`"));
        format!("whether it is there hangs on {on}")
    }
}

/// A template that makes several objects.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SharedTemplate {
    /// Where it names them.
    pub span: Span,
    /// The keys of the values that one of them is made of, joined by dots, where that is known.
    pub keys: Option<Arc<str>>,
}

/// Why Karpenter has nothing to do with a thing, as far as the repository shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Inert {
    /// It is in a cluster without Karpenter.
    NoKarpenter,
    /// Nothing applies it, while something applies another file with an object of the same kind and name.
    Superseded(Span),
    /// Nothing installs its chart, while other charts of the repository are installed.
    Uninstalled,
    /// It is a sample that nothing applies.
    Sample,
}

/// For whom a chart of the repository is rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rendered {
    /// For a release of the repository.
    Here,
    /// For a release whose values may be those of others: a chart makes it which nothing here installs, or a command
    /// without values, which keeps what was given before.
    Passed,
    /// For whoever may install it, as nothing here is seen to: others may give it other values.
    Anybody,
    /// For whoever installs it and turns on a switch that its own values leave off.
    SwitchedOn,
}

/// A Kubernetes object by its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectRef {
    /// `StatefulSet`.
    pub kind: Arc<str>,
    /// `metadata.namespace`, where it is known.
    pub namespace: Option<Arc<str>>,
    /// `metadata.name`.
    pub name: Arc<str>,
}

/// A resource, a data source or a module call, in one module instance.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Block {
    /// The whole address: `module.addons.helm_release.karpenter["a"]`.
    pub address: Arc<str>,
    /// The address inside its module, without the instance: `helm_release.karpenter`.
    pub local: Arc<str>,
    /// The header of the call, in a file of the project's own, that leads to the fetched module which holds
    /// the block; `None` for blocks of the project's own.
    pub call: Option<Span>,
}

/// One of several things that are made of the same text: by `for_each`, `count`, the module around it, or
/// several kustomizations.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstanceKey {
    /// The whole address, or the kustomization's folder.
    pub address: Arc<str>,
    /// How many there are.
    pub of: usize,
}

impl Subject {
    /// The same as one of several.
    #[must_use]
    pub fn as_one_of(self, instance: Option<InstanceKey>) -> Self {
        Self { instance, ..self }
    }

    /// Whether a chart made it that others may install with other values.
    #[must_use]
    pub fn is_reusable(&self) -> bool {
        matches!(self.rendered, Some(Rendered::Anybody | Rendered::SwitchedOn))
    }

    /// Whether a chart makes it only once a switch is on that its own values leave off.
    #[must_use]
    pub fn is_switched_on(&self) -> bool {
        self.rendered == Some(Rendered::SwitchedOn)
    }

    /// Whether who installs a chart may have given a value of it.
    #[must_use]
    pub fn has_values_of_others(&self) -> bool {
        self.is_reusable() || self.rendered == Some(Rendered::Passed)
    }

    /// Whether it is there, as far as is known.
    #[must_use]
    pub fn is_surely_there(&self) -> bool {
        self.conditions.is_empty()
    }

    /// Whether it is there wherever the other is: nothing else that is not known decides.
    #[must_use]
    pub fn is_sure_beside(&self, other: Option<&Self>) -> bool {
        let others = other.map_or(&[][..], |it| &it.conditions);
        let is_met = |it: &Condition| others.iter().any(|o| o.is_like(it) && o.holds == it.holds);
        self.conditions.iter().all(is_met)
    }

    /// Whether it is never there where the other is.
    #[must_use]
    pub fn excludes(&self, other: Option<&Self>) -> bool {
        let others = other.map_or(&[][..], |it| &it.conditions);
        let is_broken =
            |it: &Condition| others.iter().any(|o| o.is_like(it) && o.holds != it.holds);
        self.conditions.iter().any(is_broken)
    }

    /// Its names: `StatefulSet/ledger` and `ledger`, a Terraform address whole and as it is
    /// inside its module.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let object = self.object.iter().flat_map(|it| [it.title(), it.name.to_string()]);
        let block = self.block.iter().flat_map(|it| [it.address.to_string(), it.local.to_string()]);
        object.chain(block).collect()
    }
}

impl ObjectRef {
    /// Kind and name: `StatefulSet/ledger`.
    #[must_use]
    pub fn title(&self) -> String {
        format!("{}/{}", self.kind, self.name)
    }
}
