//! What the policy of the controller's role does not allow although its version needs it.

use crate::{
    checks::{
        identity::{
            any_text,
            needed::needs_it,
            statements::{self, matches},
        },
        module_step::{ModuleChange, raised},
        varying::versions,
    },
    findings::{
        change::{Change, NewValue},
        silence::Silence,
        subject::Subject,
    },
    knowledge::identity::{
        self, Ability,
        need::{Maker, Need, each_once},
        needs,
        switch::ModuleSwitch,
    },
    model::{
        Model,
        module_call::{ModuleCall, version_of},
        role_maker::{RoleMaker, RoleMakers},
    },
    resolve::{
        release::Release,
        terraform::{
            module_source::ModuleSource,
            object::{BlockInstance, Mode},
        },
    },
    source::Span,
    value::{Field, Kind, Value, cause::Cause},
    version::{Version, constraint::Constraint},
};

/// A policy that does not allow everything the controller needs.
#[derive(Debug)]
pub(crate) struct Denied<'m> {
    /// The release of the controller.
    pub release: &'m Release,
    /// Where to point.
    pub place: Span,
    /// The block that makes the policy.
    pub subject: Subject,
    /// What is not allowed.
    pub needs: Vec<&'static Need>,
    /// The conditions of statements that nothing meets, and why.
    pub conditions: Vec<(Span, Unmet)>,
    /// Where statements name an action under another service, and which it is.
    pub misnamed: Vec<(Span, String, &'static Need)>,
    /// What makes the policy.
    pub source: PolicySource,
}

/// Why nothing meets a condition.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unmet {
    /// It asks for a tag that Karpenter no longer gives, and that this is for.
    FormerTag(&'static Need),
    /// It compares a tag with a text that has a `*` in it, letter by letter.
    LiteralStar,
}

/// What makes a policy.
#[derive(Clone, Debug)]
pub(crate) enum PolicySource {
    /// A module.
    Module {
        /// The one input of it that would allow all that is needed.
        switch: Option<&'static str>,
        /// Its first version that allows all of it without an input, and what classes may come to need.
        allowed_since: Option<&'static Version>,
        /// What that version allows besides, for classes with certain fields.
        besides: Vec<&'static Need>,
        /// What the call has to change to have that version: first the version itself.
        raised: Option<Box<(Change, Vec<ModuleChange>)>>,
        /// What sets the input.
        set: Option<Box<Change>>,
        /// The input that takes further statements.
        statements: Option<&'static str>,
    },
    /// The code of the repository: a statement that could allow more, and the key of its actions.
    Own(Option<(Value, &'static str)>),
    /// AWS: nobody adds anything to it.
    Aws,
}

/// The Terraform modules that make the controller's role, and those whose policy does not allow everything the
/// controller needs.
#[must_use]
pub(super) fn policies(model: &Model) -> Vec<(Span, Result<Denied<'_>, Silence>)> {
    let makers = RoleMakers::of(model);
    let judged = makers.list.iter().map(|it| (it.report_span(), denied_by(model, it)));
    judged.collect()
}

fn denied_by<'m>(model: &'m Model, maker: &RoleMaker<'m>) -> Result<Denied<'m>, Silence> {
    let role = maker.makes(Ability::ControllerRole);
    let unknown = "whether the module makes the role of the controller is not known";
    if !role.ok_or(Silence::undecided(Cause::Value, unknown))? {
        return Err(Silence::sound("it makes no role for the controller"));
    }
    let releases = maker.controllers.as_slice();
    let unseen = "no release of the controller is surely the one that has this role";
    let release = *releases.first().ok_or(Silence::undecided(Cause::Value, unseen))?;
    let lacking: Vec<&'static Need> = needs()
        .iter()
        .filter(|need| {
            lacks(maker, need) && releases.iter().all(|it| needs_it(model, it, releases, need))
        })
        .collect();
    if lacking.is_empty() && maker.version.is_none() {
        let words = "the version of the module is not known";
        return Err(Silence::undecided(Cause::Version, words));
    }
    if lacking.is_empty() {
        return Err(allowed(model, maker, releases));
    }
    let lacking = for_all_nodes(each_once(lacking));
    let place = switch_for(maker, &lacking).unwrap_or(maker.version_place());
    let besides = besides(maker, release, &lacking);
    let since = allowed_since(maker, &lacking)
        .max(allowed_since(maker, &besides).filter(|_| allowed_since(maker, &lacking).is_some()))
        .filter(|it| !is_excluded(maker, it));
    Ok(Denied {
        release,
        place,
        subject: maker.subject(),
        conditions: Vec::new(),
        misnamed: Vec::new(),
        source: PolicySource::Module {
            switch: switch_name(maker, &lacking),
            allowed_since: since,
            raised: since.and_then(|it| raised(&call(maker)?, it)).map(Box::new),
            besides,
            statements: statements_input(maker),
            set: switch_name(maker, &lacking).map(|it| Box::new(set(maker, it))),
        },
        needs: lacking,
    })
}

/// What else the policy lacks of what the version of a release needs for classes with certain fields, as far as a
/// version of the module allows it.
fn besides(
    maker: &RoleMaker<'_>,
    release: &Release,
    lacking: &[&'static Need],
) -> Vec<&'static Need> {
    let version = release.allowed();
    let is_of_version =
        |it: &Need| version.as_ref().is_some_and(|own| own.within(&it.range()) == Some(true));
    let others = needs().iter().filter(|it| it.with_class_field.is_some() && is_of_version(it));
    let others = others.filter(|it| !lacking.iter().any(|own| std::ptr::eq(*own, *it)));
    others.filter(|it| lacks(maker, it) && it.allowed_since(maker.maker).is_some()).collect()
}

/// What is lacking for all nodes, if there is such: what only the nodes of an earlier version lack may concern none.
fn for_all_nodes(lacking: Vec<&'static Need>) -> Vec<&'static Need> {
    let (of_all, of_some): (Vec<_>, Vec<_>) =
        lacking.into_iter().partition(|it| it.for_nodes_before.is_none());
    if of_all.is_empty() { of_some } else { of_all }
}

/// Why nothing that the releases need is surely denied.
fn allowed(model: &Model, maker: &RoleMaker<'_>, releases: &[&Release]) -> Silence {
    if let Some(silence) = releases.iter().find_map(|it| versions(model, it).err()) {
        return silence;
    }
    let open = needs().iter().find(|need| {
        let switch = need.allowed_by(maker.maker, maker.version.as_ref());
        maker.decides(switch, "") != Some(true)
            && !is_named(maker, need)
            && releases.iter().all(|it| needs_it(model, it, releases, need))
    });
    match open {
        Some(need) => {
            let words = format!("whether its policy, or one beside it, allows `{}`", need.action);
            Silence::undecided(Cause::Value, words + " is not known")
        }
        None => Silence::sound("its policy allows what this version of Karpenter needs"),
    }
}

/// Whether what is given to the module, or a policy beside it, names what is needed.
fn is_named(maker: &RoleMaker<'_>, need: &Need) -> bool {
    any_text(&maker.object.body, &|text| text.contains(&need.action))
        || is_allowed_around(maker, &need.action)
}

/// Whether its policy certainly does not allow something, with all that is added to it.
fn lacks(maker: &RoleMaker<'_>, need: &Need) -> bool {
    let switch = need.allowed_by(maker.maker, maker.version.as_ref());
    maker.decides(switch, "") == Some(false)
        && !adds(maker, &need.action)
        && !is_attached_to(maker, &need.action)
        && !is_allowed_around(maker, need.tag.as_ref().unwrap_or(&need.action))
}

/// The one input that would allow all that is needed, or that denies it: where it says so, or what it is missing from.
fn switch_for(maker: &RoleMaker<'_>, lacking: &[&'static Need]) -> Option<Span> {
    let first = lacking.first()?;
    let name = match first.allowed_by(maker.maker, maker.version.as_ref()) {
        Some(ModuleSwitch::Unless(name)) => name,
        _ => switch_name(maker, lacking)?,
    };
    Some(maker.input(name).present().map_or(maker.report_span(), |it| it.span))
}

fn switch_name(maker: &RoleMaker<'_>, lacking: &[&'static Need]) -> Option<&'static str> {
    let name = |need: &'static Need| match need.allowed_by(maker.maker, maker.version.as_ref()) {
        Some(ModuleSwitch::Input { name, .. }) => Some(name),
        _ => None,
    };
    let first = name(lacking.first()?)?;
    lacking.iter().all(|it| name(it) == Some(first)).then_some(first)
}

/// Whether its inputs may add the action to the policy.
pub(super) fn adds(maker: &RoleMaker<'_>, action: &str) -> bool {
    let (statements, documents, policies): (&[&str], &[&str], &[&str]) = match maker.maker {
        Maker::EksModule => (&["iam_policy_statements"], &[], &["iam_role_policies", "policies"]),
        Maker::Blueprints => (
            &["karpenter.policy_statements"],
            &["karpenter.source_policy_documents", "karpenter.override_policy_documents"],
            &["karpenter.role_policies"],
        ),
    };
    let allow = |it: &&str| allows(maker.input(it), action);
    let is_there = |it: &&str| match maker.input(it) {
        Field::Missing => false,
        Field::Unknown => true,
        Field::Present(value) => !value.is_empty(),
    };
    let may =
        |it: &Value| !is_narrow(it) && statements::may_allow(maker.root, maker.object, it, action);
    let managed = |it: &&str| match maker.input(it) {
        Field::Missing => false,
        Field::Unknown => true,
        Field::Present(value) => match &value.kind {
            Kind::Map(map) => map.rest.is_some() || map.entries.iter().any(|it| may(&it.value)),
            Kind::List(list) => list.rest.is_some() || list.items.iter().any(may),
            _ => true,
        },
    };
    statements.iter().any(allow) || documents.iter().any(is_there) || policies.iter().any(managed)
}

/// Whether the code gives the role a policy of its own that may allow an action.
pub(super) fn is_attached_to(maker: &RoleMaker<'_>, action: &str) -> bool {
    const OUTPUTS: &[&str] = &["iam_role_name", "iam_role_arn", "irsa_name", "irsa_arn"];
    let kinds =
        ["aws_iam_role_policy_attachment", "aws_iam_role_policy", "aws_iam_policy_attachment"];
    let mut attachments = kinds.into_iter().flat_map(|it| maker.root.of(Mode::Resource, it));
    let allows = |it: &BlockInstance| match it.body.get("policy_arn").present() {
        Some(arn) => statements::may_allow(maker.root, it, arn, action),
        None => statements::written(maker.root, it).may_allow(action),
    };
    attachments.any(|it| names_output(maker, it, OUTPUTS) && allows(it))
}

fn names_output(maker: &RoleMaker<'_>, attachment: &BlockInstance, outputs: &[&str]) -> bool {
    let names = |it: &Value| match &it.kind {
        Kind::Unknown(symbol) => maker.gives(&symbol.text, outputs),
        Kind::String(text) => text.holes.iter().any(|it| maker.gives(&it.text, outputs)),
        _ => false,
    };
    ["role", "roles"].iter().any(|key| {
        let role = attachment.body.get(key).present();
        role.is_some_and(|it| names(it) || it.items().iter().any(names))
    })
}

/// Whether any policy of the same root names the action, or its tag: it may be attached by ways that are not seen.
fn is_allowed_around(maker: &RoleMaker<'_>, word: &str) -> bool {
    let resources = ["aws_iam_policy", "aws_iam_role_policy"];
    let resources = resources.into_iter().flat_map(|it| maker.root.of(Mode::Resource, it));
    let documents = maker.root.of(Mode::Data, "aws_iam_policy_document");
    let names = |it: &BlockInstance| any_text(&it.body, &|text| text.contains(word));
    resources.chain(documents).any(names)
}

/// The call, where it is one of `terraform-aws-modules/eks`.
fn call<'m>(maker: &RoleMaker<'m>) -> Option<ModuleCall<'m>> {
    let root = maker.scope.root?;
    let is_it = |it: &BlockInstance| std::ptr::eq(it, maker.object);
    ModuleCall::of(root, maker.root, maker.root.objects.iter().position(is_it)?)
}

/// The input of the call that takes further statements.
fn statements_input(maker: &RoleMaker<'_>) -> Option<&'static str> {
    match maker.maker {
        Maker::EksModule => {
            let takes = identity::takes_statements(maker.version.as_ref()?);
            takes.then_some("iam_policy_statements")
        }
        Maker::Blueprints => Some("karpenter.policy_statements"),
    }
}

/// Whether `terraform init` would find no AWS provider for a version of the module: beside what the root's own code
/// requires, and the other calls of the module's repository, which stay as they are.
fn is_excluded(maker: &RoleMaker<'_>, version: &Version) -> bool {
    let Some(needed) = identity::aws_provider(&version.clone().into()) else { return false };
    let is_other = |it: &&BlockInstance| {
        let source = ModuleSource::of(it);
        let known = [ModuleSource::EKS, ModuleSource::EKS_KARPENTER];
        !std::ptr::eq(*it, maker.object)
            && it.header != maker.object.header
            && known.into_iter().any(|known| source.is(known))
    };
    let others = maker.root.of(Mode::Module, "module").filter(is_other);
    let of_others = others.filter_map(|it| identity::aws_provider(&version_of(it)?));
    let written = maker.root.aws_versions.iter().filter_map(|it| Constraint::parse(it));
    maker.maker == Maker::EksModule && of_others.chain(written).any(|it| !it.meets(&needed))
}

/// What switches an input on.
fn set(maker: &RoleMaker<'_>, name: &str) -> Change {
    Change::set(&maker.object.body, name, NewValue::plain("true"))
}

/// The first version of the module that allows all that is needed.
fn allowed_since(maker: &RoleMaker<'_>, lacking: &[&'static Need]) -> Option<&'static Version> {
    let since: Option<Vec<&'static Version>> =
        lacking.iter().map(|it| it.allowed_since(maker.maker)).collect();
    since?.into_iter().max()
}

/// Whether statements, a list or a map of them, may allow an action.
fn allows(statements: Field<'_>, action: &str) -> bool {
    let value = match statements {
        Field::Missing => return false,
        Field::Unknown => return true,
        Field::Present(value) => value,
    };
    let allows = |it: &Value| match it.get("actions") {
        Field::Missing => !it.get("not_actions").is_missing(),
        Field::Unknown => true,
        Field::Present(actions) => {
            let list = actions.as_list();
            let matched = |it: &Value| it.as_str().is_none_or(|it| matches(it, action));
            list.is_none_or(|it| it.rest.is_some() || it.items.iter().any(matched))
        }
    };
    match &value.kind {
        Kind::List(list) => list.rest.is_some() || list.items.iter().any(allows),
        Kind::Map(map) => map.rest.is_some() || map.entries.iter().any(|it| allows(&it.value)),
        _ => true,
    }
}

/// Whether a policy is one of AWS's own for a narrow purpose: none of those allows what Karpenter needs.
fn is_narrow(policy: &Value) -> bool {
    const BROAD: &[&str] = &["Full", "Admin", "Power", "ReadOnly", "ViewOnly", "EC2", "Audit"];
    let name = policy.as_str().and_then(|it| it.strip_prefix("arn:aws:iam::aws:policy/"));
    name.is_some_and(|it| !BROAD.iter().any(|word| it.contains(word)))
}
