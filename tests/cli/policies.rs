//! Policies of a repository: rules like any other.

use serde_json::Value;

use super::{err, json, out, repository, run, write};

const POLICY: &str = "\
apiVersion: karplint/v1
kind: Policy
metadata:
  name: pools-expire-within-a-month
spec:
  title: NodePools replace their nodes within 30 days
  why: Images are patched monthly.
  help: Set `expireAfter` to 720h or less
  subject: nodePool
  where: subject.name != 'gpu'
  validations:
    - expression: duration(subject.expireAfter) <= duration('720h')
      message: This pool keeps nodes for longer than 30 days
";
const FILE: &str = ".karplint/policies/nodes.yaml";
const NAME: &str = "pools-expire-within-a-month";

/// A pool of a name, whose nodes live as long as is said.
fn pool(name: &str, expiry: &str) -> String {
    format!(
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata:\n  name: {name}\nspec:\n  limits: {{cpu: 10}}\n  template:\n    spec:\n      expireAfter: {expiry}\n      nodeClassRef: {{group: karpenter.k8s.aws, kind: EC2NodeClass, name: web}}\n      requirements:\n        - {{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}}\n"
    )
}

/// The places and messages of a rule's findings.
fn of_rule(report: &Value, rule: &str) -> Vec<String> {
    let findings = report["findings"].as_array().unwrap().iter().filter(|it| it["rule"] == rule);
    let shown = |it: &Value| {
        let start = &it["location"]["start"];
        let (path, line, column) = (&it["location"]["path"], &start["line"], &start["column"]);
        let path = path.as_str().unwrap();
        format!("{path}:{line}:{column} {}", it["message"].as_str().unwrap())
    };
    findings.map(shown).collect()
}

#[test]
fn a_policy_is_listed_explained_chosen_configured_and_allowed() {
    let long = pool("web", "1440h");
    let folder = repository(&[(FILE, POLICY), ("pools.yaml", &long)]);
    let root = folder.path();
    let found = ["pools.yaml:9:20 This pool keeps nodes for longer than 30 days"];
    assert_eq!(of_rule(&json(root, &[]), NAME), found);
    assert_eq!(of_rule(&json(root, &["--only", NAME]), NAME), found);
    assert_eq!(of_rule(&json(root, &["--only", "policies"]), NAME), found);
    assert_eq!(of_rule(&json(root, &["--skip", NAME]), NAME).len(), 0);
    let list = out(&run(root, &["rules"]));
    assert!(list.contains("policies\n") && list.contains(NAME), "{list}");
    let page = out(&run(root, &["explain", NAME]));
    let lines = ["Images are patched monthly.", "Of each `nodePool` where", FILE];
    assert!(lines.iter().all(|it| page.contains(it)), "{page}");
    let why = out(&run(root, &["check", "--why", NAME]));
    assert!(why.starts_with("reported    pools.yaml:9:20"), "{why}");
    for (config, severity) in [
        ("rules: {pools-expire-within-a-month: error}\n", Some("error")),
        ("rules: {policies: note}\n", Some("note")),
        ("rules: {pools-expire-within-a-month: error, policies: off}\n", Some("error")),
        ("rules: {policies: off}\n", None),
        ("allow: [{rule: policies, reason: it moves in May}]\n", None),
        ("allow: [{rule: pools-expire-within-a-month, object: web, reason: it moves}]\n", None),
    ] {
        write(root, ".karplint.yaml", config);
        let report = json(root, &["--only", NAME]);
        let found = report["findings"].as_array().unwrap().first();
        let found = found.map(|it| it["severity"].as_str().unwrap());
        assert_eq!(found, severity, "{config}");
    }
    write(root, ".karplint.yaml", "rules: {pools-expire-in-a-month: off}\n");
    let wrong = err(&run(root, &["check"]));
    assert!(wrong.contains("1:9: `pools-expire-in-a-month` is neither a rule"), "{wrong}");
    assert!(wrong.contains("did you mean `pools-expire-within-a-month`?"), "{wrong}");
    write(root, ".karplint.yaml", "{}\n");
    let comment = "1440h # karplint: allow pools-expire-within-a-month because it moves in May";
    write(root, "pools.yaml", &long.replace("1440h", comment));
    assert_eq!(of_rule(&json(root, &[]), NAME).len(), 0);
    let report = json(root, &["--only", NAME]);
    assert_eq!(report["summary"]["allowed"], 1);
}

#[test]
fn what_is_not_known_is_undecided_and_an_error_fails() {
    let folder = repository(&[
        (FILE, POLICY),
        ("open.yaml", &pool("open", "'${EXPIRY}'")),
        ("never.yaml", &pool("never", "Never")),
        ("gpu.yaml", &pool("gpu", "Never")),
    ]);
    let report = json(folder.path(), &["--only", NAME]);
    let message = "This pool keeps nodes for longer than 30 days (`Never` is not a duration)";
    assert_eq!(of_rule(&report, NAME), [format!("never.yaml:9:20 {message}")]);
    let undecided = report["undecided"].as_array().unwrap();
    assert_eq!(undecided.len(), 1, "{undecided:?}");
    assert_eq!(undecided[0]["location"]["path"], "open.yaml");
    assert_eq!(undecided[0]["needs"], "unknown-value");
    let why = out(&run(folder.path(), &["check", "--why", NAME, "gpu.yaml"]));
    assert!(why.starts_with("sound"), "{why}");
}

#[test]
fn a_mistake_is_one_finding_at_its_character_and_the_rest_runs() {
    let costly = "true && [1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, [1,2,3,4,5,6,7,8,9,10].all(f, a + b + c + d + e + f < 1000))))))";
    let nested = ["(".repeat(10_000), "true".to_owned(), ")".repeat(10_000)].concat();
    let folder = repository(&[(FILE, POLICY), ("pools.yaml", &pool("web", "1440h"))]);
    let root = folder.path();
    let expression = "duration(subject.expireAfter) <= duration('720h')";
    for (from, to, column, message) in [
        (
            expression,
            "subject.expiryAfter == ''",
            27,
            "`nodePool` has no field `expiryAfter`; did you mean `expireAfter`?",
        ),
        (expression, "subject.expireAfter", 19, "This is a string, and a bool is expected"),
        (expression, "subject.expireAfter == 1", 42, "There is no `==` between `string` and `int`"),
        (expression, costly, 19, "The policy `other` is too costly: more than Kubernetes allows"),
        (expression, nested.as_str(), 19, ""),
        (
            "subject: nodePool",
            "subject: object\n  kinds: [Pod]",
            11,
            "A kind is written as `apps/v1/Deployment` or `v1/Pod`, and not `Pod`",
        ),
        (
            "other",
            "crds-not-skipped",
            9,
            "`crds-not-skipped` is a rule of karplint; give the policy another name",
        ),
        ("other", NAME, 9, "A policy in .karplint/policies/nodes.yaml has this name already"),
    ] {
        let text = POLICY.replace(NAME, "other").replace(from, to);
        write(root, ".karplint/policies/other.yml", &text);
        let report = json(root, &[]);
        let found = of_rule(&report, "unreadable");
        assert_eq!(found.len(), 1, "{to:.60}: {found:?}");
        let place = format!(":{column} ");
        assert!(found[0].starts_with(".karplint/policies/other.yml:"), "{found:?}");
        let at_column = found[0].contains(&place) || to.len() > 10_000;
        assert!(at_column && found[0].contains(message), "{to:.60}: {found:?}");
        assert_eq!(of_rule(&report, NAME).len(), 1, "{to:.60}");
    }
}

#[test]
fn a_config_lists_policies_elsewhere_which_must_exist() {
    let other = POLICY.replace(NAME, "other").replace("720h", "100h");
    let folder = repository(&[
        ("platform/rules/nodes.yaml", &other),
        (".karplint.yaml", "policies: [platform/rules/*.yaml]\nrules: {other: error}\n"),
        ("pools.yaml", &pool("web", "200h")),
    ]);
    let root = folder.path();
    assert_eq!(of_rule(&json(root, &[]), "other").len(), 1);
    assert!(out(&run(root, &["explain", "other"])).contains("platform/rules/nodes.yaml:4"));
    write(root, ".karplint.yaml", "policies: [gone.yaml]\n");
    let output = run(root, &["check"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(err(&output), "karplint: .karplint.yaml:1:12: there is no such file\n");
}

#[test]
fn a_sarif_log_has_the_page_and_a_baseline_accepts() {
    let folder = repository(&[(FILE, POLICY), ("pools.yaml", &pool("web", "1440h"))]);
    let root = folder.path();
    let log = run(root, &["check", "--only", NAME, "--format", "sarif"]).stdout;
    let log: Value = serde_json::from_slice(&log).unwrap();
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    let own = rules.iter().position(|it| it["id"] == NAME).unwrap();
    assert_eq!(log["runs"][0]["results"][0]["ruleIndex"], own);
    let help = rules[own]["help"]["markdown"].as_str().unwrap();
    assert!(help.contains("Images are patched monthly."), "{help}");
    assert!(rules[own].get("helpUri").is_none());
    let baseline = run(root, &["baseline", "--only", NAME]);
    assert_eq!(baseline.status.code(), Some(0), "{}", err(&baseline));
    let arguments = ["--only", NAME, "--baseline", ".karplint-baseline.json"];
    assert_eq!(of_rule(&json(root, &arguments), NAME).len(), 0);
}
