//! Lists of tolerations that name a taint by which Karpenter drains, wherever they are written.

use std::{collections::HashMap, sync::Arc};

use crate::{
    findings::{
        note::Note,
        subject::{self, Subject},
    },
    knowledge::{
        self,
        component::{Component, Pod},
        packaging::Packaging,
    },
    model::{addon::Addon, applied::AppliedObject, workload},
    resolve::{
        gitops::{self, patched::Patched},
        kubernetes::Object,
        pod::toleration::{Toleration, Tolerations},
        release::Release,
        scope::Scope,
        setting::steps,
    },
    source::{Files, Span},
    value::{Field, Value},
};

/// A list of tolerations that names one of Karpenter's taints.
#[derive(Clone, Debug)]
pub struct DrainTolerationList {
    /// Whose it is.
    pub pods: Pods,
    /// Where it belongs.
    pub scope: Scope,
    /// The tolerations.
    pub tolerations: Tolerations,
    /// The steps by which they came here.
    pub steps: Vec<Note>,
    /// Which of several kustomizations or instances it belongs to.
    pub subject: Option<Subject>,
}

/// Whose tolerations they are.
#[derive(Clone, Debug)]
pub struct Pods {
    /// How they are called.
    pub name: PodsName,
    /// What makes them.
    pub made_by: MadeBy,
}

/// How pods are called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PodsName {
    /// The name of the object.
    Object(String),
    /// The title of the component they belong to: "Cilium agent".
    Component(&'static str),
    /// Not known.
    Unknown,
}

/// What makes pods, as far as a drain is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MadeBy {
    /// A `DaemonSet`: their work is bound to their node.
    DaemonSet,
    /// Something whose pods can do their work on another node.
    Replicas,
    /// Not known.
    Unknown,
}

/// The text without which no toleration can name the taints.
const NAMED: &str = "karpenter.sh/disrupt";

/// The key of a toleration, if it is one of Karpenter's taints.
#[must_use]
pub fn karpenter_key(toleration: &Toleration) -> Option<&str> {
    toleration.key.known().filter(|it| knowledge::taint::is_key(it))
}

/// All of them: in objects, in values of releases and of add-ons.
#[must_use]
pub fn drain_toleration_lists(
    files: &Files,
    (objects, patched): (&[AppliedObject], &Patched),
    releases: &[Release],
    addons: &[Addon],
) -> Vec<DrainTolerationList> {
    if !files.any_names(NAMED) {
        return Vec::new();
    }
    let mut builds: HashMap<Span, usize> = HashMap::new();
    for applied in objects.iter().filter(|it| it.build.is_some()) {
        *builds.entry(applied.located.object.report_span()).or_default() += 1;
    }
    let mut found = Vec::new();
    for applied in objects {
        let AppliedObject { located, build, .. } = applied;
        let scope = located.scope(*build);
        // What GitOps tools install is read as releases.
        let of_tool = gitops::is_of_interest(&located.object);
        if of_tool || patched.may_change(&scope.folder, &located.object) {
            continue;
        }
        let of = builds.get(&located.object.report_span()).copied().filter(|of| *of > 1);
        let address = Arc::clone(&scope.folder);
        let instance = build.and(of).map(|of| subject::InstanceKey { address, of });
        let subject = Some(applied.subject(files).as_one_of(instance));
        let lists = of_object(files, &located.object, &scope);
        found.extend(
            lists.into_iter().map(|it| DrainTolerationList { subject: subject.clone(), ..it }),
        );
    }
    found.extend(releases.iter().flat_map(of_release));
    found.extend(addons.iter().flat_map(of_addon));
    found
}

/// The lists of an object, unless it is a patch or an assertion.
fn of_object(files: &Files, object: &Object, scope: &Scope) -> Vec<DrainTolerationList> {
    let lists = lists_in(&object.value);
    let kind = made_by(object);
    if lists.is_empty() || (kind.is_some() && workload::workload(object, scope).is_none()) {
        return Vec::new();
    }
    // What kustomize renames is called what it is called where it is written.
    let name =
        object.anchor_text().map(|_| files.text(object.report_span()).trim_matches(['"', '\'']));
    let name = name.map_or(PodsName::Unknown, |it| PodsName::Object(it.to_owned()));
    let operated = knowledge::operator::of(&object.api_version, &object.kind).is_some();
    let list = |WrittenList { path, tolerations, steps }: WrittenList| {
        // An operator that takes a whole pod template runs replicas of it, and not an agent for each node.
        let templated = operated || path.ends_with("emplate.spec.tolerations");
        let of_operator = if templated { MadeBy::Replicas } else { MadeBy::Unknown };
        let pods = Pods { name: name.clone(), made_by: kind.unwrap_or(of_operator) };
        DrainTolerationList { pods, scope: scope.clone(), tolerations, steps, subject: None }
    };
    lists.into_iter().map(list).collect()
}

/// What makes the pods of Kubernetes' own kinds.
fn made_by(object: &Object) -> Option<MadeBy> {
    let daemons = &*object.kind == "DaemonSet";
    object.template_path().map(|_| if daemons { MadeBy::DaemonSet } else { MadeBy::Replicas })
}

fn of_release(release: &Release) -> Vec<DrainTolerationList> {
    let component = knowledge::component::of_chart(&release.chart, release.repository.as_deref());
    let list = |WrittenList { path, tolerations, steps }: WrittenList| DrainTolerationList {
        pods: pods_of(component, &path, |it| it.chart.as_ref()),
        scope: release.scope.clone(),
        tolerations,
        steps,
        subject: release.subject.clone(),
    };
    lists_in(&release.values).into_iter().map(list).collect()
}

fn of_addon(addon: &Addon) -> Vec<DrainTolerationList> {
    let component = knowledge::component::of_addon(&addon.name);
    let list = |WrittenList { path, tolerations, steps }: WrittenList| DrainTolerationList {
        pods: pods_of(component, &path, |it| it.addon.as_ref()),
        scope: addon.scope.clone(),
        tolerations,
        steps,
        subject: Some(addon.subject.clone()),
    };
    lists_in(&addon.values).into_iter().map(list).collect()
}

/// The pods of a component that take their tolerations from a path of its values.
fn pods_of(
    component: Option<&'static Component>,
    path: &str,
    surface: impl Fn(&'static Pod) -> Option<&'static Packaging>,
) -> Pods {
    let takes = |it: &&'static Pod| {
        surface(it).is_some_and(|it| it.paths("tolerations").iter().any(|it| it == path))
    };
    let all = component.map_or(&[][..], |it| &it.pods);
    let pods: Vec<&Pod> = all.iter().filter(takes).collect();
    let daemons = pods.iter().filter(|it| it.kind == "DaemonSet").count();
    Pods {
        name: match pods.as_slice() {
            [pod] => PodsName::Component(&pod.title),
            _ => PodsName::Unknown,
        },
        made_by: match (pods.len(), daemons) {
            (0, _) => MadeBy::Unknown,
            (_, 0) => MadeBy::Replicas,
            (all, daemons) if all == daemons => MadeBy::DaemonSet,
            _ => MadeBy::Unknown,
        },
    }
}

/// Values nested deeper are not searched.
const DEEPEST: usize = 48;

/// A list as it is written in a value.
struct WrittenList {
    path: String,
    tolerations: Tolerations,
    steps: Vec<Note>,
}

/// The lists under any key that ends in `tolerations` and that name a taint of Karpenter's, with the
/// path of each.
fn lists_in(value: &Value) -> Vec<WrittenList> {
    let mut found = Vec::new();
    collect(value, &mut Vec::new(), &mut found);
    found
}

fn collect<'a>(value: &'a Value, path: &mut Vec<&'a str>, found: &mut Vec<WrittenList>) {
    if path.len() > DEEPEST {
        return;
    }
    for item in value.items() {
        collect(item, path, found);
    }
    for entry in value.entries() {
        path.push(&entry.key);
        if entry.key.ends_with("olerations") && entry.value.as_list().is_some() {
            let tolerations = Tolerations::read(Field::Present(&entry.value));
            if tolerations.list.iter().any(|it| karpenter_key(it).is_some()) {
                let steps = steps(&entry.value);
                found.push(WrittenList { path: path.join("."), tolerations, steps });
            }
        } else {
            collect(&entry.value, path, found);
        }
        path.pop();
    }
}
