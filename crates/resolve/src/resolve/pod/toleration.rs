//! Taints and tolerations, matched as Kubernetes matches them, with unknown parts.

use crate::{
    knowledge::taint::KarpenterTaint,
    resolve::answers::{all, any},
    source::Span,
    value::{Field, Kind, Value},
};

/// What a taint does to pods that do not tolerate it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// New pods stay away.
    NoSchedule,
    /// New pods stay away if they can.
    PreferNoSchedule,
    /// Pods are evicted as well.
    NoExecute,
}

impl Effect {
    /// The effect as Kubernetes spells it: `NoSchedule`.
    #[must_use]
    pub fn of_kubernetes(text: &str) -> Option<Self> {
        [Self::NoSchedule, Self::PreferNoSchedule, Self::NoExecute]
            .into_iter()
            .find(|it| it.word() == text)
    }

    /// The effect as the EKS API spells it: `NO_SCHEDULE`.
    #[must_use]
    pub fn of_eks(text: &str) -> Option<Self> {
        [Self::NoSchedule, Self::PreferNoSchedule, Self::NoExecute]
            .into_iter()
            .find(|it| it.eks_word() == text)
    }

    /// How the EKS API spells it.
    #[must_use]
    pub fn eks_word(self) -> &'static str {
        match self {
            Self::NoSchedule => "NO_SCHEDULE",
            Self::PreferNoSchedule => "PREFER_NO_SCHEDULE",
            Self::NoExecute => "NO_EXECUTE",
        }
    }

    /// How Kubernetes spells it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::NoSchedule => "NoSchedule",
            Self::PreferNoSchedule => "PreferNoSchedule",
            Self::NoExecute => "NoExecute",
        }
    }
}

/// A taint all of which is known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Taint {
    /// The key.
    pub key: String,
    /// The value; empty if it has none.
    pub value: String,
    /// The effect.
    pub effect: Effect,
}

impl Taint {
    /// A taint of a node group, in the spelling of EKS or of Kubernetes; `None` if a part is unknown
    /// or makes no sense.
    #[must_use]
    pub fn of_node_group(value: &Value) -> Option<Self> {
        let effect = known(value, "effect")?;
        let effect = Effect::of_eks(&effect).or_else(|| Effect::of_kubernetes(&effect))?;
        let key = known(value, "key").filter(|it| !it.is_empty())?;
        Some(Self { key, value: known(value, "value")?, effect })
    }

    /// One of which all but the value is known; its value is empty here.
    #[must_use]
    pub fn of_unknown_value(value: &Value) -> Option<Self> {
        let effect = known(value, "effect")?;
        let effect = Effect::of_eks(&effect).or_else(|| Effect::of_kubernetes(&effect))?;
        let key = known(value, "key").filter(|it| !it.is_empty())?;
        known(value, "value").is_none().then(|| Self { key, value: String::new(), effect })
    }

    /// Whether pods without a toleration cannot be placed.
    #[must_use]
    pub fn keeps_pods_away(&self) -> bool {
        self.effect != Effect::PreferNoSchedule
    }
}

impl From<KarpenterTaint> for Taint {
    fn from(taint: KarpenterTaint) -> Self {
        Self {
            key: taint.key.to_owned(),
            value: taint.value.to_owned(),
            effect: Effect::of_kubernetes(taint.effect).unwrap_or(Effect::NoSchedule),
        }
    }
}

fn known(value: &Value, key: &str) -> Option<String> {
    match TolerationPart::of(value, key) {
        TolerationPart::Known(text) => Some(text),
        TolerationPart::Unknown => None,
    }
}

/// A part of a toleration. Kubernetes does not distinguish an absent part from an empty one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TolerationPart {
    /// Its text; empty if it is not written.
    Known(String),
    /// Not known statically.
    Unknown,
}

impl TolerationPart {
    fn of(value: &Value, key: &str) -> Self {
        match value.get(key) {
            Field::Missing => Self::Known(String::new()),
            Field::Unknown => Self::Unknown,
            Field::Present(part) => match &part.kind {
                Kind::String(text) => {
                    text.known().map_or(Self::Unknown, |it| Self::Known(it.to_owned()))
                }
                // The API server would refuse these; what they were meant to be is clear.
                Kind::Bool(value) => Self::Known(value.to_string()),
                Kind::Number(value) => Self::Known(value.to_string()),
                _ => Self::Unknown,
            },
        }
    }

    /// The text, if it is known.
    #[must_use]
    pub fn known(&self) -> Option<&str> {
        match self {
            Self::Known(text) => Some(text),
            Self::Unknown => None,
        }
    }
}

/// A toleration of a pod.
#[derive(Clone, Debug)]
pub struct Toleration {
    /// The key; empty for every key.
    pub key: TolerationPart,
    /// The operator; empty means `Equal`.
    pub operator: TolerationPart,
    /// The value.
    pub value: TolerationPart,
    /// The effect as it is written; empty for every effect.
    pub effect: TolerationPart,
    /// The mapping as it is written; `None` for what comes from a chart or an add-on itself.
    pub written: Option<Value>,
}

impl Toleration {
    /// Reads a toleration. Something that is not a mapping is wholly unknown.
    #[must_use]
    pub fn read(value: &Value) -> Self {
        let part = |key| match value.kind {
            Kind::Map(_) => TolerationPart::of(value, key),
            _ => TolerationPart::Unknown,
        };
        Self {
            key: part("key"),
            operator: part("operator"),
            value: part("value"),
            effect: part("effect"),
            written: Some(value.clone()),
        }
    }

    /// Where it is written, if anywhere.
    #[must_use]
    pub fn span(&self) -> Option<Span> {
        self.written.as_ref().map(|it| it.span)
    }

    /// Whether its effect is spelled as on an EKS node group, so that it matches nothing.
    #[must_use]
    pub fn eks_spelling(&self) -> bool {
        self.effect.known().is_some_and(|it| Effect::of_eks(it).is_some())
    }

    /// Whether it tolerates every taint of that effect, whatever its key: `operator: Exists` alone.
    #[must_use]
    pub fn is_blanket(&self, effect: Effect) -> Option<bool> {
        let is =
            |part: &TolerationPart, wanted: &[&str]| part.known().map(|it| wanted.contains(&it));
        all([
            is(&self.key, &[""]),
            is(&self.operator, &["Exists"]),
            is(&self.effect, &["", effect.word()]),
        ])
    }
}

/// Whether the toleration matches the taint; `None` if that depends on something unknown.
#[must_use]
pub fn tolerates(toleration: &Toleration, taint: &Taint) -> Option<bool> {
    let is =
        |part: &TolerationPart, wanted: &str| part.known().map(|it| it.is_empty() || it == wanted);
    let value = match toleration.operator.known() {
        Some("Exists") => Some(true),
        Some("" | "Equal") => toleration.value.known().map(|it| it == taint.value),
        Some("Lt" | "Gt") => compares(&toleration.value, &taint.value),
        Some(_) => Some(false),
        None => None,
    };
    all([is(&toleration.effect, taint.effect.word()), is(&toleration.key, &taint.key), value])
}

/// `Lt` and `Gt` need numbers on both sides; with them the cluster's feature gate decides.
fn compares(toleration: &TolerationPart, taint: &str) -> Option<bool> {
    let is_number = |it: &str| it.parse::<i64>().is_ok();
    match toleration.known() {
        _ if !is_number(taint) => Some(false),
        Some(text) if !is_number(text) => Some(false),
        _ => None,
    }
}

/// The tolerations of a pod.
#[derive(Clone, Debug, Default)]
pub struct Tolerations {
    /// Those known.
    pub list: Vec<Toleration>,
    /// Whether there may be others.
    pub rest_unknown: bool,
}

impl Tolerations {
    /// Whether they certainly do not tolerate a taint, whatever its value is.
    #[must_use]
    pub fn refuse_any_value(&self, taint: &Taint) -> bool {
        let exists = |it: &Toleration| Toleration {
            operator: TolerationPart::Known("Exists".to_owned()),
            ..it.clone()
        };
        !self.rest_unknown
            && self.list.iter().all(|it| tolerates(&exists(it), taint) == Some(false))
    }

    /// Reads a list of tolerations; one that is not written is empty.
    #[must_use]
    pub fn read(field: Field<'_>) -> Self {
        match field {
            Field::Missing => Self::default(),
            Field::Unknown => Self::unknown(),
            Field::Present(value) => match &value.kind {
                Kind::Null => Self::default(),
                // A null item is how `set` takes an item away.
                Kind::List(list) => Self {
                    list: list
                        .items
                        .iter()
                        .filter(|it| !it.is_null())
                        .map(Toleration::read)
                        .collect(),
                    rest_unknown: list.rest.is_some(),
                },
                _ => Self::unknown(),
            },
        }
    }

    fn unknown() -> Self {
        Self { list: Vec::new(), rest_unknown: true }
    }

    /// The same list, if all are the same, else an unknown one.
    #[must_use]
    pub fn agreed(all: &[&Self]) -> Self {
        let same = |a: &Toleration, b: &Toleration| {
            a.key == b.key && a.operator == b.operator && a.value == b.value && a.effect == b.effect
        };
        let alike = |a: &Self, b: &Self| {
            a.rest_unknown == b.rest_unknown
                && a.list.len() == b.list.len()
                && a.list.iter().zip(&b.list).all(|(a, b)| same(a, b))
        };
        match all.split_first() {
            Some((first, others)) if others.iter().all(|it| alike(first, it)) => (*first).clone(),
            _ => Self::unknown(),
        }
    }

    /// Whether there are certainly none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty() && !self.rest_unknown
    }

    /// The same text for all that say the same, wherever it is written; `None` where some is not known.
    #[must_use]
    pub fn key(&self) -> Option<String> {
        let mut key = String::new();
        for it in &self.list {
            for part in [&it.key, &it.operator, &it.value, &it.effect] {
                let TolerationPart::Known(text) = part else { return None };
                key.push_str(text);
                key.push('\n');
            }
        }
        (!self.rest_unknown).then_some(key)
    }

    /// Whether a pod with these may be on a node with the taint; `None` if that is not known.
    #[must_use]
    pub fn tolerate(&self, taint: &Taint) -> Option<bool> {
        let unseen = self.rest_unknown.then_some(None);
        any(self.list.iter().map(|it| tolerates(it, taint)).chain(unseen))
    }

    /// The place of a toleration's effect that would match the taint, were it not spelled as on
    /// an EKS node group.
    #[must_use]
    pub fn eks_spelling(&self, taint: &Taint) -> Option<Span> {
        self.misspelt(taint)?.written.as_ref()?.get("effect").present().map(|it| it.span)
    }

    /// The toleration that would match the taint, were its effect not spelled as on an EKS node group.
    #[must_use]
    pub fn misspelt(&self, taint: &Taint) -> Option<&Toleration> {
        self.list.iter().filter(|it| it.eks_spelling()).find(|it| {
            let respelt =
                Toleration { effect: TolerationPart::Known(String::new()), ..(*it).clone() };
            tolerates(&respelt, taint) == Some(true)
        })
    }
}

#[cfg(test)]
mod tests;
