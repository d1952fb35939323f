//! The values that each chart of a tree sees, by Helm's order of precedence.

mod table;

use crate::{
    helm::{
        chart::{
            Chart,
            metadata::{Dependency, Import},
        },
        coalesce::table::{
            coalesced, entry, has_null, over_defaults, put, table, take_nulls, with_globals,
        },
    },
    value::{Field, Kind, Symbol, Value},
};

/// A chart as it is used: under its name or an alias, with the subcharts that are installed.
#[derive(Debug)]
pub(crate) struct Unit<'a> {
    /// The chart.
    pub chart: &'a Chart,
    /// What it is called here.
    pub name: String,
    /// The charts below.
    pub children: Vec<Unit<'a>>,
    /// What decides whether it is installed, where that is not known.
    pub doubt: Option<Symbol>,
    dependency: Option<&'a Dependency>,
    /// Whether its defaults are among those of a chart above: one that lists dependencies has those of all charts
    /// below it.
    is_merged: bool,
    is_helm_4: bool,
    defaults: Value,
}

/// The tree of a chart with its values: what is switched off is not in it.
///
/// What is null by default Helm 4 takes away where nothing is given, Helm 3 in the charts below one that lists its
/// dependencies.
pub(crate) fn plan<'a>(chart: &'a Chart, given: &Value, is_helm_4: bool) -> (Unit<'a>, Value) {
    let mut root = Unit::new(chart, None, (false, is_helm_4));
    root.switch(given, &tags(given));
    root.import();
    let values = root.coalesce(given.clone());
    (root, values)
}

/// The dependencies that are not here and that these values do not switch off.
pub(crate) fn lacking<'a>(chart: &'a Chart, given: &Value) -> Vec<&'a Dependency> {
    let mut missing = chart.missing();
    if !missing.is_empty() {
        let values = coalesced(given.clone(), &chart.values);
        let tags = coalesced(tags(given), &tags(&chart.values));
        missing.retain(|it| is_on(it, &values, &tags) != Ok(false));
    }
    missing
}

/// How many units the tree of a chart has before any is switched off.
pub(crate) fn uses(chart: &Chart) -> usize {
    let listed = &chart.metadata.dependencies;
    let times =
        |inner: &Chart| listed.iter().filter(|it| it.is_met_by(&inner.metadata)).count().max(1);
    let below = chart.subcharts.iter().map(|it| uses(it).saturating_mul(times(it)));
    below.fold(1, usize::saturating_add)
}

impl<'a> Unit<'a> {
    fn new(
        chart: &'a Chart,
        dependency: Option<&'a Dependency>,
        (is_merged, is_helm_4): (bool, bool),
    ) -> Self {
        let listed = &chart.metadata.dependencies;
        let below = (is_merged || !listed.is_empty(), is_helm_4);
        let mut children: Vec<Self> = Vec::new();
        for inner in &chart.subcharts {
            if !listed.iter().any(|it| it.is_met_by(&inner.metadata)) {
                children.push(Self::new(inner, None, below));
            }
        }
        for dependency in listed {
            let found = chart.subcharts.iter().find(|it| dependency.is_met_by(&it.metadata));
            children.extend(found.map(|it| Self::new(it, Some(dependency), below)));
        }
        let name = dependency.map_or(&*chart.metadata.name, Dependency::called).to_owned();
        let defaults = chart.values.clone();
        Self { chart, name, children, doubt: None, dependency, is_merged, is_helm_4, defaults }
    }

    /// Takes away the charts that conditions and tags switch off. Tags are those of the chart that is installed,
    /// over those of the charts below it.
    fn switch(&mut self, given: &Value, above: &Value) {
        let values = self.coalesce(given.clone());
        let tags = coalesced(above.clone(), &tags(&self.defaults));
        // By name: a chart in `charts/` whose version does not fit is switched off all the same.
        for dependency in &self.chart.metadata.dependencies {
            let called = dependency.called();
            match is_on(dependency, &values, &tags) {
                Ok(true) => {}
                Ok(false) => self.children.retain(|it| it.name != called),
                Err(symbol) => {
                    let named = self.children.iter_mut().filter(|it| it.name == called);
                    named.for_each(|it| it.doubt = Some(symbol.clone()));
                }
            }
        }
        for child in &mut self.children {
            child.switch(&table(&values, &child.name), &tags);
        }
    }

    /// Adds what parents take from their subcharts to the parents' own values, which go first.
    fn import(&mut self) {
        for child in &mut self.children {
            child.import();
        }
        if !self.children.iter().any(|it| it.dependency.is_some_and(|it| !it.imports.is_empty())) {
            return;
        }
        let values = self.merge(Value::map(Vec::new(), self.defaults.span), false);
        let mut taken = Value::map(Vec::new(), self.defaults.span);
        for child in &self.children {
            let imports = child.dependency.map(|it| &*it.imports).unwrap_or_default();
            let below = table(&values, &child.name);
            for Import { child, parent } in imports {
                let Some(found) = below.at(child).present().filter(|it| it.as_map().is_some())
                else {
                    continue;
                };
                let nested = parent.rsplit('.').filter(|it| !it.is_empty());
                let nested = nested.fold(found.clone(), |inner, key| {
                    let mut outer = Value::map(Vec::new(), inner.span);
                    put(&mut outer, key, inner);
                    outer
                });
                taken = coalesced(taken, &nested);
            }
        }
        self.defaults = coalesced(self.defaults.clone(), &taken);
    }

    /// The values of this chart with those of the charts below it under their names.
    fn coalesce(&self, given: Value) -> Value {
        self.merge(given, true)
    }

    /// The same; what is null by default in charts below is taken away or stays.
    fn merge(&self, given: Value, takes_nulls: bool) -> Value {
        let below: Vec<&str> = self.children.iter().map(|it| &*it.name).collect();
        let is_clean = takes_nulls && self.is_helm_4;
        let mut values = over_defaults(given, &self.defaults, &below, is_clean);
        if takes_nulls && self.is_merged && !self.is_helm_4 && has_null(&self.defaults) {
            // Helm has put the nulls of the defaults into the values, too, where they take these away.
            take_nulls(&mut values, &self.defaults, &below);
        }
        if let Kind::Unknown(_) = values.kind {
            return values;
        }
        let globals = values.get("global").present().cloned();
        for child in &self.children {
            let own = match entry(&values, &child.name) {
                Some(own) if own.as_map().is_some() || own.is_unknown() => own.clone(),
                _ => Value::map(Vec::new(), child.defaults.span),
            };
            let own = with_globals(own, globals.as_ref());
            put(&mut values, &child.name, child.merge(own, takes_nulls));
        }
        values
    }
}

/// The tags among values.
fn tags(values: &Value) -> Value {
    match values.get("tags") {
        Field::Present(tags) => tags.clone(),
        Field::Missing => Value::map(Vec::new(), values.span),
        Field::Unknown => Value::unknown(Symbol::of_installation(".Values.tags"), values.span),
    }
}

/// Whether a dependency is installed; the symbol that decides it where that is not known.
fn is_on(dependency: &Dependency, values: &Value, tags: &Value) -> Result<bool, Symbol> {
    for path in dependency.condition.split(',').map(str::trim).filter(|it| !it.is_empty()) {
        match values.at(path) {
            Field::Present(value) => match &value.kind {
                Kind::Bool(on) => return Ok(*on),
                Kind::Unknown(symbol) => return Err(symbol.clone()),
                _ => {}
            },
            Field::Unknown => return Err(Symbol::of_installation(format!(".Values.{path}"))),
            Field::Missing => {}
        }
    }
    let mut any_on = false;
    let mut any_off = false;
    for tag in &dependency.tags {
        match tags.get(tag) {
            Field::Present(value) => match &value.kind {
                Kind::Bool(on) => {
                    any_on |= on;
                    any_off |= !on;
                }
                Kind::Unknown(symbol) => return Err(symbol.clone()),
                _ => {}
            },
            Field::Unknown => return Err(Symbol::of_installation(format!(".Values.tags.{tag}"))),
            Field::Missing => {}
        }
    }
    Ok(any_on || !any_off)
}
