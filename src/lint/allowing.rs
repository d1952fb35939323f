//! Findings that a comment or an annotation allows, and allowances that allow nothing.

use std::collections::{HashMap, HashSet};

use crate::{
    config::{
        Allowed, Config,
        allow::{self, AllowComment},
        did_you_mean,
    },
    findings::{Finding, Findings},
    lint::unrendered::Unrendered,
    model::{
        Model,
        allowance::{ALLOW, ObjectAllowance},
    },
    project::Project,
    rules,
    source::{FileId, Span},
};

/// The rule about suppressions.
pub(super) const RULE: &str = "unused-allowance";

/// A finding that is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllowedFinding {
    /// Where it is.
    pub span: Span,
    /// Its rule.
    pub rule: &'static str,
    /// What allows it.
    pub by: Span,
}

/// Takes away the allowed findings and reports the allowances that allow nothing. Gives the findings
/// that are left and those that were allowed. Where verdicts are asked for all are left, as they name what allows
/// a finding.
pub(super) fn allow(
    unrendered: &Unrendered<'_>,
    config: &Config,
    model: &Model,
    findings: Vec<Finding>,
) -> (Vec<Finding>, Vec<AllowedFinding>) {
    if config.use_allowances {
        return applied(unrendered, config, model, findings);
    }
    if config.explains {
        let (_, allowed) = applied(unrendered, config, model, findings.clone());
        return (findings, allowed);
    }
    (findings, Vec::new())
}

fn applied(
    unrendered: &Unrendered<'_>,
    config: &Config,
    model: &Model,
    findings: Vec<Finding>,
) -> (Vec<Finding>, Vec<AllowedFinding>) {
    let project = unrendered.project;
    let files = &project.files;
    let loaded: Vec<FileId> =
        files.iter().filter(|(_, it)| it.is_loaded()).map(|(id, _)| id).collect();
    let comments = allow::allowances(files, &loaded);
    let mut by_line: HashMap<(FileId, usize), Vec<usize>> = HashMap::new();
    for (index, it) in comments.iter().enumerate() {
        by_line.entry((it.file, it.line)).or_default().push(index);
    }
    let mut by_file: HashMap<FileId, Vec<usize>> = HashMap::new();
    for (index, it) in model.allowances.iter().enumerate() {
        by_file.entry(it.object.file).or_default().push(index);
    }
    let mut used = vec![false; comments.len()];
    let mut used_annotations = HashSet::new();
    let mut entries = ConfigEntries::new(project, config);
    let mut left = Vec::new();
    let mut allowed = Vec::new();
    for finding in findings {
        let line = files.get(finding.span.file).line_of(finding.span.start as usize);
        let here = by_line.get(&(finding.span.file, line)).map_or(&[][..], Vec::as_slice);
        let comment = here.iter().copied().find(|it| comments[*it].covers(files, &finding));
        let inside = by_file.get(&finding.span.file).map_or(&[][..], Vec::as_slice);
        let annotation = inside.iter().find(|it| covers(&model.allowances[**it], &finding));
        let by = if let Some(index) = comment {
            used[index] = true;
            Some(comments[index].span)
        } else if let Some(index) = annotation {
            used_annotations.insert((*index, finding.rule.to_owned()));
            Some(model.allowances[*index].span)
        } else {
            entries.cover(&finding)
        };
        match by {
            Some(by) => {
                allowed.push(AllowedFinding { span: finding.span, rule: finding.rule, by });
            }
            None => left.push(finding),
        }
    }
    if let Some(page) = rules::page(RULE).filter(|it| config.runs(it.name)) {
        let mut unused = Findings::of(page.name, page.severity);
        comments_for_nothing(unrendered, config, (&comments, &used), &mut unused);
        for (index, allowance) in model.allowances.iter().enumerate() {
            let used = |rule: &String| used_annotations.contains(&(index, rule.clone()));
            annotation_in_part(unrendered, config, (allowance, &used), &mut unused);
        }
        entries.report_unused(&mut unused);
        left.extend(unused.into_list().into_iter().filter_map(|mut it| {
            let path = files.get(it.span.file).path();
            it.severity = config.severity(RULE, path, it.severity)?;
            Some(it)
        }));
    }
    (left, allowed)
}

/// The allowances of the config, and what each was good for.
struct ConfigEntries<'a> {
    project: &'a Project,
    config: &'a Config,
    /// The entries that met a finding: the index of the layer, and of the entry in it.
    met: HashSet<(usize, usize)>,
}

impl<'a> ConfigEntries<'a> {
    fn new(project: &'a Project, config: &'a Config) -> Self {
        Self { project, config, met: HashSet::new() }
    }

    /// The entry that is not over and allows the finding; the finding itself where the config is no file of the
    /// project.
    fn cover(&mut self, finding: &Finding) -> Option<Span> {
        let path = self.project.files.get(finding.span.file).path();
        let mut covered = None;
        for (layer, it) in self.config.layers_of(path) {
            for (index, entry) in it.allowed.iter().enumerate() {
                let here = entry.paths.as_ref().is_none_or(|it| it.matches(path));
                let names = entry.rules.iter().any(|it| *it == finding.rule);
                if names && here && is_about(entry, finding) {
                    self.met.insert((layer, index));
                    let file = self.project.files.find(&it.path);
                    let at = |file| Span::new(file, entry.place.start, entry.place.end);
                    if covered.is_none() && !entry.is_over(self.config.today) {
                        covered = Some(file.map_or(finding.span, at));
                    }
                }
            }
        }
        covered
    }

    fn report_unused(&self, unused: &mut Findings) {
        for (layer, it) in self.config.layers.all().iter().enumerate() {
            for (index, entry) in it.allowed.iter().enumerate() {
                self.report_entry(&it.path, entry, self.met.contains(&(layer, index)), unused);
            }
        }
    }

    fn report_entry(&self, path: &str, entry: &Allowed, met: bool, unused: &mut Findings) {
        if let Some(file) = self.project.files.find(path) {
            let span = Span::new(file, entry.place.start, entry.place.end);
            let over = entry.until.filter(|_| entry.is_over(self.config.today));
            let asked = entry.rules.iter().any(|it| self.config.runs(it));
            if let Some(until) = over.filter(|_| met) {
                let message = format!("This allowance ended on {until}");
                unused.report(span, message).help("Fix what it allowed, or give it another day");
            } else if !met && asked {
                let message =
                    format!("This entry allows nothing: no `{}` finding is there", entry.rule);
                unused.report(span, message).help("Remove it");
            }
        }
    }
}

fn is_about(entry: &Allowed, finding: &Finding) -> bool {
    entry.object.as_ref().is_none_or(|it| finding.names().contains(it))
}

fn covers(allowance: &ObjectAllowance, finding: &Finding) -> bool {
    allowance.object.contains(finding.span) && allowance.rules.iter().any(|it| it == finding.rule)
}

/// Whether the rule was asked at that place, so that its silence means something.
fn was_asked(unrendered: &Unrendered<'_>, config: &Config, rule: &str, file: FileId) -> bool {
    let path = unrendered.project.files.get(file).path();
    let page = config.book.page(rule);
    !unrendered.holds(file)
        && config.runs(rule)
        && page.is_some_and(|it| config.severity(rule, path, it.severity).is_some())
}

/// Reports the comments that are not used.
fn comments_for_nothing(
    unrendered: &Unrendered<'_>,
    config: &Config,
    (comments, used): (&[AllowComment], &[bool]),
    unused: &mut Findings,
) {
    let mut seen = HashSet::new();
    for (allowance, _) in comments.iter().zip(used).filter(|(_, used)| !**used) {
        let whole = as_a_whole(config, comments, allowance);
        if whole.is_none() || seen.insert(allowance.span) {
            comment_for_nothing(unrendered, config, whole.unwrap_or(allowance), unused);
        }
    }
}

/// Reports what of an annotation is not used. Without a reason all its words are names: one mistake.
fn annotation_in_part(
    unrendered: &Unrendered<'_>,
    config: &Config,
    (allowance, used): (&ObjectAllowance, &dyn Fn(&String) -> bool),
    unused: &mut Findings,
) {
    let is_rule = |it: &&String| config.book.page(it).is_some();
    let names_any = allowance.rules.iter().any(|it| is_rule(&it));
    if allowance.has_reason || allowance.rules.is_empty() || names_any {
        annotation_as_written(allowance, unused);
    }
    let first = allowance.rules.first().filter(|_| !allowance.has_reason && !names_any);
    let is_mistake = |it: &&String| allowance.has_reason || is_rule(it);
    let named = allowance.rules.iter().filter(is_mistake).chain(first);
    for rule in named.filter(|it| !used(it)) {
        annotation_for_nothing(unrendered, config, allowance, rule, unused);
    }
}

/// Of a comment that as a whole allows nothing, the one entry that is reported: without a reason all its words are
/// names.
fn as_a_whole<'a>(
    config: &Config,
    comments: &'a [AllowComment],
    one: &'a AllowComment,
) -> Option<&'a AllowComment> {
    if one.reason.is_some() && one.other_word.is_none() {
        return None;
    }
    let mut same = comments.iter().filter(|it| it.span == one.span);
    Some(same.find(|it| config.book.page(&it.rule).is_some()).unwrap_or(one))
}

fn comment_for_nothing(
    unrendered: &Unrendered<'_>,
    config: &Config,
    allowance: &AllowComment,
    unused: &mut Findings,
) {
    let rule = &allowance.rule;
    if let Some(word) = &allowance.other_word {
        let message = format!("This comment allows nothing: `{word}` is no word of karplint");
        let rule = if config.book.page(rule).is_some() { rule } else { "RULE" };
        let help = format!("Write `karplint: allow {rule} because …`");
        unused.report(allowance.span, message).help(help);
    } else if rule.is_empty() {
        let message = "This comment allows nothing: it names no rule";
        let help = "Write `karplint: allow RULE because …`; `karplint rules` lists the rules";
        unused.report(allowance.span, message).help(help);
    } else if config.book.page(rule).is_none() {
        unknown_rule(config, rule, allowance.rule_span, unused);
    } else if allowance.reason.is_none() {
        let message = "This comment allows nothing: it gives no reason";
        let help = format!("Write `karplint: allow {rule} because …`");
        unused.report(allowance.span, message).help(help);
    } else if was_asked(unrendered, config, rule, allowance.file) {
        let message = format!("This comment allows nothing: no `{rule}` finding is here");
        unused.report(allowance.span, message).help("Remove it, or move it to the finding");
    }
}

fn annotation_for_nothing(
    unrendered: &Unrendered<'_>,
    config: &Config,
    allowance: &ObjectAllowance,
    rule: &str,
    unused: &mut Findings,
) {
    if config.book.page(rule).is_none() {
        unknown_rule(config, rule, allowance.span, unused);
    } else if was_asked(unrendered, config, rule, allowance.span.file) {
        let message = format!("This annotation allows nothing: no `{rule}` finding is here");
        unused.report(allowance.span, message).help("Remove it");
    }
}

/// What keeps an annotation from doing what it says, whatever is found.
fn annotation_as_written(allowance: &ObjectAllowance, unused: &mut Findings) {
    const HELP: &str = "Write `karplint/allow: \"RULE because …\"`";
    let key = &*allowance.key;
    if key != ALLOW {
        let message = format!("`{key}` allows nothing: karplint reads `{ALLOW}`");
        unused.report(allowance.key_span, message).help(HELP);
    } else if allowance.rules.is_empty() {
        let message = "This annotation allows nothing: it names no rule";
        unused.report(allowance.span, message).help(HELP);
    } else if !allowance.has_reason {
        let message = "This annotation gives no reason";
        unused.report(allowance.span, message).help(HELP);
    }
}

fn unknown_rule(config: &Config, rule: &str, span: Span, unused: &mut Findings) {
    let hint = did_you_mean(rule, config.book.pages().map(|it| it.name));
    let message = format!("`{rule}` is not a rule");
    unused.report(span, message).help(format!("`karplint rules` lists the rules{hint}"));
}
