//! Whether two constraints allow a version in common.

use crate::version::constraint::{Constraint, Interval, VersionBound};

impl Constraint {
    /// Whether some version may satisfy both, as far as their bounds say.
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        self.any.iter().any(|one| other.any.iter().any(|it| one.meets(it)))
    }
}

impl Interval {
    fn meets(&self, other: &Self) -> bool {
        begins_before(self.from.as_ref(), other.to.as_ref())
            && begins_before(other.from.as_ref(), self.to.as_ref())
    }
}

fn begins_before(from: Option<&VersionBound>, to: Option<&VersionBound>) -> bool {
    let (Some(from), Some(to)) = (from, to) else { return true };
    from.version < to.version || (from.version == to.version && from.inclusive && to.inclusive)
}

#[cfg(test)]
mod tests {
    use crate::version::constraint::Constraint;

    #[test]
    fn constraints_meet_where_their_intervals_do() {
        for (one, other, wanted) in [
            ("~> 5.70", ">= 6.28", false),
            (">= 5.95, < 6.0.0", ">= 6.0", false),
            (">= 5.40", ">= 6.28", true),
            ("~> 6.0", ">= 6.28", true),
            ("6.28.0", ">= 6.28", true),
            ("= 6.27.0", ">= 6.28", false),
            ("*", ">= 6.28", true),
            ("~> 5.0 || ~> 6.0", ">= 6.28", true),
        ] {
            let parse = |it: &str| Constraint::parse(it).expect("it is one");
            assert_eq!(parse(one).meets(&parse(other)), wanted, "{one} and {other}");
            assert_eq!(parse(other).meets(&parse(one)), wanted, "{other} and {one}");
        }
    }
}
