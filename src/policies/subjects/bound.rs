//! Subjects with the values of the variables that policies ask them by, made once for all policies.

use std::collections::HashMap;

use crate::policies::subjects::{Subjects, subject::Subject};
use karplint_cel::{
    cel::{bindings::Bindings, collection},
    policy::{Policy, SubjectKind},
};

/// A kind of object or resource, as a [`Subject`] has it.
pub(in crate::policies) type Kind<'s> = Option<(&'s str, &'s str)>;

/// The subjects of a kind.
pub(in crate::policies) struct List<'s> {
    /// Which kind.
    pub of: SubjectKind,
    /// The kinds of objects or resources among them, each once.
    pub kinds: Vec<Kind<'s>>,
    /// The subjects.
    pub subjects: Vec<Bound<'s>>,
}

/// A subject, and the values of the variables.
pub(in crate::policies) struct Bound<'s> {
    /// The subject.
    pub subject: &'s Subject,
    /// The values.
    pub bindings: Bindings,
    /// Which of the list's kinds it is of.
    pub kind: usize,
}

/// The lists that policies are asked of.
#[must_use]
pub(in crate::policies) fn lists<'s>(
    policies: &[&Policy],
    subjects: &'s Subjects<'_, '_>,
) -> Vec<List<'s>> {
    let is_asked = |kind: &SubjectKind| policies.iter().any(|it| it.subject.kind == *kind);
    let kinds = SubjectKind::ALL.iter().map(|it| it.1).filter(is_asked);
    kinds.map(|it| List::of(it, subjects)).collect()
}

impl<'s> List<'s> {
    fn of(of: SubjectKind, subjects: &'s Subjects<'_, '_>) -> Self {
        let mut kinds = Vec::new();
        let mut known: HashMap<Kind<'s>, usize> = HashMap::new();
        let bound = |subject: &'s Subject| {
            let kind = subject.kind.as_ref().map(|(api, kind)| (&**api, &**kind));
            let kind = *known.entry(kind).or_insert_with(|| {
                kinds.push(kind);
                kinds.len() - 1
            });
            Bound { subject, bindings: bindings(subjects, subject), kind }
        };
        let all = subjects.list(of).iter().map(bound).collect();
        Self { of, kinds, subjects: all }
    }
}

fn bindings(subjects: &Subjects<'_, '_>, subject: &Subject) -> Bindings {
    let mut bindings = Bindings::default();
    bindings.set("subject", collection::read(&subject.value));
    if let Some(object) = &subject.object {
        bindings.set("object", collection::read(object));
    }
    if let Some(cluster) = subjects.cluster(subject) {
        bindings.set("cluster", cluster);
    }
    bindings
}
