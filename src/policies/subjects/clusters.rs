//! Clusters with all that belongs to them.

use std::sync::Arc;

use crate::{
    inventory::{Item, facts, karpenter::karpenter},
    model::{Model, neighbourhood::Neighbourhoods, scope::Scoped},
    policies::{
        fields::{CLUSTER, shaped},
        subjects::subject::Subject,
    },
    source::Span,
    value::{Symbol, Value, cause::Cause},
};
use karplint_cel::{
    cel::{
        collection,
        data::Outcome,
        fault::{Fault, Unknown},
    },
    policy::SubjectKind,
};

/// The clusters of a model.
#[derive(Debug)]
pub(super) struct Clusters {
    list: Vec<Subject>,
}

/// The subjects of a kind.
type Lists<'a> = dyn Fn(SubjectKind) -> &'a [Subject] + 'a;

impl Clusters {
    /// Gathers what belongs to each.
    #[must_use]
    pub(super) fn of<'a>(
        model: &'a Model,
        near: &'a Neighbourhoods,
        lists: &'a Lists<'a>,
        with_workloads: bool,
    ) -> Self {
        let members = Members { model, near, lists, with_workloads };
        Self { list: (0..near.list.len()).map(|it| members.cluster(it)).collect() }
    }

    /// Each as a subject.
    #[must_use]
    pub(super) fn subjects(&self) -> Vec<Subject> {
        let copy = |it: &Subject| Subject {
            value: it.value.clone(),
            object: None,
            report_span: it.report_span,
            about: None,
            scope: it.scope.clone(),
            kind: None,
        };
        self.list.iter().map(copy).collect()
    }

    /// The cluster that a subject belongs to; unknown where there is none here, or one of several.
    pub(super) fn around(&self, near: &Neighbourhoods, subject: &Subject) -> Outcome {
        let around = near.around(&subject.scope);
        let (cause, words) = match *around {
            [own] if self.list.get(own).is_some() => {
                return collection::read(&self.list[own].value);
            }
            [] | [_] => (Cause::Value, "its cluster, which is not in the repository"),
            _ => (Cause::Ambiguous, "which of several clusters it belongs to"),
        };
        let symbol = Symbol::new("view", words).because(cause);
        Err(Fault::Unknown(Arc::new(Unknown { symbol, place: None, text: None })))
    }
}

/// What belongs to clusters.
struct Members<'a> {
    model: &'a Model,
    near: &'a Neighbourhoods,
    lists: &'a Lists<'a>,
    with_workloads: bool,
}

impl Members<'_> {
    fn cluster(&self, index: usize) -> Subject {
        let Self { model, near, lists, with_workloads } = *self;
        let own = &near.list[index];
        let of = |kind: SubjectKind| -> Vec<&Subject> {
            let all = lists(kind).iter();
            all.filter(|it| near.around(&it.scope).contains(&index)).collect()
        };
        let installed = model.installations.iter();
        let installed = installed.filter(|it| near.around(it.scope()).contains(&index));
        let crds = model.releases.iter().filter(|it| it.is_crds());
        let crds = crds.filter(|it| near.around(&it.scope).contains(&index));
        let karpenter = karpenter(model, &installed.collect::<Vec<_>>(), &crds.collect::<Vec<_>>());
        let parts = [
            ("node_groups", of(SubjectKind::NodeGroup)),
            ("node_pools", of(SubjectKind::NodePool)),
            ("node_classes", of(SubjectKind::NodeClass)),
            ("releases", of(SubjectKind::Release)),
            ("addons", of(SubjectKind::Addon)),
        ];
        let name = own.name.as_ref().map(|it| it.span);
        let first = || parts.iter().flat_map(|it| &it.1).map(|it| it.report_span).next();
        let nowhere = Span::new(crate::source::FileId(0), 0, 0);
        let span = name.or(karpenter.as_ref().map(|it| it.span)).or_else(first).unwrap_or(nowhere);
        let assumed = model.assumed.kubernetes_version.as_ref();
        let assumed =
            assumed.map(|it| facts::text(format!("{}.{}", it.line().0, it.line().1), span));
        let kubernetes = own.version.as_ref().map(facts::of_setting).or(assumed);
        let kubernetes =
            kubernetes.unwrap_or_else(|| facts::unknown("the version of Kubernetes", span));
        let mut fields = vec![
            ("name", own.name.clone().unwrap_or_else(|| facts::unknown("its name", span))),
            ("kubernetes_version", kubernetes),
        ];
        let version = karpenter.as_ref().and_then(|it| it.get("version").cloned());
        fields.extend(version.map(|it| ("karpenter_version", it)));
        fields.extend(parts.iter().map(|(key, list)| (*key, values(list, span))));
        if with_workloads {
            fields.push(("workloads", values(&of(SubjectKind::Workload), span)));
        }
        Subject {
            value: shaped(&Item { fields, span }, CLUSTER),
            object: None,
            report_span: span,
            about: None,
            scope: own.scope.clone(),
            kind: None,
        }
    }
}

fn values(list: &[&Subject], span: Span) -> Value {
    Value::list(list.iter().map(|it| it.value.clone()).collect(), span)
}
