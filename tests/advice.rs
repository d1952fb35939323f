//! Helps and notes that fit the versions and the objects seen beside what they are about.

use karplint::{config::Config, findings::Finding, lint, project::Project};

/// What a rule reports in a project.
fn found(rule: &str, files: &[(&str, &str)]) -> Vec<Finding> {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    let outcome = lint::run(&Project::from_memory(files.collect()), &Config::default());
    outcome.findings.into_iter().filter(|it| it.rule == rule).collect()
}

/// The one finding of a rule.
fn only(rule: &str, files: &[(&str, &str)]) -> Finding {
    let mut found = found(rule, files);
    assert_eq!(found.len(), 1, "{rule}: {found:?}");
    found.remove(0)
}

/// The help of the one finding of a rule.
fn help(rule: &str, files: &[(&str, &str)]) -> String {
    only(rule, files).help.unwrap_or_default()
}

/// The words of the notes of the one finding of a rule.
fn notes(rule: &str, files: &[(&str, &str)]) -> Vec<String> {
    only(rule, files).notes.into_iter().map(|it| it.message).collect()
}

fn release(version: &str) -> String {
    format!(
        "releases:\n  - {{name: karpenter, namespace: kube-system, chart: \"oci://public.ecr.aws/karpenter/karpenter\", version: {version}}}\n",
    )
}

const RETIRED: &str = "retired-karpenter-api";
const PROVISIONER: &str = "apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {name: web}\nspec:\n  \
                           providerRef: {name: web}\n  ttlSecondsUntilExpired: 3600\n";

/// A `NodePool` of a version of the API.
fn pool(name: &str, api: &str) -> String {
    format!(
        "apiVersion: karpenter.sh/{api}\nkind: NodePool\nmetadata: {{name: {name}}}\nspec:\n  template:\n    spec:\n      \
         nodeClassRef: {{group: karpenter.k8s.aws, kind: EC2NodeClass, name: web}}\n      requirements: []\n"
    )
}

#[test]
fn a_field_is_sent_to_the_version_that_the_release_serves() {
    for (version, wanted) in [
        (Some("1.5.0"), "spec.template.spec.expireAfter"),
        (Some("1.0.8"), "spec.template.spec.expireAfter"),
        (Some("0.37.0"), "spec.disruption.expireAfter"),
        (None, "spec.template.spec.expireAfter"),
    ] {
        let release = version.map(release).unwrap_or_default();
        let files = [("helmfile.yaml", &*release), ("pool.yaml", PROVISIONER)];
        let wanted = format!("`ttlSecondsUntilExpired` becomes `{wanted}` of the NodePool");
        let notes = notes(RETIRED, &files);
        assert!(notes.contains(&wanted), "{version:?}: {notes:?}");
    }
}

#[test]
fn an_instance_profile_stays_one() {
    const TEMPLATE: &str = "apiVersion: karpenter.k8s.aws/v1alpha1\nkind: AWSNodeTemplate\nmetadata: {name: web}\nspec:\n  \
                            instanceProfile: nodes\n  subnetSelector: {a: b}\n  securityGroupSelector: {a: b}\n";
    let release = release("1.5.0");
    let notes = notes(RETIRED, &[("helmfile.yaml", &*release), ("class.yaml", TEMPLATE)]);
    assert!(!notes.iter().any(|it| it.contains("instanceProfile")), "{notes:?}");
}

#[test]
fn what_the_installed_release_serves_is_what_is_to_be_written() {
    let old = pool("web", "v1beta1");
    for (version, text, wanted) in [
        ("1.5.0", PROVISIONER, "Write a NodePool of `karpenter.sh/v1` in its place"),
        ("0.36.0", PROVISIONER, "Write a NodePool of `karpenter.sh/v1beta1` in its place"),
        ("1.5.0", &old, "Rewrite it for `karpenter.sh/v1`"),
    ] {
        let release = release(version);
        let files = [("helmfile.yaml", &*release), ("pool.yaml", text)];
        assert_eq!(help(RETIRED, &files), wanted, "{version}");
    }
    let wanted = "Write a NodePool in its place; Karpenter 0.32 serves both";
    assert_eq!(help(RETIRED, &[("pool.yaml", PROVISIONER)]), wanted);
}

#[test]
fn what_has_a_successor_is_deleted() {
    let release = release("1.5.0");
    for (old, new, wanted) in [
        (
            PROVISIONER,
            pool("web", "v1"),
            "Delete it: the NodePool `web` of `karpenter.sh/v1` replaces it",
        ),
        (
            PROVISIONER,
            pool("general", "v1"),
            "Delete it if the NodePool `general` beside it replaces it; if not, write a NodePool of `karpenter.sh/v1` in \
             its place",
        ),
        (
            &pool("web", "v1beta1"),
            pool("web", "v1"),
            "Delete it: the NodePool `web` of `karpenter.sh/v1` replaces it",
        ),
        (&pool("web", "v1beta1"), pool("general", "v1"), "Rewrite it for `karpenter.sh/v1`"),
    ] {
        let files = [("helmfile.yaml", &*release), ("old.yaml", old), ("new.yaml", &*new)];
        let found = only(RETIRED, &files);
        assert_eq!(found.help.as_deref(), Some(wanted));
        assert_eq!(found.fix.is_some(), !wanted.starts_with("Delete it:"), "{wanted}");
    }
}

const INVALID: &str = "invalid-karpenter-resource";

#[test]
fn a_known_name_under_a_wrong_domain_has_its_key_named() {
    for (key, wanted) in [
        ("karpenter.k8s.aws/capacity-type", "The key is `karpenter.sh/capacity-type`"),
        ("karpenter.sh/instance-family", "The key is `karpenter.k8s.aws/instance-family`"),
        ("karpenter.k8s.aws/family", "The key is `karpenter.k8s.aws/instance-family`"),
        ("karpenter.sh/instance-type", "The key is `node.kubernetes.io/instance-type`"),
        ("karpenter.sh/zone", "The key is `topology.kubernetes.io/zone`"),
        ("karpenter.sh/team", "Use a domain of your own, not `karpenter.sh`"),
    ] {
        let requirement = format!("requirements: [{{key: {key}, operator: Exists}}]");
        let text = pool("web", "v1").replace("requirements: []", &requirement);
        let text = text + "  disruption: {consolidateAfter: 1m}\n";
        assert_eq!(help(INVALID, &[("pool.yaml", &text)]), wanted, "{key}");
    }
}

#[test]
fn what_is_refused_always_says_what_to_write() {
    let sound = pool("web", "v1") + "  disruption: {consolidateAfter: 1m}\n";
    for (old, new, wanted) in [
        ("group: karpenter.k8s.aws, ", "", "Write `group: karpenter.k8s.aws`"),
        ("kind: EC2NodeClass, ", "", "Write `kind: EC2NodeClass`"),
        (
            "consolidateAfter: 1m",
            "",
            "Write `consolidateAfter`: whole seconds, minutes and hours such as `90s` or `1h30m`, or `Never`",
        ),
        ("karpenter.sh/v1", "karpenter.k8s.aws/v1", "Write `apiVersion: karpenter.sh/v1`"),
    ] {
        let text = sound.replacen(old, new, 1);
        assert_eq!(help(INVALID, &[("pool.yaml", &text)]), wanted, "{new}");
    }
    let release = release("0.31.0");
    let files = [("helmfile.yaml", &*release), ("pool.yaml", &*sound)];
    let wanted = "`karpenter.sh/v1` needs Karpenter 1.0 or later: install it, or leave this out";
    assert_eq!(help(INVALID, &files), wanted);
}

const QUEUE: &str = "interruption-queue-unset";

#[test]
fn a_queue_of_cloudformation_is_one() {
    const STACK: &str = "AWSTemplateFormatVersion: \"2010-09-09\"\nResources:\n  Queue:\n    Type: AWS::SQS::Queue\n";
    let release =
        release("1.5.0").replace("1.5.0}", "1.5.0, values: [{settings: {clusterName: shop}}]}");
    let alone = help(QUEUE, &[("helmfile.yaml", &release)]);
    assert!(alone.starts_with("No queue is seen here"), "{alone}");
    let beside = help(QUEUE, &[("helmfile.yaml", &release), ("stack.yaml", STACK)]);
    assert_eq!(
        beside,
        "Set `settings.interruptionQueue` to the name of its SQS queue, which the controller has to be allowed to read"
    );
}

/// Karpenter's release in a root with more code.
fn beside_release(more: &str) -> String {
    format!(
        "{more}resource \"helm_release\" \"karpenter\" {{\n  name = \"karpenter\"\n  chart = \
         \"oci://public.ecr.aws/karpenter/karpenter\"\n  version = \"1.5.0\"\n}}\n"
    )
}

#[test]
fn ownership_is_taken_where_the_provider_can() {
    for (constraint, lock, wanted) in [
        ("", "", true),
        ("~> 2.12", "", false),
        (">= 2.9", "", true),
        (">= 2.9", "2.17.0", false),
        (">= 3.1", "3.1.1", true),
    ] {
        let code = beside_release(&format!(
            "terraform {{\n  required_providers {{\n    helm = {{\n      source = \"hashicorp/helm\"\n      \
             version = \"{constraint}\"\n    }}\n  }}\n}}\n"
        ));
        let lock = format!(
            "provider \"registry.terraform.io/hashicorp/helm\" {{\n  version     = \"{lock}\"\n}}\n"
        );
        let help =
            help("crds-never-upgraded", &[("main.tf", &code), (".terraform.lock.hcl", &lock)]);
        assert_eq!(help.contains("take_ownership"), wanted, "{constraint} {lock}: {help}");
        assert!(help.matches(". ").count() < 2 && help.len() < 240, "{help}");
    }
}

#[test]
fn ownership_is_not_taken_in_code_for_an_older_provider() {
    const WEB: &str =
        "resource \"helm_release\" \"web\" {\n  name  = \"web\"\n  chart = \"./web\"\n";
    let of_web = |it: &str| format!("{WEB}  {it}\n}}\n");
    let of_provider = |it: &str| format!("provider \"helm\" {{\n  {it}\n}}\n");
    for (more, wanted) in [
        (of_web("set {\n    name  = \"a\"\n    value = \"b\"\n  }"), false),
        (of_web("dynamic \"set\" {\n    for_each = var.all\n    content {}\n  }"), false),
        (of_web("set = [{ name = \"a\", value = \"b\" }]"), true),
        (of_web("timeouts {\n    create = \"5m\"\n  }"), true),
        (of_provider("kubernetes {\n    config_path = \"a\"\n  }"), false),
        (of_provider("kubernetes = { config_path = \"a\" }"), true),
        ("provider \"kubectl\" {\n  exec {}\n}\n".to_owned(), true),
    ] {
        let help = help("crds-never-upgraded", &[("main.tf", &beside_release(&more))]);
        assert_eq!(help.contains("take_ownership"), wanted, "{more}: {help}");
    }
    let called = of_web("set {}");
    let code = beside_release("module \"web\" {\n  source = \"./web\"\n}\n");
    let help = help("crds-never-upgraded", &[("main.tf", &code), ("web/main.tf", &called)]);
    assert!(!help.contains("take_ownership"), "{help}");
}

#[test]
fn a_pdb_in_another_namespace_is_moved_there() {
    const SET: &str = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: web, namespace: shop}\nspec:\n  replicas: 2\n  \
                       selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec: \
                       {containers: [{name: web, image: web}]}\n  volumeClaimTemplates: [{metadata: {name: data}, spec: \
                       {accessModes: [ReadWriteOnce]}}]\n";
    const PDB: &str = "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: web, namespace: web}\nspec: \
                       {maxUnavailable: 1, selector: {matchLabels: {app: web}}}\n";
    let pool = pool("web", "v1");
    let files = [("web.yaml", SET), ("pdb.yaml", PDB), ("pool.yaml", &*pool)];
    let found = only("stateful-pod-unprotected", &files);
    assert_eq!(found.message, "The PDB for `web` is in another namespace than its pods");
    assert_eq!(found.help.as_deref(), Some("Set `metadata.namespace` of PDB `web` to `shop`"));
    let found = only("pdb-selects-nothing", &files);
    assert_eq!(found.message, "PDB `web` selects no pods: they are in another namespace");
    assert_eq!(found.help.as_deref(), Some("Set `metadata.namespace` to `shop`"));
}

#[test]
fn a_chart_that_lacks_something_is_given_that() {
    for (call, wanted) in [
        ("{{ include \"shop.labels\" . }}", "Define the template in the chart"),
        (
            "{{ .Files.Get \"a.txt\" | required \"a.txt is missing\" }}",
            "Put the file that this reads",
        ),
        ("{{ required \"host\" .Values.host }}", "Give the release the value"),
    ] {
        let template =
            format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata:\n  a: {call}\n");
        let files = [
            ("helmfile.yaml", "releases:\n  - {name: shop, namespace: shop, chart: ./shop}\n"),
            ("shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n"),
            ("shop/templates/a.yaml", &*template),
        ];
        let help = help("chart-does-not-render", &files);
        assert!(help.starts_with(wanted), "{call}: {help}");
    }
}

#[test]
fn a_kind_of_another_group_is_sent_to_a_version_that_it_has_there() {
    for (written, kind, wanted) in [
        ("v1alpha1", "NodePool", "karpenter.sh/v1"),
        ("v1beta1", "NodePool", "karpenter.sh/v1beta1"),
        ("v1alpha5", "Provisioner", "karpenter.sh/v1alpha5"),
        ("v1", "Provisioner", "karpenter.sh/v1alpha5"),
    ] {
        let spec = if kind == "NodePool" { "template: {spec: {}}" } else { "weight: 1" };
        let text = format!(
            "apiVersion: karpenter.k8s.aws/{written}\nkind: {kind}\nmetadata: {{name: web}}\nspec: {{requirements: [{{key: a, operator: In, values: [b]}}], {spec}}}\n"
        );
        let found = only("invalid-karpenter-resource", &[("pool.yaml", &*text)]);
        assert_eq!(found.help, Some(format!("Write `apiVersion: {wanted}`")), "{written} {kind}");
    }
}

#[test]
fn the_name_of_a_pool_is_had_from_what_the_list_has() {
    const POOL: &str = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: \"${NAME}\"}\nspec:\n  template: {spec: {nodeClassRef: {kind: EC2NodeClass, name: a}}}\n";
    let of_template = |name: &str| format!("templatefile(\"pool.tpl\", {{ NAME = {name} }})");
    let known = "locals {\n  pools = [{ title = \"arm\" }, { title = \"x86\" }]\n  documents = [for it in \
                 [\"arm\", \"x86\"] : templatefile(\"pool.tpl\", { NAME = it })]\n}\n";
    let list = "variable \"pools\" {}\n";
    let by_index = |list: &str| format!("for_each = {{ for at, it in {list} : at => it }}");
    let counted = "count = length(var.pools)".to_owned();
    for (more, repeat, body, wanted) in [
        (list, counted.clone(), of_template("var.pools[count.index].name"), ": it.name => it"),
        (list, counted, of_template("\"${var.pools[count.index].a}-b\""), "the name of each pool"),
        (known, by_index("local.pools"), of_template("each.value.title"), ": it.title => it"),
        (
            known,
            by_index("local.documents"),
            "each.value".to_owned(),
            "yamldecode(it).metadata.name",
        ),
        (
            known,
            by_index("[for it in local.documents : yamldecode(it)]"),
            "yamlencode(each.value)".to_owned(),
            ": it.metadata.name",
        ),
    ] {
        let code = format!(
            "{more}resource \"kubectl_manifest\" \"pools\" {{\n  {repeat}\n  wait = true\n  yaml_body = {body}\n}}\n"
        );
        let help = help("replace-drains-pool", &[("main.tf", &code), ("pool.tpl", POOL)]);
        assert!(help.contains(wanted), "{code}: {help}");
    }
}

#[test]
fn the_documents_of_a_data_source_have_kinds_and_names_in_its_map() {
    const POOL: &str = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: web}\nspec: {template: {spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: web}}}}\n";
    const CLASS: &str =
        "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {name: web}\n";
    let other = POOL.replace("{name: web}\nspec", "{name: batch}\nspec");
    let documents = "data.kubectl_path_documents.pools.documents";
    for (repeat, body) in [
        (format!("for_each = toset({documents})"), "each.value".to_owned()),
        (
            format!("for_each = toset({documents})"),
            "replace(each.value, \"shop\", var.name)".to_owned(),
        ),
    ] {
        let code = format!(
            "variable \"name\" {{}}\ndata \"kubectl_path_documents\" \"pools\" {{\n  pattern = \"pools/*.yaml\"\n}}\n\
             resource \"kubectl_manifest\" \"pools\" {{\n  {repeat}\n  wait = true\n  yaml_body = {body}\n}}\n"
        );
        let files = [
            ("main.tf", &*code),
            ("pools/web.yaml", POOL),
            ("pools/class.yaml", CLASS),
            ("pools/batch.yaml", &other),
        ];
        let help = help("replace-drains-pool", &files);
        assert!(
            help.contains("for_each = data.kubectl_path_documents.pools.manifests"),
            "{code}: {help}"
        );
    }
}

#[test]
fn what_leaves_a_pool_empty_all_the_same_is_named_beside_its_fault() {
    let pool = |cpu: &str| {
        format!(
            "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {{ name: web }}\nspec:\n  limits: {{ cpu: 10 }}\n  template:\n    spec:\n      \
             nodeClassRef: {{ group: karpenter.k8s.aws, kind: EC2NodeClass, name: web }}\n      requirements:\n        \
             - {{ key: karpenter.k8s.aws/instance-category, operator: In, values: [t3, t4] }}\n        \
             - {{ key: karpenter.k8s.aws/instance-cpu, operator: In, values: [\"{cpu}\"] }}\n"
        )
    };
    for (cpu, wanted) in [("1", 2), ("2", 1)] {
        let found = found("unsatisfiable-nodepool", &[("pool.yaml", &pool(cpu))]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].notes.len(), wanted, "{:?}", found[0].notes);
    }
}

#[test]
fn a_chart_around_karpenter_alone_installs_no_other() {
    const MAIN: &str = "resource \"helm_release\" \"this\" {\n  name = \"karpenter\"\n  chart = \"${path.module}/chart\"\n}\n";
    const KARPENTER: &str = "apiVersion: v2\nname: karpenter\nversion: 0.1.0\ndependencies:\n  \
                             - { name: karpenter, repository: \"oci://public.ecr.aws/karpenter\", version: 1.6.0 }\n";
    let other =
        "  - { name: keda, repository: \"https://kedacore.github.io/charts\", version: 2.17.0 }\n";
    for (more, wanted) in [("", "`skip_crds = true` on this one"), (other, "other charts, too")] {
        let chart = format!("{KARPENTER}{more}");
        let files = [("main.tf", MAIN), ("chart/Chart.yaml", &chart)];
        let help = help("crds-never-upgraded", &files);
        assert!(help.contains(wanted), "{more}: {help}");
    }
}

#[test]
fn a_queue_is_named_as_the_other_settings_of_an_unknown_version_are() {
    let release = |settings: &str| {
        format!(
            "variable \"release\" {{ default = \"\" }}\nprovider \"helm\" {{}}\nresource \"helm_release\" \"karpenter\" {{\n  \
             name = \"karpenter\"\n  repository = \"oci://public.ecr.aws/karpenter\"\n  chart = \"karpenter\"\n  \
             version = var.release == \"\" ? null : var.release\n  values = [yamlencode({{ settings = {settings} }})]\n}}\n"
        )
    };
    for (settings, wanted) in [
        ("{ aws = { clusterName = \"web\" } }", "settings.aws.interruptionQueueName"),
        ("{ clusterName = \"web\" }", "settings.interruptionQueue"),
    ] {
        let text = release(settings);
        let help = help("interruption-queue-unset", &[("main.tf", &text)]);
        assert!(help.contains(&format!("set `{wanted}`")), "{settings}: {help}");
    }
}
