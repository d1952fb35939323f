//! Reads what is known of operators.

use crate::{
    knowledge::{
        operator::{Budget, Operator, Scheduling},
        read::Reader,
    },
    value::Value,
};

impl Reader {
    pub(super) fn operator(&mut self, value: &Value) -> Operator {
        let keys = [
            "name",
            "group",
            "kinds",
            "budget",
            "pod_annotations",
            "replicas",
            "without_budget",
            "min_available",
            "cluster_label",
            "scheduling",
            "source",
            "checked",
        ];
        self.expect_keys(value, &keys);
        let budget = match self.text(value, "budget").as_str() {
            "created" => Budget::Created,
            "none" => Budget::None,
            "depends" => Budget::Depends,
            _ => {
                self.complain(value, "a budget is created, none or depends");
                Budget::Depends
            }
        };
        Operator {
            name: self.text(value, "name"),
            group: self.text(value, "group"),
            kinds: self.texts(value, "kinds"),
            budget,
            pod_annotations: self.texts(value, "pod_annotations"),
            replicas: self.optional_text(value, "replicas"),
            without_budget: self.optional_text(value, "without_budget"),
            min_available: self.count(value, "min_available"),
            cluster_label: self.optional_text(value, "cluster_label"),
            scheduling: value.get("scheduling").present().map(|it| self.scheduling(it)),
            source: self.text(value, "source"),
            checked: self.text(value, "checked"),
        }
    }

    fn scheduling(&mut self, value: &Value) -> Scheduling {
        self.expect_keys(value, &["tolerations", "node_selector", "affinity", "overriding"]);
        Scheduling {
            tolerations: self.text(value, "tolerations"),
            node_selector: self.optional_text(value, "node_selector"),
            affinity: self.text(value, "affinity"),
            overriding: self.optional_text(value, "overriding"),
        }
    }
}
