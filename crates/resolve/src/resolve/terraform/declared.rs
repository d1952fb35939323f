//! Variables, locals and outputs of module instances.

use std::{rc::Rc, sync::Arc};

use crate::{
    resolve::terraform::{
        constraint,
        evaluate::{EvaluationKey, Evaluator},
        instance::ModuleInstance,
        module::{FIRST_GIVEN, Variable},
        scope::{LexicalScope, in_repetition},
        validated::of_variable,
    },
    source::Span,
    syntax::hcl::{Expr, ExprKind},
    value::{Field, Symbol, Value, step::StepKind},
};

impl<'a> Evaluator<'a> {
    /// `var.name`: the caller's argument, the value in variable files, the default, or unknown.
    pub(super) fn variable(
        &self,
        instance: &Rc<ModuleInstance<'a>>,
        name: &str,
        at: Span,
    ) -> Value {
        let unknown =
            || Value::unknown(Symbol::new(Arc::clone(&instance.scope), format!("var.{name}")), at);
        let Some((name, variable)) = instance.module.variables.get_key_value(name) else {
            return unknown();
        };
        let value = self.once(instance, EvaluationKey::Variable(name), || {
            let given = self.given(instance, name);
            let given = given.filter(|it| !it.is_null() || variable.nullable());
            let value = given.or_else(|| {
                let default = variable.default()?;
                let scope = LexicalScope { closed: true, ..LexicalScope::top(instance) };
                let value = self.value(scope, &default.value).named(default.name_span);
                let is_to_be_given = value.as_str() == Some("") && self.is_given_more(instance);
                (!is_to_be_given).then_some(value)
            });
            let Some(value) = value else {
                let symbol = Symbol::new(Arc::clone(&instance.scope), format!("var.{name}"));
                return Value::unknown(of_variable(symbol, variable), at);
            };
            match variable.constraint() {
                Some(constraint) => constraint::convert(self, instance, value, constraint),
                None => value,
            }
        });
        match value.unwrap_or_else(unknown) {
            value
                if value.is_unknown() && value.origin.is_none() && variable.default().is_none() =>
            {
                Value { span: at, name: at, ..value }
            }
            value => value,
        }
    }

    /// Whether a module is given values that are nowhere to be seen: it is there to be called, and nothing here calls it,
    /// or it cannot be planned without them. What is empty by default in it, they may fill.
    fn is_given_more(&self, instance: &ModuleInstance<'a>) -> bool {
        let module = instance.module;
        let is_for_callers = || {
            let mut folders = module.folder.split('/').rev().skip(1);
            !module.has_own_setup && folders.any(|it| matches!(it, "modules" | "module"))
        };
        instance.caller.is_none()
            && self.inputs.is_empty()
            && (is_for_callers() || module.variables.values().any(Variable::is_to_be_given))
    }

    /// What the caller or the variable files give to a variable.
    fn given(&self, instance: &Rc<ModuleInstance<'a>>, name: &str) -> Option<Value> {
        let Some(caller) = &instance.caller else {
            if let Some(value) = instance.premise.get(name) {
                return Some(value.clone());
            }
            let input = self.inputs.get(name)?;
            let scope = LexicalScope { closed: true, ..LexicalScope::top(instance) };
            return Some(self.value(scope, &input.value).named(input.name_span));
        };
        let item = caller.item()?;
        let argument = item.block.body.attribute(name)?;
        let value = in_repetition(&caller.instance, &caller.repetition, |scope| {
            match &argument.value.kind {
                ExprKind::Call { name, arguments, .. } if &**name == FIRST_GIVEN => {
                    self.first_given(scope, arguments)
                }
                _ => Some(self.value(scope, &argument.value)),
            }
        })?;
        let value = if value.origin.is_none() { value.named(argument.name_span) } else { value };
        let kind = StepKind::Argument {
            call: Arc::clone(&item.name),
            variable: Arc::clone(&argument.name),
        };
        Some(value.through(argument.value.span, kind))
    }

    /// The first of several fields that is there, or may be.
    pub(super) fn first_given(
        &self,
        scope: LexicalScope<'_, 'a>,
        fields: &[Expr],
    ) -> Option<Value> {
        fields.iter().find_map(|field| {
            let ExprKind::GetAttr(object, name) = &field.kind else { return None };
            let object = self.value(scope, object);
            match object.get(name) {
                Field::Present(value) => Some(value.clone()),
                Field::Missing => None,
                Field::Unknown => Some(self.value(scope, field)),
            }
        })
    }

    /// `local.name`.
    pub(super) fn local(&self, instance: &Rc<ModuleInstance<'a>>, name: &str) -> Option<Value> {
        let (name, local) = instance.module.locals.get_key_value(name)?;
        self.once(instance, EvaluationKey::Local(name), || {
            let value = self.value(LexicalScope::top(instance), &local.value);
            if value.origin.is_none() { value.named(local.name_span) } else { value }
        })
    }

    /// An output of a module instance.
    pub(super) fn output(&self, instance: &Rc<ModuleInstance<'a>>, name: &str) -> Option<Value> {
        let (name, output) = instance.module.outputs.get_key_value(name)?;
        let attribute = output.value()?;
        self.once(instance, EvaluationKey::Output(name), || {
            let value = self.value(LexicalScope::top(instance), &attribute.value);
            if value.origin.is_none() { value.named(attribute.name_span) } else { value }
        })
    }
}
