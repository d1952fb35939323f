//! Through which call of a module a finding inside it holds.

use std::{
    cell::OnceCell,
    collections::{BTreeSet, HashMap},
};

use crate::{
    findings::{Finding, subject::Subject},
    lint::repeated::only_in,
    project::Project,
    resolve::terraform::{
        Terraform,
        object::{BlockInstance, Mode, without_keys},
        root::Root,
    },
    source::{Span, parent},
};

/// The calls of each root, in the order of the roots, looked for when the first finding inside a module asks.
#[derive(Debug, Default)]
pub(super) struct ModuleCalls {
    roots: Vec<OnceCell<Calls>>,
}

/// The calls of a root, by their addresses without the keys of instances.
#[derive(Clone, Debug, Default)]
struct Calls {
    /// Of folders to which several lead.
    of_folder: HashMap<String, BTreeSet<String>>,
    /// The header of each.
    headers: HashMap<String, Span>,
}

impl ModuleCalls {
    /// Those of all roots.
    pub(super) fn of(terraform: &Terraform) -> Self {
        Self { roots: vec![OnceCell::new(); terraform.roots.len()] }
    }

    /// Names the calls through which a finding in the module of a folder holds, where there are others.
    pub(super) fn name_calls(
        &self,
        terraform: &Terraform,
        project: &Project,
        finding: &mut Finding,
    ) {
        let folder = parent(project.files.get(finding.span.file).path());
        let roots: BTreeSet<usize> = finding.subjects.iter().filter_map(|it| it.root).collect();
        // What is in the folder of a root is in no call of it.
        let inside =
            |it: &&usize| terraform.roots.get(**it).is_some_and(|it| &*it.folder != folder);
        let calls = |it: &usize| {
            let root = terraform.roots.get(*it)?;
            Some(self.roots.get(*it)?.get_or_init(|| Calls::of(root)))
        };
        let roots = || roots.iter().filter(inside).filter_map(calls);
        let all: BTreeSet<&str> = roots()
            .filter_map(|it| it.of_folder.get(folder))
            .flat_map(|it| it.iter().map(String::as_str))
            .collect();
        let own: BTreeSet<String> = finding.subjects.iter().filter_map(call_of).collect();
        let own: BTreeSet<&str> = own.iter().map(String::as_str).collect();
        let Some(calls) = telling(&own, &all) else { return };
        let names: BTreeSet<&str> = own.iter().filter_map(|it| last(it, calls)).collect();
        let call = own.first().map(|it| nth_last(it, calls));
        let first = call.and_then(|it| roots().find_map(|root| root.headers.get(it)));
        let note = only_in(&names);
        finding.note(first.copied().unwrap_or(finding.span), note);
    }
}

impl Calls {
    fn of(root: &Root) -> Self {
        let mut calls = Self::default();
        if root.of(Mode::Module, "module").all(|it| !it.entered) {
            return calls;
        }
        for it in &root.objects {
            let inside = calls.of_folder.entry(it.folder.to_string()).or_default();
            inside.insert(call_around(it));
            if it.mode == Mode::Module && it.entered {
                calls.headers.insert(without_keys(&it.address), it.header);
            }
        }
        calls.of_folder.retain(|_, calls| calls.len() > 1);
        calls
    }
}

/// How many of the last calls tell some from all others.
fn telling(own: &BTreeSet<&str>, all: &BTreeSet<&str>) -> Option<usize> {
    let others = || all.difference(own);
    others().next().filter(|_| !own.is_empty())?;
    let most = all.iter().map(|it| starts(it).count()).max()?;
    let tells = |calls: &usize| {
        let names: BTreeSet<&str> = own.iter().filter_map(|it| last(it, *calls)).collect();
        !others().any(|it| last(it, *calls).is_some_and(|it| names.contains(it)))
    };
    (1..=most).find(tells)
}

/// Where the calls of an address begin.
fn starts(call: &str) -> impl DoubleEndedIterator<Item = usize> {
    let begins = |at: &usize| *at == 0 || call[..*at].ends_with('.');
    call.match_indices("module.").map(|it| it.0).filter(begins).collect::<Vec<_>>().into_iter()
}

/// The last calls of an address.
fn last(call: &str, calls: usize) -> Option<&str> {
    Some(&call[starts(call).rev().nth(calls - 1)?..])
}

/// The address of the first of the last calls.
fn nth_last(call: &str, calls: usize) -> &str {
    let inner = calls.checked_sub(2).and_then(|it| starts(call).rev().nth(it));
    inner.map_or(call, |at| call[..at].trim_end_matches('.'))
}

/// The call of the module that a block is in, without keys; empty in the root.
fn call_around(block: &BlockInstance) -> String {
    let address = without_keys(&block.address);
    module_of(&address, &format!("{}.{}", block.kind, block.name)).to_owned()
}

/// The call of the module that a subject is in.
fn call_of(subject: &Subject) -> Option<String> {
    let block = subject.block.as_ref()?;
    Some(module_of(&without_keys(&block.address), &block.local).to_owned())
}

/// The address of a module, of that of a block in it.
fn module_of<'a>(address: &'a str, local: &str) -> &'a str {
    let module = address.strip_suffix(local).unwrap_or(address).trim_end_matches('.');
    module.strip_suffix("data").map_or(module, |it| it.trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{last, module_of, nth_last, telling};

    #[test]
    fn as_many_calls_are_named_as_tell_some_from_others() {
        let calls = |it: &[&'static str]| it.iter().copied().collect::<BTreeSet<_>>();
        let all = calls(&["module.a.module.x", "module.b.module.x", "module.b.module.y"]);
        for (own, wanted) in [
            (calls(&["module.b.module.y"]), Some(1)),
            (calls(&["module.a.module.x"]), Some(2)),
            (calls(&["module.a.module.x", "module.b.module.x"]), Some(1)),
            (all.clone(), None),
            (calls(&[]), None),
        ] {
            assert_eq!(telling(&own, &all), wanted, "{own:?}");
        }
        let call = "module.a.module.b.module.c";
        assert_eq!((last(call, 1), nth_last(call, 1)), (Some("module.c"), call));
        let two = (Some("module.b.module.c"), "module.a.module.b");
        assert_eq!((last(call, 2), nth_last(call, 2)), two);
        assert_eq!((last(call, 3), nth_last(call, 3)), (Some(call), "module.a"));
    }

    #[test]
    fn the_module_is_what_is_before_the_block() {
        for (address, local, wanted) in [
            ("helm_release.a", "helm_release.a", ""),
            ("module.a.module.b.helm_release.a", "helm_release.a", "module.a.module.b"),
            ("module.a.data.aws_iam_policy_document.a", "aws_iam_policy_document.a", "module.a"),
            ("module.a.module.b", "module.b", "module.a"),
        ] {
            assert_eq!(module_of(address, local), wanted, "{address}");
        }
    }
}
