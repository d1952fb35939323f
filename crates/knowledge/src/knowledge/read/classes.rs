//! Reads what is known of the images and the security groups of nodes.

use crate::{
    knowledge::{
        block_device::{Device, Family},
        read::Reader,
        tag::{Group, Tagged, Tagging},
    },
    value::Value,
    version::Range,
};

impl Reader {
    pub(super) fn families(&mut self) -> Vec<Family> {
        let documents = self.documents(include_str!("../block-devices.yaml"));
        let lists = documents.iter().flat_map(|it| self.items(it, "families"));
        let families: Vec<Value> = lists.collect();
        families.iter().map(|it| self.family(it)).collect()
    }

    fn family(&mut self, value: &Value) -> Family {
        self.expect_keys(value, &["name", "alias", "devices", "source", "checked"]);
        let devices = self.items(value, "devices");
        Family {
            name: self.text(value, "name"),
            alias: self.text(value, "alias"),
            devices: devices.iter().map(|it| self.device(it)).collect(),
            source: self.text(value, "source"),
            checked: self.text(value, "checked"),
        }
    }

    fn device(&mut self, value: &Value) -> Device {
        self.expect_keys(value, &["name", "volume", "data"]);
        Device {
            name: self.text(value, "name"),
            volume: self.text(value, "volume"),
            is_data: value.get("data").present().and_then(Value::as_bool) == Some(true),
        }
    }

    pub(super) fn tagging(&mut self) -> Tagging {
        let documents = self.documents(include_str!("../tags.yaml"));
        documents.first().map_or_else(Tagging::default, |it| self.tags(it))
    }

    fn tags(&mut self, value: &Value) -> Tagging {
        self.expect_keys(value, &["modules", "groups"]);
        let modules = self.items(value, "modules");
        let groups = self.items(value, "groups");
        Tagging {
            modules: modules.iter().map(|it| self.tagged(it)).collect(),
            groups: groups.iter().map(|it| self.group(it)).collect(),
        }
    }

    fn tagged(&mut self, value: &Value) -> Tagged {
        let keys = [
            "registry",
            "repository",
            "subnets",
            "subnets_by_zone",
            "security_groups",
            "source",
            "checked",
        ];
        self.expect_keys(value, &keys);
        Tagged {
            registry: self.text(value, "registry"),
            repository: self.text(value, "repository"),
            subnets: self.texts(value, "subnets"),
            subnets_by_zone: self.texts(value, "subnets_by_zone"),
            security_groups: self.texts(value, "security_groups"),
            source: self.text(value, "source"),
            checked: self.text(value, "checked"),
        }
    }

    fn group(&mut self, value: &Value) -> Group {
        self.expect_keys(value, &["group", "switches", "own", "since", "source", "checked"]);
        Group {
            title: self.text(value, "group"),
            switches: self.texts(value, "switches"),
            own: self.texts(value, "own"),
            range: Range { since: self.version(value, "since"), until: None },
            source: self.text(value, "source"),
            checked: self.text(value, "checked"),
        }
    }
}
