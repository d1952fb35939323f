//! Policies of IAM as the code of a root module writes them, and the actions that they allow.

use crate::{
    checks::identity::{
        any_text,
        trust::{expression, one_named},
    },
    knowledge::identity::managed_policies,
    resolve::terraform::{
        object::{BlockInstance, Mode},
        root::Root,
    },
    value::{Kind, Value},
};

/// What only Karpenter's controller is allowed together.
const OWN: [&str; 3] = ["ec2:CreateFleet", "ec2:RunInstances", "iam:PassRole"];

/// A policy of a role.
pub(super) struct Policy<'r> {
    /// The block with its statements.
    pub block: &'r BlockInstance,
    /// The actions it allows, with the wildcards in them; `None` where they are not all literal.
    pub actions: Option<Vec<&'r str>>,
    /// A statement that allows a list of actions for everything, without conditions, and the key of the list.
    pub open: Option<(&'r Value, &'static str)>,
}

impl<'r> Policy<'r> {
    /// One of which nothing is seen but the block that names it.
    pub(super) fn unseen(block: &'r BlockInstance) -> Self {
        Self { block, actions: None, open: None }
    }

    /// Whether it is for Karpenter's controller, and it or its role is named after it.
    pub(super) fn is_of_karpenter(&self, role: &BlockInstance) -> bool {
        let named = |it: &BlockInstance| {
            let is = |text: &str| text.to_lowercase().contains("karpenter");
            is(&it.address) || it.body.get("name").present().is_some_and(|it| any_text(it, &is))
        };
        self.is_for_karpenter() && (named(role) || named(self.block))
    }

    /// Whether it allows what only Karpenter's controller does.
    pub(super) fn is_for_karpenter(&self) -> bool {
        let own = |it: &[&str]| OWN.iter().all(|action| it.contains(action));
        self.actions.as_deref().is_some_and(own)
    }

    /// Whether it may allow an action.
    pub(super) fn may_allow(&self, action: &str) -> bool {
        self.actions.as_ref().is_none_or(|all| all.iter().any(|it| matches(it, action)))
    }
}

/// Whether policies allow together, as far as they are known, what only Karpenter's controller does.
pub(super) fn allow_controller(all: &[Policy<'_>]) -> bool {
    let actions = || all.iter().filter_map(|it| it.actions.as_deref()).flatten();
    OWN.iter().all(|action| actions().any(|it| matches(it, action)))
}

/// Whether a policy that is attached to a role may allow an action; `block` attaches it.
pub(super) fn may_allow(root: &Root, block: &BlockInstance, arn: &Value, action: &str) -> bool {
    let policy = of_arn(root, Some(arn)).or_else(|| managed(root, block, Some(arn)));
    policy.is_none_or(|it| it.may_allow(action))
}

/// The policy of this root that an ARN is of.
pub(super) fn of_arn<'r>(root: &'r Root, arn: Option<&Value>) -> Option<Policy<'r>> {
    let name = arn.and_then(expression)?.strip_prefix("aws_iam_policy.")?;
    one_named(root, Mode::Resource, "aws_iam_policy", name).map(|it| written(root, it))
}

/// The policy of AWS that an ARN is of, where `block` attaches it, if it is known.
pub(super) fn managed<'r>(
    root: &'r Root,
    block: &'r BlockInstance,
    arn: Option<&Value>,
) -> Option<Policy<'r>> {
    let name = expression(arn?).and_then(|it| it.strip_prefix("data.aws_iam_policy."));
    let data = name.and_then(|it| one_named(root, Mode::Data, "aws_iam_policy", it));
    let field = |key: &str| data.and_then(|it| it.body.get(key).present());
    let text = match field("arn").or(arn.filter(|_| data.is_none())) {
        Some(Value { kind: Kind::String(text), .. }) => {
            text.text.rsplit_once("iam::aws:policy/")?.1
        }
        _ => field("name")?.as_str()?,
    };
    let known = managed_policies().iter().find(|it| it.name == text)?;
    let actions = known.actions.iter().map(String::as_str).collect();
    Some(Policy { block, actions: Some(actions), open: None })
}

/// A policy whose document is written in it or in a document of the same root.
pub(super) fn written<'r>(root: &'r Root, policy: &'r BlockInstance) -> Policy<'r> {
    let Some(document) = policy.body.get("policy").present() else {
        return Policy::unseen(policy);
    };
    let data = expression(document)
        .and_then(|it| it.strip_prefix("data.aws_iam_policy_document."))
        .and_then(|it| one_named(root, Mode::Data, "aws_iam_policy_document", it));
    if let Some(data) = data {
        let more = ["source_policy_documents", "override_policy_documents", "source_json"];
        let whole = more.iter().all(|it| data.body.get(it).is_missing());
        let statements = data.body.get("statement").present().filter(|_| whole);
        let actions = statements.and_then(|it| allowed(it, "effect", "actions"));
        let open =
            statements.and_then(|it| open(it, ["effect", "actions", "resources", "condition"]));
        return Policy { block: data, actions, open };
    }
    let encoded = match &document.kind {
        Kind::String(text) => text.encodes.as_deref(),
        _ => None,
    };
    let statements = encoded.and_then(|it| it.get("Statement").present());
    let open = statements.and_then(|it| open(it, ["Effect", "Action", "Resource", "Condition"]));
    Policy {
        block: policy,
        actions: statements.and_then(|it| allowed(it, "Effect", "Action")),
        open,
    }
}

/// The first statement that allows a list of actions for everything, without conditions, and the key of the list.
fn open<'v>(statements: &'v Value, keys: [&'static str; 4]) -> Option<(&'v Value, &'static str)> {
    let [effect, action, resource, condition] = keys;
    let is_all = |it: &Value| it.as_str() == Some("*");
    let is_open = |it: &&Value| {
        let allows = it.get(effect).present().is_none_or(|it| it.as_str() == Some("Allow"));
        let lists = it.get(action).present().is_some_and(|it| it.items().len() > 1);
        let resource = it.get(resource).present();
        let all = resource.is_some_and(|it| is_all(it) || it.items().iter().any(is_all));
        allows && lists && all && it.get(condition).is_missing()
    };
    statements.items().iter().find(is_open).map(|it| (it, action))
}

/// The actions that statements allow; `None` where they are not all literal.
fn allowed<'v>(statements: &'v Value, effect: &str, action: &str) -> Option<Vec<&'v str>> {
    let list: Vec<&Value> = match &statements.kind {
        Kind::List(list) if list.rest.is_none() => list.items.iter().collect(),
        Kind::Map(_) => vec![statements],
        _ => return None,
    };
    let mut found = Vec::new();
    for statement in list {
        let allows = match statement.get(effect).present() {
            Some(written) => written.as_str()? == "Allow",
            None => statement.get(effect).is_missing(),
        };
        let actions = statement.get(action).present()?;
        match &actions.kind {
            _ if !allows => {}
            Kind::List(list) => {
                list.rest.is_none().then_some(())?;
                found.extend(list.items.iter().map(Value::as_str).collect::<Option<Vec<_>>>()?);
            }
            _ => found.push(actions.as_str()?),
        }
    }
    Some(found)
}

/// Whether a pattern of IAM, with `*` and `?`, matches an action; letters are the same in both cases.
pub(super) fn matches(pattern: &str, action: &str) -> bool {
    let (pattern, action) = (pattern.as_bytes(), action.as_bytes());
    let (mut at, mut end) = (0, 0);
    // What follows the last `*`, and where the letters end that it stands for.
    let mut star = None;
    while let Some(letter) = action.get(end) {
        match pattern.get(at) {
            Some(b'*') => {
                at += 1;
                star = Some((at, end));
            }
            Some(it) if *it == b'?' || it.eq_ignore_ascii_case(letter) => {
                at += 1;
                end += 1;
            }
            _ => {
                // The star stands for one letter more.
                let Some((after, letters)) = &mut star else { return false };
                *letters += 1;
                (at, end) = (*after, *letters);
            }
        }
    }
    pattern.get(at..).unwrap_or_default().iter().all(|it| *it == b'*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns_match_as_iam_says() {
        for (pattern, action, matched) in [
            ("iam:ListInstanceProfiles", "iam:ListInstanceProfiles", true),
            ("iam:listinstanceprofiles", "iam:ListInstanceProfiles", true),
            ("iam:List*", "iam:ListInstanceProfiles", true),
            ("iam:*Profiles", "iam:ListInstanceProfiles", true),
            ("iam:*Instance*", "iam:ListInstanceProfiles", true),
            ("iam:ListInstanceProfile?", "iam:ListInstanceProfiles", true),
            ("*", "iam:ListInstanceProfiles", true),
            ("**", "ec2:CreateTags", true),
            ("iam:*s*s", "iam:ListInstanceProfiles", true),
            ("iam:*Profile*Profile", "iam:ListInstanceProfiles", false),
            ("iam:ListInstanceProfiles*", "iam:ListInstanceProfiles", true),
            ("iam:ListInstanceProfiles?", "iam:ListInstanceProfiles", false),
            ("iam:ListInstanceProfile", "iam:ListInstanceProfiles", false),
            ("iam:ListInstanceProfilesForRole", "iam:ListInstanceProfiles", false),
            ("ec2:*", "iam:ListInstanceProfiles", false),
            ("iam:Get*", "iam:ListInstanceProfiles", false),
            ("", "iam:ListInstanceProfiles", false),
        ] {
            assert_eq!(matches(pattern, action), matched, "{pattern} {action}");
        }
    }
}
