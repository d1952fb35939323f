//! What each release does by default.
//!
//! The facts are YAML files beside this one, each with its source and the day it was checked. A file is
//! read once, at the first question about it. A question whose version is unknown is answered when every
//! version agrees; otherwise, and for a version the facts were not checked for, the answer is `None`, and
//! rules stay silent. `knowledge/README.md` describes how the data is kept.
//!
//! Values from here have spans that belong to no file of the project: never point at them.

mod read;
pub mod api_default;
pub mod fact;
pub mod pdb_form;
pub mod packaging;
pub mod component;
pub mod block_device;
pub mod chart_values;
pub mod conversion;
pub mod identity;
pub mod instances;
pub mod karpenter;
pub mod kubernetes;
pub mod module_output;
pub mod module_step;
pub mod operator;
pub mod publication;
pub mod release_module;
pub mod schema;
pub mod startup;
pub mod stateless;
pub mod storage_provisioner;
pub mod tag;
pub mod taint;
pub mod upgrade;

/// What could not be read of the facts, as `file:line:column: words`; a test keeps this empty.
#[must_use]
pub fn problems() -> Vec<&'static str> {
    let all = [
        block_device::problems(),
        chart_values::problems(),
        conversion::problems(),
        identity::problems(),
        instances::problems(),
        karpenter::problems(),
        kubernetes::problems(),
        module_output::problems(),
        module_step::problems(),
        operator::problems(),
        publication::problems(),
        release_module::problems(),
        startup::problems(),
        stateless::problems(),
        stateless::pod_problems(),
        storage_provisioner::problems(),
        tag::problems(),
        upgrade::problems(),
    ];
    let all = all.into_iter().flatten().chain(component::problems()).map(String::as_str);
    all.chain(schema::problems()).chain(api_default::problems()).collect()
}
