//! Controllers whose CRDs nothing else installs, and how each surface handles the CRDs of a chart.

use crate::{
    findings::{
        change::{Change, NewValue},
        silence::Silence,
        subject::Subject,
    },
    knowledge::karpenter,
    model::{
        Model,
        installation::{Installation, RenderedController},
        local_run::LocalRun,
        scope::Scoped,
    },
    resolve::{
        release::{
            CopiedCrds, Installer, Release, applied_crds::AppliedCrds, chart_version::ChartVersion,
            crd_switch::CrdSwitch, surface::Surface, unit::Parent,
        },
        setting::Setting,
    },
    source::{Span, is_below},
    value::cause::Cause,
    version::{Version, constraint::Constraint},
};

/// That nothing of the repository but its own chart may install the CRDs of a controller.
fn is_alone(model: &Model, controller: &Release) -> Result<(), Silence> {
    if controller.surface() == Surface::Eksctl {
        return Err(Silence::sound(
            "eksctl installs the chart once, and upgrades neither it nor its CRDs",
        ));
    }
    if model.crds_are_seen {
        let words = "a release, a manifest or a script of the repository installs the CRDs";
        return Err(Silence::sound(words));
    }
    may_come_from_aside(model)?;
    if controller.reusable {
        return Err(Silence::undecided(Cause::Value, "callers of the module may install the CRDs"));
    }
    Ok(())
}

/// That nothing that is off as far as one sees, and no copy that nothing installs, has the CRDs.
fn may_come_from_aside(model: &Model) -> Result<(), Silence> {
    let is_idle =
        |it: &&(String, Span)| !model.controllers().any(|other| installs_copy(other, &it.0));
    if let Some((_, place)) = model.crds_in_copies.iter().find(is_idle) {
        let words = "a copy of its chart that nothing installs holds CRDs, which may be applied";
        let silence = Silence::undecided(Cause::Ambiguous, words);
        return Err(silence.at(*place, "a CRD in the copy"));
    }
    if let Some(off) = model.releases.iter().find(|it| it.is_crds()) {
        let words = "a release of the CRDs that is off as far as one sees may install them";
        return Err(Silence::undecided(Cause::Value, words).at(off.report_span, "the release"));
    }
    if let Some(off) = model.applied_crds.iter().find(|it| it.is_optional) {
        let words = "manifests of the CRDs that are off as far as one sees may install them";
        return Err(Silence::undecided(Cause::Value, words).at(off.unit, "the manifest"));
    }
    Ok(())
}

/// Whether a controller is installed from a folder, or from a chart around it: then its CRDs come with that chart.
fn installs_copy(controller: &Release, folder: &str) -> bool {
    let own = [controller.local_chart.as_deref(), controller.part_of.as_deref()];
    own.into_iter().flatten().any(|it| is_below(folder, it))
}

/// That the CRDs of a controller are installed with its chart, once.
pub(crate) fn never_upgraded(model: &Model, controller: &Release) -> Result<(), Silence> {
    is_alone(model, controller)?;
    if is_around(controller) {
        let words = "by its values its chart is one around Karpenter's, which is not here";
        return Err(Silence::undecided(Cause::Chart, words));
    }
    // All charts that were read have them beside their templates, of which 0.16.3 is the first.
    if is_before(controller, (0, 16)) == Some(true) {
        let words = "whether so old a chart makes its CRDs with its templates is not known";
        return Err(Silence::undecided(Cause::Chart, words));
    }
    let parent = controller.unit().and_then(|it| it.parent);
    if parent == Some(Parent::ClusterScript) {
        return Err(Silence::sound("its script makes the cluster first: nothing is upgraded"));
    }
    let without = "the copy of its chart in the repository holds no CRDs";
    match controller.lacks_crds {
        CopiedCrds::Kept => {}
        CopiedCrds::LeftOut => return Err(Silence::sound(without)),
        CopiedCrds::NotSeen => return Err(Silence::undecided(Cause::MissingFile, without)),
    }
    if *controller.skip_crds.decided("the switch that skips CRDs")? {
        return Err(Silence::sound("the CRDs of the chart are skipped"));
    }
    if *controller.upgrade_crds.decided("how CRDs are upgraded")? {
        return Err(Silence::sound("each upgrade of the release upgrades its CRDs"));
    }
    Ok(())
}

/// Whether no newer chart is where a controller's comes from: the next one is taken from elsewhere, with more to change.
pub(crate) fn is_the_last(controller: &Release) -> bool {
    is_before(controller, (0, 17)).unwrap_or_else(|| controller.is_from_retired_repository())
}

/// Whether the version of a release, if that is known, comes before a minor one.
fn is_before(controller: &Release, (major, minor): (u64, u64)) -> Option<bool> {
    let version = Version::parse(controller.version.known()?)?;
    Some(version < Version::new(major, minor, 0))
}

/// Whether a chart from somewhere is given values for another chart inside it, which has the name of its own:
/// `karpenter: {settings: …}`.
fn is_around(controller: &Release) -> bool {
    let inner = controller.values.get("karpenter");
    !controller.is_upstream() && inner.present().is_some_and(|it| !it.entries().is_empty())
}

/// The resource of Terraform whose commands apply the CRDs of a controller once, whatever version follows.
pub(crate) fn applied_once<'m>(model: &'m Model, controller: &Release) -> Option<&'m LocalRun> {
    let run = model.crds_applied_once().filter(|it| controller.scope.root == Some(it.root))?;
    let is_sure = !controller.reusable && !controller.is_optional;
    // A chart without a version is of the newest, as it was on the day of its install.
    let is_upgraded = controller.upgrade_crds.known() != Some(&false);
    (is_sure && !is_upgraded && controller.version.known().is_some()).then_some(run)
}

/// The controllers in a repository with a release of CRDs that is not surely theirs.
pub(crate) fn unpaired(model: &Model) -> impl Iterator<Item = (Span, Silence)> {
    let has_crds = model.releases.iter().any(Release::is_crds);
    let is_paired = |it: &Release| {
        model.crd_pairs.iter().any(|pair| std::ptr::eq(pair.controller(&model.releases), it))
    };
    let unpaired = model.controllers().filter(move |it| has_crds && !is_paired(it));
    let words = "which `karpenter-crd` release belongs to it is not clear";
    unpaired.map(move |it| (it.report_span, Silence::undecided(Cause::Ambiguous, words)))
}

/// The setting by which the CRDs of a controller are installed by nothing.
pub(crate) fn skipped_by_all<'m>(
    model: &Model,
    controller: &'m Release,
) -> Result<&'m Setting<bool>, Silence> {
    is_alone(model, controller)?;
    let skip = &controller.skip_crds;
    if controller.lacks_crds == CopiedCrds::LeftOut {
        if controller.installer == Installer::Anybody {
            let words = "who installs the chart that its copy is in may install the CRDs";
            return Err(Silence::undecided(Cause::Value, words));
        }
        return Ok(skip);
    }
    if !*skip.decided("the switch that skips CRDs")? {
        return Err(Silence::sound("the chart installs its CRDs"));
    }
    Ok(skip)
}

/// Whether the repository applies a rendered controller: Terraform or a kustomization does, and nothing of them is unread.
/// Who applies a plain file may apply the CRDs from elsewhere.
pub(crate) fn rendered_without(
    model: &Model,
    (controller, rendered): (&Installation, &RenderedController),
) -> Result<bool, Silence> {
    if rendered.subject.as_ref().is_some_and(|it| it.rendered.is_some()) {
        return Err(Silence::sound("its chart brings the CRDs along, or whoever installs that"));
    }
    if model.crds_are_seen {
        let words = "a release, a manifest or a script of the repository installs the CRDs";
        return Err(Silence::sound(words));
    }
    if let Some(release) = model.controllers().next() {
        let words = "a release of the chart may install the CRDs";
        let silence = Silence::undecided(Cause::Ambiguous, words);
        return Err(silence.at(release.report_span, "the release"));
    }
    may_come_from_aside(model)?;
    let scope = controller.scope();
    let root = scope.root.and_then(|it| model.terraform.roots.get(it));
    if controller.is_for_anybody || root.is_some_and(|it| it.reusable) {
        let words = "who installs the chart or calls the module may install the CRDs";
        return Err(Silence::undecided(Cause::Value, words));
    }
    let build = scope.build.and_then(|it| model.kustomizations.get(it));
    if root.is_some_and(|it| it.incomplete) || build.is_some_and(|it| !it.complete) {
        let words = "a part of what applies it is not read, and may install the CRDs";
        return Err(Silence::undecided(Cause::MissingFile, words));
    }
    Ok(root.is_some() || build.is_some())
}

/// How the surface of a release brings CRDs up to date.
#[must_use]
pub(crate) fn upgrade_help(model: &Model, release: &Release) -> String {
    if lacks_crd_chart(release) {
        return "Apply the CRDs of each version first; from 0.26.1 on the chart `karpenter-crd` installs them".to_owned();
    }
    let surface = release.surface();
    let help = match surface {
        Surface::Terraform if is_one_of_many(model, release) => {
            "Install `karpenter-crd` of the same version as well, and set `skip_crds` for Karpenter alone: this block installs other charts, too"
        }
        Surface::Terraform => {
            "Add a `karpenter-crd` release of the same version and set `skip_crds = true` on this one"
        }
        Surface::Helmfile => {
            "Add a `karpenter-crd` release that this one `needs`, and skip its own CRDs (`skipCRDs`, `--skip-crds`)"
        }
        Surface::Script => {
            "Install `karpenter-crd` of the same version before, and give this command `--skip-crds`"
        }
        Surface::ChartDependency => {
            "Install `karpenter-crd` of the same version as a release of its own, before this chart: as another dependency of it Helm would refuse the CRDs"
        }
        Surface::Flux => "Set `upgrade.crds: CreateReplace`, or add a `karpenter-crd` release",
        _ => "Add a `karpenter-crd` release of the same version",
    };
    if surface == Surface::Flux {
        help.to_owned()
    } else {
        help.to_owned() + &handover(model, release)
    }
}

/// Whether no `karpenter-crd` has the version of a release. One that is not known is, in a repository with an index, one
/// of those before the registry: the project publishes no other there.
fn lacks_crd_chart(release: &Release) -> bool {
    match release.allowed() {
        Some(allowed) => karpenter::may_have_crd_chart(&allowed) == Some(false),
        None => release.is_from_index(),
    }
}

/// Whether one block of Terraform installs a release and charts that are not Karpenter's, other than the one around it.
#[must_use]
pub(crate) fn is_one_of_many(model: &Model, release: &Release) -> bool {
    // What is written in a mapping of its own is so for that chart alone.
    let is_around = |it: &Release| it.local_chart.is_some() && it.local_chart == release.part_of;
    let is_sibling = |it: &Release| it.part_of.is_some() && it.part_of == release.part_of;
    let is_other = |it: &Release| {
        !it.is_of_karpenter()
            && !is_around(it)
            && (it.shares_block_with(release) || is_sibling(it))
            && it.report_span == release.report_span
    };
    model.releases.iter().any(is_other)
}

/// What a cluster needs before another release can have the CRDs that the chart installed.
fn handover(model: &Model, release: &Release) -> String {
    let flag = match release.surface() {
        Surface::Terraform if takes_ownership(model, release) => {
            ", or `take_ownership = true` (Helm provider 3.1)"
        }
        Surface::Script => ", or `--take-ownership` (Helm 3.17)",
        _ => "",
    };
    format!(". CRDs that are in a cluster by then need Helm's labels and annotations first{flag}")
}

/// Whether the Helm provider of a release may have the argument `take_ownership`: neither what its root requires or
/// locks nor what only older ones read rules it out.
fn takes_ownership(model: &Model, release: &Release) -> bool {
    const SINCE: Version = Version::new(3, 1, 0);
    let root = release.scope.root.and_then(|it| model.terraform.roots.get(it));
    let Some(root) = root else { return true };
    let newer = Constraint::parse(&format!(">= {SINCE}"));
    let asked = root.helm_versions.iter().filter_map(|it| Constraint::parse(it));
    newer.is_none_or(|newer| asked.into_iter().all(|it| it.meets(&newer)))
}

/// Whether the surface of a release can skip the CRDs of its chart at all.
#[must_use]
pub(crate) fn can_be_skipped(release: &Release) -> bool {
    release.surface() != Surface::ChartDependency
}

/// Whether what skips the CRDs of a release skips those of other charts as well: a helmfile sets it once for
/// all.
#[must_use]
pub(crate) fn are_skipped_for_all(release: &Release) -> bool {
    release.surface() == Surface::Helmfile
}

/// How the surface of a release skips the CRDs of its chart.
#[must_use]
pub(crate) fn skip_help(release: &Release) -> &'static str {
    match release.surface() {
        Surface::ArgoCd => "Set `helm.skipCrds: true` on the controller's source",
        Surface::Flux => "Set `install.crds: Skip` on the controller release",
        Surface::Helmfile => {
            "Set `skipCRDs: true` in `helmDefaults`; it takes the CRDs of all releases of this helmfile, so that others with CRDs have to move to one of their own"
        }
        Surface::Kustomize => "Remove `includeCRDs` from the controller's chart",
        Surface::CloudFormation => "Set `skipCrds` on the controller's `HelmChart`",
        Surface::Pulumi => "Set `skipCrds: true` on the controller's `Release`",
        Surface::Script => "Give the command for the controller `--skip-crds`",
        _ => "Set `skip_crds = true` on the controller release",
    }
}

/// What makes a release skip the CRDs of its chart, in Terraform where a variable of its module is true; `None` where
/// its surface has no switch, or computes it.
#[must_use]
pub(crate) fn skip(release: &Release, variable: Option<&str>) -> Option<Change> {
    let reference = variable.map(|it| format!("var.{it}"));
    let on = match release.surface() {
        Surface::Terraform => NewValue::plain(reference.as_deref().unwrap_or("true")),
        Surface::Flux => NewValue::text("Skip"),
        Surface::Kustomize => NewValue::plain("false"),
        _ => NewValue::plain("true"),
    };
    Some(match release.crd_switch.as_ref()? {
        CrdSwitch::Literal(span) => {
            Change::replace(*span, reference.unwrap_or_else(|| "true".to_owned()))
        }
        CrdSwitch::Flag { end, text } => Change::replace(*end, *text),
        CrdSwitch::Key { mapping, path, follows } => Change::set(mapping, path, on).behind(follows),
    })
}

/// What installs the CRDs of a controller: a release, a command of the same script, or manifests of its root module.
#[derive(Clone, Copy)]
pub(crate) struct CrdSource<'m> {
    /// Their version.
    pub version: &'m ChartVersion,
    /// What to point at.
    pub report_span: Span,
    /// What a finding about them is about.
    pub subject: Option<&'m Subject>,
    /// Whether it is a release of a chart.
    pub is_release: bool,
}

/// The controllers, each with what installs its CRDs, where that is clear.
pub(crate) fn sources(model: &Model) -> impl Iterator<Item = (&Release, CrdSource<'_>)> {
    let released = model.crd_pairs.iter().map(|it| {
        let Release { version, report_span, subject, .. } = it.crds(&model.releases);
        let subject = subject.as_ref();
        let source = CrdSource { version, report_span: *report_span, subject, is_release: true };
        (it.controller(&model.releases), source)
    });
    let applied = model.applied_pairs.iter().map(|it| {
        let AppliedCrds { version, report_span, .. } = it.crds(&model.applied_crds);
        let (report_span, is_release) = (*report_span, false);
        let source = CrdSource { version, report_span, subject: None, is_release };
        (it.controller(&model.releases), source)
    });
    released.chain(applied)
}

/// The versions of a controller and of its CRDs, which are not the same; the newest where each may be one of few.
pub(crate) struct VersionsApart {
    /// The controller's.
    pub ours: Version,
    /// The CRDs'.
    pub theirs: Version,
}

/// Whether a controller and its CRDs are certainly of different versions.
pub(crate) fn versions_apart(
    controller: &ChartVersion,
    crds: &ChartVersion,
) -> Result<VersionsApart, Silence> {
    let same = || Silence::sound("the CRDs and the controller have the same version");
    if controller.same_as(crds) == Some(true) {
        return Err(same());
    }
    let named = |version: &ChartVersion, what: &str| match version.named() {
        Some(named) => Ok(named),
        None => version.decided(what).cloned(),
    };
    let written = named(controller, "the version of the controller")?;
    let of_crds = named(crds, "the version of the CRDs")?;
    let (Some(ours), Some(theirs)) = (controller.each(), crds.each()) else {
        let words = format!("{written} and {of_crds} do not each name one version");
        return Err(Silence::undecided(Cause::Version, words));
    };
    // What it may be on both sides need not be the same at a time.
    let (shared, is_one) =
        (ours.iter().any(|it| theirs.contains(it)), ours.len() == 1 && theirs.len() == 1);
    match (ours.into_iter().max(), theirs.into_iter().max()) {
        (Some(ours), Some(theirs)) if !shared => Ok(VersionsApart { ours, theirs }),
        _ if is_one => Err(same()),
        _ => {
            let words = format!("the controller may be {written}, and the CRDs {of_crds}");
            Err(Silence::undecided(Cause::Version, words))
        }
    }
}
