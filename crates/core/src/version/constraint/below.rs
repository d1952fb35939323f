//! The part of a constraint below a version.

use crate::version::{
    Version,
    constraint::{Constraint, Interval, VersionBound},
};

impl Constraint {
    /// Those of the versions that it allows that are older than one; `None` where there are none.
    #[must_use]
    pub fn below(&self, end: &Version) -> Option<Self> {
        let any: Vec<Interval> = self.any.iter().filter_map(|it| it.below(end)).collect();
        (!any.is_empty()).then_some(Self { any })
    }
}

impl Interval {
    fn below(&self, end: &Version) -> Option<Self> {
        if self.from.as_ref().is_some_and(|it| it.version >= *end) {
            return None;
        }
        let is_older = self.to.as_ref().is_some_and(|it| it.version < *end);
        let bound = || VersionBound { version: end.clone(), inclusive: false };
        let to = if is_older { self.to.clone() } else { Some(bound()) };
        Some(Self { to, ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use crate::version::{Version, constraint::Constraint};

    #[test]
    fn what_a_constraint_allows_is_cut_off() {
        let end = Version::new(21, 0, 0);
        for (text, wanted) in [
            ("*", Some("< 21.0.0")),
            (">= 20.0", Some(">= 20.0, < 21.0.0")),
            ("~> 20.4", Some("~> 20.4")),
            ("~> 21.0", None),
            ("21.0.0", None),
        ] {
            let found = Constraint::parse(text).and_then(|it| it.below(&end));
            let wanted = wanted.map(|it| Constraint::parse(it).expect("it is one"));
            assert_eq!(found, wanted, "{text}");
        }
    }
}
