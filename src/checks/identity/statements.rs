//! Policies of IAM as the code of a root module writes them, and the actions that they allow.

use crate::{
    checks::identity::{
        any_text,
        never_met::never_met,
        trust::{expression, one_named, resource_of},
    },
    knowledge::identity::managed_policies,
    resolve::terraform::{
        object::{BlockInstance, Mode},
        root::Root,
    },
    source::Span,
    value::{Kind, Value},
};

/// What only Karpenter's controller is allowed together.
const OWN: [&str; 3] = ["ec2:CreateFleet", "ec2:RunInstances", "iam:PassRole"];

/// Without these there are no nodes.
pub(super) const LAUNCHES: [&str; 2] = ["ec2:CreateFleet", "ec2:RunInstances"];

/// A policy of a role.
pub(super) struct Policy<'r> {
    /// The block with its statements.
    pub block: &'r BlockInstance,
    /// The actions it allows, with the wildcards in them; `None` where they are not all literal.
    pub actions: Option<Vec<&'r str>>,
    /// A statement that allows a list of actions for everything, without conditions, and the key of the list.
    pub open: Option<(&'r Value, &'static str)>,
    /// Its statements, where they are written here.
    pub written: Option<Statements<'r>>,
}

impl<'r> Policy<'r> {
    /// One of which nothing is seen but the block that names it.
    pub(super) fn unseen(block: &'r BlockInstance) -> Self {
        Self { block, actions: None, open: None, written: None }
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

    /// Whether it surely allows to launch something, as the policies of few others do.
    pub(super) fn launches(&self) -> bool {
        let is_one = |it: &&str| LAUNCHES.contains(it);
        self.actions.as_ref().is_some_and(|all| all.iter().any(is_one))
    }

    /// Whether it is one of AWS's own that lets launch anything, as it lets do all of a service.
    pub(super) fn is_broad_one_of_aws(&self) -> bool {
        let is_known = self.written.is_none() && self.actions.is_some() && !self.launches();
        is_known && LAUNCHES.iter().all(|it| self.may_allow(it))
    }

    /// Whether it may allow an action.
    pub(super) fn may_allow(&self, action: &str) -> bool {
        self.actions.as_ref().is_none_or(|all| all.iter().any(|it| matches(it, action)))
    }
}

/// The statements of a policy, all of which are seen.
#[derive(Clone, Copy)]
pub(super) struct Statements<'r> {
    /// The list, or the one that is not in a list.
    pub all: &'r Value,
    /// How their parts are called.
    pub keys: &'static Keys,
}

/// How the parts of a statement are called.
pub(super) struct Keys {
    pub effect: &'static str,
    pub action: &'static str,
    pub resource: &'static str,
    pub condition: &'static str,
}

impl<'r> Statements<'r> {
    /// Each of them.
    pub(super) fn list(self) -> &'r [Value] {
        self.all.as_list().map_or(std::slice::from_ref(self.all), |it| &it.items)
    }

    /// The places that name an action, such as `iam:PassRole`, under another service, where it is none.
    pub(super) fn under_another_service(self, action: &str) -> Vec<(Span, &'r str)> {
        let name = action.split_once(':').map_or(action, |it| it.1);
        let is_it = |it: &str| {
            it.split_once(':').is_some_and(|it| it.1.eq_ignore_ascii_case(name))
                && !it.eq_ignore_ascii_case(action)
        };
        let written = self.list().iter().filter_map(|it| it.get(self.keys.action).present());
        let each =
            written.flat_map(|it| it.as_list().map_or(std::slice::from_ref(it), |it| &it.items));
        each.filter_map(|it| Some((it.span, it.as_str().filter(|it| is_it(it))?))).collect()
    }

    /// Whether one of them may allow an action.
    pub(super) fn may_allow(self, statement: &Value, action: &str) -> bool {
        let denies = statement.get(self.keys.effect).present().and_then(Value::as_str);
        let Some(actions) = statement.get(self.keys.action).present() else { return true };
        let may = |it: &Value| it.as_str().is_none_or(|it| matches(it, action));
        let any = match actions.as_list() {
            Some(list) => list.rest.is_some() || list.items.iter().any(may),
            None => may(actions),
        };
        denies != Some("Deny") && any
    }
}

/// In JSON.
const OF_JSON: Keys =
    Keys { effect: "Effect", action: "Action", resource: "Resource", condition: "Condition" };

/// In a data source for documents.
const OF_DOCUMENT: Keys =
    Keys { effect: "effect", action: "actions", resource: "resources", condition: "condition" };

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
    resource_of(root, "aws_iam_policy", arn?).map(|it| written(root, it))
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
    Some(Policy { block, actions: Some(actions), open: None, written: None })
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
        return of_statements(data, statements, &OF_DOCUMENT);
    }
    let encoded = match &document.kind {
        Kind::String(text) => text.encodes.as_deref(),
        _ => None,
    };
    of_statements(policy, encoded.and_then(|it| it.get("Statement").present()), &OF_JSON)
}

fn of_statements<'r>(
    block: &'r BlockInstance,
    statements: Option<&'r Value>,
    keys: &'static Keys,
) -> Policy<'r> {
    Policy {
        block,
        actions: statements.and_then(|it| allowed(it, keys)),
        open: statements.and_then(|it| open(it, keys)),
        written: statements.map(|all| Statements { all, keys }),
    }
}

/// The first statement that allows a list of actions for everything, without conditions, and the key of the list.
fn open<'v>(statements: &'v Value, keys: &Keys) -> Option<(&'v Value, &'static str)> {
    let Keys { effect, action, resource, condition } = *keys;
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

/// The actions that statements allow, but those on conditions that nothing meets; `None` where they are not all literal.
fn allowed<'v>(statements: &'v Value, keys: &Keys) -> Option<Vec<&'v str>> {
    let list: Vec<&Value> = match &statements.kind {
        Kind::List(list) if list.rest.is_none() => list.items.iter().collect(),
        Kind::Map(_) => vec![statements],
        _ => return None,
    };
    let mut found = Vec::new();
    for statement in list {
        let allows = match statement.get(keys.effect).present() {
            Some(written) => written.as_str()? == "Allow",
            None => statement.get(keys.effect).is_missing(),
        };
        let actions = statement.get(keys.action).present()?;
        let is_unmet = statement.get(keys.condition).present().and_then(never_met).is_some();
        match &actions.kind {
            _ if !allows || is_unmet => {}
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
