//! Charts of a folder, rendered here and by the real Helm: how many come out the same, and where the others differ.

mod alike;

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    fmt::{self, Display, Formatter},
    fs, io,
    path::{Path, PathBuf},
    process::Command,
    sync::Mutex,
    thread,
};

use karplint_core::{
    source::{FileId, Span},
    syntax::yaml,
    value::{Text, Value},
};
use karplint_helm::helm::{
    chart::Chart, cluster::Assumptions, manifests, release::Release, render::render,
};

use crate::{
    oracle::alike::{Files, Printed, alike, documents},
    render::{files_of, no_values},
};

const KUBERNETES: &str = "1.32.0";
/// How often Helm is asked again where it prints something else.
const RETRIES: usize = 8;

/// How a chart comes out.
#[derive(Debug)]
enum Outcome {
    /// The same text.
    Same,
    /// Other text that says the same.
    SameValues(String),
    /// The same but for what is random or of the clock, which is not known here.
    SameButUnknown(BTreeSet<String>),
    /// Something else, and where.
    Different(String),
    /// Both refuse it, for these reasons.
    BothRefuse { here: String, helm: String },
    /// Helm refuses it, for this reason; it is rendered here.
    OnlyHelmRefuses(String),
    /// Helm renders it; it is refused here, for this reason.
    OnlyHereRefused(String),
    /// Helm needs charts that are not there, or the network.
    Incomplete,
}

/// A rendering: of a chart with its own values, or with those of a file.
struct Compared {
    name: PathBuf,
    is_default: bool,
    outcome: Outcome,
    files: Files,
}

/// What the charts of a folder come out as.
pub(crate) struct Comparison(Vec<Compared>);

impl Comparison {
    /// Renders all charts of a folder, at any depth.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub(crate) fn of(folder: &Path, helm: &str) -> io::Result<Self> {
        let helm = &Helm::new(helm)?;
        let mut charts = Vec::new();
        search(folder, &mut charts)?;
        charts.sort();
        let cases = charts.iter().map(|it| cases(it)).collect::<io::Result<Vec<_>>>()?;
        let next = Mutex::new(cases.iter().flatten());
        let found = Mutex::new(Vec::new());
        let threads = thread::available_parallelism().map_or(2, usize::from);
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    loop {
                        let case = next.lock().ok().and_then(|mut it| it.next());
                        let Some(case) = case else { return };
                        let (outcome, files) = compared(case, helm);
                        let path = case.values.as_ref().unwrap_or(&case.chart);
                        let name = path.strip_prefix(folder).unwrap_or(path).to_owned();
                        let is_default = case.values.is_none();
                        if let Ok(mut found) = found.lock() {
                            found.push(Compared { name, is_default, outcome, files });
                        }
                    }
                });
            }
        });
        let mut found = found.into_inner().unwrap_or_default();
        found.sort_by(|a: &Compared, b| a.name.cmp(&b.name));
        Ok(Self(found))
    }

    /// What is not known, and in how many renderings.
    fn unknown(&self) -> BTreeMap<&str, usize> {
        let mut found = BTreeMap::new();
        for it in &self.0 {
            if let Outcome::SameButUnknown(symbols) = &it.outcome {
                for it in symbols {
                    *found.entry(it.as_str()).or_default() += 1;
                }
            }
        }
        found
    }

    /// Whether nothing but what is known to be left out differs.
    pub(crate) fn is_good(&self) -> bool {
        !self.0.iter().any(|it| it.outcome.is_bad())
    }

    /// The figures of some renderings.
    fn figures(&self, what: &str, is_counted: impl Fn(&Compared) -> bool) -> String {
        let chosen: Vec<&Compared> = self.0.iter().filter(|it| is_counted(it)).collect();
        let count =
            |of: &dyn Fn(&Outcome) -> bool| chosen.iter().filter(|it| of(&it.outcome)).count();
        let sum =
            |of: &dyn Fn(&Files) -> usize| chosen.iter().map(|it| of(&it.files)).sum::<usize>();
        let same = count(&|it| matches!(it, Outcome::Same));
        let unknown = count(&|it| matches!(it, Outcome::SameButUnknown(_)));
        let texts = same + unknown;
        let values = texts + count(&|it| matches!(it, Outcome::SameValues(_)));
        let all = values + count(&Outcome::is_bad);
        let files = sum(&|it| it.all);
        let both = count(&|it| matches!(it, Outcome::BothRefuse { .. }));
        let alone = count(&|it| matches!(it, Outcome::OnlyHelmRefuses(_)));
        let incomplete = count(&|it| matches!(it, Outcome::Incomplete));
        format!(
            "{what}\n  the same as values: {}\n  the same as text: {}\n  of these, the same but for what is not \
             known: {unknown}\n  files, the same as values: {}\n  files, the same as text: {}\n  refused by both: \
             {both}, by Helm alone: {alone}\n  not asked, for want of what they depend on: {incomplete}",
            share(values, all),
            share(texts, all),
            share(sum(&|it| it.values), files),
            share(sum(&|it| it.texts), files),
        )
    }
}

fn share(count: usize, all: usize) -> String {
    let hundredths = (count * 10_000).checked_div(all).unwrap_or(0);
    format!("{count} of {all} ({}.{:02} %)", hundredths / 100, hundredths % 100)
}

impl Outcome {
    fn is_bad(&self) -> bool {
        matches!(self, Self::Different(_) | Self::OnlyHereRefused(_))
    }
}

impl Display for Comparison {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        for Compared { name, outcome, .. } in &self.0 {
            let (what, why) = match outcome {
                Outcome::SameValues(why) => ("says the same in other words", why),
                Outcome::Different(why) => ("differs", why),
                Outcome::OnlyHelmRefuses(why) => ("is refused by Helm alone", why),
                Outcome::OnlyHereRefused(why) => ("is refused here alone", why),
                Outcome::BothRefuse { here, helm } => {
                    writeln!(out, "{} is refused here: {here}; by Helm: {helm}", name.display())?;
                    continue;
                }
                _ => continue,
            };
            writeln!(out, "{} {what}: {why}", name.display())?;
        }
        writeln!(out, "{}", self.figures("with their own values:", |it| it.is_default))?;
        writeln!(out, "{}", self.figures("with values of their tests:", |it| !it.is_default))?;
        writeln!(out, "what is not known:")?;
        for (what, count) in self.unknown() {
            writeln!(out, "  {what}: {count}")?;
        }
        Ok(())
    }
}

/// The charts in a folder that are not inside others.
fn search(folder: &Path, charts: &mut Vec<PathBuf>) -> io::Result<()> {
    if folder.join("Chart.yaml").is_file() {
        charts.push(folder.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            search(&entry.path(), charts)?;
        }
    }
    Ok(())
}

/// The real Helm.
struct Helm {
    program: String,
    is_4: bool,
}

impl Helm {
    fn new(program: &str) -> io::Result<Self> {
        let version = Command::new(program).args(["version", "--short"]).output()?;
        Ok(Self { program: program.to_owned(), is_4: version.stdout.starts_with(b"v4.") })
    }
}

/// A chart with values, or with its own alone.
struct Case {
    chart: PathBuf,
    values: Option<PathBuf>,
}

/// A chart with its own values, and with each file of values that it is tested with.
fn cases(chart: &Path) -> io::Result<Vec<Case>> {
    let mut found = vec![Case { chart: chart.to_owned(), values: None }];
    let folder = chart.join("ci");
    if folder.is_dir() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|it| it == "yaml" || it == "yml") {
                found.push(Case { chart: chart.to_owned(), values: Some(path) });
            }
        }
    }
    Ok(found)
}

fn compared(case: &Case, helm: &Helm) -> (Outcome, Files) {
    let theirs = by_helm(case, helm);
    let outcome = match (theirs, here(case, helm)) {
        (Err(why), _) if why.contains("missing in charts/") || why.contains("dependency") => {
            Outcome::Incomplete
        }
        (Err(helm), Err(here)) => Outcome::BothRefuse { here, helm },
        (Err(why), Ok(_)) => Outcome::OnlyHelmRefuses(why),
        (Ok(_), Err(why)) => Outcome::OnlyHereRefused(why),
        (Ok(theirs), Ok((ours, mut unknown))) => {
            let (outcome, files) = alike(ours.clone(), theirs.clone(), unknown.clone());
            if !matches!(outcome, Outcome::Different(_)) {
                return (outcome, files);
            }
            // Helm itself may print something else each time: the order of keys in a map is none.
            for _ in 0..RETRIES {
                let Ok(again) = by_helm(case, helm) else { continue };
                if again == theirs {
                    continue;
                }
                unknown.insert("Helm itself, at random".to_owned());
                let other = alike(ours.clone(), again, unknown.clone());
                if !matches!(other.0, Outcome::Different(_)) {
                    return (Outcome::SameButUnknown(unknown), other.1);
                }
            }
            return (outcome, files);
        }
    };
    (outcome, Files::default())
}

/// What Helm prints, or why it does not.
fn by_helm(case: &Case, helm: &Helm) -> Result<Printed, String> {
    let output = Command::new(&helm.program)
        .args(["template", "release-name", "--kube-version", KUBERNETES])
        .args(case.values.iter().flat_map(|it| [OsStr::new("--values"), it.as_os_str()]))
        .arg(&case.chart)
        .output()
        .map_err(|it| it.to_string())?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        let from = text.find("Error").unwrap_or_default();
        return Err(text.get(from..).unwrap_or_default().trim().replace('\n', " "));
    }
    let text = format!("\n{}", String::from_utf8_lossy(&output.stdout));
    let mut found = Printed::new();
    for part in text.split("\n---\n# Source: ").skip(1) {
        let (name, document) = part.split_once('\n').unwrap_or((part, ""));
        found.entry(name.to_owned()).or_default().extend(documents(document));
    }
    found.retain(|_, it| !it.is_empty());
    Ok(found)
}

/// What is printed here, or why nothing is.
#[expect(clippy::disallowed_methods, reason = "this is where upstream charts are read")]
fn here(case: &Case, helm: &Helm) -> Result<(Printed, BTreeSet<String>), String> {
    let files = files_of(&case.chart).map_err(|it| it.to_string())?;
    let chart = Chart::load(files).map_err(|it| it.message)?;
    let nowhere = Span::new(FileId(u32::MAX), 0, 0);
    let release = Release {
        name: Value::computed("release-name", nowhere),
        namespace: Value::computed("default", nowhere),
    };
    let assumptions = Assumptions {
        renderings: 1,
        kubernetes: Some(KUBERNETES.to_owned()),
        without_cluster: true,
        is_helm_4: helm.is_4,
        others_give_values: false,
    };
    let given = match &case.values {
        None => no_values(),
        Some(path) => {
            let text = fs::read_to_string(path).map_err(|it| it.to_string())?;
            let whole = Span::new(FileId(u32::MAX), 0, text.len());
            let read = yaml::parse_literal(&Text::verbatim(&*text, whole), whole);
            read.values.into_iter().next().unwrap_or_else(no_values)
        }
    };
    let mut found = Printed::new();
    let mut unknown = BTreeSet::new();
    for file in render(&chart, &given, &release, &assumptions).files {
        match file.text {
            Ok(text) if !file.name.ends_with("NOTES.txt") => {
                let refusal = manifests::refusal(&file.name, &text, nowhere);
                if let Some(it) = refusal.filter(|it| it.is_certain) {
                    return Err(it.error.message);
                }
                found.entry(file.name).or_default().extend(documents(&text.text));
                let words = text.holes.iter().filter_map(|it| it.text.split([' ', '(']).next());
                unknown.extend(words.map(str::to_owned));
            }
            Ok(_) => {}
            Err(error) => return Err(format!("{}: {}", file.name, error.message)),
        }
    }
    found.retain(|_, it| !it.is_empty());
    Ok((found, unknown))
}
