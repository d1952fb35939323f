//! Charts through `helm template`, with `--helm`.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use rayon::prelude::*;

use crate::{
    cli::program::{Failure, Limits, output},
    project::{
        Project,
        rendered::{Asked, Rendered, Renderer},
    },
    source::{Span, join},
    syntax::yaml,
    value::{Text, Value},
};

/// The limits of helm for one chart.
const LIMITS: Limits = Limits { time: Duration::from_secs(30), bytes: 16 << 20 };
/// The longest name of a release, in bytes.
const LONGEST_NAME: usize = 53;

/// Renders the charts that hold templates, several at a time.
///
/// # Errors
/// When helm cannot be run at all. For a chart that it cannot render, the result is the reason.
pub(super) fn charts(project: &Project, helm: &Path) -> Result<Vec<Rendered>, String> {
    let folders = project.charts_to_render();
    let charts: Vec<ChartManifest> =
        folders.into_iter().map(|it| ChartManifest::read(project, it)).collect();
    let charts = charts.par_iter().filter(|it| !it.is_library);
    charts.map(|chart| chart.render(project, helm)).collect()
}

/// What renders the charts for their releases.
pub(super) fn for_releases(project: &Project, helm: &Path) -> Arc<dyn Renderer> {
    let (root, program) = (project.root.clone(), helm.to_path_buf());
    Arc::new(Helm { root, program, answers: Mutex::default() })
}

/// Helm, asked once for each release: its objects may be looked through several times.
#[derive(Debug)]
struct Helm {
    root: PathBuf,
    program: PathBuf,
    answers: Mutex<BTreeMap<Asked, Result<String, String>>>,
}

impl Renderer for Helm {
    fn render(&self, asked: &Asked) -> Result<String, String> {
        let answers = || self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = answers().get(asked) {
            return answer.clone();
        }
        let answer = self.run(asked);
        answers().insert(asked.clone(), answer.clone());
        answer
    }
}

impl Helm {
    fn run(&self, asked: &Asked) -> Result<String, String> {
        let mut command = Command::new(&self.program);
        command.arg("template").arg(release_name(&asked.release));
        command.arg(self.root.join(&asked.folder)).args(["--include-crds", "--values", "-"]);
        // A name that begins with a dash is one all the same.
        command.args(asked.namespace.iter().map(|it| format!("--namespace={it}")));
        command.args(asked.kubernetes.iter().map(|it| format!("--kube-version={it}")));
        text_of(output(command, asked.values.as_bytes(), LIMITS))
            .map_err(|error| format!("{} cannot be run: {error}", self.program.display()))?
    }
}

/// The text that Helm wrote, or why there is none.
///
/// # Errors
/// When it cannot be run at all.
fn text_of(output: Result<Vec<u8>, Failure>) -> Result<Result<String, String>, io::Error> {
    Ok(match output {
        Ok(bytes) => String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned()),
        Err(Failure::Failed(why)) => Err(why),
        Err(Failure::NotRun(error)) => return Err(error),
    })
}

/// What a `Chart.yaml` says.
#[derive(Debug)]
struct ChartManifest {
    folder: String,
    name: String,
    is_library: bool,
}

impl ChartManifest {
    fn read(project: &Project, folder: &str) -> Self {
        let file = join(folder, "Chart.yaml").and_then(|it| project.files.find(&it));
        let value = file.and_then(|id| {
            let text = project.files.get(id).text();
            let whole = Span::new(id, 0, text.len());
            yaml::parse_literal(&Text::verbatim(text, whole), whole).values.into_iter().next()
        });
        let text = |key: &str| {
            let value = value.as_ref()?.get(key).present();
            value.and_then(Value::as_str).map(str::to_owned)
        };
        Self {
            folder: folder.to_owned(),
            name: text("name").unwrap_or_default(),
            is_library: text("type").is_some_and(|it| it == "library"),
        }
    }

    fn render(&self, project: &Project, helm: &Path) -> Result<Rendered, String> {
        let mut command = Command::new(helm);
        command.arg("template").arg(release_name(&self.name));
        command.arg(project.root.join(&self.folder)).arg("--include-crds");
        let text = text_of(output(command, &[], LIMITS))
            .map_err(|error| format!("--helm: {} cannot be run: {error}", helm.display()))?;
        Ok(Rendered { folder: self.folder.clone(), name: self.name.clone(), text })
    }
}

/// The chart's name, if Helm would accept it for a release.
fn release_name(chart: &str) -> &str {
    let plain = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit();
    let valid = chart.len() <= LONGEST_NAME
        && chart.starts_with(plain)
        && chart.ends_with(plain)
        && chart.chars().all(|it| plain(it) || it == '-');
    if valid { chart } else { "release-name" }
}

#[cfg(test)]
mod tests {
    use super::release_name;

    #[test]
    fn releases_are_named_after_their_chart() {
        let long = "a".repeat(54);
        let cases = [
            ("shop", "shop"),
            ("shop-2", "shop-2"),
            ("", "release-name"),
            ("-shop", "release-name"),
            ("--post-renderer", "release-name"),
            ("Shop", "release-name"),
            ("a/b", "release-name"),
            (&long, "release-name"),
        ];
        for (chart, expected) in cases {
            assert_eq!(release_name(chart), expected, "{chart}");
        }
    }
}
