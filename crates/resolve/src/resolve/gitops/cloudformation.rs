//! What `CloudFormation` templates install: charts as the CDK does it, clusters, node groups and add-ons.

use std::{collections::HashMap, sync::Arc};

use crate::{
    findings::subject::Subject,
    resolve::{
        cloudformation::{Stack, StackResource},
        gitops::{
            eksctl::{ClusterConfig, EksctlAddon, EksctlNodeGroup},
            repository::{last_part, version, written},
            unknown::unknown,
        },
        helm,
        kubernetes::Located,
        release::{
            Means, Release, address, chart_version::ChartVersion, surface::Surface, unit::Unit,
        },
        scope::Scope,
        setting::Setting,
    },
    source::{Files, join},
    value::{Entry, Field, Kind, List, Map, Value},
};

/// The releases of a template, which the CDK installs with `helm upgrade --install`, or of a stack of Pulumi.
pub(super) fn releases(files: &Files, stack: &Stack, located: &Located) -> Vec<Release> {
    let charts = stack.of(Stack::HELM_CHART);
    charts.filter_map(|it| release(files, (stack.surface, it), located)).collect()
}

fn release(
    files: &Files,
    (surface, resource): (Surface, &StackResource),
    located: &Located,
) -> Option<Release> {
    let StackResource { header, properties, .. } = resource;
    // A chart that is an asset of the CDK has no name here.
    let written_chart = properties.get("Chart").present()?;
    let chart = last_part(written_chart);
    let repository = properties.get("Repository").present();
    let values = written(properties.get("Values"), *header);
    let values = helm::values(values.as_slice(), &[], *header);
    let unit = Unit::new(surface, properties.clone());
    let scope = Scope::new(None, &located.folder);
    let version = version(files, properties.get("Version"), *header);
    let name = properties.get("Release").present().and_then(Value::as_str);
    let folder = local_chart(files, located, written_chart);
    let default = || Setting::default("default".to_owned(), *header);
    Some(Release {
        name: name.map(Into::into),
        chart: if folder.is_some() { "" } else { chart.as_str()? }.into(),
        local_chart: folder,
        repository: address(repository, Some(written_chart)),
        repository_span: Some(repository.unwrap_or(written_chart).span),
        version: ChartVersion::or_newest(version.as_ref(), *header),
        namespace: properties
            .get("Namespace")
            .present()
            .map_or_else(default, |it| Setting::text(Some(it), *header)),
        skip_crds: Setting::of(properties.get("SkipCrds"), Some(false), *header, Value::as_flag),
        upgrade_crds: Setting::default(!properties.get("UpgradeCrds").is_missing(), *header),
        has_external_values: !properties.get("Others").is_missing(),
        values: values.value,
        parse_errors: values.parse_errors,
        subject: Some(Subject::default()),
        ..Release::new(Means::Tool(Arc::new(unit)), scope, *header)
    })
}

/// The folder of a chart of this repository.
fn local_chart(files: &Files, located: &Located, chart: &Value) -> Option<String> {
    let folder = join(&located.folder, chart.as_str().filter(|it| it.starts_with('.'))?)?;
    files.find(&join(&folder, "Chart.yaml")?).map(|_| folder)
}

/// The clusters of templates with their node groups and add-ons. What a template does not say itself which
/// cluster it is for belongs to the only one of its folder.
pub(super) fn clusters(files: &Files, stacks: &[(Stack, &Located)]) -> Vec<ClusterConfig> {
    let mut in_folder: HashMap<&str, usize> = HashMap::new();
    for (_, located) in stacks {
        *in_folder.entry(&located.folder).or_default() += 1;
    }
    let of_stack = |(stack, located): &(Stack, &Located)| {
        let is_alone = in_folder.get(&*located.folder) == Some(&1);
        cluster(files, stack, located, is_alone)
    };
    stacks.iter().filter_map(of_stack).collect()
}

fn cluster(
    files: &Files,
    stack: &Stack,
    located: &Located,
    is_alone: bool,
) -> Option<ClusterConfig> {
    let own = stack.of("AWS::EKS::Cluster").map(|it| (it, Field::Present(&it.properties)));
    let custom = stack.of("Custom::AWSCDK-EKS-Cluster");
    let mut made = own.chain(custom.map(|it| (it, it.properties.get("Config"))));
    let (first, more) = (made.next(), made.next().is_some());
    let node_groups: Vec<EksctlNodeGroup> =
        stack.of("AWS::EKS::Nodegroup").map(node_group).collect();
    let addons: Vec<EksctlAddon> =
        stack.of("AWS::EKS::Addon").filter_map(|it| addon(files, it)).collect();
    let anything = stack.resources.iter().find(|it| it.kind.contains("EKS"))?;
    if more || (first.is_none() && node_groups.is_empty() && addons.is_empty()) {
        return None;
    }
    let place = first.map_or(anything.header, |(it, _)| it.header);
    let body = first.map_or(Field::Missing, |it| it.1);
    let either = |a: &str, b: &str| match body.get(a) {
        Field::Missing => body.get(b),
        found => found,
    };
    let mut fargate = Vec::new();
    for kind in ["AWS::EKS::FargateProfile", "Custom::AWSCDK-EKS-FargateProfile"] {
        stack.of(kind).for_each(|it| fargate.extend(selectors(it)));
    }
    let nodes_elsewhere = ["AWS::AutoScaling::AutoScalingGroup", "AWS::CloudFormation::Stack"];
    let has_others = nodes_elsewhere.iter().any(|it| stack.of(it).next().is_some());
    Some(ClusterConfig {
        root: None,
        subject: Subject::default(),
        folder: Arc::clone(&located.folder),
        file: stack.file,
        report_span: place,
        is_of_eksctl: false,
        name: written(either("Name", "name"), place),
        region: None,
        version: version(files, either("Version", "version"), place),
        karpenter: None,
        karpenter_version: None,
        node_groups,
        fargate,
        addons,
        complete: is_alone && first.is_some() && !has_others,
        auto_mode: written(either("ComputeConfig", "computeConfig").get("Enabled"), place),
        autoscaler: None,
    })
}

fn node_group(resource: &StackResource) -> EksctlNodeGroup {
    let StackResource { header, properties, .. } = resource;
    let taints = written(properties.get("Taints"), *header);
    let scaling = properties.get("ScalingConfig");
    let sizes =
        [("maxSize", "MaxSize"), ("desiredCapacity", "DesiredSize"), ("minSize", "MinSize")];
    let entries = sizes.iter().filter_map(|(name, key)| {
        let value = scaling.get(key).present()?.clone();
        Some(Entry { key: (*name).into(), key_span: value.name, value })
    });
    let rest = match scaling {
        Field::Unknown => match unknown(*header).kind {
            Kind::Unknown(symbol) => Some(symbol),
            _ => None,
        },
        _ => None,
    };
    let body = Map { entries: entries.collect(), rest };
    EksctlNodeGroup {
        report_span: *header,
        managed: true,
        taints: taints.map(|it| in_small_letters(&it)),
        labels: written(properties.get("Labels"), *header),
        may_taint_otherwise: !properties.get("LaunchTemplate").is_missing(),
        body: Value::new(Kind::Map(Arc::new(body)), *header),
    }
}

/// The items of a list with the names of their keys in small letters.
fn in_small_letters(list: &Value) -> Value {
    let item = |it: &Value| {
        let Kind::Map(map) = &it.kind else { return it.clone() };
        let small = |it: &Entry| Entry { key: it.key.to_lowercase().into(), ..it.clone() };
        let map = Map { entries: map.entries.iter().map(small).collect(), rest: map.rest.clone() };
        Value { kind: Kind::Map(Arc::new(map)), ..it.clone() }
    };
    match &list.kind {
        Kind::List(known) => {
            let items = known.items.iter().map(item).collect();
            let known = List { items, ..List::clone(known) };
            Value { kind: Kind::List(Arc::new(known)), ..list.clone() }
        }
        _ => list.clone(),
    }
}

fn addon(files: &Files, resource: &StackResource) -> Option<EksctlAddon> {
    let StackResource { header, properties, .. } = resource;
    let name = properties.get("AddonName").present()?;
    let configuration = written(properties.get("ConfigurationValues"), name.span);
    let place = configuration.as_ref().map_or(*header, |it| it.name);
    let values = helm::values(configuration.as_slice(), &[], place);
    Some(EksctlAddon {
        entry: properties.clone(),
        name: name.clone(),
        version: version(files, properties.get("AddonVersion"), name.span),
        values: values.value,
        place,
        parse_errors: values.parse_errors,
    })
}

/// What a Fargate profile selects, as eksctl writes it.
fn selectors(resource: &StackResource) -> Vec<Value> {
    let StackResource { header, properties, .. } = resource;
    let (list, is_custom) = match properties.get("Selectors") {
        Field::Missing => (properties.get("Config").get("selectors"), true),
        found => (found, false),
    };
    let Field::Present(list) = list else { return vec![unknown(*header)] };
    let labelled = |it: &Value| !is_custom && !it.get("Labels").is_missing();
    let small = in_small_letters(list);
    let items = list.items().iter().zip(small.items());
    items.map(|(it, small)| if labelled(it) { unknown(it.span) } else { small.clone() }).collect()
}
