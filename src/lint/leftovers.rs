//! What a new version of Karpenter needs that the one of an earlier state did not: told once for each release.

use crate::{
    checks::version_step::releases,
    config::Config,
    findings::{
        Finding, Findings,
        note::Note,
        silence::{Silence, Unreported},
    },
    lint::{allowing, brought::Known, unrendered::Unrendered},
    model::{
        Model,
        supposed::Supposed,
        version_change::{VersionChange, Versioned},
    },
    project::Project,
    resolve::{release::Release, setting::Setting},
    rules,
    source::{Span, parent},
    value::cause::Cause,
    version::Version,
};

/// The rule about them.
const RULE: &str = "upgrade-leftovers";

/// A release of Karpenter with another version than before.
struct Changed<'m> {
    /// What installs it.
    installed_by: Span,
    version: &'m Setting<String>,
    release: Option<&'m Release>,
    /// The version before, as it was written.
    before: &'m str,
    is_of_crds: bool,
    folder: &'m str,
}

/// What all rules find with a configuration and certain versions.
pub(super) type Lint<'a> = dyn Fn(&Config, &Supposed) -> Vec<Finding> + 'a;

/// The leftovers of each release whose version changed, as findings at the new version. `found` is what all rules
/// that run have found.
pub(super) fn of(
    project: &Project,
    config: &Config,
    model: &Model,
    (found, lint): (&[Finding], &Lint<'_>),
) -> (Vec<Finding>, Vec<Unreported>) {
    let Some(page) = rules::page(RULE).filter(|it| config.runs(it.name)) else {
        return (Vec::new(), Vec::new());
    };
    let mut findings = Findings::of(page.name, page.severity).explaining(config.explains);
    let all = model.version_changes.iter().filter_map(|it| changed(project, model, it));
    let mut changed: Vec<Changed<'_>> =
        all.filter_map(|(place, it)| findings.fault(place, it)).collect();
    // Which of several is told does not depend on their order in the files.
    changed.sort_by_key(|it| it.is_of_crds);
    let brought = if changed.is_empty() {
        Vec::new()
    } else {
        let brought = brought(config, &changed, (found, lint));
        unallowed(project, config, model, brought)
    };
    for (index, it) in changed.iter().enumerate() {
        let of_it = |finding: &&Finding| nearest(project, &changed, finding).contains(&index);
        let notes = brought.iter().filter(of_it).filter_map(|finding| note(it, finding)).collect();
        report(it, notes, &mut findings);
    }
    findings.into_parts()
}

/// What rules say of the versions as they are, and do not say of those before.
fn brought(
    config: &Config,
    changed: &[Changed<'_>],
    (found, lint): (&[Finding], &Lint<'_>),
) -> Vec<Finding> {
    // What a version needs does not depend on which rules are asked for.
    let all = Config { only: Vec::new(), use_allowances: false, explains: false, ..config.clone() };
    let now =
        if config.only.is_empty() { found.to_vec() } else { lint(&all, &Supposed::default()) };
    let mut brought = Known::of(&lint(&all, &supposed(changed))).others(now);
    // Rules about the change itself say nothing of what is left.
    let own = rules::page(RULE).map(|it| it.topic);
    brought.retain(|it| rules::page(it.rule).map(|it| it.topic) != own);
    brought
}

/// The findings that no comment or annotation allows.
fn unallowed(
    project: &Project,
    config: &Config,
    model: &Model,
    findings: Vec<Finding>,
) -> Vec<Finding> {
    if !config.use_allowances {
        return findings;
    }
    let unrendered = Unrendered::of(project, model);
    let (mut left, _) = allowing::allow(&unrendered, config, model, findings);
    left.retain(|it| it.rule != allowing::RULE);
    left
}

/// Whether the version of a release changed, with what to point at where it did not; `None` for what the rule itself judges, and for clusters.
fn changed<'m>(
    project: &'m Project,
    model: &'m Model,
    change: &'m VersionChange,
) -> Option<(Span, Result<Changed<'m>, Silence>)> {
    let (release, version): (_, &Setting<String>) = match change.what {
        Versioned::Controller(index) => {
            let installation = model.installations.get(index)?;
            let release = installation.release.and_then(|it| model.releases.get(it));
            (release, release.map_or(&installation.version, |it| &it.version))
        }
        Versioned::Crds(index) => {
            let release = model.releases.get(index)?;
            (Some(release), &release.version)
        }
        Versioned::Cluster(_) | Versioned::Module(..) => return None,
    };
    let installed_by = release.map_or(version.span(), |it| it.report_span);
    let folder = parent(project.files.get(installed_by.file).path());
    let is_of_crds = matches!(change.what, Versioned::Crds(_));
    let changed = || {
        let before = change.before.as_deref().map_err(Clone::clone)?;
        if version.decided("the version")? == before {
            return Err(Silence::sound("its version is the one of the earlier state"));
        }
        if may_have_been(before, version.decided("the version")?) {
            let words = format!("`{before}` of the earlier state may have been the same release");
            return Err(Silence::undecided(Cause::Version, words));
        }
        Ok(Changed { installed_by, version, release, before, is_of_crds, folder })
    };
    Some((installed_by, changed()))
}

/// Whether a release is allowed by two texts: then it may have been there before.
fn may_have_been(before: &str, now: &str) -> bool {
    let of = |text: &str| releases(text, "a version").unwrap_or_default();
    let before = of(before);
    of(now).iter().any(|it| before.contains(it))
}

/// The newest release that a text allows.
fn newest(text: &str) -> Option<Version> {
    releases(text, "a version").ok()?.pop()
}

/// The versions of the earlier state.
fn supposed(changed: &[Changed<'_>]) -> Supposed {
    let entry = |it: &Changed<'_>| {
        let written = (it.installed_by, it.version.known()?.clone());
        Some((written, it.before.to_owned()))
    };
    let karpenter = changed.iter().filter_map(entry).collect();
    Supposed { karpenter, ..Supposed::default() }
}

/// The releases that a finding is about, by their places in the list: those it names, else those nearest to it.
fn nearest(project: &Project, changed: &[Changed<'_>], finding: &Finding) -> Vec<usize> {
    let spans: Vec<Span> = finding.notes.iter().map(|it| it.span).chain([finding.span]).collect();
    let is_named = |it: &Changed<'_>| {
        let subject = it.release.and_then(|it| it.subject.as_ref());
        subject.is_some_and(|it| finding.subjects.contains(it))
            || spans.iter().any(|span| [it.version.span(), it.installed_by].contains(span))
    };
    let named: Vec<usize> = (0..changed.len()).filter(|it| is_named(&changed[*it])).collect();
    if !named.is_empty() {
        return named;
    }
    let folder = parent(project.files.get(finding.span.file).path());
    let nearness = |it: &Changed<'_>| {
        let shared = it.folder.split('/').zip(folder.split('/'));
        (shared.take_while(|(a, b)| a == b && !a.is_empty()).count(), !it.is_of_crds)
    };
    let near: Vec<_> = changed.iter().map(nearness).collect();
    let best = near.iter().max();
    (0..near.len()).filter(|it| near.get(*it) == best).collect()
}

/// Where a finding is to be corrected; `None` where only the version itself is wrong.
fn note(changed: &Changed<'_>, finding: &Finding) -> Option<Note> {
    let span = finding.span;
    (span != changed.version.span()).then(|| Note { span, message: finding.message.clone() })
}

fn report(changed: &Changed<'_>, notes: Vec<Note>, findings: &mut Findings) {
    let Some(new) = changed.version.known() else { return };
    if notes.is_empty() {
        let words = "no rule finds more with the new version than with the old one";
        return findings.silent(changed.installed_by, Silence::sound(words));
    }
    let number = |text: &str| text.trim_start_matches('v').to_owned();
    let (to, from) = (number(new), number(changed.before));
    let what = if changed.is_of_crds { "The CRDs of Karpenter" } else { "Karpenter" };
    let count = match notes.len() {
        1 => "a change".to_owned(),
        several => format!("{several} changes"),
    };
    let message = format!("{what} {to} needs {count} that {from} did not");
    let subject = changed.release.and_then(|it| it.subject.as_ref());
    let finding = findings.report(changed.version.span(), message);
    finding.notes(notes).about(subject);
    let goal = newest(new).map_or(to, |it| it.to_string());
    finding.help(format!(
        "Make them with this change or before it; `karplint upgrade --to {goal}` shows when"
    ));
}
