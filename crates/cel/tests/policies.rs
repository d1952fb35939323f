//! Files of policies: what is read, what is wrong at which character, what they say.

use karplint_cel::{
    cel::{
        bindings::Bindings,
        collection,
        types::{Object, Schema, Type},
    },
    policy::{
        Policy, SubjectKind,
        judge::Verdict,
        read::{self, PolicyFile},
    },
};
use karplint_core::{findings::Severity, source::FileId, value::Kind};

use crate::value;

const POLICY: &str = "\
apiVersion: karplint/v1
kind: Policy
metadata:
  name: pools-expire-within-a-month
spec:
  title: NodePools must replace their nodes within 30 days
  severity: error
  why: |
    Our images are patched monthly.
  help: Set `expireAfter` to 720h or less
  subject: nodePool
  where: object.metadata.name != 'gpu'
  variables:
    - name: expiry
      expression: object.spec.template.spec.expireAfter
  validations:
    - expression: |
        expiry != 'Never' &&
        duration(variables.expiry) <= duration('720h')
      message: This pool keeps nodes for longer than 30 days
tests:
  - name: a pool that never expires
    files:
      pool.yaml: |
        kind: NodePool
    expect:
      - pool.yaml:14
";

fn read(text: &str) -> PolicyFile {
    read::read(FileId(1), text)
}

/// The policy with a line of it replaced.
fn with(line: &str, by: &str) -> String {
    assert!(POLICY.contains(line), "{line}");
    POLICY.replace(line, by)
}

fn pool(expiry: &str) -> String {
    format!("metadata: {{name: data}}\nspec: {{template: {{spec: {{expireAfter: {expiry}}}}}}}\n")
}

fn judge(policy: &Policy, object: &str) -> Vec<(String, String)> {
    let found = value(object);
    let mut bindings = Bindings::default();
    bindings.set("object", collection::read(&found));
    let shown = |it: Verdict| match it {
        Verdict::Failed { place, message } => {
            (place.map_or(String::new(), |it| object[it.span.range()].to_owned()), message)
        }
        Verdict::Undecided(unknown) => ("undecided".to_owned(), unknown.symbol.text.to_string()),
        Verdict::TooCostly(_) => ("too costly".to_owned(), String::new()),
    };
    policy.judge(&bindings).into_iter().map(shown).collect()
}

#[test]
fn a_policy_is_read_whole() {
    let file = read(POLICY);
    assert_eq!(file.errors, []);
    let [policy] = &*file.policies else { panic!("one policy") };
    assert_eq!(&*policy.name, "pools-expire-within-a-month");
    assert_eq!(policy.severity, Severity::Error);
    assert_eq!(&*policy.why, "Our images are patched monthly.");
    assert_eq!(policy.subject.kind, SubjectKind::NodePool);
    assert_eq!(policy.tests[0].expected, [("pool.yaml".into(), 14)]);
}

#[test]
fn it_points_at_the_operand_that_decides() {
    let file = read(POLICY);
    let policy = &file.policies[0];
    let message = "This pool keeps nodes for longer than 30 days";
    for (object, wanted) in [
        (pool("720h"), vec![]),
        (pool("1440h"), vec![("1440h".to_owned(), message.to_owned())]),
        (pool("Never"), vec![("Never".to_owned(), message.to_owned())]),
        (
            pool("a month"),
            vec![("a month".to_owned(), format!("{message} (`a month` is not a duration)"))],
        ),
        (
            "metadata: {name: data}\nspec: {}\n".to_owned(),
            vec![("spec".to_owned(), format!("{message} (no such key: template)"))],
        ),
        (pool("Never").replace("data", "gpu"), vec![]),
        // An error in `where` counts as false.
        ("spec: {}\n".to_owned(), vec![]),
    ] {
        assert_eq!(judge(policy, &object), wanted, "{object}");
    }
}

#[test]
fn a_message_may_be_computed_and_a_place_given() {
    let text = with(
        "      message: This pool keeps nodes for longer than 30 days\n",
        "      messageExpression: \"'keeps nodes for ' + expiry\"\n      at: object.metadata.name\n",
    );
    let file = read(&text);
    assert_eq!(file.errors, []);
    let found = judge(&file.policies[0], &pool("800h"));
    assert_eq!(found, [("data".to_owned(), "keeps nodes for 800h".to_owned())]);
}

#[test]
fn each_mistake_is_at_its_character() {
    for (line, by, at, message) in [
        ("kind: Policy", "kind: Polic", "Polic", "`kind` of a policy is `Policy`"),
        (
            "  severity: error",
            "  severity: bad",
            "bad",
            "a severity is `error`, `warning` or `note`",
        ),
        (
            "  severity: error",
            "  severty: error",
            "severty",
            "`severty` is no field of a policy; did you mean `severity`?",
        ),
        (
            "  subject: nodePool",
            "  subject: nodepool",
            "nodepool",
            "`nodepool` is no subject; did you mean `nodePool`?",
        ),
        (
            "  subject: nodePool",
            "  subject: object",
            "object",
            "the subject `object` needs `kinds`",
        ),
        (
            "  subject: nodePool",
            "  subject: nodePool\n  kinds: [v1/Pod]",
            "kinds",
            "`kinds` belongs to the subject `object`",
        ),
        (
            "  name: pools-expire",
            "  name: Pools-expire",
            "Pools-expire-within-a-month",
            "a policy's name is in kebab-case, such as `pools-expire`",
        ),
        ("duration('720h')", "duration('720h'", "", "the expression ends where `)` is expected"),
        ("'Never' &&", "'Never &&", "'", "this text is not closed"),
        ("    - name: expiry", "    - name: object", "object", "`object` is taken"),
        (
            "      - pool.yaml:14",
            "      - pool.yaml",
            "pool.yaml",
            "a file and a line are expected here, such as `pool.yaml:14`",
        ),
    ] {
        let text = with(line, by);
        let file = read(&text);
        let error = file.errors.first().unwrap_or_else(|| panic!("{by} is no mistake"));
        assert_eq!((&text[error.span.range()], &*error.message), (at, message), "{by}");
        assert!(file.policies.is_empty(), "{by}");
    }
}

#[test]
fn types_are_checked_at_the_character_in_the_file() {
    let object = |fields: &[(&str, Type)]| Object {
        fields: fields.iter().map(|(name, of)| ((*name).into(), of.clone())).collect(),
        is_open: false,
    };
    let spec = object(&[("expireAfter", Type::String), ("weight", Type::Int)]);
    let mut schema = Schema::default();
    schema.variables.insert("object".into(), Type::Object("NodePool".into()));
    for (name, of) in [
        ("NodePool", object(&[("spec", Type::Object("Spec".into())), ("metadata", Type::Dyn)])),
        ("Spec", object(&[("template", Type::Object("Template".into()))])),
        ("Template", object(&[("spec", Type::Object("NodeSpec".into()))])),
        ("NodeSpec", spec),
    ] {
        schema.objects.insert(name.into(), of);
    }
    assert_eq!(read(POLICY).policies[0].check(&schema), []);
    for (line, by, at, message) in [
        (
            "spec.expireAfter",
            "spec.expireafter",
            "expireafter",
            "`NodeSpec` has no field `expireafter`; did you mean `expireAfter`?",
        ),
        (
            "spec.expireAfter",
            "spec.weight",
            "'Never'",
            "there is no `!=` between `int` and `string`",
        ),
        ("variables.expiry", "variables.expire", "variables", "`variables` is not a variable here"),
        (
            "object.metadata.name != 'gpu'",
            "object.spec.template.spec.weight",
            "object.spec.template.spec.weight",
            "this is a int, and a bool is expected",
        ),
    ] {
        let text = with(line, by);
        let file = read(&text);
        let errors = file.policies[0].check(&schema);
        let error = errors.first().unwrap_or_else(|| panic!("{by} is no mistake"));
        assert_eq!((&text[error.span.range()], &*error.message), (at, message), "{by}");
    }
}

#[test]
fn documents_stand_alone() {
    let text = format!("{}---\n{POLICY}", with("kind: Policy", "kind: Other"));
    let file = read(&text);
    assert_eq!((file.policies.len(), file.errors.len()), (1, 1));
    // Kubernetes' own kinds are no policies.
    assert!(matches!(value("a: 1").kind, Kind::Map(_)));
}
