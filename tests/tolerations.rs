//! Fixes of stale tolerations in every notation: the text after the fix, and nothing left to say.

use karplint::{
    config::Config,
    findings::{Finding, Safety},
    fix, lint,
    project::Project,
};
use proptest::{prelude::Strategy, sample::select};

const RULE: &str = "stale-disruption-toleration";

/// What the rule says, by message.
fn findings(project: &Project) -> Vec<Finding> {
    let outcome = lint::run(project, &Config::default());
    outcome.findings.into_iter().filter(|it| it.rule == RULE).collect()
}

/// The text after the fix; none where no fix is offered.
fn fixed(path: &str, text: &str, version: &str) -> Option<String> {
    let release = format!(
        "releases: [{{name: karpenter, chart: karpenter/karpenter, version: {version}}}]\n"
    );
    let files = |text: &str| {
        vec![(path.to_owned(), text.to_owned()), ("helmfile.yaml".to_owned(), release.clone())]
    };
    let project = Project::from_memory(files(text));
    let said = findings(&project);
    assert_eq!(said.len(), 1, "{text}\n{said:?}");
    let (_, changed) = fix::apply(&project.files, &said, Safety::Safe).pop()?;
    let left = findings(&Project::from_memory(files(&changed)));
    assert!(left.is_empty(), "still stale:\n{changed}\n{left:?}");
    Some(changed)
}

/// A notation: its file, and the text around a toleration.
type Notation = (&'static str, &'static str, &'static str);

const DAEMON_SET: Notation = (
    "agent.yaml",
    "kind: DaemonSet\napiVersion: apps/v1\nmetadata: {name: agent}\nspec:\n  selector: {}\n  template:\n    spec:\n      \
     containers: [{image: a}]\n      tolerations:\n",
    "\n",
);
const FLOW: Notation = (
    "cilium.yaml",
    "kind: HelmRelease\napiVersion: helm.toolkit.fluxcd.io/v2\nmetadata: {name: c}\nspec:\n  chart: {spec: {chart: \
     cilium}}\n  values: {tolerations: [",
    "]}\n",
);
const JSON: Notation = (
    "agent.json",
    "{\"kind\": \"Thing\", \"apiVersion\": \"a/v1\", \"spec\": {\"agentTolerations\": [",
    "]}}\n",
);
const HCL: Notation = (
    "main.tf",
    "resource \"helm_release\" \"c\" {\n  name = \"c\"\n  chart = \"cilium\"\n  values = [yamlencode({ tolerations = [",
    "] })]\n}\n",
);
const HEREDOC: Notation = (
    "main.tf",
    "resource \"aws_eks_addon\" \"c\" {\n  addon_name = \"a\"\n  configuration_values = <<-EOT\n    tolerations:\n",
    "\n  EOT\n}\n",
);
const HEREDOC_JSON: Notation = (
    "main.tf",
    "resource \"aws_eks_addon\" \"c\" {\n  addon_name = \"a\"\n  configuration_values = <<-EOT\n    {\"tolerations\": [",
    "]}\n  EOT\n}\n",
);
const ESCAPED: Notation = (
    "main.tf",
    "resource \"aws_eks_addon\" \"c\" {\n  addon_name = \"a\"\n  configuration_values = \"{\\\"tolerations\\\": [",
    "]}\"\n}\n",
);
const MANIFEST: Notation = (
    "main.tf",
    "resource \"kubernetes_manifest\" \"c\" {\n  manifest = {\n    apiVersion = \"a/v1\"\n    kind = \"Thing\"\n    spec = { \
     tolerations = [",
    "] }\n  }\n}\n",
);
const BLOCKS: Notation = (
    "main.tf",
    "resource \"kubernetes_daemon_set_v1\" \"c\" {\n  metadata {\n    name = \"c\"\n  }\n  spec {\n    selector {}\n    \
     template {\n      spec {\n        container {\n          image = \"a\"\n        }\n        toleration {\n",
    "\n        }\n      }\n    }\n  }\n}\n",
);

const OPERATED: Notation = (
    "ray.yaml",
    "kind: RayService\napiVersion: ray.io/v1\nmetadata: {name: r}\nspec:\n  headGroupSpec:\n    template:\n      spec:\n        \
     tolerations:\n",
    "\n",
);
const DEPLOYMENT: Notation = (
    "web.yaml",
    "kind: Deployment\napiVersion: apps/v1\nmetadata: {name: web}\nspec:\n  selector: {}\n  template:\n    spec:\n      \
     containers: [{image: a}]\n      tolerations:\n",
    "\n",
);

/// Notation, version of Karpenter, before, after.
type Case = (Notation, &'static str, &'static str, Option<&'static str>);

#[rustfmt::skip]
const CASES: &[Case] = &[
    (DAEMON_SET, "1.5.0", "      - key: karpenter.sh/disruption\n        operator: Exists", Some("      - key: karpenter.sh/disrupted\n        operator: Exists")),
    (DAEMON_SET, "1.5.0", "      - key: 'karpenter.sh/disruption'\n        value: \"disrupting\" # v1beta1\n        effect: NoSchedule", Some("      - key: 'karpenter.sh/disrupted'\n        effect: NoSchedule")),
    (DAEMON_SET, "1.5.0", "      - key: karpenter.sh/disrupted\n        effect: NoExecute\n        operator: Exists\n        tolerationSeconds: 300", Some("      - key: karpenter.sh/disrupted\n        effect: NoSchedule\n        operator: Exists")),
    (DAEMON_SET, "1.5.0", "      - value: disrupting\n        key: karpenter.sh/disruption", None),
    (DAEMON_SET, "1.5.0", "      - {key: karpenter.sh/disruption, value: disrupting}", Some("      - {key: karpenter.sh/disrupted}")),
    (DAEMON_SET, "1.5.0", "      - key: karpenter.sh/disrupted\n        operator: exists", None),
    (DAEMON_SET, "0.37.5", "      - key: karpenter.sh/disrupted\n        operator: Exists", Some("      - key: karpenter.sh/disruption\n        operator: Exists")),
    (DAEMON_SET, "0.37.5", "      - key: karpenter.sh/disruption", Some("      - key: karpenter.sh/disruption\n        operator: Exists")),
    (DAEMON_SET, "0.37.5", "      - key: \"karpenter.sh/disrupted\"\n        effect: NoSchedule", Some("      - key: \"karpenter.sh/disruption\"\n        operator: Exists\n        effect: NoSchedule")),
    (DAEMON_SET, "0.37.5", "      - key: karpenter.sh/disruption\n        operator: Equal", Some("      - key: karpenter.sh/disruption\n        operator: Exists")),
    (DAEMON_SET, "0.37.5", "      - key: karpenter.sh/disruption\n        value: \"true\"", Some("      - key: karpenter.sh/disruption\n        value: \"disrupting\"")),
    (OPERATED, "1.5.0", "          - key: karpenter.sh/disruption\n            operator: Exists", None),
    (DEPLOYMENT, "1.5.0", "      - key: karpenter.sh/disruption\n        operator: Exists", None),
    (DEPLOYMENT, "0.31.0", "      - key: karpenter.sh/disruption\n        operator: Exists", None),
    (FLOW, "1.5.0", "{key: karpenter.sh/disruption, operator: Equal, value: disrupting, effect: NoSchedule}", Some("{key: karpenter.sh/disrupted, operator: Equal, effect: NoSchedule}")),
    (FLOW, "1.5.0", "{ value: disrupting, key: karpenter.sh/disruption }", Some("{ key: karpenter.sh/disrupted }")),
    (FLOW, "1.5.0", "{ key: karpenter.sh/disruption, value: disrupting }", Some("{ key: karpenter.sh/disrupted }")),
    (FLOW, "0.37.5", "{key: karpenter.sh/disruption}", Some("{key: karpenter.sh/disruption, operator: Exists}")),
    (JSON, "1.5.0", "{\"key\": \"karpenter.sh/disruption\", \"value\": \"disrupting\"}", Some("{\"key\": \"karpenter.sh/disrupted\"}")),
    (JSON, "1.5.0", "{\n  \"key\": \"karpenter.sh/disruption\",\n  \"value\": \"disrupting\"\n}", Some("{\n  \"key\": \"karpenter.sh/disrupted\"\n}")),
    (JSON, "1.5.0", "{\n  \"value\": \"disrupting\",\n  \"key\": \"karpenter.sh/disruption\"\n}", Some("{\n  \"key\": \"karpenter.sh/disrupted\"\n}")),
    (JSON, "0.37.5", "{\"key\": \"karpenter.sh/disruption\"}", Some("{\"key\": \"karpenter.sh/disruption\", \"operator\": \"Exists\"}")),
    (HCL, "1.5.0", "{ key = \"karpenter.sh/disruption\", value = \"disrupting\", effect = \"NO_SCHEDULE\" }", Some("{ key = \"karpenter.sh/disrupted\", effect = \"NoSchedule\" }")),
    (HCL, "1.5.0", "{\n      key      = \"karpenter.sh/disruption\"\n      operator = \"Equal\"\n      value    = \"disrupting\"\n    }", Some("{\n      key      = \"karpenter.sh/disrupted\"\n      operator = \"Equal\"\n    }")),
    (HCL, "1.5.0", "{\n      \"key\" : \"karpenter.sh/disruption\",\n      \"value\" : \"disrupting\",\n    }", Some("{\n      \"key\" : \"karpenter.sh/disrupted\",\n    }")),
    (HCL, "0.37.5", "{\n      key = \"karpenter.sh/disruption\"\n    }", Some("{\n      key      = \"karpenter.sh/disruption\"\n      operator = \"Exists\"\n    }")),
    (HCL, "1.5.0", "{ key = \"karpenter.sh/disrupt${\"ion\"}\", operator = \"Exists\" }", None),
    (HEREDOC, "1.5.0", "      - key: karpenter.sh/disruption\n        value: disrupting", Some("      - key: karpenter.sh/disrupted")),
    (HEREDOC, "1.5.0", "      - {key: karpenter.sh/disruption, operator: Exists}", Some("      - {key: karpenter.sh/disrupted, operator: Exists}")),
    (HEREDOC_JSON, "1.5.0", "{\"key\": \"karpenter.sh/disruption\", \"value\": \"disrupting\"}", Some("{\"key\": \"karpenter.sh/disrupted\"}")),
    (ESCAPED, "1.5.0", "{\\\"key\\\": \\\"karpenter.sh/disruption\\\", \\\"operator\\\": \\\"Exists\\\"}", Some("{\\\"key\\\": \\\"karpenter.sh/disrupted\\\", \\\"operator\\\": \\\"Exists\\\"}")),
    (ESCAPED, "1.5.0", "{\\\"key\\\": \\\"karpenter.sh/disruption\\\", \\\"value\\\": \\\"disrupting\\\"}", Some("{\\\"key\\\": \\\"karpenter.sh/disrupted\\\"}")),
    (MANIFEST, "1.5.0", "{ key = \"karpenter.sh/disruption\", value = \"disrupting\" }", Some("{ key = \"karpenter.sh/disrupted\" }")),
    (BLOCKS, "1.5.0", "          key   = \"karpenter.sh/disruption\"\n          value = \"disrupting\"", Some("          key = \"karpenter.sh/disrupted\"")),
];

#[test]
fn a_fix_makes_the_toleration_match_in_every_notation() {
    for ((path, before, after), version, text, wanted) in CASES {
        let whole = |text: &str| format!("{before}{text}{after}");
        let got = fixed(path, &whole(text), version);
        assert_eq!(got, wanted.map(whole), "{version}: {text}");
    }
}

#[test]
fn line_endings_stay() {
    let text = "kind: Thing\r\nspec:\r\n  tolerations:\r\n    - key: karpenter.sh/disruption\r\n      value: disrupting\r\n";
    let wanted = "kind: Thing\r\nspec:\r\n  tolerations:\r\n    - key: karpenter.sh/disrupted\r\n";
    assert_eq!(fixed("a.yaml", text, "1.5.0").as_deref(), Some(wanted));
    let text = "kind: Thing\r\nspec:\r\n  tolerations:\r\n    - key: karpenter.sh/disruption\r\n";
    let wanted = format!("{text}      operator: Exists\r\n");
    assert_eq!(fixed("a.yaml", text, "0.37.5"), Some(wanted));
}

const AGENT: &str = "kind: DaemonSet\napiVersion: apps/v1\nmetadata: {name: agent}\nspec:\n  selector: {}\n  template:\n    \
                     spec: {containers: [{image: a}], tolerations: [{key: karpenter.sh/disruption, operator: Exists}]}\n";

/// What else the project holds, and whether the version 1 of Karpenter is assumed.
#[test]
fn the_version_is_taken_from_what_stands_near() {
    let release = |version: &str| format!("releases: [{{chart: k/karpenter, name: k{version}}}]\n");
    let pool = |api: &str| {
        format!("kind: NodePool\napiVersion: karpenter.sh/{api}\nmetadata: {{name: p}}\n")
    };
    let provisioner = "kind: Provisioner\napiVersion: karpenter.sh/v1alpha5\nmetadata: {name: p}\n";
    let old = pool("v1beta1");
    for (others, reported) in [
        (vec![], true),
        (vec![("pool.yaml", pool("v1"))], true),
        (vec![("pool.yaml", old.clone())], false),
        (vec![("pool.yaml", provisioner.to_owned())], false),
        (vec![("pool.yaml", format!("{old}---\n{}", pool("v1")))], true),
        (vec![("other/pool.yaml", old.clone())], false),
        (vec![("helmfile.yaml", release("")), ("pool.yaml", old.clone())], false),
        (vec![("helmfile.yaml", release(", version: 1.0.4")), ("pool.yaml", old.clone())], true),
        (vec![("helmfile.yaml", release(", version: ~0.37.1"))], false),
        (vec![("helmfile.yaml", release(", version: '>=0.36'"))], false),
        (vec![("helmfile.yaml", release(", version: '>=1.0'"))], true),
        (vec![("helmfile.yaml", release(", version: 0.31.0"))], false),
        (vec![("helmfile.yaml", release(", version: 0.37.0"))], false),
    ] {
        let files = others.iter().map(|(path, text)| ((*path).to_owned(), text.clone()));
        let agent = ("agents/agent.yaml".to_owned(), AGENT.to_owned());
        let project = Project::from_memory(files.chain([agent]).collect());
        assert_eq!(!findings(&project).is_empty(), reported, "{others:?}");
    }
}

/// An agent that has to stay is reported only where it tolerates none of the taints that may be set.
#[test]
fn agents_are_evicted_by_every_taint_that_may_be_set() {
    let old = "{key: karpenter.sh/disruption, operator: Exists}";
    let new = "{key: karpenter.sh/disrupted, operator: Exists}";
    let pool = (
        "pool.yaml",
        "kind: NodePool\napiVersion: karpenter.sh/v1beta1\nmetadata: {name: p}\n".to_owned(),
    );
    let release = |version: &str| {
        let text = format!("releases: [{{name: k, chart: k/karpenter, version: '{version}'}}]\n");
        ("helmfile.yaml", text)
    };
    for (toleration, other, reported) in [
        (old, release("1.5.0"), true),
        (new, release("1.5.0"), false),
        (old, release("~0.37.1"), false),
        (new, release("~0.37.1"), true),
        (old, release(">=0.37"), false),
        ("", release(">=0.37"), true),
        ("", release("0.31.0"), false),
        ("", release(">=0.30"), false),
        (old, pool.clone(), false),
        (new, pool.clone(), false),
        ("", pool, true),
    ] {
        let text = AGENT.replace("{key: karpenter.sh/disruption, operator: Exists}", toleration);
        let agent = text.replace("{name: agent}", "{name: node-local-dns}");
        let files = vec![("agent.yaml".to_owned(), agent), (other.0.to_owned(), other.1.clone())];
        let outcome = lint::run(&Project::from_memory(files), &Config::default());
        let found = outcome.findings.iter().any(|it| it.rule == "disruption-taint-untolerated");
        assert_eq!(found, reported, "{toleration} {other:?}");
    }
}

/// Nor is an agent evicted from nodes on which it never is.
#[test]
fn agents_that_stay_off_karpenters_nodes_are_not_evicted() {
    let pool = "kind: NodePool\napiVersion: karpenter.sh/v1\nmetadata: {name: p}\nspec:\n  template:\n    metadata: {labels: \
                {team: data}}\n    spec: {nodeClassRef: {name: a}}\n";
    for (selector, reported) in [
        ("{}", true),
        ("{kubernetes.io/os: linux}", true),
        ("{team: data}", true),
        ("{team: web}", false),
        ("{eks.amazonaws.com/nodegroup: system}", false),
    ] {
        let spec = format!("{{nodeSelector: {selector}, containers: ");
        let text = AGENT.replace("{key: karpenter.sh/disruption, operator: Exists}", "");
        let agent =
            text.replace("{name: agent}", "{name: node-local-dns}").replace("{containers: ", &spec);
        let files = [("agent.yaml", agent), ("pool.yaml", pool.to_owned())];
        let files = files.map(|(path, text)| (path.to_owned(), text));
        let outcome = lint::run(&Project::from_memory(files.to_vec()), &Config::default());
        let found = outcome.findings.iter().any(|it| it.rule == "disruption-taint-untolerated");
        assert_eq!(found, reported, "{selector}");
    }
}

/// A toleration as people write it: key, operator, value, effect; empty is not written.
type Parts = [&'static str; 4];

const KEYS: [&str; 4] = ["key", "operator", "value", "effect"];

/// Whether Kubernetes matches it with the taint of that version.
fn matches(parts: &Parts, v1: bool) -> bool {
    let (key, value) =
        if v1 { ("karpenter.sh/disrupted", "") } else { ("karpenter.sh/disruption", "disrupting") };
    let [own_key, operator, own_value, effect] = *parts;
    let equal = matches!(operator, "" | "Equal") && own_value == value;
    matches!(effect, "" | "NoSchedule")
        && (own_key.is_empty() || own_key == key)
        && (operator == "Exists" || equal)
}

fn any_toleration() -> impl Strategy<Value = (Parts, bool)> {
    let key = select(&["karpenter.sh/disrupted", "karpenter.sh/disruption", "dedicated"][..]);
    let operator = select(&["", "Equal", "Exists"][..]);
    let value = select(&["", "true", "disrupting"][..]);
    let effect = select(&["", "NoSchedule", "NoExecute", "NO_SCHEDULE"][..]);
    ((key, operator, value, effect), proptest::bool::ANY)
        .prop_map(|((a, b, c, d), flow)| ([a, b, c, d], flow))
}

fn written((parts, flow): &(Parts, bool)) -> String {
    let pairs = KEYS.iter().zip(parts).filter(|(_, it)| !it.is_empty());
    let pairs: Vec<String> = pairs.map(|(key, it)| format!("{key}: \"{it}\"")).collect();
    let item = if *flow { format!("{{{}}}", pairs.join(", ")) } else { pairs.join("\n        ") };
    format!("      - {item}\n")
}

proptest::proptest! {
    #[test]
    fn what_names_the_taint_and_misses_it_is_said_and_fixed(
        list in proptest::collection::vec(any_toleration(), 1..4),
        v1 in proptest::bool::ANY,
    ) {
        let (_, head, _) = DAEMON_SET;
        let text: String = std::iter::once(head.to_owned()).chain(list.iter().map(written)).collect();
        let named = list.iter().any(|(it, _)| it[0].starts_with("karpenter.sh/"));
        let missed = !list.iter().any(|(it, _)| matches(it, v1));
        let version = if v1 { "1.5.0" } else { "0.37.5" };
        if named && missed {
            assert!(fixed("agent.yaml", &text, version).is_some(), "{version}\n{text}");
        } else {
            let release = format!("releases: [{{name: karpenter, chart: k/karpenter, version: {version}}}]\n");
            let files = vec![("agent.yaml".to_owned(), text.clone()), ("helmfile.yaml".to_owned(), release)];
            let found = findings(&Project::from_memory(files));
            assert!(found.is_empty(), "{version}\n{text}\n{found:?}");
        }
    }
}
