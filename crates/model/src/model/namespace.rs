//! The namespace of an object.

use crate::{
    resolve::{kubernetes::Object, setting::Setting},
    value::Value,
};

/// The namespace, unknown when it is not written: the tool that applies the object decides.
#[must_use]
pub(super) fn namespace(object: &Object) -> Setting<String> {
    let read = |value: &Value| value.as_str().map(str::to_owned);
    Setting::of(object.value.at("metadata.namespace"), None, object.report_span(), read)
}
