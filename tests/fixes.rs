//! Every fix of every fixture and page, one by one: its finding goes, none comes, and nothing else
//! changes.

#![expect(clippy::disallowed_methods, reason = "fixtures are read from the disk")]
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::{
    collections::BTreeSet,
    fs,
    process::Command,
    sync::{LazyLock, OnceLock},
};

use karplint::{
    findings::{Finding, Safety, edit::Edit},
    fix::{self, proof::CONSEQUENCES},
    project::Project,
    rules,
};
use rayon::prelude::*;

use crate::{
    fixtures::{
        self,
        folder::{self, Fixture, Linted, Texts},
    },
    judge::{self, Said, said},
    pages::examples::examples,
};

/// A small repository.
struct Case {
    name: String,
    files: Texts,
    /// Of a fixture.
    fixture: Option<&'static Fixture>,
    /// Only this rule runs.
    rule: Option<&'static str>,
    linted: OnceLock<Linted>,
}

impl Case {
    fn linted(&self) -> &Linted {
        match self.fixture {
            Some(fixture) => fixture.linted(),
            None => self.linted.get_or_init(|| Linted::new(self.files.clone())),
        }
    }

    /// What is found by the rules that run.
    fn findings<'a>(&self, linted: &'a Linted) -> Vec<&'a Finding> {
        let wanted = |it: &&Finding| self.rule.is_none_or(|rule| it.rule == rule);
        linted.outcome.findings.iter().filter(wanted).collect()
    }
}

/// All fixtures, and the bad examples of all pages.
fn cases() -> &'static [Case] {
    static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
        let fixtures = folder::all().iter().map(|it| Case {
            name: it.name.clone(),
            files: it.files.clone(),
            fixture: Some(it),
            rule: None,
            linted: OnceLock::new(),
        });
        let pages = rules::pages().flat_map(|page| {
            examples(&page.body, "Bad").into_iter().map(|it| Case {
                name: format!("{}/{}", page.name, it.title),
                files: it.files(),
                fixture: None,
                rule: Some(page.name),
                linted: OnceLock::new(),
            })
        });
        fixtures.chain(pages).collect()
    });
    &CASES
}

#[test]
fn a_fix_mends_its_finding_and_nothing_else() {
    let wrong: Vec<String> = cases().par_iter().flat_map_iter(wrongs).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What the fixes of a case do wrong.
fn wrongs(case: &Case) -> Vec<String> {
    let linted = case.linted();
    let before = case.findings(linted);
    let mut wrong = Vec::new();
    let mut tried: Vec<&[Edit]> = Vec::new();
    for finding in &before {
        let Some(fix) = &finding.fix else { continue };
        // The instances of a block share a fix.
        if tried.contains(&&*fix.edits) {
            continue;
        }
        tried.push(&fix.edits);
        let what = said(&linted.project, finding);
        let mut say = |text: String| {
            wrong.push(format!("{}/{}: {} ({}) {text}", case.name, what.0, what.1, fix.title));
        };
        let files = applied(&linted.project, &case.files, finding);
        if files == case.files {
            say("changes nothing".to_owned());
            continue;
        }
        let fixed = Linted::new(files.clone());
        let after = case.findings(&fixed);
        let count_before = |it: &Said| judge::count(&linted.project, before.iter().copied(), it);
        let count_after = |it: &Said| judge::count(&fixed.project, after.iter().copied(), it);
        if count_after(&what) >= count_before(&what) {
            say("leaves its finding".to_owned());
        }
        for other in &after {
            let follows = |it: &&(&str, &str, &str)| (it.0, it.1) == (finding.rule, other.rule);
            if CONSEQUENCES.iter().any(|it| follows(&it)) {
                continue;
            }
            let other = said(&fixed.project, other);
            if count_after(&other) > count_before(&other) {
                say(format!("brings {}: {}", other.0, other.1));
            }
        }
        for change in judge::unwanted(&case.files, &files, &linted.project, &fix.edits) {
            say(change);
        }
    }
    wrong
}

/// The files after the fix of one finding.
fn applied(
    project: &Project,
    files: &[(String, String)],
    finding: &Finding,
) -> Vec<(String, String)> {
    let changed = fix::apply(&project.files, [finding], Safety::Unsafe);
    let mut files = files.to_vec();
    for (id, text) in changed {
        let path = project.files.get(id).path();
        files.iter_mut().find(|(it, _)| it == path).unwrap().1 = text;
    }
    files
}

/// Rules with a fix wherever the place can be written. Where it cannot, the file `fixes` of a fixture says why.
const EVERYWHERE: &[&str] = &[
    "chart-version-prefix",
    "controller-taint-untolerated",
    "crd-order-undeclared",
    "crd-version-mismatch",
    "crds-not-skipped",
    "disruption-taint-untolerated",
    "do-not-disrupt-misplaced",
    "endless-drain",
    "retired-karpenter-api",
    "retired-pod-annotation",
    "stale-disruption-toleration",
];

#[test]
fn what_names_a_fix_offers_one() {
    let (mut wrong, mut needless) = (Vec::new(), Vec::new());
    for case in cases() {
        let linted = case.linted();
        let without_fix = case.findings(linted).into_iter().filter(|it| it.fix.is_none());
        let without_fix: Vec<(String, String)> = without_fix
            .filter(|it| EVERYWHERE.contains(&it.rule))
            .map(|it| (fixtures::place(linted, it), it.rule.to_owned()))
            .collect();
        let excused = case.fixture.map_or(&[][..], |it| &it.without_fix);
        let show = |(place, rule): &(String, String)| format!("{}/{place}: {rule}", case.name);
        wrong.extend(without_fix.iter().filter(|it| !excused.contains(it)).map(show));
        needless.extend(excused.iter().filter(|it| !without_fix.contains(it)).map(show));
    }
    assert!(wrong.is_empty(), "without a fix:\n{}", wrong.join("\n"));
    assert!(needless.is_empty(), "these have a fix now:\n{}", needless.join("\n"));
}

#[test]
fn only_what_is_sure_is_a_safe_fix() {
    let safe = |name: &str| {
        let fixture = folder::all().iter().find(|it| it.name == name).unwrap();
        let findings = fixture.linted().outcome.findings.iter();
        let fixes = findings.filter_map(|it| Some((it.rule, it.fix.as_ref()?.safety)));
        fixes.map(|(rule, safety)| (rule, safety == Safety::Safe)).collect::<Vec<_>>()
    };
    // Beside its successor a field goes.
    assert_eq!(safe("fixes/leftovers"), [("invalid-karpenter-resource", true); 2]);
    // One of the lists is not what a container may have.
    let moved = [("dead-chart-value", false), ("dead-chart-value", true)];
    assert_eq!(safe("fixes/broken-variables"), moved);
    // Nothing shows that there is such a queue.
    assert_eq!(safe("fixes/queue-out-of-sight"), [("dead-chart-value", false)]);
    // The queue has another name.
    assert_eq!(safe("fixes/queue-by-another-name"), [("dead-chart-value", false)]);
}

/// The files that `terraform fmt` would change.
fn ill_formatted(files: &[(String, String)]) -> BTreeSet<String> {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        fs::write(folder.path().join(path), text).unwrap();
    }
    let mut terraform = Command::new("terraform");
    let output = terraform.args(["fmt", "-check", "-list=true"]).current_dir(&folder).output();
    let said = String::from_utf8(output.unwrap().stdout).unwrap();
    said.lines().map(str::to_owned).collect()
}

/// The text without marks: they are comments, and comments are aligned, too.
fn without_marks(text: &str) -> String {
    let line = |it: &str| it.split(" #~").next().unwrap_or(it).trim_end().to_owned();
    text.lines().map(line).collect::<Vec<_>>().join("\n") + "\n"
}

/// The Terraform files of a fixture that fixes change, before and after, with names for one folder.
fn fixed_terraform(fixture: &Fixture) -> Vec<(String, String, String)> {
    let files = fixture.files.iter();
    let files: Texts = files.map(|(path, text)| (path.clone(), without_marks(text))).collect();
    let fixed = fixtures::all_fixed(files.clone());
    let changed = files.into_iter().filter_map(|(path, old)| {
        let is_terraform = path.rsplit('.').next() == Some("tf");
        let id = fixed.project.files.find(&path).filter(|_| is_terraform)?;
        let new = fixed.project.files.get(id).text();
        (old != new).then(|| (one_name(fixture, &path), old, new.to_owned()))
    });
    changed.collect()
}

/// A path of a fixture as a name in a folder of all.
fn one_name(fixture: &Fixture, path: &str) -> String {
    format!("{}-{path}", fixture.name).replace('/', "-")
}

#[test]
fn what_is_well_formatted_stays_so() {
    if !karplint_test_tools::can_run("terraform") {
        return;
    }
    let fixtures =
        folder::all().par_iter().filter(|it| it.has_fixes() && it.name != folder::BROKEN);
    let changed: Vec<_> = fixtures.flat_map_iter(fixed_terraform).collect();
    let before: Texts = changed.iter().map(|it| (it.0.clone(), it.1.clone())).collect();
    let after: Texts = changed.into_iter().map(|it| (it.0, it.2)).collect();
    let ill = ill_formatted(&before);
    assert!(before.len() > 20 && ill.len() < before.len() / 2, "{} of {}", ill.len(), before.len());
    let worse: BTreeSet<_> = ill_formatted(&after).difference(&ill).cloned().collect();
    let otherwise = |it: &Fixture| -> Vec<String> {
        it.formatted_otherwise.iter().map(|path| one_name(it, path)).collect()
    };
    let excused: BTreeSet<String> = folder::all().iter().flat_map(otherwise).collect();
    assert_eq!(worse, excused, "terraform fmt would change these");
}
