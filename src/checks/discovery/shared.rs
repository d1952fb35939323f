//! A discovery tag meant for one security group that several get.

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    checks::discovery::selected::{chooses_otherwise, is_discovery, is_selector_open, selecting},
    findings::{note::Note, silence::Silence, subject::Subject},
    knowledge::tag::{TaggedGroup, groups},
    model::{
        Model,
        cluster::Cluster,
        discovery::{DISCOVERY, Role, tags::of_root},
        karpenter::KarpenterResource,
        node_pool::class::NodeClass,
        node_template::templates,
        scope::ScopeIndex,
    },
    resolve::{
        scope::Scope,
        setting::steps,
        terraform::{
            module_source::ModuleSource,
            object::{BlockInstance, Mode},
            root::Root,
        },
    },
    source::Span,
    value::{Entry, Field, Kind, Value, cause::Cause},
    version::constraint::Constraint,
};

/// The discovery tag among the tags of everything the EKS module makes.
#[derive(Debug)]
pub(crate) struct SharedTag {
    /// Where its key is written.
    pub span: Span,
    /// The module call: header and name.
    pub module: (Span, String),
    /// The same as what a finding is about.
    pub subject: Subject,
    /// The security groups that get it.
    pub groups: Vec<&'static str>,
    /// Whether several of them have the tag of the cluster, too.
    pub are_of_cluster: bool,
    /// The input whose tags only the first of them gets, if the module has one.
    pub input: Option<&'static str>,
    /// The output with the ID of that one.
    pub output: &'static str,
    /// Whether that input has the tag already.
    pub is_in_input: bool,
    /// A class that selects security groups by it, and where.
    pub selected: Option<(Arc<str>, Span)>,
    /// A class that would, in a file that nothing applies.
    pub left_out: Option<(Arc<str>, Span)>,
    /// The steps by which it comes to the module.
    pub steps: Vec<Note>,
    /// The block that gives subnets the tag from the same place.
    pub subnets: Option<Span>,
    /// An `aws_ec2_tag` that puts it on one of the others, with its address and that group.
    pub tagged_alone: Option<(Span, String, &'static str)>,
}

/// The discovery tags among the tags of EKS modules, and those that several security groups get.
#[must_use]
pub(crate) fn discovery_tags(model: &Model) -> Vec<(Span, Result<SharedTag, Silence>)> {
    let templates = templates(model);
    let all: Vec<&NodeClass> = model.node_classes.iter().chain(&templates).collect();
    let classes = ScopeIndex::of(all.iter().copied().enumerate(), <[usize]>::to_vec);
    let near_clusters = all.iter().map(|it| model.cluster_near(&it.scope));
    let near_clusters: Vec<Option<&Cluster>> = near_clusters.collect();
    let mut judged: Vec<Judged> = Vec::new();
    for (index, root) in model.terraform.roots.iter().enumerate() {
        let scope = Scope::new(Some(index), &root.folder);
        let near = classes.nearest(&scope).map_or(&[][..], Vec::as_slice);
        // Classes that are nearer to another cluster are for that one.
        let here = |it: &&usize| near_clusters[**it].is_none_or(|it| it.scope.root == Some(index));
        let near = near.iter().filter(here).map(|it| all[*it]);
        // What a script applies is for the cluster that it makes.
        let near: Vec<&NodeClass> = near.filter(|it| !it.is_of_script_cluster).collect();
        let hidden = near.is_empty().then(|| hidden_class(model, index)).flatten();
        let is_its = |it: &Cluster| it.scope.root == Some(index);
        let unused = all.iter().zip(&near_clusters).filter(|it| it.1.is_some_and(is_its));
        let unused = unused.map(|it| *it.0).filter(|it| it.scope.left_out.is_some());
        let unused: Vec<&NodeClass> = unused.collect();
        let modules = root.of(Mode::Module, "module");
        for module in modules.filter(|it| ModuleSource::of(it).is(ModuleSource::EKS)) {
            let Some((tags, tag)) = discovery_tag(&module.body) else { continue };
            let shared_tags = tags_of_all(&module.body, tags);
            let selected = selecting(&near, &shared_tags);
            let diagnosis = tag.and_then(|tag| {
                if let Some(block) = model.switched_off_in(index) {
                    let silence = Silence::sound("the cluster has no Karpenter");
                    return Err(silence.at(block, "this root switches it off"));
                }
                let open = || near.iter().find(|it| is_selector_open(it));
                if let Some(class) = open().filter(|_| selected.is_none()) {
                    let words = "not all tags by which a class selects security groups are known";
                    let silence = Silence::undecided(Cause::Value, words);
                    return Err(silence.at(class.report_span, "the class"));
                }
                let others = || !near.is_empty() || chooses_otherwise(root, &shared_tags);
                if selected.is_none() && (others() || may_be_auto(&module.body)) {
                    let words = "the security groups of Karpenter's nodes are chosen otherwise";
                    return Err(Silence::sound(words));
                }
                let shared = shared((index, root), module, tag)?;
                if let Some(chart) = hidden {
                    let words = "the templates of the chart with the EC2NodeClass are not rendered";
                    return Err(
                        Silence::undecided(Cause::NotRendered, words).at(chart, "the chart")
                    );
                }
                let (selected, left_out) = (selected.clone(), selecting(&unused, &shared_tags));
                Ok(SharedTag { selected, left_out, steps: steps(tags), ..shared })
            });
            judged.push((index, tags.name, diagnosis));
        }
    }
    of_karpenter(model, judged)
}

/// The index of a root module, where its module takes the tags, and what is found there.
type Judged = (usize, Span, Result<SharedTag, Silence>);

/// The same where several root modules take one tag from a module: those whose nodes get the groups come first, and
/// those without say nothing beside them, nor do those without Karpenter beside one that has it.
fn of_karpenter(model: &Model, judged: Vec<Judged>) -> Vec<(Span, Result<SharedTag, Silence>)> {
    let has_karpenter = |root: usize| {
        !model.controllers_of_root(root).is_empty()
            || model.karpenter_resources.iter().any(|it| it.root == root)
    };
    let served = judged.iter().filter(|it| has_karpenter(it.0)).map(|it| it.1);
    let served: BTreeSet<Span> = served.collect();
    let is_selected =
        |it: &Result<SharedTag, Silence>| it.as_ref().is_ok_and(|it| it.selected.is_some());
    let selected: BTreeSet<Span> =
        judged.iter().filter(|it| is_selected(&it.2)).map(|it| it.1).collect();
    let without = |(root, place, diagnosis): Judged| match diagnosis {
        Ok(tag) if tag.selected.is_none() && selected.contains(&place) => {
            let words = "a class selects by the tag in another root module, for which it is told";
            (place, Err(Silence::sound(words)))
        }
        Ok(tag) if tag.selected.is_none() && served.contains(&place) && !has_karpenter(root) => {
            let words = "this root module has no Karpenter, and another one with the tag has";
            (place, Err(Silence::sound(words)))
        }
        diagnosis => (place, diagnosis),
    };
    let mut found: Vec<_> = judged.into_iter().map(without).collect();
    found.sort_by_key(|(_, it)| !is_selected(it));
    found
}

/// The release of a chart in this repository whose templates hold the class.
fn hidden_class(model: &Model, root: usize) -> Option<Span> {
    let mut resources = model.karpenter_resources.iter();
    let holds = |it: &&KarpenterResource| it.root == root && it.holds("EC2NodeClass");
    resources.find(holds).map(|it| it.report_span)
}

/// The tags of all that a module makes, with the discovery tag among them.
fn discovery_tag(body: &Value) -> Option<(&Value, Result<&Entry, Silence>)> {
    let tags = body.get("tags").present()?;
    let tag = tags.entries().iter().find(|it| is_discovery(&it.key) && !it.value.is_null());
    let is_open = tags.as_map().is_none_or(|it| it.rest.is_some());
    match tag {
        Some(tag) => Some((tags, Ok(tag))),
        None if is_open => {
            let words = "not all tags of the module are known";
            Some((tags, Err(Silence::undecided(Cause::Value, words))))
        }
        None => None,
    }
}

/// Those of the tags for all that a module makes that no input for a single group gives that group otherwise.
fn tags_of_all<'v>(body: &Value, tags: &'v Value) -> Vec<&'v Entry> {
    let is_own = |it: &Entry| {
        let mut own = groups().iter().flat_map(|group| own_tags(body, group));
        own.any(|own| own.key == it.key && !is_discovery(&it.key))
    };
    tags.entries().iter().filter(|it| !is_own(it)).collect()
}

/// Whether EKS may run nodes of its own there, and the tag be for those.
fn may_be_auto(body: &Value) -> bool {
    let auto = ["compute_config", "cluster_compute_config"].map(|it| body.get(it).get("enabled"));
    auto.iter().any(|it| match it {
        Field::Missing => false,
        Field::Present(value) => value.as_bool() != Some(false),
        Field::Unknown => true,
    })
}

fn shared(
    (index, root): (usize, &Root),
    module: &BlockInstance,
    tag: &Entry,
) -> Result<SharedTag, Silence> {
    let body = &module.body;
    let made =
        |it: &&TaggedGroup| is_on(body, &["create".to_owned()]) && is_tagged(body, it, &tag.key);
    let known: Vec<&TaggedGroup> = groups().iter().filter(made).collect();
    let (Some(first), Some(_)) = (known.first(), known.get(1)) else {
        let words = "the module is not known to give the tag to more than one security group";
        return Err(Silence::sound(words));
    };
    if groups().iter().any(|it| is_cluster_tag_taken(body, it)) {
        let words = "the tag of the cluster is taken off some of the security groups";
        return Err(Silence::sound(words));
    }
    if groups().iter().any(|it| it.own.iter().any(|it| is_open(body.get(it)))) {
        let words = "not all tags of the single security groups are known";
        return Err(Silence::undecided(Cause::Value, words));
    }
    let input = first.own.first().map(String::as_str);
    let own = input.and_then(|it| body.get(it).present()).map_or(&[][..], Value::entries);
    let near = of_root(index, root, &BTreeSet::from([&*tag.key]));
    let mut subnets = near.iter().filter(|it| it.role == Some(Role::Subnets));
    let is_same = |span: Span| span == tag.key_span;
    Ok(SharedTag {
        span: tag.key_span,
        is_in_input: own.iter().any(|it| it.key == tag.key && !it.value.is_null()),
        module: (module.header, module.address.to_string()),
        groups: known.iter().map(|it| it.title.as_str()).collect(),
        are_of_cluster: known.iter().filter(|it| it.cluster_tag).count() > 1,
        input,
        output: &first.output,
        subject: module.subject(index),
        selected: None,
        left_out: None,
        steps: Vec::new(),
        subnets: subnets
            .find(|it| it.written.as_ref().is_some_and(|it| is_same(it.span)))
            .and_then(|it| it.block),
        tagged_alone: known.iter().skip(1).find_map(|it| tagged_alone(root, module, it, tag)),
    })
}

/// The `aws_ec2_tag` that puts the tag on a group of a module.
fn tagged_alone(
    root: &Root,
    module: &BlockInstance,
    group: &'static TaggedGroup,
    tag: &Entry,
) -> Option<(Span, String, &'static str)> {
    let id = format!("module.{}.{}", module.name, group.output);
    let is_its = |it: &&BlockInstance| {
        let key = it.body.get("key").present().and_then(Value::as_str);
        let resource = it.body.get("resource_id").present().map(|it| &it.kind);
        key == Some(&*tag.key) && matches!(resource, Some(Kind::Unknown(it)) if *it.text == *id)
    };
    let found = root.of(Mode::Resource, "aws_ec2_tag").find(is_its)?;
    Some((found.header, found.address.to_string(), &group.title))
}

/// Whether a group is certainly made and keeps the tag.
fn is_tagged(body: &Value, group: &TaggedGroup, key: &str) -> bool {
    let version = body.get("version").present().and_then(Value::as_str);
    let version = version.and_then(Constraint::parse);
    let range = group.range();
    let exists = match version {
        // What only former versions make is made if it surely is one of them.
        Some(it) if range.until.is_some() => it.within(&range) == Some(true),
        Some(it) => it.within(&range) != Some(false),
        None => range.until.is_none(),
    };
    let taken = own_tags(body, group).any(|it| *it.key == *key && it.value.is_null());
    exists && !taken && is_on(body, &group.switches)
}

/// What the key of the tag of a cluster begins with.
const OF_CLUSTER: &str = "kubernetes.io/cluster/";

/// Whether the tag of the cluster is taken off a group: then each interface has one that carries it.
fn is_cluster_tag_taken(body: &Value, group: &TaggedGroup) -> bool {
    let is_taken = |it: &Entry| it.key.starts_with(OF_CLUSTER) && it.value.is_null();
    let built = group.own.iter().filter_map(|it| built_key(body.get(it)));
    own_tags(body, group).any(is_taken)
        || built.into_iter().any(|(key, value)| key.starts_with(OF_CLUSTER) && value == "null")
}

/// Whether the discovery tag may be there without being seen.
fn is_open(tags: Field<'_>) -> bool {
    let is_other = |key: &str| !key.starts_with(DISCOVERY) && !DISCOVERY.starts_with(key);
    match tags {
        Field::Missing => false,
        Field::Present(_) if built_key(tags).is_some_and(|it| is_other(it.0)) => false,
        Field::Present(tags) => tags.as_map().is_none_or(|it| it.rest.is_some()),
        Field::Unknown => true,
    }
}

/// What is written before the first unknown part of the one key of a map, and the value:
/// `{"kubernetes.io/cluster/${var.name}" = null}`.
fn built_key(tags: Field<'_>) -> Option<(&str, &str)> {
    let map = tags.present()?.as_map().filter(|it| it.entries.is_empty())?;
    let item = map.rest.as_ref()?.text.strip_prefix("{\"")?.strip_suffix('}')?;
    let (key, value) = item.split_once("}\" = ")?;
    let is_one = !key.contains(" = ") && !value.contains(" = ");
    key.split_once("${").filter(|_| is_one).map(|it| (it.0, value))
}

fn own_tags<'v>(body: &'v Value, group: &'v TaggedGroup) -> impl Iterator<Item = &'v Entry> {
    group.own.iter().filter_map(|it| body.get(it).present()).flat_map(Value::entries)
}

/// Whether none of the switches is, or may be, off.
fn is_on(body: &Value, switches: &[String]) -> bool {
    switches.iter().all(|it| match body.get(it) {
        Field::Missing => true,
        Field::Present(value) => value.as_bool() == Some(true),
        Field::Unknown => false,
    })
}
