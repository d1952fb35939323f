//! What another version of a Terraform module changes for its callers.

use crate::{
    findings::{
        change::{Change, NewValue},
        silence::Silence,
    },
    knowledge::module_step::{self, GoneInput, Literal, ModuleStep, NewDefault},
    model::{
        Model,
        module_call::{ModuleCall, raise, version_of},
        version_change::{VersionChange, Versioned},
    },
    source::Span,
    value::{Entry, Kind, cause::Cause},
    version::{Version, constraint::Constraint},
};

/// A call of a module with another version than before, and what has to change with it.
#[derive(Debug)]
pub(crate) struct ModuleLeftovers<'m> {
    /// The call.
    pub call: ModuleCall<'m>,
    /// The version of the earlier state, as it was written.
    pub from: &'m str,
    /// The version of this one.
    pub to: String,
    /// What has to change.
    pub changes: Vec<ModuleChange>,
}

/// Something that a call has to change.
#[derive(Clone, Debug)]
pub(crate) struct ModuleChange {
    /// Where.
    pub span: Span,
    /// What is to be known of it: "`cluster_name` is called `name`".
    pub words: String,
    /// What changes it, where that is sure.
    pub change: Option<Change>,
}

/// An input on its way through the steps.
struct Input<'a> {
    /// Where it is written; `None` for one that is not, and now has to be.
    written: Option<(Span, &'a str)>,
    value: Literal,
    name: &'a str,
    /// Why it is no longer there, and whether nothing is lost.
    gone: Option<(&'a str, bool)>,
    why: &'a str,
}

/// The calls whose version changed.
pub(crate) fn leftovers(model: &Model) -> Vec<(Span, Result<ModuleLeftovers<'_>, Silence>)> {
    let of = |change| {
        let &VersionChange { what: Versioned::Module(root, object), .. } = change else {
            return None;
        };
        let call = ModuleCall::at(model, (root, object))?;
        Some((call.version_place(), left_over(call, change)))
    };
    model.version_changes.iter().filter_map(of).collect()
}

fn left_over<'m>(
    call: ModuleCall<'m>,
    change: &'m VersionChange,
) -> Result<ModuleLeftovers<'m>, Silence> {
    let from = change.before.as_deref().map_err(Clone::clone)?;
    let unknown = || Silence::undecided(Cause::Version, "the version of the module is not known");
    let to = call.version().ok_or_else(unknown)?;
    if from == to {
        return Err(Silence::sound("its version is the one of the earlier state"));
    }
    let versions = Constraint::parse(from).zip(Constraint::parse(&to)).ok_or_else(unknown)?;
    let changes = changes(&call, (&versions.0, &versions.1), false);
    if changes.is_empty() {
        let words = "what the call gives and takes is the same in both versions";
        return Err(Silence::sound(words));
    }
    Ok(ModuleLeftovers { call, from, to, changes })
}

/// What a call has to change to have a version, and what lets it have that version; `None` where the version is
/// not written for this call alone.
pub(crate) fn raised(call: &ModuleCall<'_>, to: &Version) -> Option<(Change, Vec<ModuleChange>)> {
    let change = raise(call.object, to)?;
    let before = version_of(call.object)?;
    Some((change, changes(call, (&before, &to.clone().into()), true)))
}

/// What a call has to change between two versions, in the order of the code. A name that has another meaning in
/// the later version is taken for one of the earlier version where that is sure, or where names stand beside it
/// that only the earlier version has.
fn changes(
    call: &ModuleCall<'_>,
    (from, to): (&Constraint, &Constraint),
    is_sure: bool,
) -> Vec<ModuleChange> {
    let steps: Vec<&'static ModuleStep> = module_step::between(call.module, from, to).collect();
    let entries = call.object.body.entries().iter();
    let mut inputs: Vec<Input<'_>> = entries.map(input).collect();
    for step in &steps {
        let is_old = is_sure || inputs.iter().any(|it| step.ends(it.name));
        take((call, is_old), step, &mut inputs);
    }
    let of_inputs = inputs.iter().filter_map(|it| of_input(call, it));
    let mut all: Vec<ModuleChange> = of_inputs.chain(of_outputs(call, &steps)).collect();
    all.sort_by_key(|it| it.span);
    all
}

fn input(entry: &Entry) -> Input<'_> {
    let value = match &entry.value.kind {
        Kind::Bool(value) => Literal::Bool(*value),
        _ => Literal::Text(entry.value.as_str().unwrap_or_default().to_owned()),
    };
    Input {
        written: Some((entry.key_span, &entry.key)),
        value,
        name: &entry.key,
        gone: None,
        why: "",
    }
}

/// Brings inputs to the next version.
fn take<'a>(
    (call, is_old): (&ModuleCall<'_>, bool),
    step: &'static ModuleStep,
    inputs: &mut Vec<Input<'a>>,
) {
    for input in inputs.iter_mut().filter(|it| it.gone.is_none()) {
        let is_it = |it: &&GoneInput| it.input == input.name;
        if let Some(gone) = step.gone.iter().find(is_it) {
            let same = gone.same_when.as_ref() == Some(&input.value);
            input.gone = Some((&gone.why, same));
        } else if let Some(name) = step.inputs.get(input.name)
            && (is_old || step.ends(input.name))
        {
            input.name = name;
        }
    }
    let is_written = |it: &&NewDefault| inputs.iter().any(|input| input.name == it.input);
    let has = |name: &String| call.object.body.entries().iter().any(|it| *it.key == **name);
    let gives = |start: &String| {
        let outputs = call.root.references(call.object.node);
        outputs.iter().any(|(name, _)| name.starts_with(start.as_str()))
    };
    let counts = |it: &&NewDefault| {
        it.with_input.as_ref().is_none_or(has) && it.with_output.as_ref().is_none_or(gives)
    };
    let new = step.defaults.iter().filter(|it| !is_written(it)).filter(counts);
    let new: Vec<Input<'a>> = new
        .map(|it| Input {
            written: None,
            value: Literal::Bool(it.was),
            name: &it.input,
            gone: None,
            why: &it.why,
        })
        .collect();
    inputs.extend(new);
}

fn of_input(call: &ModuleCall<'_>, input: &Input<'_>) -> Option<ModuleChange> {
    let body = &call.object.body;
    let name = input.name;
    Some(match (input.written, input.gone) {
        (Some((span, old)), None) if old != name => ModuleChange {
            span,
            words: format!("`{old}` is called `{name}`"),
            change: Some(Change::reword(span, old, name)),
        },
        (Some((span, old)), Some((why, same))) => ModuleChange {
            span,
            words: format!("`{old}` is gone: {why}"),
            change: same.then(|| Change::remove(body, &[old])),
        },
        (None, None) => {
            let Literal::Bool(was) = input.value else { return None };
            ModuleChange {
                span: call.object.header,
                words: format!("`{name}` is {} where it is not written: {}", !was, input.why),
                change: Some(Change::set(body, name, NewValue::plain(was.to_string()))),
            }
        }
        (None, Some((why, false))) => ModuleChange {
            span: call.object.header,
            words: format!("it no longer does what `{name}` did: {why}"),
            change: None,
        },
        _ => return None,
    })
}

/// The references to outputs that have other names.
fn of_outputs(call: &ModuleCall<'_>, steps: &[&'static ModuleStep]) -> Vec<ModuleChange> {
    let renamed = |(old, span): (&str, Span)| {
        let mut name = old;
        for step in steps {
            name = step.outputs.get(name).map_or(name, String::as_str);
        }
        (name != old).then(|| {
            let start = (span.end as usize).saturating_sub(old.len());
            let word = Span::new(span.file, start, span.end as usize);
            ModuleChange {
                span: word,
                words: format!("the output `{old}` is called `{name}`"),
                change: Some(Change::reword(word, old, name)),
            }
        })
    };
    call.root.references(call.object.node).into_iter().filter_map(renamed).collect()
}
