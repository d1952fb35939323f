//! What is named to be applied and is not here: charts and folders of a repository, and modules. What they make is
//! not seen.

use std::{
    collections::{BTreeSet, HashSet},
    sync::Arc,
};

use crate::{
    model::unseen_manifest,
    resolve::{
        gitops::GitOps,
        kubernetes::names_karpenter_api,
        release::Release,
        scope::Scope,
        terraform::{
            Terraform,
            module_source::ModuleSource,
            object::{BlockInstance, Mode},
        },
    },
    source::{Files, Span, join, outward},
    value::{Kind, Value},
};

/// Something that is named and is not here.
#[derive(Clone, Debug)]
pub struct Absent {
    /// Where it is named.
    pub place: Span,
    /// Where what names it belongs.
    pub scope: Scope,
    /// What it is.
    pub what: AbsentKind,
    /// Its path in the project, or its address.
    pub path: Arc<str>,
    /// The repository that holds it, where that may be another one.
    pub source: Option<Arc<str>>,
    /// Whether its name says that it holds Karpenter's own objects.
    pub is_of_karpenter: bool,
    /// Whether it is a module that is given manifests of Karpenter's objects, or paths of files called after them.
    pub is_given_objects: bool,
}

/// What is not here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AbsentKind {
    /// A chart that a release asks for by its path.
    Chart,
    /// A folder that a `GitOps` tool applies.
    Folder,
    /// A module of this repository.
    LocalModule,
    /// A module that Terraform fetches.
    Module,
}

/// Words in the names of what holds Karpenter's own objects.
const OF_KARPENTER: [&str; 4] = ["karpenter", "nodepool", "node-pool", "node_pool"];

fn is_of_karpenter(name: &str) -> bool {
    let name = name.to_lowercase();
    OF_KARPENTER.iter().any(|it| name.contains(it))
}

/// Something that is asked for by its path, before it is known whether it is here.
struct Named {
    place: Span,
    scope: Scope,
    what: AbsentKind,
    path: Arc<str>,
    /// The name of the source that holds it; `None` where that is this repository.
    source: Option<Arc<str>>,
}

/// All of it, each thing once.
pub(super) fn find(
    files: &Files,
    terraform: &Terraform,
    (gitops, releases): (&GitOps, &[Release]),
) -> Vec<Absent> {
    let charts = releases.iter().filter_map(|it| named_chart(files, it));
    let mut named: Vec<Named> = charts.collect();
    named.extend(folders(files, gitops));
    let calls: Vec<(usize, &BlockInstance)> = calls(terraform).collect();
    if named.is_empty() && calls.is_empty() {
        return Vec::new();
    }
    let paths = Paths::of(files);
    let mut found = of_repositories(&paths, named);
    found.extend(calls.into_iter().filter_map(|it| module(&paths, terraform, it)));
    found.retain(|it| it.scope.aside().is_none());
    let mut seen = HashSet::new();
    found.retain(|it| {
        // What another repository holds is settled at once.
        let name = it.source.as_ref().unwrap_or(&it.path);
        seen.insert((it.what, without_revision(name).to_owned(), it.is_of_karpenter))
    });
    found
}

/// Every path that is there, of files and of folders.
struct Paths<'f>(BTreeSet<&'f str>);

impl<'f> Paths<'f> {
    fn of(files: &'f Files) -> Self {
        Self(files.iter().flat_map(|(_, it)| outward(it.path())).collect())
    }

    fn hold(&self, path: &str) -> bool {
        path.is_empty() || self.0.contains(path)
    }
}

fn named_chart(files: &Files, release: &Release) -> Option<Named> {
    let named = |path: &str, source| Named {
        place: release.report_span,
        scope: release.scope.clone(),
        what: AbsentKind::Chart,
        path: path.into(),
        source,
    };
    if release.is_optional {
        return None;
    }
    if let Some(missing) = &release.missing_chart {
        return Some(named(&missing.path, missing.source.clone()));
    }
    let folder = release.local_chart.as_deref()?;
    let description = join(folder, "Chart.yaml")?;
    files.find(&description).is_none().then(|| named(folder, None))
}

/// The folders that Applications of Argo CD and Kustomizations of Flux apply.
fn folders<'a>(files: &'a Files, gitops: &'a GitOps) -> impl Iterator<Item = Named> + 'a {
    // A folder of CRDs makes no pods, and who installs Karpenter's is asked elsewhere.
    gitops.named_folders().filter(|it| !it.path.contains("crd")).map(|it| Named {
        place: it.place,
        scope: Scope::new(None, &files.get(it.place.file).folder().into()),
        what: AbsentKind::Folder,
        path: it.path.into(),
        source: it.source.map(Arc::clone),
    })
}

/// What is not here. A source of which something else is here is this repository.
fn of_repositories(paths: &Paths<'_>, named: Vec<Named>) -> Vec<Absent> {
    let here = named.iter().filter(|it| !it.path.is_empty() && paths.hold(&it.path));
    let own: HashSet<Arc<str>> = here.filter_map(|it| it.source.clone()).collect();
    let absent =
        named.into_iter().filter(|it| it.what == AbsentKind::Chart || !paths.hold(&it.path));
    let absent = absent.map(|it| Absent {
        is_of_karpenter: is_of_karpenter(&it.path),
        is_given_objects: false,
        place: it.place,
        scope: it.scope,
        what: it.what,
        path: it.path,
        source: it.source.filter(|it| !own.contains(it) && !is_of_flux(it)),
    });
    absent.collect()
}

/// Whether a source is the repository that Flux itself is kept in.
fn is_of_flux(source: &str) -> bool {
    source == "flux-system"
}

/// The calls of modules that are not read, each with the index of its root.
fn calls(terraform: &Terraform) -> impl Iterator<Item = (usize, &BlockInstance)> {
    let roots = terraform.roots.iter().enumerate();
    let calls =
        roots.flat_map(|(index, it)| it.of(Mode::Module, "module").map(move |it| (index, it)));
    calls.filter(|(_, it)| !it.entered && !it.is_off && it.foreign.is_none())
}

fn module(
    paths: &Paths<'_>,
    terraform: &Terraform,
    (index, call): (usize, &BlockInstance),
) -> Option<Absent> {
    let source = ModuleSource::of(call);
    if source.text().is_empty() || is_of_aws(source.text()) {
        return None;
    }
    let is_given_objects = gives_objects(&call.body);
    let what = if source.is_local() { AbsentKind::LocalModule } else { AbsentKind::Module };
    let path: Arc<str> = match what {
        AbsentKind::LocalModule => {
            let path = join(&call.folder, source.text());
            if path.as_ref().is_some_and(|it| paths.hold(it)) {
                return None;
            }
            path.as_deref().unwrap_or(source.text()).into()
        }
        _ => (is_given_objects || may_hold_objects(call)).then(|| source.text().into())?,
    };
    let folder = &terraform.roots.get(index)?.folder;
    let scope = Scope::new(Some(index), folder).in_cluster(call.cluster);
    let is_of_karpenter = is_given_objects || is_of_karpenter(&path) || is_of_karpenter(&call.name);
    let (place, source) = (call.header, None);
    Some(Absent { place, scope, what, path, source, is_of_karpenter, is_given_objects })
}

/// Whether something in the arguments of a call is a manifest of Karpenter's objects, or names a file called after them.
fn gives_objects(value: &Value) -> bool {
    let is_api = |line: &str| line.contains("apiVersion") && names_karpenter_api(line);
    let is_one = |text: &str| text.lines().any(is_api) || unseen_manifest::is_named_in(text);
    match &value.kind {
        Kind::String(text) => {
            is_one(&text.text) || text.only_hole().is_some_and(|it| is_one(&it.text))
        }
        Kind::Unknown(symbol) => is_one(&symbol.text),
        _ => {
            value.entries().iter().any(|it| gives_objects(&it.value))
                || value.items().iter().any(gives_objects)
        }
    }
}

/// Words for what Karpenter needs from AWS: a module with such an input or name makes or takes that, and installs
/// nothing.
pub(super) const NEEDS: &[&str] =
    &["iam", "role", "irsa", "pod-identity", "pod_identity", "sqs", "queue", "arn", "security"];

/// Whether a text holds one of some words.
pub(super) fn has(text: &str, words: &[&str]) -> bool {
    words.iter().any(|it| text.contains(it))
}

/// Words in the names of modules that make objects of Kubernetes.
const OBJECTS: &[&str] = &[
    "karpenter",
    "nodepool",
    "node-pool",
    "node_pool",
    "addon",
    "add-on",
    "helm",
    "chart",
    "k8s",
    "kubernetes",
    "manifest",
    "workload",
    "argocd",
    "argo-cd",
    "flux",
    "eks",
];

/// Whether the name or the address of a call suggests that the module, which is not read, makes objects of Kubernetes.
fn may_hold_objects(call: &BlockInstance) -> bool {
    const OTHERS: &[&str] =
        &["terraform-aws-modules/", "cluster", "node-group", "node_group", "fargate"];
    let source = ModuleSource::of(call);
    let address = source.text();
    let is_other = |it: &str| has(it, NEEDS) || has(it, OTHERS);
    !ModuleSource::is_well_known(address)
        && !is_other(address)
        && !is_other(&call.name)
        && (has(address, OBJECTS) || has(&call.name, OBJECTS))
}

/// Words in the names of modules that make what AWS alone has.
const OF_AWS: [&str; 23] = [
    "kms",
    "key-pair",
    "ec2",
    "security-group",
    "s3",
    "bucket",
    "cloudtrail",
    "-events",
    "vpc",
    "subnet",
    "iam",
    "rds",
    "aurora",
    "dynamo",
    "ecr",
    "route53",
    "acm",
    "sqs",
    "sns",
    "lambda",
    "cloudfront",
    "waf",
    "bastion",
];

/// Names of folders that say nothing of what a module makes.
const LAYOUT: [&str; 3] = [".", "modules", "wrappers"];

/// Whether the end of an address says that a module makes no objects of Kubernetes: its name, or that of the module of
/// which it is a part.
fn is_of_aws(address: &str) -> bool {
    let address = without_revision(address).to_lowercase();
    let mut parts = address.rsplit('/').filter(|it| !it.is_empty() && !LAYOUT.contains(it));
    let says = |name: &str| has(name, &OF_AWS) && !has(name, OBJECTS);
    let Some(name) = parts.next().filter(|it| !has(it, OBJECTS)) else { return false };
    says(name) || parts.next().is_some_and(|it| it.contains("aws") && says(it))
}

/// An address without the part that names a version.
fn without_revision(address: &str) -> &str {
    address.split('?').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::is_of_aws;

    #[test]
    fn modules_of_aws_are_known_by_their_names() {
        for (address, wanted) in [
            ("../../vendor/tf-aws-vpc//.", true),
            ("../../vendor/tf-aws-kms//wrappers", true),
            ("../../vendor/tf-aws-security-group//modules/gate", true),
            ("../../vendor/tf-aws-eks//modules/karpenter", false),
            ("git::https://git.example/siam/modules//ovens?ref=v1", false),
            ("../modules/vpc-and-eks-addons", false),
            ("../modules/rds", true),
        ] {
            assert_eq!(is_of_aws(address), wanted, "{address}");
        }
    }
}
