//! What is applied: what kustomizations build in place of the files they take, and all other files.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use crate::{
    findings::subject::Subject,
    model::{
        environment::are_stages_apart,
        made_elsewhere::{MadeElsewhere, ON_A_LAPTOP},
        named_for::{FOR_ANOTHER_CLOUD, named_for, root_named_for},
    },
    resolve::{
        charts::shown::SHOWN,
        kubernetes::Located,
        kustomize::{Build, Kustomize},
        scope::{ClusterTarget, Scope},
        terraform::{self, root::Root},
    },
    source::{FileId, Files, Span, parent},
    syntax::ParseError,
};

/// A kustomization that is applied.
#[derive(Clone, Debug)]
pub struct AppliedRoot {
    /// Whether nothing unseen adds to what it builds or changes it.
    pub complete: bool,
    /// Whether nothing unseen changes what it builds.
    pub unchanged: bool,
    /// Whether a PDB for what it builds may not be seen.
    pub unseen_pdb: bool,
    /// Kustomizations with the same number build from the same files: alternatives of one another.
    pub family: usize,
}

/// An object that is applied, and the kustomization that builds it, as an index.
#[derive(Clone, Debug)]
pub struct AppliedObject {
    /// The object.
    pub located: Located,
    /// The kustomization.
    pub build: Option<usize>,
    /// Whether patches changed it.
    pub is_patched: bool,
    /// Whether a patch that is not known may change it.
    pub in_doubt: bool,
}

impl AppliedObject {
    /// What a finding about it is about. What kustomize renames is called what it is called where it is
    /// written.
    #[must_use]
    pub fn subject(&self, files: &Files) -> Subject {
        let mut subject = self.located.subject();
        if let (Some(object), Some(_)) = (&mut subject.object, self.build) {
            let written = files.text(self.located.object.report_span());
            object.name = written.trim_matches(['"', '\'']).into();
        }
        subject
    }
}

/// The kustomizations of a project as the model sees them.
#[must_use]
pub fn roots(kustomize: &Kustomize) -> Vec<AppliedRoot> {
    let families = families(&kustomize.builds);
    let root = |(build, family): (&Build, usize)| AppliedRoot {
        complete: build.complete && build.refused.is_empty(),
        unchanged: build.unchanged,
        unseen_pdb: build.unseen_pdb,
        family,
    };
    kustomize.builds.iter().zip(families).map(root).collect()
}

/// What keeps a kustomization from being built as it is written, as `(file, reason)`: what it builds is
/// then judged with doubt.
#[must_use]
pub fn refused(files: &Files, kustomize: &Kustomize) -> Vec<(FileId, String)> {
    let builds = kustomize.builds.iter().flat_map(|it| &it.refused);
    let said = |it: &ParseError| {
        let file = files.get(it.span.file);
        let line = file.line_of(it.span.start as usize) + 1;
        let written = file.slice(it.span.range());
        let is_short = !written.contains('\n') && written.len() <= LONGEST_ENTRY;
        let entry = (is_short && !written.trim().is_empty()).then(|| format!(" `{written}`"));
        let entry = entry.unwrap_or_default();
        (it.span.file, format!("not built as written: line {line}{entry}: {}", it.message))
    };
    builds.chain(&kustomize.parse_errors).map(said).collect()
}

/// Longer entries are not repeated, in bytes.
const LONGEST_ENTRY: usize = 80;

/// A number for each build, the same for those that share a file, directly or through others.
fn families(builds: &[Build]) -> Vec<usize> {
    let mut family: Vec<usize> = (0..builds.len()).collect();
    let mut first_user: HashMap<FileId, usize> = HashMap::new();
    for (index, build) in builds.iter().enumerate() {
        for file in build.objects.iter().filter_map(|it| it.source.first()) {
            let user = *first_user.entry(*file).or_insert(index);
            let (a, b) = (head(&family, user), head(&family, index));
            family[a.max(b)] = a.min(b);
        }
    }
    (0..builds.len()).map(|it| head(&family, it)).collect()
}

/// The first build of a family: each points at an earlier one or at itself.
fn head(family: &[usize], mut index: usize) -> usize {
    while family[index] != index {
        index = family[index];
    }
    index
}

/// Whether a file only shows what the chart around it makes.
#[must_use]
pub fn is_shown_by_chart(files: &Files, file: FileId) -> bool {
    let path = files.get(file).path();
    path.match_indices('/').any(|(at, _)| {
        let (chart, inside) = (&path[..at], &path[at + 1..]);
        inside.split('/').next().is_some_and(|it| SHOWN.contains(&it))
            && files.find(&format!("{chart}/Chart.yaml")).is_some()
    })
}

/// Whether a file beside `Chart.yaml` holds what `helm template` printed of the chart.
#[must_use]
pub fn is_printed_by_chart(files: &Files, file: FileId) -> bool {
    let file = files.get(file);
    let sources = || file.text().lines().filter_map(|it| it.strip_prefix("# Source: "));
    files.find(&format!("{}/Chart.yaml", file.folder())).is_some()
        && sources().any(|it| it.contains("/templates/"))
}

/// Whether a file holds what a test expects, by its name: `00-assert.yaml`. Such objects are partial.
#[must_use]
pub fn is_assertion(files: &Files, file: FileId) -> bool {
    let path = files.get(file).path();
    let name = path.rsplit('/').next().unwrap_or_default();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let last = stem.rsplit(['-', '_', '.']).next().unwrap_or_default();
    matches!(last, "assert" | "assertion" | "assertions" | "asserts")
}

/// The names that folders have for clusters on a laptop.
pub const ON_LAPTOPS: &[&str] = &[
    "kind",
    "minikube",
    "k3d",
    "microk8s",
    "docker-desktop",
    "rancher-desktop",
    "colima",
    "local",
];

/// Whether objects are for a cluster on a laptop, by the name of their folder: `overlays/kind`, `k8s-local`.
/// Karpenter does not run there.
fn is_for_a_laptop(scope: &Scope) -> bool {
    let is = |name: &str| ON_LAPTOPS.contains(&name.strip_prefix("k8s-").unwrap_or(name));
    scope.root.is_none() && scope.folder.split('/').any(is)
}

/// Why the objects of a scope are not judged, if they are not: also those in folders in which Ansible or a script
/// makes a cluster.
#[must_use]
pub fn passed_over(
    scope: &Scope,
    terraform: &terraform::Terraform,
    elsewhere: &MadeElsewhere,
) -> Option<&'static str> {
    let root = scope.root.and_then(|it| terraform.roots.get(it)).map(AsRef::as_ref);
    if root.is_some_and(is_on_another_cloud) {
        return Some(FOR_ANOTHER_CLOUD);
    }
    if let Some(why) = root.and_then(root_named_for) {
        return Some(why);
    }
    if terraform.is_example(&scope.folder) {
        return Some(EXAMPLE);
    }
    if let Some(why) = named_for(&scope.folder).filter(|_| scope.root.is_none()) {
        return Some(why);
    }
    if let Some(why) = elsewhere.around(&scope.folder).filter(|_| scope.root.is_none()) {
        return Some(why);
    }
    (is_for_a_laptop(scope) || root.is_some_and(is_on_a_laptop)).then_some(ON_A_LAPTOP)
}

/// Why nothing is judged in the examples of a module that is called elsewhere.
pub const EXAMPLE: &str = "an example of a module that is called elsewhere";

/// Providers of other clouds.
const OTHER_CLOUDS: &[&str] = &[
    "alicloud",
    "azurerm",
    "civo",
    "coreweave",
    "digitalocean",
    "exoscale",
    "gridscale",
    "google",
    "google-beta",
    "hcloud",
    "huaweicloud",
    "ibm",
    "ionoscloud",
    "linode",
    "nebius",
    "oci",
    "opentelekomcloud",
    "ovh",
    "scaleway",
    "stackit",
    "tencentcloud",
    "upcloud",
    "volcengine",
    "vultr",
    "yandex",
];

/// Whether a root module configures or requires another cloud and not AWS: no Karpenter that karplint knows is there.
#[must_use]
pub fn is_on_another_cloud(root: &Root) -> bool {
    OTHER_CLOUDS.iter().any(|it| uses(root, it)) && !uses(root, "aws")
}

/// Whether a root module is for a cluster on a laptop, by the name of its folder, and has nothing to do with AWS.
fn is_on_a_laptop(root: &Root) -> bool {
    let name = root.folder.rsplit('/').next().unwrap_or_default();
    ON_LAPTOPS.contains(&name) && !uses(root, "aws")
}

/// Whether a root module configures or requires a provider of that name.
fn uses(root: &Root, provider: &str) -> bool {
    root.providers.iter().any(|it| **it == *provider)
}

/// The files in the folder of one environment that only kustomizations of others list: they are applied in their own
/// environment, too.
#[must_use]
pub fn lent(files: &Files, kustomize: &Kustomize) -> HashSet<FileId> {
    let (mut lent, mut own) = (HashSet::new(), HashSet::new());
    for (folder, listing) in &kustomize.listings {
        for entry in &listing.entries {
            let Some(file) = files.find(entry) else { continue };
            let is_lent = are_stages_apart(folder, parent(entry));
            if is_lent { &mut lent } else { &mut own }.insert(file);
        }
    }
    lent.difference(&own).copied().collect()
}

/// The objects that are applied: those of plain files that no kustomization takes and that do not lie
/// unlisted beside one, and all that is built. Objects of `GitOps` tools are applied by hand or by one
/// another, wherever they lie.
#[must_use]
pub fn objects(
    files: &Files,
    raw: Vec<Located>,
    kustomize: &Kustomize,
    is_of_tool: impl Fn(&Located) -> bool,
) -> Vec<AppliedObject> {
    let plain = |it: &Located| {
        let is_listed = kustomize.listed.contains(&it.object.value.span.file);
        let is_beside = || !is_of_tool(it) && is_beside(files, kustomize, it);
        it.root.is_some() || !(is_listed || is_beside())
    };
    let count = raw.len() + kustomize.builds.iter().map(|it| it.objects.len()).sum::<usize>();
    let raw = raw.into_iter().filter(plain);
    let raw = raw.map(|located| AppliedObject {
        located,
        build: None,
        is_patched: false,
        in_doubt: false,
    });
    let built = kustomize.builds.iter().enumerate().flat_map(|(index, build)| {
        build.objects.iter().map(move |it| AppliedObject {
            located: Located {
                object: it.object.clone(),
                root: None,
                node: None,
                folder: build.folder.clone(),
                cluster: ClusterTarget::Only,
                is_off: false,
                header: it.object.report_span(),
                holder: Subject::default(),
                part: None,
            },
            build: Some(index),
            is_patched: it.source.len() > 1,
            in_doubt: it.in_doubt,
        })
    });
    let mut objects = Vec::with_capacity(count);
    objects.extend(raw.chain(built));
    objects
}

/// The files of the objects that Terraform makes: as templates they are read where it fills them in.
pub(super) fn filled_in(objects: &[AppliedObject]) -> HashSet<FileId> {
    let made = objects.iter().map(|it| &it.located).filter(|it| it.node.is_some());
    made.map(|it| it.object.value.span.file).collect()
}

/// Whether an object is in a folder with a kustomization.
fn is_beside(files: &Files, kustomize: &Kustomize, located: &Located) -> bool {
    let file = files.get(located.object.value.span.file);
    // What a script applies was never meant to be listed.
    let is_manifest = matches!(file.ending(), "yaml" | "yml" | "json");
    is_manifest && kustomize.folders.contains(file.folder())
}

/// A pool of Karpenter's that the kustomization of its folder does not list: a person may apply it.
#[derive(Debug)]
pub struct UnlistedPool {
    /// Its folder.
    pub folder: Arc<str>,
    /// The object.
    pub report_span: Span,
}

/// Those among some objects.
pub(super) fn unlisted_pools(
    files: &Files,
    raw: &[Located],
    kustomize: &Kustomize,
) -> Vec<UnlistedPool> {
    let is_pool = |it: &Located| {
        it.object.is_of_karpenter() && matches!(&*it.object.kind, "NodePool" | "Provisioner")
    };
    let is_unlisted = |it: &Located| {
        let is_listed = kustomize.listed.contains(&it.object.value.span.file);
        it.root.is_none() && !is_listed && is_beside(files, kustomize, it)
    };
    let found = raw.iter().filter(|it| is_pool(it) && is_unlisted(it));
    let pool = |it: &Located| UnlistedPool {
        folder: Arc::clone(&it.folder),
        report_span: it.object.report_span(),
    };
    found.map(pool).collect()
}
