//! What Terraform removes in which order.

use crate::{
    checks::{
        absent,
        orphans::orphans_nodes,
        retirement::{Retirement, retirement},
        teardown::{Removal, removal_before},
        unread::{hidden_controller, of_provisioner, unread_part},
    },
    findings::{
        change::{Change, NewValue},
        silence::Silence,
    },
    model::{Model, karpenter::KarpenterResource},
    resolve::{
        release::{Release, ReleaseCode},
        scope::Scope,
        setting::Setting,
        terraform::object::BlockInstance,
    },
    source::Span,
    value::{Value, cause::Cause},
};

/// The controller that nothing makes wait, on destroy, until a resource is gone.
pub(crate) fn unordered<'a>(
    model: &'a Model,
    resource: &KarpenterResource,
) -> Result<(&'a Release, &'a ReleaseCode), Silence> {
    let needless = needs_no_controller(resource);
    if let Some(silence) = needless.or_else(|| no_longer_served(model, resource)) {
        return Err(silence);
    }
    let (controller, code) = only_controller(model, resource.root)?;
    if model.root_waits_for(resource.root, resource.node, code.node) {
        return Err(Silence::sound("it depends on the release of the controller")
            .at(controller.report_span, "the controller"));
    }
    if let Some(undeclared) = model.undeclared_wait(resource.root, resource.node) {
        let words = "its `depends_on` names what its module does not declare";
        return Err(Silence::undecided(Cause::Value, words).at(undeclared, "not declared"));
    }
    Ok((controller, code))
}

/// The one release of the controller in a root module.
pub(crate) fn only_controller(
    model: &Model,
    root: usize,
) -> Result<(&Release, &ReleaseCode), Silence> {
    let found = match model.controllers_of_root(root).as_slice() {
        [only] => match only.code() {
            None => return Err(of_provisioner(only)),
            code => code.map(|it| (*only, it)),
        },
        [] => None,
        _ => {
            let words = "several releases of the controller are in this root module";
            return Err(Silence::undecided(Cause::Ambiguous, words));
        }
    };
    found.ok_or_else(|| {
        let scope = Scope::new(Some(root), &"".into());
        let sound = || Silence::sound("no release of the controller is in this root module");
        let unread = || unread_part(model, root);
        hidden_controller(model, &scope).or_else(unread).unwrap_or_else(sound)
    })
}

/// That a resource has nothing that a controller has to remove.
fn needs_no_controller(resource: &KarpenterResource) -> Option<Silence> {
    let is_template = |it: &String| it == "AWSNodeTemplate";
    let holds_templates = !resource.kinds.is_empty() && resource.kinds.iter().all(is_template);
    let words = "an AWSNodeTemplate has no finalizer and no nodes of its own";
    never_made(resource).or_else(|| holds_templates.then(|| Silence::sound(words)))
}

/// That there is nothing to remove of a resource, as the API server refuses all that it makes.
fn never_made(resource: &KarpenterResource) -> Option<Silence> {
    let kind = resource.refused.filter(|_| resource.kinds.is_empty())?;
    let words = format!("no release takes its {kind}: the API server refuses to make it");
    Some(Silence::sound(words))
}

/// The objects of some kinds of a resource that releases no longer serve; none unless all of them are such.
fn retired<'m>(
    model: &'m Model,
    resource: &KarpenterResource,
    kinds: &[&str],
) -> Vec<Retirement<'m>> {
    let own = model.objects_of(resource).filter(|it| kinds.contains(&&*it.object.kind));
    let retired: Option<Vec<_>> = own.map(|it| retirement(model, it)?.ok()).collect();
    retired.unwrap_or_default()
}

/// That the release in use has no such pools, so that there are no nodes to wait for; of a resource with classes alone,
/// that it has no such classes.
pub(crate) fn no_longer_served(model: &Model, resource: &KarpenterResource) -> Option<Silence> {
    let kinds = if resource.pools().is_some() { POOLS } else { CLASSES };
    let retired = retired(model, resource, &kinds);
    let first = retired.first()?;
    let is_refused = retired.iter().all(|it| it.is_gone && !it.by_document);
    let words = "the release in use no longer serves it: the API server refuses to make it";
    is_refused.then(|| Silence::sound(words).at(first.span, "what is retired"))
}

/// The kind of a pool that releases for years have not had, where nothing installed says which release is in use: it
/// may be one that no pool of the kind can be made for.
pub(crate) fn perhaps_refused(model: &Model, resource: &KarpenterResource) -> Option<Span> {
    let retired = retired(model, resource, &POOLS);
    let is_open = |it: &Retirement<'_>| it.successor.is_some() && (!it.is_gone || it.by_document);
    retired.first().filter(|_| retired.iter().all(is_open)).map(|it| it.span)
}

/// The kinds of pools.
const POOLS: [&str; 2] = ["NodePool", "Provisioner"];

/// The kinds of classes.
const CLASSES: [&str; 2] = ["EC2NodeClass", "AWSNodeTemplate"];

/// Why nothing waits for the nodes of a pool that is deleted.
#[derive(Clone, Debug)]
pub(crate) enum Unawaited {
    /// Its resource does not wait.
    NoWait {
        /// What it says about waiting, or what that is missing from.
        place: Span,
        /// What makes it wait.
        change: Vec<Change>,
    },
    /// It waits for the pool alone, which is gone before its nodes: this says so.
    Background(Span),
    /// Its resource never deletes it: this says so.
    NeverDeleted(Span),
}

/// The blocks that by their names apply what needs a controller until it is gone, or are given that, of which nothing else
/// is seen, and why nothing is known of their order.
pub(crate) fn unseen_resources(model: &Model) -> impl Iterator<Item = (Span, Silence)> {
    let unseen = model.unseen_manifests.iter().map(|it| &it.resource);
    let named = unseen.filter(|it| !it.kinds.is_empty());
    let manifests = named.map(|it| {
        let silence = unordered(model, it).err();
        (it.report_span, silence.unwrap_or_else(|| absent::unseen_manifest(it)))
    });
    manifests.chain(absent::given_objects(model))
}

/// The blocks that by their names apply pools, or are given some, of which nothing else is seen, and why nothing is known
/// of them.
pub(crate) fn unseen_pools(model: &Model) -> impl Iterator<Item = (Span, Silence)> {
    let unseen = model.unseen_manifests.iter().map(|it| &it.resource);
    let blocks = unseen.filter(|it| it.pools().is_some()).flat_map(|it| {
        let of_block =
            move |silence: Option<Silence>| silence.unwrap_or_else(|| absent::unseen_manifest(it));
        unawaited(model, it)
            .map(move |(block, diagnosis)| (block.header, of_block(diagnosis.err())))
    });
    blocks.chain(absent::given_objects(model))
}

/// The blocks by which Terraform deletes pools in the background or not at all, and what lets it go on while
/// the nodes are there. Only `kubectl_manifest` does.
pub(crate) fn unawaited<'m>(
    model: &'m Model,
    resource: &KarpenterResource,
) -> impl Iterator<Item = (&'m BlockInstance, Result<Unawaited, Silence>)> {
    let refused = never_made(resource);
    let holds_pools = resource.pools().is_some() || refused.is_some();
    let blocks = model.blocks_of(resource);
    let blocks = blocks.filter(move |it| holds_pools && &*it.kind == "kubectl_manifest");
    let removal = removal_before(model, resource);
    let scope = Scope::new(Some(resource.root), &"".into());
    let is_older = orphans_nodes(model, &scope);
    // That release has only Provisioners, and what makes it may be older still.
    let may_be_older = is_older.is_none() && resource.holds("Provisioner");
    let hidden = may_be_older.then(|| hidden_controller(model, &scope)).flatten();
    blocks.map(move |it| {
        if let Some(silence) = &refused {
            return (it, Err(silence.clone()));
        }
        if is_older == Some(true) {
            let words = "before 0.12 Karpenter keeps the nodes of a Provisioner that is deleted";
            return (it, Err(Silence::sound(words)));
        }
        if let Some(silence) = &hidden {
            let words = ", and before 0.12 it keeps the nodes of a Provisioner that is deleted";
            return (it, Err(silence.clone().adding(words)));
        }
        let served = |fault| no_longer_served(model, resource).map_or(Ok(fault), Err);
        let diagnosis = unawaited_in(it).and_then(served);
        let diagnosis = diagnosis.and_then(|fault| match (&fault, removal) {
            (Unawaited::NeverDeleted(_), _) | (_, None) => Ok(fault),
            (_, Some(Removal::Sure(script))) => {
                let words = "a provisioner removes its nodes before";
                Err(Silence::sound(words).at(script, "the provisioner"))
            }
            (_, Some(Removal::Possible(script))) => {
                let words = "a script that a provisioner runs before may remove its nodes";
                Err(Silence::undecided(Cause::Value, words).at(script, "the provisioner"))
            }
        });
        (it, diagnosis)
    })
}

fn unawaited_in(block: &BlockInstance) -> Result<Unawaited, Silence> {
    let switch =
        |name: &str| Setting::of(block.body.get(name), Some(false), block.header, Value::as_flag);
    let apply_only = switch("apply_only");
    if *apply_only.decided("`apply_only`")? {
        return Ok(Unawaited::NeverDeleted(apply_only.span()));
    }
    let wait = switch("wait");
    if !*wait.decided("`wait`")? {
        let on = Change::set(&block.body, "wait", NewValue::plain("true"));
        let on = on.behind(&["force_new", "server_side_apply", "yaml_body", "for_each", "count"]);
        return Ok(Unawaited::NoWait { place: wait.span(), change: vec![on] });
    }
    let cascade = block.body.get("delete_cascade").present();
    match cascade.filter(|it| it.as_str() == Some("Background")) {
        // The NodePool itself has no finalizer: it is gone at once, and its nodes are not.
        Some(cascade) => Ok(Unawaited::Background(cascade.span)),
        None => Err(Silence::sound("it waits until the nodes are gone").at(wait.span(), "`wait`")),
    }
}
