//! How the facts answer: by version, by path, by agreement of all versions.

use crate::{
    knowledge::{Condition, Fact, Facts, Pod, Setting, Surface, budget_form::BudgetForm},
    value::{Field, Value},
    version::{Range, Version, constraint::Constraint},
};

impl Pod {
    /// One version of each span within which nothing known about the workload changes, of those the
    /// constraint lets in; without one, of all that are known.
    #[must_use]
    pub fn versions(&self, surface: &Surface, allowed: Option<&Constraint>) -> Vec<Version> {
        self.versions_by(surface, allowed, &[])
    }

    /// The same where other facts matter, too: nothing of these changes within a span.
    #[must_use]
    pub fn versions_by(
        &self,
        surface: &Surface,
        allowed: Option<&Constraint>,
        also: &[&Facts],
    ) -> Vec<Version> {
        let own = self.range();
        if let Some(exact) = allowed.and_then(Constraint::is_exact) {
            return if own.contains(&exact) { vec![exact] } else { Vec::new() };
        }
        let possible = |it: &Range| {
            it.overlaps(&own) && allowed.is_none_or(|allowed| allowed.within(it) != Some(false))
        };
        let known = version_ranges(surface.facts().chain(also.iter().copied()))
            .into_iter()
            .filter(possible);
        let first = known.map(|it| it.since.max(own.since.clone()));
        first.map(|it| it.unwrap_or_else(|| Version::new(0, 0, 0))).collect()
    }
}

impl Surface {
    fn setting(&self, name: &str) -> Option<&Setting> {
        self.settings.iter().find(|it| it.name == name)
    }

    /// Where a setting is written: dotted paths. With several, the first that is written and not empty
    /// counts.
    #[must_use]
    pub fn paths(&self, setting: &str) -> &[String] {
        self.setting(setting).map_or(&[], |it| &it.paths)
    }

    /// What the values say about a setting. A null is written: Helm takes the default away for it.
    #[must_use]
    pub fn written<'a>(&self, setting: &str, values: &'a Value) -> Field<'a> {
        let mut found = Field::Missing;
        for path in self.paths(setting) {
            match lookup(values, path) {
                Field::Missing => {}
                Field::Unknown => return Field::Unknown,
                Field::Present(value) if value.is_empty() => found = Field::Present(value),
                present @ Field::Present(_) => return present,
            }
        }
        found
    }

    /// What a setting is if not written; `None` where that is not known.
    #[must_use]
    pub fn default(&self, setting: &str, version: Option<&Version>) -> Option<&Value> {
        self.setting(setting)?.defaults.at(version)
    }

    /// What a setting may be if not written, in the versions allowed.
    pub fn possible_defaults(
        &self,
        setting: &str,
        allowed: Option<&Constraint>,
    ) -> impl Iterator<Item = &Value> {
        let facts = self.setting(setting).map_or(&[][..], |it| &it.defaults.list).iter();
        let possible = facts.filter(move |it| {
            allowed.is_none_or(|allowed| allowed.within(&it.range) != Some(false))
        });
        possible.map(|it| &it.value)
    }

    /// The tolerations the template adds after the list of the values (while `tolerate_all`, if there
    /// is one, is false); `None` where that is not known.
    #[must_use]
    pub fn appended_tolerations(&self, version: Option<&Version>) -> Option<&[Value]> {
        Some(self.appended.at(version)?.items())
    }

    /// Whether the list of tolerations is not read while `tolerate_all` is true.
    #[must_use]
    pub fn ignores_tolerations(&self, version: Option<&Version>) -> Option<bool> {
        if self.paths("tolerate_all").is_empty() {
            return Some(false);
        }
        self.ignores_list.at(version)?.as_bool()
    }

    /// The facts about what a setting is if not written.
    #[must_use]
    pub fn defaults(&self, setting: &str) -> Option<&Facts> {
        self.setting(setting).map(|it| &it.defaults)
    }

    /// The spans of versions within which nothing known about tolerations changes, the oldest first.
    #[must_use]
    pub fn version_ranges(&self) -> Vec<Range> {
        let about = ["tolerations", "tolerate_all"].into_iter().filter_map(|it| self.defaults(it));
        version_ranges(about.chain([&self.appended, &self.ignores_list]))
    }

    /// Whether the values let the pods exist; `None` where that is not known.
    #[must_use]
    pub fn exists(&self, values: &Value, version: &Version) -> Option<bool> {
        let mut sure = true;
        for condition in &self.conditions {
            match condition.is_met(values, version) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => sure = false,
            }
        }
        sure.then_some(true)
    }

    /// How the template makes a budget in that version; `None` where that is not known.
    #[must_use]
    pub fn budget_form(&self, version: &Version) -> Option<BudgetForm> {
        BudgetForm::read(self.budget.at(Some(version))?)
    }

    /// Whether there are defaults for a setting at all: without any, what is not written is not there.
    #[must_use]
    pub fn has_defaults(&self, setting: &str) -> bool {
        self.setting(setting).is_some_and(|it| !it.defaults.list.is_empty())
    }

    /// The first version in which a switch that makes a budget is on, if it was off or not there before.
    #[must_use]
    pub fn budget_since(&self) -> Option<&Version> {
        let on = |it: &&Fact| it.value.as_bool() == Some(true);
        let switch = self.setting("budget")?.defaults.list.iter().find(on);
        switch?.range.since.as_ref()
    }

    /// All facts about it.
    pub fn facts(&self) -> impl Iterator<Item = &Facts> {
        let own = [&self.appended, &self.ignores_list, &self.budget];
        let conditions = self.conditions.iter().map(|it| &it.defaults);
        self.settings.iter().map(|it| &it.defaults).chain(own).chain(conditions)
    }
}

impl Condition {
    fn is_met(&self, values: &Value, version: &Version) -> Option<bool> {
        let value = match lookup(values, &self.path) {
            Field::Present(value) => value,
            Field::Missing => self.defaults.at(Some(version))?,
            Field::Unknown => return None,
        };
        let mut sure = true;
        for wanted in &self.one_of {
            match value.same_as(wanted) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => sure = false,
            }
        }
        sure.then_some(false)
    }
}

impl Facts {
    /// The facts, the oldest versions first.
    #[must_use]
    pub fn list(&self) -> &[Fact] {
        &self.list
    }

    /// What is the case in that version; without one, what is the case in every version.
    #[must_use]
    pub fn at(&self, version: Option<&Version>) -> Option<&Value> {
        let Some(version) = version else { return self.everywhere() };
        self.list.iter().find(|it| it.range.contains(version)).map(|it| &it.value)
    }

    /// What is the case in every version allowed.
    #[must_use]
    pub fn within(&self, allowed: &Constraint) -> Option<&Value> {
        let fact = self.list.iter().find(|it| allowed.within(&it.range) == Some(true));
        fact.map(|it| &it.value)
    }

    /// The value all versions agree on; a gap between them is a doubt.
    fn everywhere(&self) -> Option<&Value> {
        let agree = self.list.windows(2).all(|pair| match pair {
            [a, b] => a.range.meets(&b.range) && a.value.same_as(&b.value) == Some(true),
            _ => true,
        });
        self.list.last().filter(|_| agree).map(|it| &it.value)
    }
}

/// The spans of versions within which none of the facts changes, the oldest first.
#[must_use]
pub fn version_ranges<'a>(facts: impl Iterator<Item = &'a Facts>) -> Vec<Range> {
    let ranges: Vec<&Range> = facts.flat_map(|it| it.list.iter().map(|it| &it.range)).collect();
    let ranges = || ranges.iter();
    let mut starts: Vec<&Version> = ranges().filter_map(|it| it.since.as_ref()).collect();
    starts.extend(ranges().filter_map(|it| it.until.as_ref()));
    starts.sort();
    starts.dedup();
    let from_the_start = ranges().any(|it| it.since.is_none());
    let mut version_ranges = Vec::new();
    if from_the_start || starts.is_empty() {
        version_ranges.push(Range { since: None, until: starts.first().map(|it| (*it).clone()) });
    }
    for (at, start) in starts.iter().enumerate() {
        let until = starts.get(at + 1).map(|it| (*it).clone());
        version_ranges.push(Range { since: Some((*start).clone()), until });
    }
    version_ranges
}

/// The value at a path, with null for what is written as null.
fn lookup<'a>(values: &'a Value, path: &str) -> Field<'a> {
    let (folder, key) = path.rsplit_once('.').unwrap_or(("", path));
    let map = if folder.is_empty() { Field::Present(values) } else { values.at(folder) };
    let entry = map.present().and_then(Value::as_map).and_then(|it| it.entry(key));
    entry.map_or_else(|| map.get(key), |it| Field::Present(&it.value))
}
