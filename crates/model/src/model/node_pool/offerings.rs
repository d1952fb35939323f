//! The labels of a pool's nodes: what its template and its requirements leave open.

mod overlap;

use crate::{
    model::node_label::{self, NODE_POOL, is_always_there, is_undeclared_there},
    resolve::{
        answers::any,
        pod::selector::{LabelOperator, Labels},
        setting::Setting,
    },
    value::{Field, Kind, Value},
};

/// What a pool's nodes may be labelled with.
#[derive(Clone, Debug)]
pub struct Offerings {
    labels: Labels,
    requirements: Vec<PoolRequirement>,
    /// Whether there may be other requirements.
    open: bool,
}

/// One of a pool's requirements.
#[derive(Clone, Debug)]
struct PoolRequirement {
    key: String,
    bound: LabelBound,
}

#[derive(Clone, Debug)]
enum LabelBound {
    Label(LabelOperator),
    /// `Gt`, `Lt`, `Gte`, `Lte`, by which numbers they admit.
    Number(fn(f64, f64) -> bool, f64),
}

impl Offerings {
    /// Reads the template of a pool.
    #[must_use]
    pub fn read(template: Field<'_>) -> Self {
        let mut offerings = Self {
            labels: Labels::read(template.get("metadata").get("labels")),
            requirements: Vec::new(),
            open: false,
        };
        match template.get("spec").get("requirements") {
            Field::Missing => {}
            Field::Present(Value { kind: Kind::List(list), .. }) => {
                offerings.open = list.rest.is_some();
                for item in &list.items {
                    let requirement = PoolRequirement::read(item);
                    offerings.open |= requirement.is_none();
                    offerings.requirements.extend(requirement);
                }
            }
            Field::Present(_) | Field::Unknown => offerings.open = true,
        }
        offerings
    }

    /// Whether a node of the pool of that name may meet a requirement of a pod.
    #[must_use]
    pub fn meets(&self, pool: &Setting<String>, key: &str, wanted: &LabelOperator) -> Option<bool> {
        let key = node_label::today(key);
        match wanted {
            LabelOperator::In(values) => {
                any(values.iter().map(|it| self.admits(pool, key, it.as_deref()?)))
            }
            LabelOperator::NotIn(values) => match self.choices(pool, key) {
                // Without a limited choice there is another value, or no such label.
                None if self.is_open(key) => None,
                None => Some(true),
                Some(choices) => {
                    let excluded = |it: &str| is_one_of(values, it).map(|it| !it);
                    any(choices.into_iter().map(|it| excluded(it?)))
                }
            },
            LabelOperator::Exists => self.has(pool, key),
            LabelOperator::DoesNotExist => self.has(pool, key).map(|it| !it),
        }
    }

    /// Whether its nodes certainly run another system than Linux.
    #[must_use]
    pub fn is_windows(&self) -> bool {
        let mut asked = self.of("kubernetes.io/os");
        asked.any(|it| it.admits("linux") == Some(false))
    }

    fn of<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a PoolRequirement> {
        self.requirements.iter().filter(move |it| it.key == key)
    }

    fn is_open(&self, key: &str) -> bool {
        self.open || self.labels.is_in_doubt(key)
    }

    /// Whether a node may have this value.
    fn admits(&self, pool: &Setting<String>, key: &str, value: &str) -> Option<bool> {
        if key == NODE_POOL {
            return pool.known().map(|it| it == value);
        }
        if let Some(label) = self.labels.value(key) {
            return Some(label == value);
        }
        let answers: Vec<Option<bool>> = self.of(key).map(|it| it.admits(value)).collect();
        if answers.contains(&Some(false)) {
            return Some(false);
        }
        if self.is_open(key) || answers.contains(&None) {
            return None;
        }
        if answers.is_empty() { is_undeclared_there(key) } else { Some(true) }
    }

    /// Whether a node has the label.
    fn has(&self, pool: &Setting<String>, key: &str) -> Option<bool> {
        if is_always_there(key) || self.labels.value(key).is_some() {
            return Some(true);
        }
        let mut bounds = self.of(key).map(|it| &it.bound);
        if bounds.any(|it| matches!(it, LabelBound::Label(LabelOperator::DoesNotExist))) {
            return Some(false);
        }
        match self.choices(pool, key) {
            Some(_) => Some(true),
            None if self.is_open(key) || self.of(key).next().is_some() => None,
            None => is_undeclared_there(key).filter(|it| !it),
        }
    }

    /// The values a node may have, where they are counted; `None` in it for those not known.
    fn choices<'a>(
        &'a self,
        pool: &'a Setting<String>,
        key: &'a str,
    ) -> Option<Vec<Option<&'a str>>> {
        if key == NODE_POOL {
            return Some(vec![pool.known().map(String::as_str)]);
        }
        if let Some(label) = self.labels.value(key) {
            return Some(vec![Some(label)]);
        }
        let listed = self.of(key).find_map(|it| match &it.bound {
            LabelBound::Label(LabelOperator::In(values)) => Some(values),
            _ => None,
        })?;
        let values = listed.iter().map(Option::as_deref);
        let ruled_out = |it| self.admits(pool, key, it) == Some(false);
        Some(values.filter(|it| !it.is_some_and(ruled_out)).collect())
    }
}

impl PoolRequirement {
    fn read(value: &Value) -> Option<Self> {
        let text = |key: &str| value.get(key).present().and_then(Value::as_str);
        let key = text("key")?.to_owned();
        let number = |admits: fn(f64, f64) -> bool| {
            let bound = value.get("values").present()?.items().first()?;
            Some(LabelBound::Number(admits, bound.to_number()?))
        };
        let bound = match text("operator")? {
            "In" => LabelBound::Label(LabelOperator::In(values(value.get("values")))),
            "NotIn" => LabelBound::Label(LabelOperator::NotIn(values(value.get("values")))),
            "Exists" => LabelBound::Label(LabelOperator::Exists),
            "DoesNotExist" => LabelBound::Label(LabelOperator::DoesNotExist),
            "Gt" => number(|value, bound| value > bound)?,
            "Lt" => number(|value, bound| value < bound)?,
            "Gte" => number(|value, bound| value >= bound)?,
            "Lte" => number(|value, bound| value <= bound)?,
            _ => return None,
        };
        Some(Self { key, bound })
    }

    fn admits(&self, value: &str) -> Option<bool> {
        match &self.bound {
            LabelBound::Label(LabelOperator::In(values)) => is_one_of(values, value),
            LabelBound::Label(LabelOperator::NotIn(values)) => {
                is_one_of(values, value).map(|it| !it)
            }
            LabelBound::Label(LabelOperator::Exists) => Some(true),
            LabelBound::Label(LabelOperator::DoesNotExist) => Some(false),
            LabelBound::Number(admits, bound) => {
                Some(value.parse::<f64>().is_ok_and(|it| admits(it, *bound)))
            }
        }
    }
}

/// The texts of a list; one unknown text stands for a remainder.
fn values(field: Field<'_>) -> Vec<Option<String>> {
    match field {
        Field::Missing => Vec::new(),
        Field::Present(Value { kind: Kind::List(list), .. }) => {
            let text = |it: &Value| it.as_str().map(str::to_owned);
            let rest = list.rest.as_ref().map(|_| None);
            list.items.iter().map(text).chain(rest).collect()
        }
        Field::Present(_) | Field::Unknown => vec![None],
    }
}

fn is_one_of(values: &[Option<String>], value: &str) -> Option<bool> {
    let found = values.iter().any(|it| it.as_deref() == Some(value));
    if !found && values.contains(&None) { None } else { Some(found) }
}
