//! Which nodes pods ask for: their node selector and their required node affinity.

use crate::{
    resolve::{
        answers::{all, any},
        pod::selector::{LabelOperator, Requirement, Selector},
    },
    source::Span,
    value::{Field, Kind, Value},
};

/// What pods ask of the labels of their node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    selector: Selector,
    affinity: Affinity,
    /// Whether they may prefer some nodes.
    prefers: bool,
}

/// The required node affinity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Affinity {
    /// There is none.
    Anywhere,
    /// One of these terms has to hold.
    OneOf(Vec<Term>),
    /// It is not known.
    Unknown,
}

/// One term of a required node affinity: all it asks for has to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// What it asks of the node's labels.
    pub expressions: Selector,
    /// Whether it asks for the node's fields, too.
    pub has_fields: bool,
    /// Where it is written.
    pub span: Span,
}

impl Placement {
    /// Reads a pod's `nodeSelector` and `affinity`.
    #[must_use]
    pub fn read(node_selector: Field<'_>, affinity: Field<'_>) -> Self {
        let selector = match node_selector {
            Field::Present(value) if value.is_null() => Field::Missing,
            field => field,
        };
        let preferred =
            affinity.get("nodeAffinity").get("preferredDuringSchedulingIgnoredDuringExecution");
        Self {
            selector: Selector::of_labels(selector),
            affinity: Affinity::read(affinity),
            prefers: !preferred.is_missing(),
        }
    }

    /// Pods that may ask for anything.
    #[must_use]
    pub fn unknown() -> Self {
        Self::read(Field::Unknown, Field::Unknown)
    }

    /// The node selector.
    #[must_use]
    pub fn selector(&self) -> &Selector {
        &self.selector
    }

    /// The required node affinity.
    #[must_use]
    pub fn affinity(&self) -> &Affinity {
        &self.affinity
    }

    /// Whether all they ask for is known.
    #[must_use]
    pub fn is_known(&self) -> bool {
        let affinity = match &self.affinity {
            Affinity::Anywhere => true,
            Affinity::OneOf(terms) => terms.iter().all(|it| it.expressions.is_known()),
            Affinity::Unknown => false,
        };
        affinity && self.selector.is_known()
    }

    /// Whether a required node affinity may narrow the nodes further.
    #[must_use]
    pub fn has_affinity(&self) -> bool {
        !matches!(self.affinity, Affinity::Anywhere)
    }

    /// Whether any node will do.
    #[must_use]
    pub fn is_anywhere(&self) -> bool {
        self.selector.is_everything() && !self.has_affinity()
    }

    /// The same text for all node selectors that ask the same, wherever it is written; `None` where some is not
    /// known, or an affinity asks for more.
    #[must_use]
    pub fn key(&self) -> Option<String> {
        let asks = |it: &Requirement| format!("{} {:?}\n", it.key, it.operator);
        (self.is_known() && !self.has_affinity())
            .then(|| self.selector.requirements().iter().map(asks).collect())
    }

    /// Whether they may prefer some nodes to others that would do.
    #[must_use]
    pub fn may_prefer(&self) -> bool {
        self.prefers
    }

    /// Whether they may ask for this label.
    #[must_use]
    pub fn may_ask_for(&self, key: &str) -> bool {
        let asks =
            |it: &Selector| it.is_open() || it.requirements().iter().any(|asked| asked.key == key);
        asks(&self.selector)
            || match &self.affinity {
                Affinity::Anywhere => false,
                Affinity::OneOf(terms) => terms.iter().any(|it| asks(&it.expressions)),
                Affinity::Unknown => true,
            }
    }

    /// Whether nodes fit; `meets` answers whether they meet one requirement.
    pub fn fits(&self, meets: impl Fn(&str, &LabelOperator) -> Option<bool>) -> Option<bool> {
        let selector = met(&self.selector, &meets);
        let affinity = match &self.affinity {
            Affinity::Anywhere => Some(true),
            Affinity::OneOf(terms) => any(terms.iter().map(|it| it.met(&meets))),
            Affinity::Unknown => None,
        };
        all([selector, affinity])
    }

    /// The labels that their nodes have to have.
    pub fn labels_wanted(&self) -> impl Iterator<Item = &str> {
        let terms = match &self.affinity {
            Affinity::OneOf(terms) => terms.as_slice(),
            Affinity::Anywhere | Affinity::Unknown => &[],
        };
        let selectors = [&self.selector].into_iter().chain(terms.iter().map(|it| &it.expressions));
        let asked = selectors.flat_map(Selector::requirements);
        let wanted =
            |it: &LabelOperator| matches!(it, LabelOperator::In(_) | LabelOperator::Exists);
        asked.filter(move |it| wanted(&it.operator)).map(|it| it.key.as_str())
    }
}

impl Affinity {
    fn read(affinity: Field<'_>) -> Self {
        let nodes = affinity.get("nodeAffinity");
        let required = nodes.get("requiredDuringSchedulingIgnoredDuringExecution");
        if [affinity, nodes, required].into_iter().any(is_odd) {
            return Self::Unknown;
        }
        match required.get("nodeSelectorTerms") {
            Field::Missing if required.present().is_none() => Self::Anywhere,
            Field::Present(Value { kind: Kind::List(list), .. })
                if list.rest.is_none() && !list.items.is_empty() =>
            {
                Self::OneOf(list.items.iter().map(Term::read).collect())
            }
            _ => Self::Unknown,
        }
    }
}

/// Whether it is something else than a mapping or nothing.
fn is_odd(field: Field<'_>) -> bool {
    match field {
        Field::Present(value) => !matches!(value.kind, Kind::Map(_) | Kind::Null),
        Field::Missing => false,
        Field::Unknown => true,
    }
}

impl Term {
    fn read(value: &Value) -> Self {
        Self {
            expressions: Selector::read(Field::Present(value), ""),
            has_fields: !value.get("matchFields").is_missing(),
            span: value.span,
        }
    }

    /// One that asks for nothing is met by no node.
    fn met(&self, meets: &impl Fn(&str, &LabelOperator) -> Option<bool>) -> Option<bool> {
        match met(&self.expressions, meets) {
            Some(true) if self.has_fields => None,
            Some(true) => Some(self.expressions.requirement_count() > 0),
            answer => answer,
        }
    }
}

fn met(selector: &Selector, meets: &impl Fn(&str, &LabelOperator) -> Option<bool>) -> Option<bool> {
    let unseen = selector.is_open().then_some(None);
    all(selector.requirements().iter().map(|it| meets(&it.key, &it.operator)).chain(unseen))
}
