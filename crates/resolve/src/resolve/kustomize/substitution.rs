//! Puts in `vars`: `$(NAME)` in some fields, replaced by a field of another object.

use std::{collections::HashMap, sync::Arc};

use crate::{
    resolve::kustomize::{
        accumulated::Accumulated,
        edit::{list_mut, map_mut, retext, text},
        field::{FieldSpec, Leaf},
        layout::Kustomization,
        variable::Variable,
    },
    value::{Kind, Value, step::Rewrite},
};

/// Reads the `vars` of a kustomization.
pub(super) fn collect(it: &Kustomization, made: &mut Accumulated) {
    made.variables.extend(it.list("vars").iter().filter_map(Variable::read));
}

/// Replaces the variables in all objects.
pub(super) fn resolve(made: &mut Accumulated) {
    if made.variables.is_empty() {
        return;
    }
    let mut values: HashMap<Arc<str>, Value> = HashMap::new();
    let mut unknown = Vec::new();
    for variable in &made.variables {
        let candidates = made.resources.candidates(Some(&variable.object));
        let candidates = candidates.iter().filter_map(|at| made.resources.get(*at));
        let mut found = candidates.filter(|it| it.ids().iter().any(|id| variable.means(id)));
        let path = variable.path.replace(['[', ']'], ".").replace("..", ".");
        let value = found.next().and_then(|it| at(&it.value, path.trim_matches('.')));
        match value {
            Some(value) => drop(values.insert(variable.name.clone(), value.clone())),
            None => unknown.push(variable.place),
        }
    }
    for place in unknown {
        made.refuse(place, "there is no such object or field for this variable");
    }
    let specs: Vec<FieldSpec> =
        defaults().into_iter().chain(made.config.variables.clone()).collect();
    for resource in &mut made.resources {
        let id = resource.id();
        for spec in specs.iter().filter(|it| it.selects(&id)) {
            let place = resource.value.span;
            spec.change(resource, place, &Leaf::Existing, &mut |value| expand_all(value, &values));
        }
    }
}

fn at<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(value, |value, step| match &value.kind {
        Kind::List(list) => list.items.get(step.parse::<usize>().ok()?),
        _ => value.get(step).present(),
    })
}

fn expand_all(value: &mut Value, values: &HashMap<Arc<str>, Value>) {
    if value.as_list().is_some() {
        let Some(list) = list_mut(value) else { return };
        list.items.iter_mut().for_each(|it| expand_all(it, values));
    } else if value.as_map().is_some() {
        let Some(map) = map_mut(value) else { return };
        map.entries.iter_mut().for_each(|it| expand_all(&mut it.value, values));
    } else {
        expand(value, values);
    }
}

/// `$(NAME)` is replaced, `$$(NAME)` escapes it, and unknown names stay.
fn expand(value: &mut Value, values: &HashMap<Arc<str>, Value>) {
    let Some(old) = text(value).filter(|it| it.contains("$(")) else { return };
    if let Some(whole) = old.strip_prefix("$(").and_then(|it| it.strip_suffix(')'))
        && let Some(found) = values.get(whole)
    {
        *value = found.clone().named(value.name);
        return;
    }
    let mut new = String::new();
    let mut rest = &*old;
    let mut by = None;
    while let Some(at) = rest.find('$') {
        new.push_str(&rest[..at]);
        rest = &rest[at..];
        let name = rest.strip_prefix("$(").and_then(|it| it.split_once(')'));
        if let Some(after) = rest.strip_prefix("$$") {
            new.push('$');
            rest = after;
        } else if let Some((found, after)) =
            name.and_then(|(name, after)| Some((values.get(name)?, after)))
        {
            new.push_str(&text(found).unwrap_or_default());
            by = Some(found.span);
            rest = after;
        } else {
            new.push('$');
            rest = &rest[1..];
        }
    }
    new.push_str(rest);
    if new != *old {
        let by = by.unwrap_or(value.span);
        retext(value, new, by, Rewrite::Variable);
    }
}

/// Where kustomize looks for variables.
fn defaults() -> Vec<FieldSpec> {
    const PODS: &[(&str, &str)] = &[
        ("CronJob", "spec/jobTemplate/spec/template/spec"),
        ("DaemonSet", "spec/template/spec"),
        ("Deployment", "spec/template/spec"),
        ("Job", "spec/template/spec"),
        ("Pod", "spec"),
        ("ReplicaSet", "spec/template/spec"),
        ("StatefulSet", "spec/template/spec"),
    ];
    const FIELDS: &[&str] = &["args", "command", "env/value", "volumeMounts/mountPath"];
    const OTHERS: &[(&str, &str)] = &[
        ("Deployment", "spec/template/metadata/annotations"),
        ("Ingress", "spec/rules/host"),
        ("Ingress", "spec/tls/hosts"),
        ("Ingress", "spec/tls/secretName"),
        ("Service", "spec/ports/port"),
        ("Service", "spec/ports/targetPort"),
        ("PersistentVolume", "spec/nfs/server"),
        ("", "metadata/labels"),
        ("", "metadata/annotations"),
    ];
    let mut specs: Vec<FieldSpec> =
        OTHERS.iter().map(|(kind, path)| FieldSpec::new("", kind, path)).collect();
    for (kind, pod) in PODS {
        for list in ["containers", "initContainers"] {
            for field in FIELDS {
                let mut spec = FieldSpec::new("", kind, "");
                spec.path = format!("{pod}/{list}/{field}").into();
                specs.push(spec);
            }
        }
    }
    specs
}
