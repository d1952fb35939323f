//! Reads what is known of components: their charts and add-ons, and the pods of each.

use crate::{
    knowledge::{
        Blueprint, Component, Condition, Pod, Setting, Surface, budget_form::BudgetForm,
        read::Reader,
    },
    value::{Entry, Value},
};

/// The settings a surface may have.
const SETTINGS: &[&str] = &[
    "tolerations",
    "tolerate_all",
    "node_selector",
    "affinity",
    "compute_type",
    "enabled",
    "replicas",
    "pod_annotations",
    "pod_labels",
    "name_override",
    "autoscaling",
    "persistence",
    "grace",
    "budget",
    "budget_map",
    "min_available",
    "max_unavailable",
];

impl Reader {
    pub(super) fn component(&mut self, value: &Value) -> Component {
        let keys = [
            "component",
            "title",
            "charts",
            "repositories",
            "addons",
            "blueprint",
            "source",
            "checked",
            "pods",
        ];
        self.expect_keys(value, &keys);
        self.source = self.optional_text(value, "source");
        self.checked = self.optional_text(value, "checked");
        let pods = self.items(value, "pods");
        Component {
            name: self.text(value, "component"),
            title: self.text(value, "title"),
            charts: self.texts(value, "charts"),
            repositories: self.texts(value, "repositories"),
            addons: self.texts(value, "addons"),
            blueprint: value.get("blueprint").present().map(|it| self.blueprint(it)),
            pods: pods.iter().map(|it| self.pod(it)).collect(),
        }
    }

    fn blueprint(&mut self, value: &Value) -> Blueprint {
        self.expect_keys(value, &["input", "namespace", "repository", "chart_versions"]);
        Blueprint {
            input: self.text(value, "input"),
            namespace: self.optional_text(value, "namespace"),
            repository: self.optional_text(value, "repository"),
            chart_versions: self.facts(value, "chart_versions"),
        }
    }

    fn pod(&mut self, value: &Value) -> Pod {
        let keys = [
            "name",
            "title",
            "kind",
            "bootstrap",
            "critical",
            "since",
            "until",
            "namespace",
            "labels",
            "instance_label",
            "other_labels",
            "images",
            "objects",
            "chart",
            "addon",
        ];
        self.expect_keys(value, &keys);
        let is_set = |key: &str| value.get(key).present().and_then(Value::as_bool) == Some(true);
        let labels = value.get("labels").present().map_or(&[][..], Value::entries);
        let label = |it: &Entry| Some((it.key.to_string(), it.value.as_str()?.to_owned()));
        Pod {
            name: self.text(value, "name"),
            title: self.text(value, "title"),
            kind: self.text(value, "kind"),
            bootstrap: is_set("bootstrap"),
            critical: is_set("critical"),
            since: self.version(value, "since"),
            until: self.version(value, "until"),
            namespace: self.optional_text(value, "namespace"),
            labels: labels.iter().filter_map(label).collect(),
            instance_label: self.optional_text(value, "instance_label"),
            other_labels: self.texts(value, "other_labels"),
            images: self.texts(value, "images"),
            object_names: self.texts(value, "objects"),
            chart: value.get("chart").present().map(|it| self.surface(it)),
            addon: value.get("addon").present().map(|it| self.surface(it)),
        }
    }

    fn surface(&mut self, value: &Value) -> Surface {
        let keys = ["paths", "defaults", "appended", "ignores_list", "when", "budget"];
        self.expect_keys(value, &keys);
        let nothing = Value::map(Vec::new(), value.span);
        let paths = value.get("paths").present().unwrap_or(&nothing);
        let defaults = value.get("defaults").present().unwrap_or(&nothing);
        self.expect_keys(paths, SETTINGS);
        self.expect_keys(defaults, SETTINGS);
        let setting = |name: &&str| Setting {
            name: (*name).to_owned(),
            paths: self.texts(paths, name),
            defaults: self.facts(defaults, name),
        };
        let settings = SETTINGS.iter().map(setting).collect();
        let budget = self.facts(value, "budget");
        if budget.list.iter().any(|it| BudgetForm::read(&it.value).is_none()) {
            self.complain(value, "no way to make a budget");
        }
        let conditions = self.items(value, "when");
        Surface {
            settings,
            appended: self.facts(value, "appended"),
            ignores_list: self.facts(value, "ignores_list"),
            conditions: conditions.iter().map(|it| self.condition(it)).collect(),
            budget,
        }
    }

    fn condition(&mut self, value: &Value) -> Condition {
        self.expect_keys(value, &["path", "one_of", "defaults"]);
        Condition {
            path: self.text(value, "path"),
            one_of: self.items(value, "one_of"),
            defaults: self.facts(value, "defaults"),
        }
    }
}
