//! `self` in the provisioners of resources that are there for the commands they run: what the resource itself says.

use std::sync::Arc;

use crate::{
    resolve::terraform::{
        evaluate::Evaluator,
        scope::{Binding, LexicalScope, open_map},
    },
    source::Span,
    syntax::hcl::Body,
    value::{Entry, Symbol},
};

/// The arguments of `null_resource` and `terraform_data` that nothing computes: their provisioners read them as they are
/// written.
const READ_BACK: [&str; 3] = ["triggers", "triggers_replace", "input"];

impl<'a> Evaluator<'a> {
    /// Evaluates a field of a resource, where `self` is what the resource says if the field is its provisioners.
    pub(super) fn with_self<T>(
        &self,
        scope: LexicalScope<'_, 'a>,
        (body, field, at): (&Body, &str, Span),
        work: impl FnOnce(LexicalScope<'_, 'a>) -> T,
    ) -> T {
        let written = READ_BACK.iter().filter_map(|it| body.attribute(it));
        let mut entries: Vec<Entry> = written
            .filter(|_| field == "provisioner")
            .map(|it| Entry {
                key: Arc::clone(&it.name),
                key_span: it.name_span,
                value: self.value(scope, &it.value),
            })
            .collect();
        if entries.is_empty() {
            return work(scope);
        }
        // The output of a `terraform_data` is its input.
        let input = entries.iter().find(|it| &*it.key == "input").cloned();
        entries.extend(input.map(|it| Entry { key: Arc::from("output"), ..it }));
        let rest = Symbol::new(Arc::clone(&scope.instance.scope), "self");
        let frame =
            Binding { name: "self", value: open_map(at, entries, rest), outer: scope.frame };
        work(LexicalScope { frame: Some(&frame), ..scope })
    }
}
