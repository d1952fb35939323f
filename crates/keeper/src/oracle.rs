//! Charts of a folder, rendered here and by the real Helm: how many come out the same, and where the others differ.

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
    value::{HOLE_END, HOLE_START, Text, Value},
};
use karplint_helm::helm::{
    chart::Chart, cluster::Assumptions, fault::ErrorKind, manifests, release::Release,
    render::render,
};

use crate::render::{files_of, no_values};

const KUBERNETES: &str = "1.32.0";

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
    /// Both refuse it.
    BothRefuse,
    /// Helm refuses it, for this reason; it is rendered here.
    OnlyHelmRefuses(String),
    /// Helm renders it; it is refused here, for this reason.
    OnlyHereRefused(String),
    /// Helm needs charts that are not there, or the network.
    Incomplete,
}

/// What the charts of a folder come out as.
pub(crate) struct Comparison(Vec<(PathBuf, Outcome)>);

impl Comparison {
    /// Renders all charts of a folder, at any depth.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub(crate) fn of(folder: &Path, helm: &str) -> io::Result<Self> {
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
                        let outcome = compared(case, helm);
                        let path = case.values.as_ref().unwrap_or(&case.chart);
                        let name = path.strip_prefix(folder).unwrap_or(path).to_owned();
                        if let Ok(mut found) = found.lock() {
                            found.push((name, outcome));
                        }
                    }
                });
            }
        });
        let mut found = found.into_inner().unwrap_or_default();
        found.sort_by(|(a, _), (b, _)| a.cmp(b));
        Ok(Self(found))
    }

    fn count(&self, is_counted: impl Fn(&Outcome) -> bool) -> usize {
        self.0.iter().filter(|(_, it)| is_counted(it)).count()
    }

    /// What is not known, and in how many renderings.
    fn unknown(&self) -> BTreeMap<&str, usize> {
        let mut found = BTreeMap::new();
        for (_, outcome) in &self.0 {
            if let Outcome::SameButUnknown(symbols) = outcome {
                for it in symbols {
                    *found.entry(it.as_str()).or_default() += 1;
                }
            }
        }
        found
    }

    /// Whether nothing but what is known to be left out differs.
    pub(crate) fn is_good(&self) -> bool {
        self.count(|it| matches!(it, Outcome::Different(_) | Outcome::OnlyHereRefused(_))) == 0
    }
}

impl Display for Comparison {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        for (chart, outcome) in &self.0 {
            let (what, why) = match outcome {
                Outcome::SameValues(why) => ("says the same in other words", why),
                Outcome::Different(why) => ("differs", why),
                Outcome::OnlyHelmRefuses(why) => ("is refused by Helm alone", why),
                Outcome::OnlyHereRefused(why) => ("is refused here alone", why),
                _ => continue,
            };
            writeln!(out, "{} {what}: {why}", chart.display())?;
        }
        let texts = self.count(|it| matches!(it, Outcome::Same));
        let unknown = self.count(|it| matches!(it, Outcome::SameButUnknown(_)));
        let values = self.count(|it| matches!(it, Outcome::SameValues(_)));
        let others =
            self.count(|it| matches!(it, Outcome::Different(_) | Outcome::OnlyHereRefused(_)));
        let all = texts + unknown + values + others;
        let share = |count: usize| {
            let thousandths = (count * 1000).checked_div(all).unwrap_or(0);
            format!("{count} of {all} ({}.{} %)", thousandths / 10, thousandths % 10)
        };
        writeln!(out, "the same as values: {}", share(texts + unknown + values))?;
        writeln!(out, "the same as text: {}", share(texts + unknown))?;
        writeln!(out, "of these, the same but for what is not known: {unknown}")?;
        for (what, count) in self.unknown() {
            writeln!(out, "  {what}: {count}")?;
        }
        let both = self.count(|it| matches!(it, Outcome::BothRefuse));
        let alone = self.count(|it| matches!(it, Outcome::OnlyHelmRefuses(_)));
        writeln!(out, "refused by both: {both}, by Helm alone: {alone}")?;
        let incomplete = self.count(|it| matches!(it, Outcome::Incomplete));
        writeln!(out, "not asked, for want of what they depend on: {incomplete}")
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

/// Documents by the template that prints them.
type Printed = BTreeMap<String, Vec<String>>;

fn compared(case: &Case, helm: &str) -> Outcome {
    let theirs = match by_helm(case, helm) {
        Ok(printed) => Ok(printed),
        Err(why) if why.contains("missing in charts/") || why.contains("dependency") => {
            return Outcome::Incomplete;
        }
        Err(why) => Err(why),
    };
    match (theirs, here(case)) {
        (Err(_), Err(_)) => Outcome::BothRefuse,
        (Err(why), Ok(_)) => Outcome::OnlyHelmRefuses(why),
        (Ok(_), Err(why)) => Outcome::OnlyHereRefused(why),
        (Ok(theirs), Ok((ours, unknown))) => alike(ours, theirs, unknown),
    }
}

/// What Helm prints, or why it does not.
fn by_helm(case: &Case, helm: &str) -> Result<Printed, String> {
    let output = Command::new(helm)
        .args(["template", "release-name", "--kube-version", KUBERNETES])
        .args(case.values.iter().flat_map(|it| [OsStr::new("--values"), it.as_os_str()]))
        .arg(&case.chart)
        .output()
        .map_err(|it| it.to_string())?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        let line = text.lines().find(|it| it.starts_with("Error")).unwrap_or_default();
        return Err(line.to_owned());
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
fn here(case: &Case) -> Result<(Printed, BTreeSet<String>), String> {
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
                found.entry(file.name).or_default().extend(documents(&text.text));
                let words = text.holes.iter().filter_map(|it| it.text.split([' ', '(']).next());
                unknown.extend(words.map(str::to_owned));
            }
            Ok(_) => {}
            Err(error) if error.kind == ErrorKind::Yaml => {}
            Err(error) => return Err(format!("{}: {}", file.name, error.message)),
        }
    }
    found.retain(|_, it| !it.is_empty());
    Ok((found, unknown))
}

/// The documents of a text, in some order. Those of comments alone are none, and Helm drops what was for Helm 2.
fn documents(text: &str) -> Vec<String> {
    let says =
        |it: &&str| it.lines().any(|it| !it.trim().is_empty() && !it.trim().starts_with('#'));
    let is_kept = |it: &&str| !it.contains("crd-install");
    let parts = manifests::documents(text).into_iter();
    // Of several `---` one after the other, Helm leaves the last in the document.
    let parts = parts.map(|it| text.get(it).unwrap_or_default());
    let parts = parts.map(|it| it.trim_start_matches("---\n").trim_start_matches('\n'));
    let parts = parts.filter(|it| *it != "---");
    let mut found: Vec<String> = parts.filter(says).filter(is_kept).map(str::to_owned).collect();
    found.sort();
    found
}

fn alike(ours: Printed, mut theirs: Printed, unknown: BTreeSet<String>) -> Outcome {
    if ours == theirs {
        return Outcome::Same;
    }
    let mut is_unknown = false;
    let mut other_words = None;
    for (name, mut ours) in ours {
        let mut theirs = theirs.remove(&name).unwrap_or_default();
        ours.retain(|it| !taken(&mut theirs, |other| other == it));
        let before = ours.len();
        ours.retain(|it| !taken(&mut theirs, |other| fits(it, other)));
        is_unknown |= ours.len() < before;
        let first = difference(&ours, &theirs);
        let before = ours.len();
        ours.retain(|it| !taken(&mut theirs, |other| says_the_same(it, other)));
        if ours.len() < before {
            other_words.get_or_insert_with(|| format!("{name}: {first}"));
        }
        if !ours.is_empty() || !theirs.is_empty() {
            return Outcome::Different(format!("{name}: {}", difference(&ours, &theirs)));
        }
    }
    match (theirs.first_key_value(), other_words) {
        (Some((name, _)), _) => Outcome::Different(format!("{name} is printed by Helm alone")),
        (None, Some(why)) => Outcome::SameValues(why),
        (None, None) if is_unknown => Outcome::SameButUnknown(unknown),
        (None, None) => Outcome::Same,
    }
}

/// Takes the first that is wanted out of a list.
fn taken(list: &mut Vec<String>, is_wanted: impl Fn(&str) -> bool) -> bool {
    let at = list.iter().position(|it| is_wanted(it));
    at.map(|it| list.remove(it)).is_some()
}

/// Whether a text with parts that are not known may be the other.
fn fits(text: &str, other: &str) -> bool {
    if !text.contains(HOLE_START) {
        return false;
    }
    let mut rest = other;
    for (at, part) in text.split(HOLE_START).enumerate() {
        let part = if at == 0 { part } else { part.split_once(HOLE_END).map_or("", |it| it.1) };
        match rest.find(part) {
            Some(found) if at > 0 || found == 0 => {
                rest = rest.get(found + part.len()..).unwrap_or_default();
            }
            _ => return false,
        }
    }
    rest.is_empty() || text.ends_with(HOLE_END)
}

fn says_the_same(a: &str, b: &str) -> bool {
    let whole = |text: &str| Span::new(FileId(u32::MAX), 0, text.len());
    let read = |text: &str| yaml::parse_literal(&Text::verbatim(text, whole(text)), whole(text));
    let (a, b) = (read(a), read(b));
    a.values.len() == b.values.len()
        && a.values.iter().zip(&b.values).all(|(a, b)| a.same_as(b) == Some(true))
}

/// The first lines that differ.
fn difference(ours: &[String], theirs: &[String]) -> String {
    let (ours, theirs) = (ours.join("\n"), theirs.join("\n"));
    let mut theirs_lines = theirs.lines();
    for line in ours.lines() {
        let other = theirs_lines.next();
        if other != Some(line) {
            return format!("here {line:?}, Helm {:?}", other.unwrap_or_default());
        }
    }
    format!("Helm goes on with {:?}", theirs_lines.next().unwrap_or_default())
}
