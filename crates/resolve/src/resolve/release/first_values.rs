//! Where the values of a release or the configuration of an add-on are written for the first time.

use crate::{
    findings::change::{Change, NewValue},
    value::Value,
};

/// A place for values, where nothing of them is written yet.
#[derive(Clone, Debug)]
pub struct FirstValues {
    /// A mapping that is written: a block, an Application, a map of add-ons.
    mapping: Value,
    /// The keys from there.
    path: Vec<String>,
    form: ValuesForm,
}

/// How values are written.
#[derive(Clone, Copy, Debug)]
pub enum ValuesForm {
    /// As a mapping.
    Mapping,
    /// As an item of a list of mappings.
    Item,
    /// As a document of YAML in a list.
    Document,
    /// As text in JSON.
    Json,
}

impl FirstValues {
    /// The place that a path of a mapping leads to.
    #[must_use]
    pub fn new(mapping: &Value, path: &[&str], form: ValuesForm) -> Self {
        let path = path.iter().map(|it| (*it).to_owned()).collect();
        Self { mapping: mapping.clone(), path, form }
    }

    /// The change that writes them.
    #[must_use]
    pub fn write(&self, values: NewValue) -> Change {
        let values = match self.form {
            ValuesForm::Mapping => values,
            ValuesForm::Item => NewValue::List(vec![values]),
            ValuesForm::Document => {
                NewValue::List(vec![NewValue::Encoded("yamlencode", Box::new(values))])
            }
            ValuesForm::Json => NewValue::Encoded("jsonencode", Box::new(values)),
        };
        let path: Vec<&str> = self.path.iter().map(String::as_str).collect();
        Change::set_key(&self.mapping, &path, values).if_missing()
    }
}
