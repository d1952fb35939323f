//! Classes that name a role in a way that no role has.

use std::collections::HashSet;

use crate::{
    checks::identity::{
        generated_role,
        policy::{adds, is_attached_to},
    },
    findings::{mention::Claim, silence::Silence, subject::Subject},
    knowledge::identity::{Ability, need::Maker},
    model::{
        Model,
        node_pool::class::NodeClass,
        role_maker::{RoleMaker, RoleMakers},
        scope::Scoped,
    },
    resolve::{answers, scope::Scope, setting::Setting, terraform::object::Mode},
    source::{Span, is_below},
    value::{
        Field, HOLE_START, Kind, Value, alternatives::alternatives, cause::Cause,
        stand_in::is_stand_in,
    },
    version::Version,
};

/// A class whose role cannot be the one its nodes should have.
#[derive(Debug)]
pub(crate) struct Misnamed<'m> {
    /// Where the role is written.
    pub span: Span,
    /// Why no node gets it.
    pub why: RoleNameFault,
    /// Which of several kustomizations builds the class.
    pub subject: Option<&'m Subject>,
    /// What may make the role after all.
    pub unless_mentioned: Option<Claim>,
}

/// What is wrong with the name of a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RoleNameFault {
    /// It is an ARN, in this field.
    Arn(&'static str),
    /// It ends like a name that Terraform generated in one apply.
    Copied {
        /// What makes such a role, or such a profile, if that is seen.
        maker: Option<Span>,
        /// What the field names: a role or an instance profile.
        thing: &'static str,
    },
    /// This makes a role of that name with a generated suffix.
    Prefixed(Span),
    /// The call makes the role with a generated name.
    Generated {
        /// The call.
        call: Span,
        /// Whether the name is right up to the part that is generated.
        lacks_suffix: bool,
        /// What gives the name: `module.karpenter.node_iam_role_name`.
        output: String,
    },
}

/// The fields that name what gives nodes their permissions.
const FIELDS: [&str; 2] = ["role", "instanceProfile"];

/// The roles and instance profiles that classes name, and those that their nodes cannot have.
#[must_use]
pub(crate) fn named_roles(model: &Model) -> Vec<(Span, Result<Misnamed<'_>, Silence>)> {
    let makers = RoleMakers::of(model);
    let to_replace: HashSet<Span> =
        model.karpenter_objects.iter().flat_map(|it| it.to_replace.iter().copied()).collect();
    let fields = model.node_classes.iter().flat_map(|it| FIELDS.map(|field| (it, field)));
    let judged = fields.filter_map(|(class, field)| {
        let written = class.object.at("spec").get(field).present()?;
        if to_replace.contains(&written.span) {
            let words = "the comment on its line says that it is to be replaced";
            return Some((written.span, Err(Silence::undecided(Cause::Value, words))));
        }
        Some((written.span, misnamed(model, &makers, class, (field, written))))
    });
    judged.collect()
}

fn misnamed<'m>(
    model: &'m Model,
    makers: &RoleMakers<'m>,
    class: &'m NodeClass,
    (field, written): (&'static str, &Value),
) -> Result<Misnamed<'m>, Silence> {
    let subject = class.subject.as_ref();
    if is_for_auto_mode_alone(model, class) {
        let words = "its cluster may be of EKS Auto Mode, and no Karpenter is beside it";
        return Err(Silence::undecided(Cause::Value, words));
    }
    if is_arn(written) {
        if field == "role" && may_shorten_arns(model, class) {
            return Err(Silence::sound("Karpenter takes the name out of the ARN of a role"));
        }
        let (span, why) = (written.span, RoleNameFault::Arn(field));
        return Ok(Misnamed { span, why, subject, unless_mentioned: None });
    }
    if is_reference(written) {
        return Err(Silence::sound("it refers to the role, or to what makes it"));
    }
    let otherwise = || Silence::sound("no module of the repository makes it under another name");
    let text = Setting::written(written, |it| it.as_str().map(str::to_owned));
    let profile = text.known().filter(|_| field == "instanceProfile");
    if let Some(why) = profile.and_then(|it| generated_profile(model, makers, class, it)) {
        return Ok(Misnamed { span: written.span, why, subject, unless_mentioned: None });
    }
    if field != "role" || makers.list.is_empty() && text.known().is_none() {
        return Err(otherwise());
    }
    let name = text.decided("`role`")?;
    let own = (!makes_role(model, name)).then(|| generated(model, makers, class, name)).flatten();
    if let Some(why) = own {
        return Ok(Misnamed { span: written.span, why, subject, unless_mentioned: None });
    }
    if makers.list.is_empty() || is_generated(name) && makes_role(model, name) {
        return Err(otherwise());
    }
    if is_generated(name) {
        let words = "whether Terraform generated the end of this name is not clear";
        return Err(Silence::undecided(Cause::Value, words));
    }
    if !is_name(name) {
        return Err(Silence::undecided(Cause::Value, format!("`{name}` is a placeholder")));
    }
    guessed(model, makers, class, (written.span, name))
}

/// Whether a class is in the folder of clusters that may be of EKS Auto Mode, with no Karpenter of their own.
fn is_for_auto_mode_alone(model: &Model, class: &NodeClass) -> bool {
    let clusters = model.clusters_near(&class.scope);
    let is_its = |it: &Scope| clusters.iter().any(|own| is_below(&it.folder, &own.scope.folder));
    let (_, installation) = model.karpenter_near(&class.scope);
    !clusters.is_empty()
        && clusters.iter().all(|it| it.may_be_auto)
        && is_its(&class.scope)
        && !installation.is_some_and(|it| is_its(it.scope()))
}

/// What is wrong with a name that a generated suffix belongs to, or that has one.
fn generated(
    model: &Model,
    makers: &RoleMakers<'_>,
    class: &NodeClass,
    name: &str,
) -> Option<RoleNameFault> {
    let Some(before) = generated_role::before_suffix(name) else {
        return generated_role::maker(model, name).map(RoleNameFault::Prefixed);
    };
    let maker = generated_role::maker(model, before);
    let maker = maker.or_else(|| of_module(model, makers, class, before));
    Some(RoleNameFault::Copied { maker, thing: "role" })
}

/// The module that makes the role of a class, and a profile of its name, with a generated suffix behind that name.
fn of_module(
    model: &Model,
    makers: &RoleMakers<'_>,
    class: &NodeClass,
    before: &str,
) -> Option<Span> {
    let maker = makers.of_class(class)?;
    let own = node_role_name(maker, model);
    let is_its = own.is_none_or(|it| it == before.trim_end_matches('-'));
    is_its.then(|| maker.report_span())
}

/// What is wrong with the name of an instance profile that has a generated suffix, and that nothing here gives one.
fn generated_profile(
    model: &Model,
    makers: &RoleMakers<'_>,
    class: &NodeClass,
    name: &str,
) -> Option<RoleNameFault> {
    let before = generated_role::before_suffix(name)?;
    if makes(model, "aws_iam_instance_profile", name) {
        return None;
    }
    let maker = generated_role::profile_maker(model, before);
    let maker = maker.or_else(|| of_module(model, makers, class, before));
    Some(RoleNameFault::Copied { maker, thing: "instance profile" })
}

/// The first release that takes what is behind the last `/` of a role: `InstanceProfile` of
/// `pkg/providers/instanceprofile/instanceprofile.go`, read at v1.3.1.
const SHORTENS_ARNS: Version = Version::new(1, 2, 0);

/// Whether the controller may take the name out of the ARN of a role.
fn may_shorten_arns(model: &Model, class: &NodeClass) -> bool {
    let (version, _) = model.karpenter_near(&class.scope);
    version.is_none_or(|it| it >= SHORTENS_ARNS)
}

fn guessed<'m>(
    model: &'m Model,
    makers: &RoleMakers<'m>,
    class: &'m NodeClass,
    (span, role): (Span, &str),
) -> Result<Misnamed<'m>, Silence> {
    let unclear = "which module makes the role of its nodes is not clear";
    let maker = makers.of_class(class).ok_or(Silence::undecided(Cause::Ambiguous, unclear))?;
    let generated =
        answers::all([Ability::NodeRole, Ability::NodeRolePrefix].map(|it| maker.makes(it)));
    let unknown = "whether the module generates the name of the role is not known";
    if !generated.ok_or(undecided(unknown, maker))? {
        return Err(Silence::sound("no module of the repository makes it under another name"));
    }
    let own = node_role_name(maker, model);
    let lacks_suffix = own.as_deref() == Some(role);
    if makes_role(model, role) {
        return Err(Silence::sound("a role of the repository has that name, or may have it"));
    }
    if !lacks_suffix && may_pass_other_roles(maker) {
        return Err(undecided("the controller may pass other roles than the module's", maker));
    }
    let why = RoleNameFault::Generated {
        call: maker.report_span(),
        lacks_suffix,
        output: node_role_output(maker),
    };
    let subject = class.subject.as_ref();
    let unless_mentioned = (!lacks_suffix).then(|| Claim::Role(role.to_owned()));
    Ok(Misnamed { span, why, subject, unless_mentioned })
}

fn undecided(words: &'static str, maker: &RoleMaker<'_>) -> Silence {
    Silence::undecided(Cause::Value, words).at(maker.report_span(), "the module")
}

/// Whether an expression names something that the repository makes: a resource, or an output of a module.
fn is_reference(value: &Value) -> bool {
    let symbol = match &value.kind {
        Kind::Unknown(symbol) => Some(symbol),
        Kind::String(text) => text.only_hole(),
        _ => None,
    };
    symbol.is_some_and(|it| {
        ["module.", "aws_iam_", "data.aws_iam_"].iter().any(|start| it.text.starts_with(start))
    })
}

/// Whether a role of some root may have that name.
fn makes_role(model: &Model, name: &str) -> bool {
    makes(model, "aws_iam_role", name)
}

/// Whether a resource of that kind may have that name.
fn makes(model: &Model, kind: &str, name: &str) -> bool {
    let mut all = model.terraform.roots.iter().flat_map(|it| it.of(Mode::Resource, kind));
    // With a prefix, the name is one that nobody knows before.
    all.any(|it| match it.body.get("name") {
        _ if it.body.get("name_prefix").present().is_some_and(|it| !it.is_null()) => false,
        Field::Present(value) => may_be(value, name),
        Field::Missing => false,
        Field::Unknown => true,
    })
}

/// The name it gives to the role of the nodes, up to what is generated, if it is known.
fn node_role_name(maker: &RoleMaker<'_>, model: &Model) -> Option<String> {
    let (input, default) = match maker.maker {
        Maker::EksModule => (maker.input("node_iam_role_name"), "Karpenter-"),
        Maker::Blueprints => (maker.input("karpenter_node.iam_role_name"), "karpenter-"),
    };
    match input {
        Field::Present(name) => name.as_str().map(str::to_owned),
        Field::Missing => Some(format!("{default}{}", maker.cluster(model)?)),
        Field::Unknown => None,
    }
}

/// Whether the controller may give other roles to instances than the one made here.
fn may_pass_other_roles(maker: &RoleMaker<'_>) -> bool {
    adds(maker, "iam:PassRole") || is_attached_to(maker, "iam:PassRole")
}

fn node_role_output(maker: &RoleMaker<'_>) -> String {
    match maker.maker {
        Maker::EksModule => format!("{}.node_iam_role_name", maker.title()),
        Maker::Blueprints => format!("{}.karpenter.node_iam_role_name", maker.title()),
    }
}

/// Whether a value is an ARN: a text that begins like one, or an expression that gives one.
fn is_arn(value: &Value) -> bool {
    match &value.kind {
        Kind::String(text) if text.text.starts_with(HOLE_START) => {
            text.holes.first().is_some_and(|it| gives_arn(&it.text))
        }
        Kind::String(text) => text.text.starts_with("arn:"),
        Kind::Unknown(symbol) => gives_arn(&symbol.text),
        _ => false,
    }
}

/// Whether an expression names the ARN of a role or of an instance profile, whichever of its alternatives it is.
fn gives_arn(expression: &str) -> bool {
    let alternatives = alternatives(expression);
    !alternatives.is_empty() && alternatives.into_iter().all(is_reference_to_arn)
}

fn is_reference_to_arn(expression: &str) -> bool {
    const RESOURCES: &[&str] = &[
        "aws_iam_role.",
        "aws_iam_instance_profile.",
        "data.aws_iam_role.",
        "data.aws_iam_instance_profile.",
    ];
    const OUTPUTS: &[&str] = &[".role_arn", "iam_role_arn", ".instance_profile_arn"];
    let ends = |endings: &[&str]| endings.iter().any(|it| expression.ends_with(it));
    let resource = RESOURCES.iter().any(|it| expression.starts_with(it)) && ends(&[".arn"]);
    resource || (expression.starts_with("module.") && ends(OUTPUTS))
}

/// Whether a text can be the name of a role, and is not only a stand-in for one.
fn is_name(text: &str) -> bool {
    const STAND_INS: &[&str] = &["replace", "change", "your", "placeholder", "todo", "xxx"];
    let allowed = |it: char| it.is_ascii_alphanumeric() || "+=,.@_-".contains(it);
    let lower = text.to_ascii_lowercase();
    !text.is_empty()
        && text.chars().all(allowed)
        && !is_stand_in(text)
        && !STAND_INS.iter().any(|it| lower.contains(it))
}

/// Whether a name ends in so many digits that something may have generated them.
fn is_generated(name: &str) -> bool {
    let end = name.rsplit('-').next().unwrap_or_default();
    end.len() >= 18 && end.bytes().all(|it| it.is_ascii_hexdigit())
}

/// Whether a value may be that text, when what is not known of it is anything.
fn may_be(value: &Value, text: &str) -> bool {
    match &value.kind {
        Kind::String(known) if known.holes.is_empty() => &*known.text == text,
        Kind::String(known) => {
            let before = known.text.split(HOLE_START).next().unwrap_or_default();
            let after = known.text.rsplit(crate::value::HOLE_END).next().unwrap_or_default();
            text.len() >= before.len() + after.len()
                && text.starts_with(before)
                && text.ends_with(after)
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::{gives_arn, is_generated, is_name};

    #[test]
    fn names_are_told_from_stand_ins() {
        for (text, name, generated) in [
            ("KarpenterNodeRole-shop", true, false),
            ("Karpenter-shop-20260121200907518800000011", true, true),
            ("Karpenter-shop-2024", true, false),
            ("<<KARPENTER_NODE_IAM_ROLE_NAME>>", false, false),
            ("$KARPENTER_NODE_IAM_ROLE_NAME", false, false),
            ("REPLACE_ME", false, false),
            ("NODE_ROLE_NAME", false, false),
            ("__NODE_ROLE__", false, false),
            ("Shop_Node_Role", true, false),
            ("your-node-role", false, false),
            ("", false, false),
        ] {
            assert_eq!(is_name(text), name, "{text}");
            assert_eq!(is_generated(text), generated, "{text}");
        }
    }

    #[test]
    fn expressions_that_give_arns_say_so() {
        for (text, arn) in [
            ("aws_iam_role.nodes.arn", true),
            ("aws_iam_role.nodes[0].arn", true),
            ("module.karpenter.node_iam_role_arn", true),
            ("module.karpenter[0].role_arn", true),
            ("module.karpenter.instance_profile_arn", true),
            ("try(aws_iam_role.nodes[0].arn, null)", true),
            ("var.own ? aws_iam_role.nodes.arn : module.karpenter.role_arn", true),
            ("coalesce(var.role, aws_iam_role.nodes.arn)", false),
            ("aws_iam_role.nodes.name", false),
            ("module.karpenter.node_iam_role_name", false),
            ("var.node_role_arn", false),
        ] {
            assert_eq!(gives_arn(text), arn, "{text}");
        }
    }
}
