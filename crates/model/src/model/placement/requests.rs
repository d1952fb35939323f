//! How much of each resource pods ask for.

use std::collections::BTreeMap;

use crate::{
    model::placement::quantity::amount,
    source::Span,
    value::{Field, Kind, Value},
};

/// How much pods ask for, by resource.
#[derive(Clone, Debug, Default)]
pub struct Requests {
    list: BTreeMap<String, Request>,
    /// Whether they may ask for more than is known.
    is_open: bool,
}

/// How much of a resource.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Request {
    /// As far as it is known: CPUs, bytes, pieces.
    pub least: f64,
    /// Whether it may be more.
    pub is_open: bool,
    /// Where the largest part of it is written.
    pub place: Span,
    largest: f64,
}

/// The CPUs.
pub const CPU: &str = "cpu";
/// The memory.
pub const MEMORY: &str = "memory";
/// What pods write into their containers, logs and `emptyDir` volumes.
pub const STORAGE: &str = "ephemeral-storage";

impl Requests {
    /// Reads the specification of pods: what their containers ask for together, or one of those that run before
    /// them if that asks for more.
    #[must_use]
    pub fn read(spec: &Value) -> Self {
        let whole = spec.get("resources");
        if !whole.is_missing() {
            // What is written for the pod as a whole counts in its place, where the cluster knows it.
            let mut found = Self::of_containers(spec.get("containers"), &|_| true);
            found.is_open = true;
            return found;
        }
        let stays = |it: &Value| {
            it.get("restartPolicy").present().and_then(Value::as_str) == Some("Always")
        };
        let before = spec.get("initContainers");
        let mut found = Self::of_containers(spec.get("containers"), &|_| true);
        found.add(Self::of_containers(before, &stays));
        for it in before.present().map_or(&[][..], Value::items).iter().filter(|it| !stays(it)) {
            found.at_least(Self::of_container(it));
        }
        if let Field::Present(overhead) = spec.get("overhead") {
            found.add(Self::of_list(overhead));
        }
        found
    }

    /// Whether they certainly ask for nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty() && !self.is_open
    }

    /// What is asked for, to be compared with other pods: they fit where these do.
    #[must_use]
    pub fn key(&self) -> Vec<(String, u64, bool)> {
        let one = |(name, it): (&String, &Request)| (name.clone(), it.least.to_bits(), it.is_open);
        let open = self.is_open.then(|| (String::new(), 0, true));
        self.list.iter().map(one).chain(open).collect()
    }

    /// What is asked for of each resource.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Request)> {
        self.list.iter().map(|(name, it)| (name.as_str(), it))
    }

    /// What is asked for of a resource.
    #[must_use]
    pub fn of(&self, resource: &str) -> Option<&Request> {
        self.list.get(resource)
    }

    /// Whether they may ask for more than is known.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.is_open || self.list.values().any(|it| it.is_open)
    }

    /// The resources that a plugin offers: those with a domain that is not Kubernetes' own.
    pub fn extended(&self) -> impl Iterator<Item = (&str, &Request)> {
        self.iter().filter(|(name, it)| {
            let own = name.split('/').next().is_some_and(|it| it.ends_with("kubernetes.io"));
            name.contains('/') && !own && (it.least > 0.0 || it.is_open)
        })
    }

    fn of_containers(containers: Field<'_>, counts: &dyn Fn(&Value) -> bool) -> Self {
        let mut found = Self::default();
        match containers {
            Field::Missing => {}
            Field::Present(Value { kind: Kind::List(list), .. }) => {
                found.is_open = list.rest.is_some();
                let own = list.items.iter().filter(|it| counts(it));
                own.for_each(|it| found.add(Self::of_container(it)));
            }
            Field::Present(_) | Field::Unknown => found.is_open = true,
        }
        found
    }

    /// What is not requested is what it is limited to.
    fn of_container(container: &Value) -> Self {
        let resources = container.get("resources");
        let list = |key: &str| match resources.get(key) {
            Field::Present(value) => Self::of_list(value),
            Field::Missing => Self::default(),
            Field::Unknown => Self { is_open: true, ..Self::default() },
        };
        let mut requests = list("requests");
        let limits = list("limits");
        for (name, limit) in limits.list {
            requests.list.entry(name).or_insert(limit);
        }
        requests
    }

    fn of_list(value: &Value) -> Self {
        let Some(map) = value.as_map() else {
            return Self { is_open: !value.is_null(), ..Self::default() };
        };
        let read = |it: &crate::value::Entry| {
            let known = amount(&it.value);
            let least = known.unwrap_or_default();
            let place = it.value.span;
            (it.key.to_string(), Request { least, is_open: known.is_none(), place, largest: least })
        };
        Self { list: map.entries.iter().map(read).collect(), is_open: map.rest.is_some() }
    }

    fn add(&mut self, other: Self) {
        self.is_open |= other.is_open;
        for (name, more) in other.list {
            match self.list.get_mut(&name) {
                Some(own) => {
                    own.least += more.least;
                    own.is_open |= more.is_open;
                    if more.largest > own.largest {
                        (own.place, own.largest) = (more.place, more.largest);
                    }
                }
                None => {
                    self.list.insert(name, more);
                }
            }
        }
    }

    fn at_least(&mut self, other: Self) {
        self.is_open |= other.is_open;
        for (name, more) in other.list {
            let own = self.list.entry(name).or_insert(more);
            own.is_open |= more.is_open;
            if more.least > own.least {
                *own = Request { is_open: own.is_open, ..more };
            }
        }
    }
}
