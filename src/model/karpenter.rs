//! Karpenter's own resources and CRDs.

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
    let mut found: Vec<Resource> = Vec::new();
    for located in objects {
        let (Some(root), Some(node)) = (located.root, located.node) else { continue };
        let known = |(group, kind): &&(&str, &str)| {
            located.object.group() == *group && &*located.object.kind == *kind
        };
        if let Some((_, kind)) = KINDS.iter().find(known) {
            add(&mut found, root, node, located.header, kind);
        }
    }
    for release in releases {
        let (Some(root), Some(code)) = (release.place.root, release.code()) else { continue };
        for kind in release.local_chart.iter().flat_map(|it| kinds_of_chart(files, it)) {
            add(&mut found, root, code.node, release.block, kind);
        }
    }
    found.retain(|it| it.root < terraform.roots.len());
    found
}

fn add(found: &mut Vec<Resource>, root: usize, node: Node, anchor: Span, kind: &str) {
    let same = |it: &&mut Resource| it.root == root && it.node == node && it.anchor == anchor;
    match found.iter_mut().find(same) {
        Some(resource) => {
            resource.count += 1;
            if !resource.kinds.iter().any(|it| it == kind) {
                resource.kinds.push(kind.to_owned());
            }
        }
        None => {
            found.push(Resource { root, node, anchor, kinds: vec![kind.to_owned()], count: 1 });
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
    let names =
        |it: &SourceFile| memchr::memmem::find(it.text().as_bytes(), b"karpenter.sh/").is_some();
    files.iter().any(|(_, it)| terraform(it) && names(it))
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
    files.iter().filter(|(_, it)| INSTALLERS.contains(&it.ending())).any(|(_, file)| {
        let text = file.text();
        CRD_WORDS.iter().any(|it| memchr::memmem::find(text.as_bytes(), it.as_bytes()).is_some())
            && text.lines().any(written)
    })
}
