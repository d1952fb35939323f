//! Project in, findings out: the one place where the parts meet.

pub mod suppression_site;

mod allowing;
mod copies;
mod fix_guard;
mod missing;
mod repeated;
mod fetched;
mod unrendered;
mod variant;
mod verdicts;

use std::{
    collections::BTreeSet,
    sync::Arc,
    time::{Duration, Instant},
};

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
    lint::{
        fetched::FetchedModules,
        fix_guard::FixGuard,
        repeated::{Repeated, SharedModules},
        verdicts::Verdicts,
    },
    model::{Assumed, Model, Resolved, applied, mention},
    page::{Evidence, Page},
    policies::Policies,
    project::{
        Project,
        kind::{FileKind, is_downloaded},
        rendered::Rendered,
        skipped::{self, Skipped},
    },
    resolve::{
        gitops,
        kubernetes::manifests::{self, Manifests},
        kustomize::{self, Kustomize},
        rendered,
        terraform::{self, Terraform, module_source::ModuleSource, root::Root},
    },
    rules,
    source::{FileId, SourceFile, Span, aside, join},
    value::cause::Cause,
    version::Version,
};

/// What a run found.
#[derive(Debug, Default)]
pub struct LintResult {
    /// Sorted by path, position, rule; not yet filtered by the paths asked for.
    pub findings: Vec<Finding>,
    /// The places of the findings that comments and annotations allow.
    pub allowed: Vec<Span>,
    /// The subjects that rules looked at and did not report: what is not decided and, if the config asks to
    /// explain, what is sound. Sorted like the findings.
    pub unreported: Vec<Unreported>,
    /// What was not read and why.
    pub skipped: Vec<Skipped>,
    /// The folders of the modules whose plan the user named: who asks for a plan asks for them.
    pub planned: BTreeSet<String>,
    /// What was made of the files; with several sets of variables, with the first of them.
    pub model: Model,
    /// How long each stage took.
    pub timings: Vec<(&'static str, Duration)>,
}

/// Lints a project: every rule that the config lets run, on everything the project holds.
#[must_use]
pub fn run(project: &Project, config: &Config) -> LintResult {
    let mut clock = Clock { since: Instant::now(), timings: Vec::new() };
    // Before the manifests, because a file that a kustomization lists is kept and so opened once.
    let kustomize = kustomize::build(&project.files);
    let refused = applied::refused(&kustomize);
    clock.stage("kustomize");
    let paths = manifest_files(project);
    let mut manifests = manifests::read(&project.files, &paths, gitops::TOOLS);
    let rendered = rendered::from_rendered(&project.files, &project.rendered, &paths);
    manifests.objects.extend(rendered.objects);
    manifests.of_tools.extend(rendered.of_tools);
    manifests.mentions_karpenter |= rendered.mentions_karpenter;
    manifests.files = paths;
    let mut templates = std::mem::take(&mut manifests.templates);
    templates.extend(kustomize.templates.iter().copied());
    clock.stage("manifests");
    let mut others = Others { manifests, kustomize };
    let mut unused_templates = Vec::new();
    let mut judged = Vec::new();
    let mut planned = BTreeSet::new();
    let mut sets = variant::sets(config).into_iter().peekable();
    while let Some((name, files)) = sets.next() {
        let options = options(project, config, name, files);
        let more = sets.peek().is_some();
        let others = if more { others.clone() } else { std::mem::take(&mut others) };
        let terraform = terraform::resolve(&project.files, &options);
        clock.stage("terraform");
        // Later stages search templates for names.
        unused_templates.extend(templates_for_nobody(project));
        let named = |it: &&Root| it.plan.as_ref().is_some_and(|it| project.is_named(it));
        let roots = terraform.roots.iter().filter(named);
        planned.extend(roots.flat_map(Root::folders).map(str::to_owned));
        judged.push((name, judge(project, config, terraform, others, &mut clock)));
    }
    let (model, Verdicts { findings: found, mut unreported }) = variant::merge(judged);
    let found = copies::fold(&project.files, found);
    missing::name_modules(&model.terraform, &project.files, &mut unreported);
    if model.uses_karpenter {
        unreported.extend(unrendered::questions(project, config));
    }
    let (mut findings, allowed) = if config.use_allowances {
        allowing::allow(project, config, &model, found)
    } else {
        (found, Vec::new())
    };
    sort(project, &mut findings);
    unreported.sort_by_cached_key(|it| (place(project, it.span), it.rule));
    clock.stage("allowances");
    templates.extend(&model.terraform.templates);
    let templates = templates.into_iter().map(|it| (it, skipped::TEMPLATE.to_owned()));
    let passed_over = model.passed_over.iter().map(|(file, reason)| (*file, (*reason).to_owned()));
    let files = templates.chain(refused).chain(passed_over).chain(unused_templates);
    let skipped = skipped(project, files);
    let timings = clock.timings;
    LintResult { findings, allowed, unreported, skipped, planned, model, timings }
}

/// All that was not read: what the project knows of, and these files.
fn skipped(project: &Project, files: impl Iterator<Item = (FileId, String)>) -> Vec<Skipped> {
    let mut skipped = project.skipped();
    let path = |file: FileId| project.files.get(file).path();
    skipped.extend(files.map(|(file, reason)| Skipped::new(path(file), reason)));
    skipped.extend(project.rendered.iter().filter_map(not_rendered));
    skipped.sort();
    skipped.dedup();
    skipped
}

/// What is resolved besides Terraform, whatever values its variables have.
#[derive(Clone, Default)]
struct Others {
    manifests: Manifests,
    kustomize: Kustomize,
}

/// How Terraform is read with one set of variable files.
fn options(
    project: &Project,
    config: &Config,
    variant: Option<&str>,
    files: &[String],
) -> terraform::options::TerraformOptions {
    terraform::options::TerraformOptions {
        var_files: config.var_files.iter().chain(files).cloned().collect(),
        kinds: Some(Model::kinds()),
        opaque: Some(ModuleSource::is_well_known),
        plans: project.named(FileKind::Json),
        variant: variant.map(Arc::from),
    }
}

/// What the rules say when the variables have certain values.
fn judge(
    project: &Project,
    config: &Config,
    terraform: Terraform,
    others: Others,
    clock: &mut Clock,
) -> (Model, Verdicts) {
    let context = Context {
        shared: SharedModules::of(&terraform),
        fetched: FetchedModules::of(&terraform),
        fix_guard: FixGuard::of(&others.kustomize, &terraform.references),
        plans: terraform.roots.iter().filter_map(|it| it.plan.clone()).collect(),
    };
    let mut model = model_of(project, config, terraform, others);
    let policies = Policies::of(project);
    model.parse_errors.extend(policies.errors.iter().cloned());
    clock.stage("model");
    let found = verdicts(&model, project, config, &context, &policies);
    clock.stage("rules");
    (model, found)
}

fn model_of(project: &Project, config: &Config, terraform: Terraform, others: Others) -> Model {
    let version = |it: &Option<String>| it.as_deref().and_then(Version::parse);
    let given = Assumed {
        karpenter_version: version(&config.karpenter_version),
        kubernetes_version: version(&config.kubernetes_version),
    };
    let Others { manifests, kustomize } = others;
    Model::new(&project.files, Resolved { terraform, manifests, kustomize }, given)
}

/// The template files that no configuration fills in, so that nothing inside them is seen.
fn templates_for_nobody(project: &Project) -> Vec<(FileId, String)> {
    const REASON: &str = "a template that no configuration here fills in";
    let unread = |it: &SourceFile| it.ending() == "tftpl" && !it.is_loaded();
    let files = project.files.iter().filter(|(_, it)| unread(it) && !is_downloaded(it.path()));
    files.map(|(id, _)| (id, REASON.to_owned())).collect()
}

/// A chart whose rendering failed, as something that was skipped.
fn not_rendered(chart: &Rendered) -> Option<Skipped> {
    let why = chart.text.as_ref().err()?;
    let path = join(&chart.folder, "Chart.yaml")?;
    Some(Skipped::new(path, format!("not rendered: {why}")))
}

struct Clock {
    since: Instant,
    timings: Vec<(&'static str, Duration)>,
}

impl Clock {
    fn stage(&mut self, name: &'static str) {
        self.timings.push((name, self.since.elapsed()));
        self.since = Instant::now();
    }
}

/// The YAML and JSON files that may hold Kubernetes objects as they are applied.
fn manifest_files(project: &Project) -> Vec<FileId> {
    let files = [FileKind::Yaml, FileKind::Json].into_iter().flat_map(|it| project.of_kind(it));
    files.filter(|it| !project.skips_as_template(*it)).collect()
}

/// What decides how findings are reported, besides the model.
struct Context {
    shared: SharedModules,
    fetched: FetchedModules,
    fix_guard: FixGuard,
    /// The paths of the plans.
    plans: BTreeSet<Arc<str>>,
}

/// What the rules say, at the severities in force, each thing once.
fn verdicts(
    model: &Model,
    project: &Project,
    config: &Config,
    context: &Context,
    policies: &Policies,
) -> Verdicts {
    let rules = rules::with_pages().iter();
    let rules: Vec<&(rules::Rule, Page)> =
        rules.filter(|(_, page)| config.runs(page.name)).collect();
    let asked = |(rule, page): &&(rules::Rule, Page)| {
        let mut findings = Findings::of(page.name, page.severity).explaining(config.explains);
        (rule.check)(model, &mut findings);
        let (mut reported, unreported) = findings.into_parts();
        for finding in &mut reported {
            if page.evidence == Evidence::Karpenter && !model.uses_karpenter {
                finding.at_most(Severity::Note);
            }
            edits::render_fix(&project.files, finding);
        }
        (reported, unreported)
    };
    let (mut reported, unreported): (Vec<_>, Vec<_>) = rules.par_iter().map(asked).unzip();
    let mut unreported: Vec<Unreported> = unreported.into_iter().flatten().collect();
    let (failed, undecided) = policies.judge(model, config);
    reported.push(failed);
    unreported.extend(undecided);
    unreported.extend(drop_by_mentions(model, project, &mut reported));
    let page_severity = |rule| rules::page(rule).map_or(Severity::Error, |it| it.severity);
    unreported.retain(|it| {
        let path = project.files.get(it.span.file).path();
        config.severity(it.rule, path, page_severity(it.rule)).is_some()
    });
    let at_calls = reported.into_iter().flatten();
    let at_calls = at_calls.filter_map(|it| context.fetched.report_at_call(project, it));
    let mut merged = repeated::merge(at_calls);
    merged.retain_mut(|it| at_severity(project, config, &mut it.finding));
    let finish = |Repeated { mut finding, times }: Repeated| {
        repeated::name_instances(&mut finding);
        context.shared.name_callers(project, &mut finding);
        let template = |it: &Edit| project.is_template(it.span.file);
        let planned = |it: &Edit| {
            context.plans.contains(project.files.get(it.span.file).path())
                || model.gitops.stacks.contains(&it.span.file)
        };
        // Values of a rendered object are written at one place of its template, not where they are written; a
        // plan or a template is made anew.
        let mut edits = finding.fix.iter().flat_map(|it| &it.edits);
        if edits.any(|it| template(it) || planned(it))
            || !context.fix_guard.are_spared(project, model, (&finding, times))
        {
            finding.fix = None;
        }
        finding
    };
    Verdicts { findings: merged.into_iter().map(finish).collect(), unreported }
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
    let mentioned = mention::find(&project.files, subjects, &model.class_names);
    let is_mentioned = |it: &Option<Claim>| it.as_ref().is_some_and(|it| mentioned.contains(it));
    let is_dropped = |it: &mut Finding| {
        is_mentioned(&it.unless_mentioned)
            || (it.if_mentioned.is_some() && !is_mentioned(&it.if_mentioned))
    };
    let dropped = said.iter_mut().flat_map(|list| list.extract_if(.., is_dropped));
    let unreported = |it: Finding| {
        let silence = if is_mentioned(&it.unless_mentioned) {
            let words =
                format!("a script or template mentions what would settle it: {}", it.message);
            Silence::undecided(Cause::Mentioned, words)
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
    findings.sort_by(|a, b| {
        (place(project, a.span), a.rule, &a.message).cmp(&(
            place(project, b.span),
            b.rule,
            &b.message,
        ))
    });
}

/// What findings are sorted by first.
fn place(project: &Project, span: Span) -> (String, u32, u32) {
    (project.files.get(span.file).path().to_owned(), span.start, span.end)
}
