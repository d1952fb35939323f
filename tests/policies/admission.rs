//! The cluster's own policies: what the API server would refuse of them, and what is not decided.

use karplint::{
    config::Config,
    lint::{self, LintResult},
    project::Project,
    source::{Span, column::ColumnUnit},
};

const POLICY: &str = "apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: few-replicas}
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules:
      - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}
  variables:
    - name: replicas
      expression: object.spec.replicas
  validations:
    - expression: variables.replicas <= 5
      message: too many
";

const BINDING: &str = "apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: few-replicas}
spec:
  policyName: few-replicas
  validationActions: [Deny]
";

const OBJECT: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {replicas: 12, selector: {}, template: {}}
";

fn linted(texts: [&str; 3]) -> (Project, LintResult) {
    let files = ["policy.yaml", "binding.yaml", "object.yaml"].into_iter().zip(texts);
    let files = files.map(|(path, text)| (path.to_owned(), text.to_owned())).collect();
    let project = Project::from_memory(files);
    let outcome = lint::run(&project, &Config::default());
    (project, outcome)
}

fn place(project: &Project, span: Span) -> String {
    let file = project.files.get(span.file);
    let at = file.position(span.start as usize, ColumnUnit::Characters);
    format!("{}:{}:{}", file.path(), at.line, at.column)
}

/// What is said when a line of the three texts is another.
fn said(line: &str, by: &str) -> Vec<String> {
    let texts = [POLICY, BINDING, OBJECT];
    assert!(texts.iter().any(|it| it.contains(line)), "{line}");
    let texts = texts.map(|it| it.replace(line, by));
    let (project, outcome) = linted(texts.each_ref().map(String::as_str));
    let rules = ["denied-by-policy", "unreadable"];
    let findings = outcome.findings.iter().filter(|it| rules.contains(&it.rule));
    let shown = findings
        .map(|it| format!("{} {} {}", place(&project, it.span), it.severity.word(), it.message));
    let silent = outcome.unreported.iter().filter(|it| it.rule == "denied-by-policy");
    let undecided = silent.filter(|it| it.silence.cause().is_some());
    let undecided = undecided
        .map(|it| format!("{} undecided: {}", place(&project, it.span), it.silence.reason().words));
    shown.chain(undecided).collect()
}

const REFUSED: &str = "object.yaml:4:18 error `few-replicas` refuses this object: too many";

#[test]
fn an_object_is_refused_as_the_api_server_would() {
    let warned = REFUSED.replace("error", "warning");
    for (line, by, wanted) in [
        ("failurePolicy: Fail", "failurePolicy: Fail", REFUSED),
        ("[Deny]", "[Warn]", &*warned),
        ("policyName: few", "policyName: other", ""),
        ("operations: [CREATE]", "operations: [UPDATE, DELETE]", ""),
        ("resources: [deployments]", "resources: ['*']", REFUSED),
        ("resources: [deployments]", "resources: [deployments/scale]", ""),
        ("resources: [deployments]", "resources: [deployments], scope: Cluster", ""),
        ("resources: [deployments]", "resources: [deployments], resourceNames: [api]", ""),
        (
            "[v1], operations",
            "[v1beta1], operations",
            "object.yaml:3:18 undecided: whether `few-replicas` refuses it: it is about another version of the resource",
        ),
        // What the API server fills in is there, known or not.
        ("variables.replicas <= 5", "object.spec.strategy.rollingUpdate.maxSurge == '25%'", ""),
        (
            "variables.replicas <= 5",
            "object.metadata.uid == ''",
            "object.yaml:3:18 undecided: whether `few-replicas` refuses it: metadata.uid is not known",
        ),
        // The default is one, and an error refuses.
        ("replicas: 12, ", "", ""),
        (
            "replicas: 12",
            "replicas: many",
            "object.yaml:4:18 error `few-replicas` refuses this object: too many (no such overload: <=(string, int))",
        ),
        ("replicas: 12, ", "", ""),
        (
            "message: too many",
            "messageExpression: string(variables.replicas) + ' are too many'",
            "object.yaml:4:18 error `few-replicas` refuses this object: 12 are too many",
        ),
        (
            "      message: too many\n",
            "",
            "object.yaml:4:18 error `few-replicas` refuses this object: failed expression: variables.replicas <= 5",
        ),
        (
            "variables.replicas <= 5",
            "request.namespace != 'shop' && oldObject == null",
            "object.yaml:3:34 error `few-replicas` refuses this object: too many",
        ),
        (
            "variables.replicas <= 5",
            "authorizer.group('apps').resource('deployments').check('create').allowed()",
            "object.yaml:3:18 undecided: whether `few-replicas` refuses it: authorizer is not known",
        ),
        (
            "variables.replicas <= 5",
            "namespaceObject.metadata.labels['team'] == 'shop'",
            "object.yaml:3:18 undecided: whether `few-replicas` refuses it: namespaceObject is not known",
        ),
        ("failurePolicy: Fail\n", "paramKind: {apiVersion: v1, kind: ConfigMap}\n", REFUSED),
    ] {
        assert_eq!(said(line, by).join("; "), wanted, "{by}");
    }
}

/// What is written, what in its place, and the mistake that this is.
const MISTAKES: &[(&str, &str, &str)] = &[
    (
        "variables.replicas <= 5",
        "variables.replica <= 5",
        "policy.yaml:13:29 error `variables` has no field `replica`; did you mean `replicas`?",
    ),
    (
        "variables.replicas <= 5",
        "variables.replicas",
        "policy.yaml:13:19 error This is dyn, and bool is expected",
    ),
    (
        "variables.replicas <= 5",
        "variables.replicas <= 'a' +",
        "policy.yaml:13:46 error The expression ends where a value is expected",
    ),
    (
        "variables.replicas <= 5",
        "size(variables.replicas)",
        "policy.yaml:13:19 error This is int, and bool is expected",
    ),
    (
        "variables.replicas <= 5",
        "params.most > 1",
        "policy.yaml:13:19 error `params` is not a variable here",
    ),
    (
        "variables.replicas <= 5",
        "request.kind.knd == ''",
        "policy.yaml:13:32 error `kubernetes.GroupVersionKind` has no field `knd`; did you mean `kind`?",
    ),
    (
        "failurePolicy: Fail",
        "failurePolicy: Never",
        "policy.yaml:5:18 error `failurePolicy` is one of `Fail` and `Ignore`",
    ),
    (
        "operations: [CREATE]",
        "operations: [MAKE]",
        "policy.yaml:8:61 error `MAKE` is no operation of the API server",
    ),
    ("operations: [CREATE], ", "", "policy.yaml:8:9 error `operations` is missing"),
    ("message: too many", "message: ' '", "policy.yaml:14:16 error `message` is empty"),
    (
        "name: replicas\n",
        "name: re-plicas\n",
        "policy.yaml:10:13 error `re-plicas` is no name that CEL can use",
    ),
    ("[Deny]", "[Refuse]", "binding.yaml:6:23 error An action is `Deny`, `Warn` or `Audit`"),
    (
        "[Deny]",
        "[Deny, Warn]",
        "binding.yaml:6:29 error The API server takes `Deny` or `Warn`, not both",
    ),
    (
        "policyName: few-replicas",
        "policy: few-replicas",
        "binding.yaml:4:1 error `policyName` is missing",
    ),
];

#[test]
fn what_the_api_server_refuses_of_a_policy_is_unreadable_there() {
    let mut wrong = Vec::new();
    for &(line, by, wanted) in MISTAKES {
        let found = said(line, by);
        let found: Vec<&String> = found.iter().filter(|it| !it.starts_with("object")).collect();
        let first = found.first().map_or("", |it| it.as_str());
        if first != wanted {
            wrong.push(format!("{by}: wanted {wanted}, got {found:?}"));
        }
    }
    assert_eq!(wrong, [""; 0]);
}
