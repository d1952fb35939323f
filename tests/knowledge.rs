//! Every fact has a source and a date, and answers agree with what upstream shipped.

mod schema;

use karplint::{
    knowledge::{
        self,
        component::{Component, Pod},
        fact::Facts,
        operator::OperatorPdb,
        packaging::Packaging,
        pdb_form::{BoundsForm, PdbCondition},
    },
    value::Value,
    version::{Version, constraint::Constraint},
};

fn version(text: &str) -> Version {
    Version::parse(text).unwrap_or_else(|| unreachable!("{text} is a version"))
}

fn chart(name: &str) -> &'static Component {
    knowledge::component::of_chart(name, None).unwrap_or_else(|| unreachable!("{name} is known"))
}

fn addon(name: &str) -> &'static Component {
    knowledge::component::of_addon(name).unwrap_or_else(|| unreachable!("{name} is known"))
}

fn pod(component: &'static Component, name: &str) -> &'static Pod {
    let pod = component.pods.iter().find(|it| it.name == name);
    pod.unwrap_or_else(|| unreachable!("{} has {name}", component.name))
}

fn packaging(packaging: Option<&'static Packaging>) -> &'static Packaging {
    packaging.unwrap_or_else(|| unreachable!("it is configurable"))
}

/// All facts, with a name for messages.
fn facts() -> impl Iterator<Item = (String, &'static Facts)> {
    let charts = knowledge::conversion::facts().into_iter().chain(knowledge::publication::facts());
    let releases = knowledge::karpenter::facts().into_iter().chain(charts);
    let releases = releases.map(|(name, it)| (name.to_owned(), it));
    let components = knowledge::component::all().flat_map(|component| {
        let blueprint = component.blueprint.iter().map(|it| (it.input.clone(), &it.chart_versions));
        let pods = component
            .pods
            .iter()
            .flat_map(|pod| pod.facts().map(|it| (format!("{}/{}", component.name, pod.name), it)));
        blueprint.chain(pods)
    });
    let compatible = ("kubernetes".to_owned(), knowledge::kubernetes::facts());
    let own = releases.chain(components).chain(knowledge::chart_values::facts());
    own.chain(knowledge::identity::facts()).chain([compatible])
}

#[test]
fn all_of_it_can_be_read() {
    assert_eq!(knowledge::problems(), Vec::<&str>::new());
    assert!(knowledge::component::all().count() >= 18);
    assert!(knowledge::operator::operators().len() >= 10);
}

fn is_date(text: &str) -> bool {
    text.len() == 10
        && text.starts_with("20")
        && text.split('-').count() == 3
        && text.bytes().all(|it| it == b'-' || it.is_ascii_digit())
}

#[test]
fn every_fact_has_a_source_and_a_date() {
    let mut count = 0;
    for (name, facts) in facts() {
        for fact in facts.list() {
            assert!(!fact.source.is_empty(), "{name} {:?}", fact.range);
            assert!(is_date(&fact.checked), "{name} {:?}: {}", fact.range, fact.checked);
            count += 1;
        }
    }
    for operator in knowledge::operator::operators() {
        assert!(!operator.source.is_empty() && is_date(&operator.checked), "{}", operator.name);
    }
    for taint in knowledge::startup::taints() {
        assert!(!taint.source.is_empty() && is_date(&taint.checked), "{}", taint.key);
    }
    for chart in knowledge::stateless::charts() {
        assert!(!chart.source.is_empty() && is_date(&chart.checked), "{}", chart.chart);
    }
    for foreign in knowledge::storage_provisioner::foreign() {
        assert!(!foreign.source.is_empty() && is_date(&foreign.checked), "{}", foreign.cloud);
    }
    for pods in knowledge::stateless::pods() {
        assert!(!pods.source.is_empty() && is_date(&pods.checked), "{}", pods.why);
    }
    for family in knowledge::block_device::families() {
        assert!(!family.source.is_empty() && is_date(&family.checked), "{}", family.name);
        assert!(!family.devices.is_empty(), "{}", family.name);
    }
    assert!(count > 100, "{count} facts");
}

#[test]
fn all_else_has_a_source_and_a_date() {
    for module in knowledge::module_output::modules() {
        assert!(!module.source.is_empty() && is_date(&module.checked), "{}", module.module);
    }
    for step in knowledge::module_step::steps() {
        assert!(
            !step.source.is_empty() && is_date(&step.checked),
            "{} {}",
            step.module,
            step.since
        );
        let gone = step.gone.iter().map(|it| &it.input).chain(step.inputs.keys());
        let mut names: Vec<&String> = gone.collect();
        names.sort_unstable();
        assert!(names.is_sorted() && names.windows(2).all(|it| it[0] != it[1]), "{}", step.module);
    }
    for module in knowledge::tag::modules() {
        assert!(!module.source.is_empty() && is_date(&module.checked), "{}", module.registry);
        assert!(!module.security_groups.is_empty(), "{}", module.registry);
    }
    for group in knowledge::tag::groups() {
        assert!(!group.source.is_empty() && is_date(&group.checked), "{}", group.title);
        assert!(!group.switches.is_empty() && !group.output.is_empty(), "{}", group.title);
    }
    let instances = knowledge::instances::instances();
    assert!(!instances.source.is_empty() && is_date(instances.checked), "instance types");
    for policy in knowledge::identity::managed_policies() {
        assert!(!policy.source.is_empty() && is_date(&policy.checked), "{}", policy.name);
    }
    for need in knowledge::identity::needs() {
        assert!(!need.source.is_empty() && is_date(&need.checked), "{}", need.action);
    }
    for ask in knowledge::upgrade::all_asks() {
        assert!(ask.source.starts_with("https://") && is_date(&ask.checked), "{}", ask.r#do);
    }
    for follower in knowledge::upgrade::followers() {
        assert!(!follower.source.is_empty() && is_date(&follower.checked), "{}", follower.addon);
    }
    for barrier in knowledge::upgrade::barriers() {
        assert!(!barrier.source.is_empty() && is_date(&barrier.checked), "{}", barrier.why);
    }
    for rollback in knowledge::upgrade::rollbacks() {
        assert!(!rollback.source.is_empty() && is_date(&rollback.checked), "{}", rollback.why);
    }
}

#[test]
fn ranges_of_a_question_are_in_order_and_apart() {
    for (name, facts) in facts() {
        for pair in facts.list().windows(2) {
            let [a, b] = pair else { continue };
            assert!(!a.range.overlaps(&b.range), "{name}: {:?} and {:?}", a.range, b.range);
            assert!(a.range.until <= b.range.since, "{name}: {:?} before {:?}", a.range, b.range);
        }
        for fact in facts.list() {
            if let (Some(since), Some(until)) = (&fact.range.since, &fact.range.until) {
                assert!(since < until, "{name}: {since} to {until}");
            }
        }
    }
}

#[test]
fn every_component_is_reachable_and_has_pods() {
    for component in knowledge::component::all() {
        assert!(!component.pods.is_empty(), "{}", component.name);
        assert!(!component.title.is_empty(), "{}", component.name);
        for name in &component.charts {
            let published = component.repositories.first().map(String::as_str);
            let found = knowledge::component::of_chart(name, published).map(|it| &it.name);
            assert_eq!(found, Some(&component.name));
        }
        for name in &component.addons {
            assert_eq!(addon(name).name, component.name);
        }
        if let Some(it) = &component.blueprint {
            let found = knowledge::component::of_blueprint(&it.input).map(|it| &it.name);
            assert_eq!(found, Some(&component.name));
        }
        for pod in &component.pods {
            let found = |name: &str, images: &[&str]| {
                let images = images.iter().copied();
                knowledge::component::pod_of_manifest(&pod.kind, name, images).map(|it| &it.0.name)
            };
            for name in &pod.object_names {
                assert_eq!(found(name, &[]), Some(&component.name), "{name}");
            }
            for image in &pod.images {
                let image = format!("registry.example.com/{image}:1.0.0");
                assert_eq!(found("any", &[image.as_str()]), Some(&component.name), "{image}");
            }
            let kinds = ["DaemonSet", "Deployment", "StatefulSet"];
            assert!(kinds.contains(&pod.kind.as_str()), "{}", pod.title);
            assert!(!pod.critical || pod.kind == "DaemonSet", "{}", pod.title);
            assert!(
                !pod.object_names.is_empty()
                    || pod.until.is_some()
                    || !(pod.bootstrap.is_some() || pod.critical),
                "{}",
                pod.title
            );
            for packaging in pod.chart.iter().chain(&pod.addon) {
                assert!(!packaging.paths("tolerations").is_empty(), "{}", pod.title);
            }
        }
    }
}

#[test]
fn the_ebs_chart_tolerates_since_2_11() {
    let node = packaging(pod(chart("aws-ebs-csi-driver"), "node").chart.as_ref());
    assert_eq!(node.paths("tolerations"), ["node.tolerations"]);
    assert_eq!(node.paths("tolerate_all"), ["node.tolerateAllTaints"]);
    for (release, tolerate_all, ignores, appended) in [
        ("2.10.1", false, false, 2),
        ("2.11.0", true, false, 1),
        ("2.12.0", true, true, 0),
        ("2.35.1", true, true, 1),
        ("2.36.0", true, true, 4),
        ("v2.64.0", true, true, 4),
    ] {
        let release = version(release);
        let at = Some(&release);
        let default = node.default("tolerate_all", at).and_then(Value::as_bool);
        assert_eq!(default, Some(tolerate_all), "{release}");
        assert_eq!(node.ignores_tolerations(at), Some(ignores), "{release}");
        assert_eq!(node.appended_tolerations(at).map(<[_]>::len), Some(appended), "{release}");
    }
    assert!(node.default("tolerate_all", None).is_none());
    assert!(node.default("tolerate_all", Some(&version("0.5.0"))).is_none());
    assert_eq!(node.version_ranges().len(), 5);
}

#[test]
fn nothing_is_known_outside_of_the_verified_versions() {
    let cilium = chart("cilium");
    let operator = packaging(pod(cilium, "operator").chart.as_ref());
    for (release, known) in [
        ("1.10.20", false),
        ("1.11.0", true),
        ("1.20.0", true),
        ("1.20.1", false),
        ("9.0.0", false),
    ] {
        let allowed = Constraint::parse(release);
        let release = version(release);
        let list = operator.default("tolerations", Some(&release));
        assert_eq!(list.is_some(), known, "{release}");
        assert_eq!(operator.covers(allowed.as_ref()), known, "{release}");
        assert_eq!(
            pod(cilium, "operator").versions(operator, allowed.as_ref()).len(),
            usize::from(known)
        );
    }
    // Open constraints are answered by the versions that are known.
    let allowed = Constraint::parse(">= 1.18.2");
    assert_eq!(operator.possible_defaults("tolerations", allowed.as_ref()).count(), 1);
    // All builds of the newest version of an add-on are inside.
    let ebs = packaging(pod(addon("aws-ebs-csi-driver"), "controller").addon.as_ref());
    for (release, known) in [("v1.64.0-eksbuild.9", true), ("v1.65.0-eksbuild.1", false)] {
        let at = version(release);
        assert_eq!(ebs.default("replicas", Some(&at)).is_some(), known, "{release}");
    }
    let read = knowledge::chart_values::of_chart("karpenter").map(|it| {
        ["1.14.1", "1.14.2"].map(|release| it.versions(Constraint::parse(release).as_ref()).len())
    });
    assert_eq!(read, Some([1, 0]));
}

#[test]
fn the_cilium_operator_lost_its_blanket_in_1_18() {
    let cilium = chart("cilium");
    let operator = packaging(pod(cilium, "operator").chart.as_ref());
    for (release, defaults, appended) in [("1.17.18", 1, 0), ("1.18.0", 3, 1), ("1.18.2", 4, 1)] {
        let release = version(release);
        let list = operator.default("tolerations", Some(&release)).map(Value::items);
        assert_eq!(list.map(<[_]>::len), Some(defaults), "{release}");
        let added = operator.appended_tolerations(Some(&release));
        assert_eq!(added.map(<[_]>::len), Some(appended), "{release}");
    }
    assert!(operator.default("tolerations", None).is_none());
    let agent = packaging(pod(cilium, "agent").chart.as_ref());
    assert_eq!(agent.default("tolerations", None).map(|it| it.items().len()), Some(1));
    assert_eq!(pod(cilium, "envoy").exists_in(Some(&version("1.13.9"))), Some(false));
    assert_eq!(pod(cilium, "envoy").exists_in(None), None);
    assert_eq!(pod(cilium, "agent").exists_in(None), Some(true));
}

#[test]
fn addons_and_blueprints_answer() {
    let coredns = packaging(pod(addon("coredns"), "coredns").addon.as_ref());
    assert_eq!(coredns.paths("compute_type"), ["computeType"]);
    let second = |release: &str| {
        let list = coredns.default("tolerations", Some(&version(release)))?.items();
        list.get(1)?.get("key").present()?.as_str()
    };
    assert_eq!(second("v1.10.1-eksbuild.4"), Some("node-role.kubernetes.io/master"));
    assert_eq!(second("v1.10.1-eksbuild.5"), Some("node-role.kubernetes.io/control-plane"));
    let ebs = addon("aws-ebs-csi-driver");
    let controller = packaging(pod(ebs, "controller").addon.as_ref());
    assert_eq!(controller.default("tolerations", None).map(|it| it.items().len()), Some(2));
    for (module, wanted) in
        [("1.9.2", "0.30.0"), ("1.10.0", "0.32.1"), ("1.16.3", "0.35.0"), ("1.24.3", "0.37.0")]
    {
        let component = knowledge::component::of_blueprint("enable_karpenter");
        let blueprint = component.and_then(|it| it.blueprint.as_ref());
        let installed = blueprint.and_then(|it| it.chart_version(Some(&version(module))));
        assert_eq!(installed, Some(version(wanted)), "{module}");
    }
    for (module, wanted) in [
        (None, Some("0.37.0")),
        (Some("~> 1.16"), Some("0.37.0")),
        (Some("~> 1.16.0"), Some("0.37.0")),
        (Some("1.16.3"), Some("0.35.0")),
        (Some("~> 1.9.1"), Some("0.30.0")),
        (Some("< 0.1"), None),
    ] {
        let allowed = module.and_then(Constraint::parse);
        let component = knowledge::component::of_blueprint("karpenter");
        let blueprint = component.and_then(|it| it.blueprint.as_ref());
        let installed = blueprint.and_then(|it| it.newest_chart_version(allowed.as_ref()));
        assert_eq!(installed, wanted.map(version), "{module:?}");
    }
    assert!(knowledge::component::of_blueprint("gatekeeper").is_none());
}

#[test]
fn manifests_are_known_by_name_or_image() {
    let found = |kind: &str, name: &str, images: &[&str]| {
        let (component, pod) =
            knowledge::component::pod_of_manifest(kind, name, images.iter().copied())?;
        Some(format!("{}/{}", component.name, pod.name))
    };
    let ecr = "602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/aws-ebs-csi-driver:v1.36.0";
    for (kind, name, images, wanted) in [
        ("DaemonSet", "ebs-csi-node", &[][..], Some("aws-ebs-csi-driver/node")),
        ("DaemonSet", "storage", &[ecr], Some("aws-ebs-csi-driver/node")),
        ("Deployment", "storage", &[ecr], Some("aws-ebs-csi-driver/controller")),
        ("DaemonSet", "x", &["quay.io/cilium/cilium:v1.15@sha256:0"], Some("cilium/agent")),
        ("DaemonSet", "x", &["quay.io/cilium/cilium-envoy:v1"], Some("cilium/envoy")),
        (
            "DaemonSet",
            "x",
            &["registry:5000/k8s-dns-node-cache"],
            Some("node-local-dns/node-local-dns"),
        ),
        ("DaemonSet", "x", &["my-kube-proxy:1"], None),
        ("StatefulSet", "ebs-csi-node", &[ecr], None),
    ] {
        assert_eq!(found(kind, name, images).as_deref(), wanted, "{kind} {name} {images:?}");
    }
}

#[test]
fn the_disruption_taint_changed_twice() {
    for (release, wanted) in [
        (Some("0.31.5"), None),
        (Some("v0.32.1"), Some(("karpenter.sh/disruption", "disrupting"))),
        (Some("0.37.8"), Some(("karpenter.sh/disruption", "disrupting"))),
        (Some("1.0.0"), Some(("karpenter.sh/disrupted", ""))),
        (None, Some(("karpenter.sh/disrupted", ""))),
    ] {
        let release = release.map(version);
        let taint = knowledge::taint::of_version(release.as_ref());
        assert_eq!(taint.map(|it| (it.key, it.value)), wanted, "{release:?}");
        assert!(taint.is_none_or(|it| it.effect == "NoSchedule"));
    }
}

#[test]
fn the_crd_chart_came_with_0_26_1() {
    assert_eq!(knowledge::karpenter::has_crd_chart(Some(&version("0.26.0"))), Some(false));
    assert_eq!(knowledge::karpenter::has_crd_chart(Some(&version("v0.26.1"))), Some(true));
    assert_eq!(knowledge::karpenter::has_crd_chart(None), None);
}

#[test]
fn startup_taints_are_known_by_their_key() {
    let agent = |key: &str| knowledge::startup::taint(key).map(|it| it.agent.as_str());
    assert_eq!(agent("node.cilium.io/agent-not-ready"), Some("the Cilium agent"));
    assert_eq!(agent("efs.csi.aws.com/agent-not-ready"), Some("the EFS CSI driver"));
    assert_eq!(agent("nvidia.com/gpu"), None);
}

#[test]
fn operators_are_known_by_group_and_kind() {
    let pdb = |api: &str, kind: &str| knowledge::operator::of(api, kind).map(|it| it.pdb);
    assert_eq!(pdb("rabbitmq.com/v1beta1", "RabbitmqCluster"), Some(OperatorPdb::None));
    assert_eq!(pdb("kafka.strimzi.io/v1beta2", "Kafka"), Some(OperatorPdb::Created));
    assert_eq!(pdb("apps/v1", "StatefulSet"), None);
    assert_eq!(pdb("v1", "Pod"), None);
}

/// The settings a PDB's form reads.
fn read_by(made: PdbCondition, bounds: BoundsForm) -> Vec<&'static str> {
    let mut settings = match made {
        PdbCondition::Never => return Vec::new(),
        PdbCondition::Always => Vec::new(),
        PdbCondition::Switch => vec!["pdb"],
        PdbCondition::Map => vec!["pdb_map"],
        PdbCondition::MapOrSwitch => vec!["pdb_map", "pdb"],
        PdbCondition::MapAndMany => vec!["pdb_map", "replicas"],
        PdbCondition::Bound => vec!["max_unavailable"],
        PdbCondition::Many => vec!["replicas"],
        PdbCondition::SwitchOrMany | PdbCondition::SwitchAndMany => vec!["pdb", "replicas"],
    };
    let counted = [
        BoundsForm::TwoOfMore,
        BoundsForm::Quorum,
        BoundsForm::NoneOfOne,
        BoundsForm::LessThanHalf,
    ];
    settings.extend(counted.contains(&bounds).then_some("replicas"));
    settings.push("max_unavailable");
    settings
}

#[test]
fn every_way_to_make_a_pdb_has_the_settings_it_reads() {
    let pods = knowledge::component::all().flat_map(|it| it.pods.iter().map(move |pod| (it, pod)));
    let mut forms = 0;
    for (component, pod) in pods {
        for packaging in pod.chart.iter().chain(&pod.addon) {
            for version in pod.versions(packaging, None) {
                let Some(form) = packaging.pdb_form(&version) else { continue };
                for setting in read_by(form.made, form.bounds) {
                    let paths = packaging.paths(setting);
                    let name = format!("{}/{} {version}", component.name, pod.name);
                    // What a template writes itself is a default that no value changes.
                    let fixed = setting == "max_unavailable" && packaging.has_defaults(setting);
                    assert!(!paths.is_empty() || fixed, "{name}: `{setting}` has no path");
                }
                forms += 1;
            }
        }
    }
    assert!(forms > 100, "{forms} forms");
}

#[test]
fn versions_of_a_pod_are_those_of_which_something_is_known() {
    let postgresql = knowledge::component::of_chart("postgresql", Some("bitnami"));
    let component = postgresql.unwrap_or_else(|| unreachable!("it is known"));
    let primary = pod(component, "primary");
    let chart = packaging(primary.chart.as_ref());
    for (allowed, wanted) in [
        (None, &["11.0.0", "15.5.0"][..]),
        (Some("15.4.0"), &["15.4.0"]),
        (Some("10.0.0"), &[]),
        (Some("~> 12.1"), &["11.0.0"]),
        (Some("^15.0.0"), &["11.0.0", "15.5.0"]),
        (Some(">= 16"), &["15.5.0"]),
    ] {
        let allowed = allowed.and_then(Constraint::parse);
        let found = primary.versions(chart, allowed.as_ref());
        let wanted: Vec<Version> = wanted.iter().map(|it| version(it)).collect();
        assert_eq!(found, wanted, "{allowed:?}");
    }
}
