//! Karpenter's own resources and CRDs.

use std::collections::HashMap;

use crate::{
    model::{applied::Applied, release::Release},
    resolve::{
        kubernetes::Located,
        terraform::{Node, Terraform},
    },
    source::{Files, SourceFile, Span},
};

/// A Terraform resource that manages `NodePools`, `EC2NodeClasses` or their predecessors.
#[derive(Clone, Debug)]
pub struct Resource {
    /// Its root module.
    pub root: usize,
    /// Its node in the root's graph.
    pub node: Node,
    /// The resource's header.
    pub anchor: Span,
    /// The kinds it manages, each once.
    pub kinds: Vec<String>,
    /// How many objects.
    pub count: usize,
}

impl Resource {
    /// "this `NodePool`", "these `NodePools`".
    #[must_use]
    pub fn these(&self) -> String {
        match (self.kinds.as_slice(), self.count) {
            ([kind], 1) => format!("this {kind}"),
            ([kind], _) if kind.ends_with('s') => format!("these {kind}es"),
            ([kind], _) => format!("these {kind}s"),
            _ => "these NodePools".to_owned(),
        }
    }
}

/// The kinds whose finalizers or nodes need a running controller.
const KINDS: &[(&str, &str)] = &[
    ("karpenter.sh", "NodePool"),
    ("karpenter.k8s.aws", "EC2NodeClass"),
    ("karpenter.sh", "Provisioner"),
    ("karpenter.k8s.aws", "AWSNodeTemplate"),
];

/// The Terraform resources that hold Karpenter's resources.
#[must_use]
pub fn resources(
    files: &Files,
    terraform: &Terraform,
    objects: &[Located],
    releases: &[Release],
) -> Vec<Resource> {
    let mut found = Resources::default();
    for located in objects {
        let (Some(root), Some(node)) = (located.root, located.node) else { continue };
        let known = |(group, kind): &&(&str, &str)| {
            located.object.group() == *group && &*located.object.kind == *kind
        };
        if let Some((_, kind)) = KINDS.iter().find(known) {
            found.add(root, node, located.header, kind);
        }
    }
    for release in releases {
        let (Some(root), Some(code)) = (release.place.root, release.code()) else { continue };
        for kind in release.local_chart.iter().flat_map(|it| kinds_of_chart(files, it)) {
            found.add(root, code.node, release.block, kind);
        }
    }
    found.list.retain(|it| it.root < terraform.roots.len());
    found.list
}

/// Resources in the order they were found.
#[derive(Default)]
struct Resources {
    list: Vec<Resource>,
    index: HashMap<(usize, Node, Span), usize>,
}

impl Resources {
    fn add(&mut self, root: usize, node: Node, anchor: Span, kind: &str) {
        let at = *self.index.entry((root, node, anchor)).or_insert(self.list.len());
        if at == self.list.len() {
            self.list.push(Resource { root, node, anchor, kinds: Vec::new(), count: 0 });
        }
        let resource = &mut self.list[at];
        resource.count += 1;
        if !resource.kinds.iter().any(|it| it == kind) {
            resource.kinds.push(kind.to_owned());
        }
    }
}

/// The Karpenter kinds that the templates of a local chart hold, read as text: templates are not
/// rendered, but their `kind:` lines are literal.
fn kinds_of_chart(files: &Files, folder: &str) -> Vec<&'static str> {
    let templates = format!("{folder}/templates/");
    let inside = files.iter().filter(|(_, it)| it.path().starts_with(&templates));
    let texts: Vec<&str> = inside.map(|(_, it)| it.text()).collect();
    let holds = |group: &str, kind: &str| {
        let line = format!("kind: {kind}");
        texts.iter().any(|it| it.contains(group) && it.lines().any(|it| it.trim_end() == line))
    };
    KINDS.iter().filter(|(group, kind)| holds(group, kind)).map(|(_, kind)| *kind).collect()
}

/// Whether Terraform code names a `karpenter.sh/` key: a taint, a label, an annotation.
#[must_use]
pub fn is_mentioned(files: &Files) -> bool {
    let terraform = |it: &SourceFile| it.is_loaded() && it.ending() == "tf";
    files.iter().any(|(_, it)| terraform(it) && has(it.text(), "karpenter.sh/"))
}

/// Words that only something that installs Karpenter's CRDs contains: the chart's name and the files
/// upstream publishes.
const CRD_WORDS: &[&str] = &[
    "karpenter-crd",
    "karpenter.sh_nodepools",
    "karpenter.sh_nodeclaims",
    "karpenter.sh_provisioners",
    "karpenter.k8s.aws_ec2nodeclasses",
];

/// The files that may install something: manifests, modules, templates, scripts.
const INSTALLERS: &[&str] = &[
    "yaml", "yml", "json", "tf", "tofu", "hcl", "tfvars", "tpl", "tftpl", "sh", "bash", "Makefile",
    "mk", "justfile", "Taskfile", "py", "ts", "gotmpl",
];

/// The endings of files that say what is, not what to do.
const DECLARATIVE: &[&str] =
    &["yaml", "yml", "json", "tf", "tofu", "hcl", "tfvars", "tpl", "tftpl", "gotmpl"];

/// The words by which a script installs something.
const VERBS: &[&str] = &["apply", "create", "replace", "install", "upgrade"];

/// Whether a release, a manifest or, failing these, any script of the repository installs the CRDs.
pub fn somebody_installs_crds(files: &Files, releases: &[Release], objects: &[Applied]) -> bool {
    if !releases.iter().any(Release::is_controller) || releases.iter().any(Release::is_crds) {
        return true;
    }
    let manifest = |it: &Applied| {
        let it = &it.located;
        &*it.object.kind == "CustomResourceDefinition"
            && it.object.anchor_text().is_some_and(|it| {
                it.ends_with(".karpenter.sh") || it.ends_with(".karpenter.k8s.aws")
            })
    };
    objects.iter().any(manifest) || mentions_crds(files)
}

fn mentions_crds(files: &Files) -> bool {
    let written = |line: &str| {
        let code = line.split("//").next().unwrap_or(line);
        let code = if line.contains("://") { line } else { code };
        let code = code.split(" #").next().unwrap_or(code);
        !line.trim_start().starts_with(['#', '/']) && CRD_WORDS.iter().any(|it| code.contains(it))
    };
    let names = |text: &str| CRD_WORDS.iter().any(|it| has(text, it));
    // A script may also fetch CRDs only to read them.
    let acts = |file: &SourceFile| {
        let script = !DECLARATIVE.contains(&file.ending());
        let code = |it: &str| !it.trim_start().starts_with('#');
        let does = |it: &str| code(it) && VERBS.iter().any(|verb| has(it, verb));
        !script || file.text().lines().any(does)
    };
    let mut naming = installers(files).filter(|it| it.text_if(names).is_some());
    naming.any(|it| acts(it) && it.text().lines().any(written))
}

/// The files that may install something and name Karpenter, or may: a manifest that is not loaded was looked
/// through before, and does not even name it.
pub fn installers(files: &Files) -> impl Iterator<Item = &SourceFile> {
    let manifest = |it: &SourceFile| matches!(it.ending(), "yaml" | "yml" | "json");
    let all = files.iter().map(|(_, it)| it).filter(|it| INSTALLERS.contains(&it.ending()));
    all.filter(move |it| it.is_loaded() || !manifest(it))
}

fn has(text: &str, word: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some()
}
