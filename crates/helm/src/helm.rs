//! Helm charts, rendered as Helm renders them, with places and with what is not known.
//!
//! [`chart`] reads a chart's files, [`render`] runs its templates with the values of a release. Each text
//! that comes out is a [`Text`](crate::value::Text): it knows for each byte the template or the value it is
//! from, and has holes where something is not known.
//!
//! ```text
//! chart      files to charts: metadata, values, templates, subcharts, archives
//!   ▼
//! coalesce   the values each chart sees: defaults, the release's values, globals, imports, conditions
//!   ▼
//! template   text to trees           functions  Helm's and sprig's, pure but for shared maps
//!   ▼                                   ▼
//! exec       runs the trees: variables, dots, calls; unknown conditions run both bodies
//!   ▼
//! render     the texts, by file; `switches` those that a chart's own values leave off
//! ```

mod capabilities;
pub mod chart;
pub mod cluster;
mod coalesce;
mod compare;
pub mod condition;
mod convert;
mod emit;
mod exec;
pub mod fault;
mod files;
mod functions;
pub mod helmfile;
mod json;
mod layouts;
pub mod left_out;
mod limits;
pub mod manifests;
mod print;
mod refusal;
pub mod release;
pub mod render;
mod semver;
pub mod switches;
mod template;
pub mod templates;
mod text;
mod value;
mod weight;

#[cfg(test)]
mod tests;
