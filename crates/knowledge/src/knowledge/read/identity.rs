//! Reads what is known of permissions, of the modules that grant them, and of Kubernetes versions.

use crate::{
    knowledge::{
        Facts,
        identity::{Modules, Need, read_switch},
        kubernetes::bounds,
        read::Reader,
    },
    value::Value,
    version::Range,
};

/// The facts of `iam.yaml`.
pub(in crate::knowledge) fn identity() -> Modules {
    let mut reader = Reader::default();
    let mut identity = Modules::default();
    for document in reader.documents(include_str!("../iam.yaml")) {
        identity = reader.identity(&document);
    }
    identity.problems = reader.problems;
    identity
}

/// The facts of `kubernetes-compatibility.yaml`, and what could not be read.
pub(in crate::knowledge) fn kubernetes() -> (Facts, Vec<String>) {
    let mut reader = Reader::default();
    let mut facts = Facts::default();
    for document in reader.documents(include_str!("../kubernetes-compatibility.yaml")) {
        reader.expect_keys(&document, &["source", "checked", "kubernetes"]);
        reader.take_source(&document);
        facts = reader.facts(&document, "kubernetes");
    }
    if facts.list().iter().any(|it| bounds(it).is_none()) {
        reader.problems.push("a Karpenter release without Kubernetes versions".to_owned());
    }
    (facts, reader.problems)
}

impl Reader {
    fn take_source(&mut self, value: &Value) {
        self.source = self.optional_text(value, "source");
        self.checked = self.optional_text(value, "checked");
    }

    fn identity(&mut self, value: &Value) -> Modules {
        self.expect_keys(value, &["source", "checked", "needs", "eks_module", "blueprints"]);
        self.take_source(value);
        let needs = self.items(value, "needs").iter().map(|it| self.need(it)).collect();
        let nothing = Value::map(Vec::new(), value.span);
        let eks = value.get("eks_module").present().unwrap_or(&nothing);
        let blueprints = value.get("blueprints").present().unwrap_or(&nothing);
        let of_role = [
            "controller_role",
            "web_identity",
            "web_identity_account",
            "association",
            "association_account",
        ];
        let of_nodes = ["node_role", "node_role_prefix"];
        self.expect_keys(eks, &[&of_role[..], &of_nodes].concat());
        self.expect_keys(blueprints, &of_nodes);
        Modules {
            needs,
            controller_role: self.switches(eks, "controller_role"),
            irsa: self.switches(eks, "web_identity"),
            web_identity_account: self.facts(eks, "web_identity_account"),
            association: self.switches(eks, "association"),
            association_account: self.facts(eks, "association_account"),
            node_role: [eks, blueprints].map(|it| self.switches(it, "node_role")),
            node_role_prefix: [eks, blueprints].map(|it| self.switches(it, "node_role_prefix")),
            problems: Vec::new(),
        }
    }

    fn need(&mut self, value: &Value) -> Need {
        let keys = [
            "action",
            "tag",
            "with_class_field",
            "with_chart_value",
            "without_chart_value",
            "since",
            "source",
            "checked",
            "eks_module",
            "blueprints",
        ];
        self.expect_keys(value, &keys);
        Need {
            action: self.text(value, "action"),
            tag: self.optional_text(value, "tag"),
            range: Range { since: self.version(value, "since"), until: None },
            with_class_field: self.optional_text(value, "with_class_field"),
            with_chart_value: self.optional_text(value, "with_chart_value"),
            without_chart_value: self.optional_text(value, "without_chart_value"),
            source: self.text(value, "source"),
            checked: self.text(value, "checked"),
            eks_module: self.switches(value, "eks_module"),
            blueprints: self.switches(value, "blueprints"),
        }
    }

    /// Facts that say whether a module does something.
    fn switches(&mut self, value: &Value, key: &str) -> Facts {
        let facts = self.facts(value, key);
        if facts.list.is_empty() || facts.list.iter().any(|it| read_switch(&it.value).is_none()) {
            self.complain(value, &format!("`{key}` does not say whether"));
        }
        facts
    }
}
