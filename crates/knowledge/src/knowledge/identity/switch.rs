//! What decides whether a Terraform module does something: its version, and an input.

use serde::{Deserialize, Deserializer, de};

use crate::{knowledge::fact::Facts, value::Value, version::constraint::Constraint};

/// What a module does, by its inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuleSwitch<'k> {
    /// It always does, or never.
    Fixed(bool),
    /// An input decides.
    Input {
        /// Its name.
        name: &'k str,
        /// What is the case if it is not set.
        otherwise: bool,
    },
    /// It does unless an input, which is off by default, is on.
    Unless(&'k str),
}

/// Facts, each on whether a module does something.
pub(super) fn switches<'de, D: Deserializer<'de>>(from: D) -> Result<Facts, D::Error> {
    let facts = Facts::deserialize(from)?;
    let sound =
        !facts.list().is_empty() && facts.list().iter().all(|it| read_switch(&it.value).is_some());
    if sound { Ok(facts) } else { Err(de::Error::custom("not whether a module does it")) }
}

/// What the newest of the allowed versions does, which is the one that Terraform takes; without a constraint,
/// what every version does.
pub(super) fn switch<'k>(
    facts: &'k Facts,
    module: Option<&Constraint>,
) -> Option<ModuleSwitch<'k>> {
    let value = match module {
        None => facts.at(None)?,
        Some(allowed) => &facts.possible(Some(allowed)).next_back()?.value,
    };
    read_switch(value)
}

pub(super) fn read_switch(value: &Value) -> Option<ModuleSwitch<'_>> {
    if let Some(fixed) = value.as_bool() {
        return Some(ModuleSwitch::Fixed(fixed));
    }
    if let Some(name) = value.get("unless").present() {
        return Some(ModuleSwitch::Unless(name.as_str()?));
    }
    let name = value.get("input").present()?.as_str()?;
    let otherwise = value.get("otherwise").present()?.as_bool()?;
    Some(ModuleSwitch::Input { name, otherwise })
}
