//! Reads what is known of the images and the security groups of nodes.

use crate::{
    knowledge::{
        block_device::{Device, Family},
        read::Reader,
    },
    value::Value,
};

impl Reader {
    pub(super) fn family(&mut self, value: &Value) -> Family {
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
}
