//! Templates of helmfile: Helm's language with some functions of its own, without a chart.

use std::rc::Rc;

use crate::{
    helm::{
        cluster::Assumptions,
        convert::{mapped, val},
        exec::{Machine, Written},
        fault::RenderError,
        functions::arguments::{Dialect, Host},
        template::parse::parse,
        text::{Source, Text as Mapped},
    },
    value::{Text, TextSource, Value},
};

/// What a text prints as a template that sees `data`, a map. A field that is missing is unknown: helmfile refuses
/// it, so that others must be meant to give it.
///
/// # Errors
/// When the text is no template, or helmfile would fail.
pub fn render(text: &Text, holder: &Value, data: &Value) -> Result<Text, RenderError> {
    let text = match text.layout {
        TextSource::Verbatim(span) => Mapped::new(&*text.text, Source::Written(span)),
        _ => mapped(text, &Rc::new(holder.clone())),
    };
    let written = Rc::new(Written { name: "helmfile".into(), text });
    let assumptions = Assumptions { others_give_values: true, ..Assumptions::default() };
    let host = Host { assumptions, dialect: Dialect::Helmfile, ..Host::default() };
    let mut machine = Machine::new(host);
    machine.add(&written, &parse(written.text.as_str(), |_| true))?;
    Ok(machine.render(&written.name, &val(data))?.finished())
}
