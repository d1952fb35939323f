//! Resources that Terraform can only plan when the cluster has Karpenter's CRDs already.

use crate::{
    checks::unread::unread_part,
    findings::silence::Silence,
    knowledge::schema,
    model::{Model, karpenter::KarpenterResource},
    resolve::{release::Release, terraform::object::BlockInstance},
    source::Span,
    value::cause::Cause,
    version::Range,
};

/// A release that brings the CRDs when the plan needs them already.
pub(crate) struct TooLate<'m> {
    /// The release.
    pub release: &'m Release,
    /// A comment by which whoever makes a new cluster knows the order.
    pub documented: Option<KnownOrder>,
    /// The one variable that switches both on, where both are off by default.
    pub switch: Option<&'m str>,
}

/// A comment that gives an order, and what it does.
pub(crate) struct KnownOrder {
    /// The comment.
    pub span: Span,
    /// What it does.
    pub words: &'static str,
}

/// What is planned: Karpenter's resources, also those whose files are not here and called so; else why it is not known
/// whether there is one.
pub(crate) fn planned(
    model: &Model,
) -> impl Iterator<Item = (&KarpenterResource, Option<Silence>)> {
    let known = model.karpenter_resources.iter().map(|it| (it, None));
    let named = model.unseen_manifests.iter().filter(|it| !it.resource.kinds.is_empty());
    let unseen = named.map(|it| {
        let words = "the manifest is not here: its name alone tells what it may be";
        let open = (!it.is_named_by_file).then(|| Silence::undecided(Cause::Value, words));
        (&it.resource, open)
    });
    known.chain(unseen)
}

/// The release that brings the CRDs without which a `kubernetes_manifest` cannot be planned, in the same
/// root module; `None` for resources of other types, which ask the cluster when they are applied.
pub(crate) fn brought_too_late<'m>(
    model: &'m Model,
    resource: &KarpenterResource,
) -> Option<Result<TooLate<'m>, Silence>> {
    let block = model.blocks_of(resource).find(|it| &*it.kind == "kubernetes_manifest")?;
    let root = model.terraform.roots.get(resource.root)?;
    let (found, switch) = match switched_on_with(model, resource.root, block) {
        Some((release, switch)) => (Ok(release), Some(switch)),
        None if root.is_off(block) => {
            return Some(Err(Silence::sound("it is off until a variable is set")));
        }
        None => (crd_release(model, resource.root), None),
    };
    Some(found.and_then(|release| {
        let words = "the CRDs of that version have no such kind";
        if !brings(release, resource) {
            return Err(Silence::sound(words).at(release.version.span(), "the version"));
        }
        match model.applied_first(release, resource) {
            Some(target) if target.comment_in.is_none() => {
                let words = "a command applies the release first";
                Err(Silence::sound(words).at(target.span, "the command"))
            }
            Some(target) => {
                let words = "this comment applies the release first";
                let documented = Some(KnownOrder { span: target.span, words });
                Ok(TooLate { release, documented, switch })
            }
            None => {
                let words = "this comment speaks of the first apply";
                let comment = model.first_apply_of(resource);
                let documented = comment.map(|span| KnownOrder { span, words });
                Ok(TooLate { release, documented, switch })
            }
        }
    }))
}

/// The release with the CRDs that one apply may come to after a resource which asks the cluster for them when it is
/// applied.
pub(crate) fn applied_before_crds<'m>(
    model: &'m Model,
    resource: &KarpenterResource,
) -> Option<&'m Release> {
    let block = model.blocks_of(resource).next()?;
    let root = model.terraform.roots.get(resource.root)?;
    // What is off is made by a later apply; what else gives the CRDs may do so before.
    let may_be_later = root.is_off(block) || model.first_apply_of(resource).is_some();
    let may_be_there = !model.applied_crds.is_empty() || !model.served_kinds.is_empty();
    if &*block.kind == "kubernetes_manifest" || may_be_later || may_be_there {
        return None;
    }
    let release = crd_release(model, resource.root).ok()?;
    let crds = release.code()?.node;
    // Helm installs the CRDs of a chart, and of those in it, before its templates.
    let waits = crds == resource.node || model.root_waits_for(resource.root, resource.node, crds);
    let is_kept = waits || model.applied_first(release, resource).is_some();
    (!is_kept && brings(release, resource)).then_some(release)
}

/// The release with the CRDs that the one variable brings without which a block is off, too, and that variable: no apply
/// has the one without the other.
fn switched_on_with<'m>(
    model: &'m Model,
    root: usize,
    block: &'m BlockInstance,
) -> Option<(&'m Release, &'m str)> {
    let only = block.absent_by.first().filter(|_| block.is_off && block.absent_by.len() == 1)?;
    let only = only.strip_prefix("var.")?;
    // Modules call their variables what they like.
    (!block.address.starts_with("module.")).then_some(())?;
    let is_switched = |it: &&Release| {
        let code = it.code().filter(|code| it.scope.root == Some(root) && code.module.is_empty());
        code.is_some_and(|code| code.object.switch.as_deref() == Some(only))
    };
    let brings_crds =
        |it: &&Release| it.is_crds() || it.is_controller() && it.skip_crds.known() == Some(&false);
    let has_others = model.releases.iter().any(|it| it.is_crds() && !is_switched(&it));
    let mut own = model.releases.iter().filter(is_switched).filter(brings_crds);
    Some((own.next().filter(|_| !has_others)?, only))
}

/// Whether the CRDs that a release brings may have one of the kinds of a resource. Where they have none, the plan
/// fails before and after, and what is wrong is the kind or the version.
fn brings(release: &Release, resource: &KarpenterResource) -> bool {
    let Some(versions) = release.allowed() else {
        return true;
    };
    let may_have = |kind: &String| {
        let current = schema::kinds().filter(|it| it.name == *kind);
        let served = current.flat_map(|it| &it.schemas).flat_map(|it| &it.served);
        let retired = schema::retired_kinds().iter().filter(|it| it.kind == *kind);
        let ranges: Vec<&Range> = served.chain(retired.map(|it| &it.range)).collect();
        ranges.is_empty() || ranges.iter().any(|it| versions.within(it) != Some(false))
    };
    resource.kinds.iter().any(may_have)
}

/// A release outside of a root module that may bring the CRDs to its cluster: none that belongs to the controller
/// of another one.
fn crds_elsewhere(model: &Model, root: usize) -> Option<&Release> {
    let of_others = |it: &Release| {
        let mut pairs = model.crd_pairs.iter();
        let pair = pairs.find(|pair| std::ptr::eq(pair.crds(&model.releases), it));
        pair.is_some_and(|pair| pair.controller(&model.releases).scope.root != Some(root))
    };
    model.releases.iter().find(|it| it.is_crds() && !of_others(it))
}

/// Why nothing is said of a root module without a release that may bring the CRDs.
fn without_release(model: &Model, root: usize) -> Silence {
    if model.terraform.roots.get(root).is_some_and(|it| it.reusable) {
        return Silence::undecided(Cause::Value, "callers of the module may install the CRDs");
    }
    Silence::sound("no release in this root module brings its CRD")
}

/// The release of a root module that brings Karpenter's CRDs.
fn crd_release(model: &Model, root: usize) -> Result<&Release, Silence> {
    let here = |it: &&Release| it.scope.root == Some(root) && !it.is_optional;
    let mut releases = model.releases.iter().filter(here);
    if let Some(crds) = releases.clone().find(|it| it.is_crds()) {
        return Ok(crds);
    }
    if let Some(other) = crds_elsewhere(model, root) {
        let words = "a `karpenter-crd` release elsewhere may bring the CRD";
        let silence = Silence::undecided(Cause::Ambiguous, words);
        return Err(silence.at(other.report_span, "that release"));
    }
    let mut controllers = releases.by_ref().filter(|it| it.is_controller()).peekable();
    if controllers.peek().is_none() {
        return Err(unread_part(model, root).unwrap_or_else(|| without_release(model, root)));
    }
    let mut open = None;
    for controller in controllers {
        match controller.skip_crds.decided("the switch that skips CRDs") {
            Ok(skipped) if !skipped => return Ok(controller),
            Ok(_) => {}
            Err(silence) => open = Some(silence),
        }
    }
    Err(open.unwrap_or_else(|| Silence::sound("the releases of this root module skip the CRDs")))
}
