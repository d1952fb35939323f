//! Project in, findings out: the one place where the parts meet.

pub mod suppression_site;

pub mod allowing;
pub(crate) mod brought;
mod called;
mod clock;
mod copies;
mod evidence;
mod filled_copies;
mod filled_in;
mod intended;
mod fix_guard;
mod leftovers;
mod limits;
mod missing;
mod of_charts;
mod overridden;
mod reading;
mod repeated;
mod same_text;
mod stacks;
mod fetched;
mod unread;
mod unrendered;
mod variant;
mod verdicts;

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use rayon::prelude::*;

use crate::{
    config::Config,
    edits,
    findings::{
        Finding, Findings, Severity,
        edit::Edit,
        mention::Claim,
        silence::{Silence, Unreported},
    },
    inventory::objects::BuiltObjects,
    lint::{
        allowing::AllowedFinding,
        called::ModuleCalls,
        clock::Clock,
        fetched::FetchedModules,
        fix_guard::FixGuard,
        reading::Others,
        repeated::{Repeated, SharedModules},
        unread::{Unread, templates_for_nobody},
        unrendered::Unrendered,
        verdicts::Verdicts,
    },
    model::{
        Assumed, Model, Resolved, mention, supposed::Supposed, version_change::InstalledVersions,
    },
    page::Page,
    policies::{RuleBook, admission, judge::Manner},
    project::{Project, skipped::Skipped},
    resolve::{
        charts::folders::ChartFolders,
        terraform::{self, Terraform, earlier::Earlier, root::Root},
    },
    rules,
    source::{FileId, Span, account::Limit, aside},
    value::cause::Cause,
    version::Version,
};

/// What a run found.
#[derive(Debug, Default)]
pub struct LintResult {
    /// Sorted by path, position, rule; not yet filtered by the paths asked for.
    pub findings: Vec<Finding>,
    /// The findings that comments, annotations and the configuration allow.
    pub allowed: Vec<AllowedFinding>,
    /// The subjects that rules looked at and did not report: what is not decided and, if the config asks to
    /// explain, what is sound. Sorted like the findings.
    pub unreported: Vec<Unreported>,
    /// What was not read and why.
    pub skipped: Vec<Skipped>,
    /// The folders of the modules whose plan the user named: who asks for a plan asks for them.
    pub planned: BTreeSet<String>,
    /// The versions of Karpenter, its CRDs and Kubernetes with each set of variables.
    pub versions: Vec<InstalledVersions>,
    /// What was made of the files; with several sets of variables, with the first of them.
    pub model: Model,
    /// The rules there are.
    pub book: Arc<RuleBook>,
    /// How long each stage took.
    pub timings: Vec<(&'static str, Duration)>,
}

impl LintResult {
    /// What is known of a project once some of its files get other texts. Nothing where something was too large to be
    /// judged: it would not be said again.
    #[must_use]
    pub fn known(&self, changed: impl IntoIterator<Item = FileId>) -> Option<Earlier> {
        let is_whole = self.findings.iter().all(|it| it.rule != limits::RULE);
        is_whole.then(|| Earlier::new(&self.model.terraform.roots, changed))
    }
}

/// Lints a project: every rule that the config lets run, on everything the project holds.
#[must_use]
pub fn run(project: &Project, config: &Config) -> LintResult {
    run_since(project, config, &[])
}

/// The same with other versions than those that are written.
#[must_use]
pub fn run_supposing(project: &Project, config: &Config, supposed: &Supposed) -> LintResult {
    run_at(project, &Asked { config, supposed, earlier: &[], known: None })
}

/// The same with the rules about a change of version, since a state that was linted as it was then.
#[must_use]
pub fn run_since(project: &Project, config: &Config, earlier: &[InstalledVersions]) -> LintResult {
    run_again(project, config, earlier, None)
}

/// The same with what is known of the project before some of its files got other texts.
#[must_use]
pub fn run_again(
    project: &Project,
    config: &Config,
    earlier: &[InstalledVersions],
    known: Option<Earlier>,
) -> LintResult {
    run_at(project, &Asked { config, supposed: &Supposed::default(), earlier, known })
}

/// What is asked about a project.
struct Asked<'a> {
    config: &'a Config,
    /// Versions in place of those that are written.
    supposed: &'a Supposed,
    /// The versions of an earlier state, with each set of variables.
    earlier: &'a [InstalledVersions],
    /// What was evaluated before some files got other texts.
    known: Option<Earlier>,
}

fn run_at(project: &Project, asked: &Asked<'_>) -> LintResult {
    let config = asked.config;
    let account = project.files.account();
    account.take();
    let mut clock = Clock::default();
    let (mut others, refused) = reading::others(project, config, &mut clock);
    let mut templates = std::mem::take(&mut others.manifests.templates);
    templates.extend(others.kustomize.templates.iter().copied());
    let mut unread = Unread { templates, refused, unfilled: Vec::new() };
    let (mut judged, mut versions) = (Vec::new(), Vec::new());
    let mut planned = BTreeSet::new();
    let mut sets = variant::sets(config).into_iter().peekable();
    while let Some((name, files)) = sets.next() {
        let options = reading::options(project, config, (name, files), asked.known.clone());
        let more = sets.peek().is_some();
        let others = if more { others.clone() } else { std::mem::take(&mut others) };
        let terraform = terraform::resolve(&project.files, &options);
        clock.stage("terraform");
        // Later stages search templates for names.
        unread.unfilled.extend(templates_for_nobody(project));
        let named = |it: &&Arc<Root>| it.plan.as_ref().is_some_and(|it| project.is_named(it));
        let roots = terraform.roots.iter().filter(named);
        planned.extend(roots.flat_map(|it| it.folders()).map(str::to_owned));
        let (mut model, context) = understood(project, asked, terraform, others);
        let installed = model.installed_versions();
        let before = asked.earlier.get(versions.len());
        model.version_changes = before.map_or_else(Vec::new, |it| installed.since(it));
        versions.push(installed);
        clock.stage("model");
        let said = verdicts(&model, project, config, &context);
        clock.stage("rules");
        judged.push((name, (model, said)));
    }
    let (model, Verdicts { findings: found, mut unreported }) = variant::merge(judged);
    let found = filled_copies::fold((&project.files, &model), copies::fold(&project.files, found));
    let mut found = same_text::fold((project, &model), found);
    let mut reached = account.take();
    let lint = |config: &Config, it: &Supposed| run_supposing(project, config, it).findings;
    let (mut left_over, others) = leftovers::of(project, config, &model, (&found, &lint));
    left_over.retain_mut(|it| at_severity(project, config, it));
    found.extend(left_over);
    unreported.extend(others);
    missing::name_modules(&model.terraform, &project.files, &mut unreported);
    let unrendered = Unrendered::of(project, &model);
    if model.uses_karpenter {
        unreported.extend(unrendered.questions(config));
        unreported.extend(stacks::questions(&model, config));
    }
    let (mut findings, allowed) = allowing::allow(&unrendered, config, &model, found);
    // Of what is linted in between, such as other versions, nothing is reported.
    reached.extend(account.take().into_iter().filter(|it| it.0 == Limit::Suppressions));
    findings.extend(too_large(project, config, &reached));
    sort(project, &mut findings);
    unreported.sort_by_cached_key(|it| (place(project, it.span), it.rule));
    clock.stage("allowances");
    let skipped = unread.skipped(project, &model, &unrendered);
    let timings = clock.timings;
    let book = Arc::clone(&config.book);
    LintResult { findings, allowed, unreported, skipped, planned, versions, model, book, timings }
}

/// What was not judged because it is too large.
fn too_large(project: &Project, config: &Config, reached: &[(Limit, Span)]) -> Vec<Finding> {
    let mut found = if config.runs(limits::RULE) { limits::too_large(reached) } else { Vec::new() };
    found.retain_mut(|it| at_severity(project, config, it));
    found
}

/// The model with certain values of the variables, and what decides how findings about it are reported.
fn understood<'p>(
    project: &'p Project,
    asked: &Asked<'_>,
    terraform: Terraform,
    others: Others,
) -> (Model, Context<'p>) {
    let context = Context {
        shared: SharedModules::of(&terraform),
        calls: ModuleCalls::of(&terraform),
        fetched: FetchedModules::of(&terraform),
        fix_guard: FixGuard::of(&others.kustomize, &terraform.references),
        plans: terraform.roots.iter().filter_map(|it| it.plan.clone()).collect(),
        built: BuiltObjects::of(project),
    };
    let mut model = model_of(project, asked, terraform, others);
    let (admissions, errors) = admission::of(project, &model, &context.built);
    model.admissions = admissions;
    model.parse_errors.extend(asked.config.book.errors.iter().cloned().chain(errors));
    (model, context)
}

fn model_of(project: &Project, asked: &Asked<'_>, terraform: Terraform, others: Others) -> Model {
    let config = asked.config;
    let version = |it: &Option<String>| it.as_deref().and_then(Version::parse);
    let kubernetes = asked.supposed.kubernetes.clone();
    let given = Assumed {
        karpenter_version: version(&config.karpenter_version),
        kubernetes_version: kubernetes.or_else(|| version(&config.kubernetes_version)),
        supposed: asked.supposed.clone(),
    };
    let Others { manifests, kustomize } = others;
    let renders = || config.renders.then(|| ChartFolders::find(&project.files, &project.archives));
    let program = project.renderer.as_ref();
    let printed = ChartFolders::printed(&project.files, &project.rendered, program);
    let charts = printed.or_else(renders).unwrap_or_default();
    Model::new(&project.files, Resolved { terraform, manifests, kustomize, charts }, given)
}

/// What decides how findings are reported, besides the model.
struct Context<'p> {
    shared: SharedModules,
    calls: ModuleCalls,
    fetched: FetchedModules,
    fix_guard: FixGuard,
    /// The paths of the plans.
    plans: BTreeSet<Arc<str>>,
    /// What policies are asked of.
    built: BuiltObjects<'p>,
}

/// What the rules say, at the severities in force, each thing once.
fn verdicts(model: &Model, project: &Project, config: &Config, context: &Context<'_>) -> Verdicts {
    let rules = rules::with_pages().iter();
    let rules: Vec<&(rules::Rule, Page)> =
        rules.filter(|(_, page)| config.runs(page.name)).collect();
    let asked = |rule: &&(rules::Rule, Page)| verdict(rule, model, project, config);
    let (mut reported, unreported): (Vec<_>, Vec<_>) = rules.par_iter().map(asked).unzip();
    let mut unreported: Vec<Unreported> = unreported.into_iter().flatten().collect();
    let manner = Manner { runs: &|it| config.runs(it), explains: config.explains };
    let (failed, undecided) = config.book.judge((project, model), &context.built, &manner);
    reported.push(failed);
    unreported.extend(undecided);
    unreported.extend(drop_by_mentions(model, project, &mut reported));
    let page_severity = |rule| config.book.page(rule).map_or(Severity::Error, |it| it.severity);
    unreported.retain(|it| {
        let path = project.files.get(it.span.file).path();
        config.severity(it.rule, path, page_severity(it.rule)).is_some()
    });
    let at_calls = reported.into_iter().flatten();
    let at_calls = at_calls.filter_map(|it| context.fetched.report_at_call(project, it));
    let mut merged = repeated::merge(at_calls);
    merged.retain_mut(|it| at_severity(project, config, &mut it.finding));
    let finish = |Repeated { mut finding, times }: Repeated| {
        repeated::name_objects(&mut finding);
        repeated::name_instances(&mut finding);
        repeated::name_conditions(&mut finding);
        repeated::name_switches(&mut finding);
        context.shared.name_callers(&model.terraform, project, &mut finding);
        context.calls.name_calls(&model.terraform, project, &mut finding);
        let template = |it: &Edit| project.is_template(it.span.file);
        let planned = |it: &Edit| {
            context.plans.contains(project.files.get(it.span.file).path())
                || model.gitops.stacks.contains(&it.span.file)
        };
        // What a program rendered has one place in its template, not where it is written; a plan is made anew.
        let mut edits = finding.fix.iter().flat_map(|it| &it.edits);
        let unseen = |it: &Edit| template(it) && !of_charts::is_rendered(&finding);
        if finding.subjects.iter().any(|it| it.is_printed)
            || edits.any(|it| unseen(it) || planned(it))
            || !of_charts::is_literal(&project.files, &finding)
            || !context.fix_guard.are_spared(project, model, (&finding, times))
        {
            finding.fix = None;
        }
        finding
    };
    Verdicts { findings: merged.into_iter().map(finish).collect(), unreported }
}

/// What one rule says, at the severities that its evidence bears.
fn verdict(
    (rule, page): &(rules::Rule, Page),
    model: &Model,
    project: &Project,
    config: &Config,
) -> (Vec<Finding>, Vec<Unreported>) {
    let mut findings = Findings::of(page.name, page.severity).explaining(config.explains);
    (rule.check)(model, &mut findings);
    if let Some(place) = findings.beyond() {
        project.files.account().reach(Limit::Findings, place);
    }
    let (mut reported, mut unreported) = findings.into_parts();
    unreported.extend(filled_in::take_back(&project.files, &mut reported));
    unreported.extend(evidence::take_back(project, (page, model), &mut reported));
    let mut installers = of_charts::Installers::default();
    for finding in &mut reported {
        evidence::limit_severity(project, page, model, finding);
        evidence::limit_left_out(project, model, finding);
        evidence::limit_test_run(project, page, finding);
        of_charts::limit_severity((project, model), page, &mut installers, finding);
        intended::limit_severity(&project.files, finding);
        edits::render_fix(&project.files, finding);
    }
    (reported, unreported)
}

/// Takes back what is said to be missing and a script or a template mentions, and what depends on one that
/// is not there.
fn drop_by_mentions(
    model: &Model,
    project: &Project,
    said: &mut [Vec<Finding>],
) -> Vec<Unreported> {
    let subjects = said.iter().flatten().flat_map(|it| [&it.unless_mentioned, &it.if_mentioned]);
    let subjects = subjects.filter_map(Clone::clone);
    let off = model.terraform.switched_off();
    let mentioned = mention::find(&project.files, subjects, &model.class_names, &off);
    let place = |it: &Option<Claim>| mentioned.get(it.as_ref()?).copied();
    let is_mentioned = |it: &Option<Claim>| place(it).is_some();
    let is_dropped = |it: &mut Finding| {
        is_mentioned(&it.unless_mentioned)
            || (it.if_mentioned.is_some() && !is_mentioned(&it.if_mentioned))
    };
    let dropped = said.iter_mut().flat_map(|list| list.extract_if(.., is_dropped));
    let unreported = |it: Finding| {
        let silence = if let Some(place) = place(&it.unless_mentioned) {
            let mentioned = || project.files.get(place.file).slice(place.range());
            let is_argo_cd = it.unless_mentioned == Some(Claim::CrdsOrArgoCd)
                && mention::names_argo_cd(mentioned());
            let words = if is_argo_cd {
                "Argo CD may install this chart, and upgrades its CRDs at each sync".to_owned()
            } else {
                format!("a script or template mentions what would settle it: {}", it.message)
            };
            Silence::undecided(Cause::Mentioned, words).at(place, "what it mentions")
        } else {
            Silence::sound("no script or template does what would make it a fault")
        };
        Unreported { rule: it.rule, span: it.span, silence }
    };
    dropped.map(unreported).collect()
}

/// Gives a finding the severity in force; false when its rule is off there.
fn at_severity(project: &Project, config: &Config, finding: &mut Finding) -> bool {
    let path = project.files.get(finding.span.file).path();
    if aside::of(path).is_some() {
        finding.at_most(Severity::Note);
    }
    match config.severity(finding.rule, path, finding.severity) {
        Some(severity) => {
            finding.severity = severity;
            true
        }
        None => false,
    }
}

fn sort(project: &Project, findings: &mut [Finding]) {
    findings.sort_by_cached_key(|it| (place(project, it.span), it.rule, it.message.clone()));
}

/// What findings are sorted by first.
fn place(project: &Project, span: Span) -> (String, u32, u32) {
    (project.files.get(span.file).path().to_owned(), span.start, span.end)
}
