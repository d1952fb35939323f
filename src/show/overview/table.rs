//! The things of a cluster as rows of words.

use crate::{
    inventory::Item,
    show::overview::{
        ListKind,
        cells::{budget, cell, each, requirement, selector, taint},
    },
    value::Value,
};

/// A table; the first cell of a row is its name, the last one its place.
pub(crate) struct Table {
    /// What each column holds.
    pub headings: Vec<&'static str>,
    /// The rows, of as many cells.
    pub rows: Vec<Vec<String>>,
}

/// A column: its heading and what it says of an item.
type Column = (&'static str, fn(&Item) -> String);

impl Table {
    /// The things of a kind. Columns in which nothing is said are left out.
    pub(crate) fn of<'i>(
        kind: ListKind,
        items: impl IntoIterator<Item = &'i Item>,
        place: &dyn Fn(&Item) -> String,
    ) -> Self {
        let items: Vec<&Item> = items.into_iter().collect();
        let said = |column: &&Column| items.iter().any(|it| !(column.1)(it).is_empty());
        let columns: Vec<&Column> = columns(kind).iter().filter(said).collect();
        let row = |it: &&Item| {
            let cells = columns.iter().map(|column| (column.1)(it));
            cells.chain([place(it)]).collect()
        };
        Self {
            headings: columns.iter().map(|it| it.0).chain(["place"]).collect(),
            rows: items.iter().map(row).collect(),
        }
    }
}

fn of(item: &Item, key: &str) -> String {
    item.get(key).map(cell).unwrap_or_default()
}

fn list(item: &Item, key: &str, one: fn(&Value) -> String) -> String {
    item.get(key).map(|it| each(it, one)).unwrap_or_default()
}

fn columns(kind: ListKind) -> &'static [Column] {
    match kind {
        ListKind::NodeGroups => &[
            ("name", |it| of(it, "name")),
            ("kind", |it| of(it, "kind")),
            ("nodes", nodes),
            ("instance types", |it| of(it, "instance_types")),
            ("taints", |it| list(it, "taints", taint)),
            ("labels", |it| of(it, "labels")),
            ("selects", |it| of(it, "selectors")),
        ],
        ListKind::NodePools => &[
            ("name", |it| of(it, "name")),
            ("class", |it| of(it, "node_class")),
            ("requires", |it| list(it, "requirements", requirement)),
            ("labels", |it| of(it, "labels")),
            ("taints", |it| list(it, "taints", taint)),
            ("startup taints", |it| list(it, "startup_taints", taint)),
            ("weight", |it| of(it, "weight")),
            ("limits", |it| of(it, "limits")),
            ("expires after", |it| of(it, "expire_after")),
            ("consolidates", consolidation),
            ("budgets", |it| list(it, "budgets", budget)),
        ],
        ListKind::NodeClasses => &[
            ("name", |it| of(it, "name")),
            ("AMI family", |it| of(it, "ami_family")),
            ("AMIs", |it| list(it, "ami_selector_terms", selector)),
            ("role", |it| of(it, "role")),
            ("instance profile", |it| of(it, "instance_profile")),
            ("subnets", |it| list(it, "subnet_selector_terms", selector)),
            ("security groups", |it| list(it, "security_group_selector_terms", selector)),
            ("patched by", |it| of(it, "patched_by")),
        ],
        ListKind::Releases => &[
            ("name", |it| of(it, "name")),
            ("chart", |it| of(it, "chart")),
            ("version", |it| of(it, "version")),
            ("namespace", |it| of(it, "namespace")),
            ("by", |it| of(it, "surface")),
        ],
        ListKind::Addons => &[("name", |it| of(it, "name")), ("version", |it| of(it, "version"))],
        ListKind::Workloads => &[
            ("name", |it| of(it, "name")),
            ("kind", |it| of(it, "kind")),
            ("namespace", |it| of(it, "namespace")),
            ("keeps data", |it| of(it, "stateful")),
            ("protected by", protection),
        ],
    }
}

/// `2-3`.
fn nodes(item: &Item) -> String {
    match (&*of(item, "min"), &*of(item, "max")) {
        ("", max) => max.to_owned(),
        (min, "") => format!("{min} or more"),
        (min, max) if min == max => min.to_owned(),
        (min, max) if [min, max].iter().any(|it| it.contains(' ')) => format!("{min} to {max}"),
        (min, max) => format!("{min}-{max}"),
    }
}

/// `WhenEmpty after 30s`.
fn consolidation(item: &Item) -> String {
    let Some(value) = item.get("consolidation") else { return String::new() };
    let part = |key: &str| value.get(key).present().map(cell).unwrap_or_default();
    match (part("policy"), part("after")) {
        (policy, after) if after.is_empty() => policy,
        (_, after) if after == "Never" => "never".to_owned(),
        (policy, after) => format!("{policy} after {after}"),
    }
}

/// Who keeps data and is not protected stands out.
fn protection(item: &Item) -> String {
    let is_stateful = item.get("stateful").and_then(Value::as_bool) == Some(true);
    match of(item, "protected_by") {
        words if words.is_empty() && is_stateful => "nothing".to_owned(),
        words => words,
    }
}
