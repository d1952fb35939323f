//! Structs of Helm: `.Chart`, `.Capabilities` and what they hold. Their fields are named, no other can be asked for.

use std::rc::Rc;

use crate::helm::value::Val;

/// A struct with its values.
#[derive(Debug)]
pub(crate) struct Struct {
    /// What `typeOf` calls it.
    pub type_name: &'static str,
    /// Its fields in their order.
    pub fields: Vec<Field>,
}

/// A field of a struct.
#[derive(Debug)]
pub(crate) struct Field {
    /// Its name in templates.
    pub name: &'static str,
    /// Its name in JSON.
    pub json: &'static str,
    /// Whether JSON leaves it out where it has nothing.
    pub omit_empty: bool,
    /// The value.
    pub value: Val,
}

impl Struct {
    /// The value of a field.
    pub(crate) fn get(&self, name: &str) -> Option<&Val> {
        self.fields.iter().find(|it| it.name == name).map(|it| &it.value)
    }

    /// Whether only Helm 3 has a struct there: `.Chart` is a map in Helm 4.
    pub(crate) fn is_map_elsewhere(&self) -> bool {
        self.type_name.starts_with("struct")
    }

    /// What JSON has of it, in the order of the fields.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (Rc<str>, &Val)> {
        let shown = self.fields.iter().filter(|it| !it.omit_empty || it.value.truth() != Ok(false));
        shown.map(|it| (Rc::from(it.json), &it.value))
    }

    /// The same as a map.
    pub(crate) fn as_map(&self) -> Val {
        Val::map(self.entries().map(|(key, value)| (key, value.clone())))
    }
}
