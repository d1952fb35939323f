//! What the user decides: `.karplint.yaml`, flags, and comments that allow a finding.

pub(crate) mod allow;
pub(crate) mod date;
pub(crate) mod entry;
pub(crate) mod fault;
pub mod file;
pub(crate) mod gather;
pub mod layers;
pub mod output;
mod own_rules;
pub mod read;
pub(crate) mod schema;

use std::{ops::Range, sync::Arc};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::{
    config::{
        date::Date,
        layers::{Follows, Layers},
        output::{FailOn, Format},
    },
    findings::Severity,
    policies::RuleBook,
    source::FileId,
};

/// The names of the file that is looked for; the first counts where both are there.
pub const FILE_NAMES: [&str; 2] = [".karplint.yaml", ".karplint.yml"];
/// The name of a file that is created.
pub const FILE_NAME: &str = FILE_NAMES[0];

/// The configuration of a project: settings of the whole, and for each file the layers that decide about it.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Config {
    /// What the files of the project decide.
    pub layers: Layers<Layer>,
    /// Karpenter's version where the repository does not say.
    pub karpenter_version: Option<String>,
    /// Kubernetes' version where the repository does not say.
    pub kubernetes_version: Option<String>,
    /// Variable files given to Terraform on its command line, relative to the project's root.
    pub var_files: Vec<String>,
    /// Named sets of further variable files; the repository is judged once with each.
    pub variants: Vec<(String, Vec<String>)>,
    /// From which severity on a check fails.
    pub fail_on: Option<FailOn>,
    /// The file of accepted findings, relative to the project's root.
    pub baseline: Option<String>,
    /// The form of the report.
    pub format: Option<Format>,
    /// The day on which allowances end or do not.
    pub today: Option<Date>,
    /// Whether comments and annotations may allow findings.
    pub use_allowances: bool,
    /// Whether the charts of the repository are rendered.
    pub renders: bool,
    /// Whether rules say also which subjects are sound, and why.
    pub explains: bool,
    /// Whether all that makes pods is read, also what no rule asks about.
    pub all_workloads: bool,
    /// The only rules to run; empty for all.
    pub only: Vec<String>,
    /// Rules not to run.
    pub skip: Vec<String>,
    /// Files of policies outside of the folder for them.
    pub policies: Globs,
    /// The rules there are.
    pub book: Arc<RuleBook>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            layers: Layers::default(),
            karpenter_version: None,
            kubernetes_version: None,
            var_files: Vec::new(),
            variants: Vec::new(),
            fail_on: None,
            baseline: None,
            format: None,
            today: None,
            use_allowances: true,
            renders: true,
            explains: false,
            all_workloads: false,
            only: Vec::new(),
            skip: Vec::new(),
            policies: Globs::default(),
            book: Arc::default(),
        }
    }
}

/// What one file decides about the files below its folder.
#[derive(Clone, Debug, Default)]
pub struct Layer {
    /// Its path relative to the project's root; empty when it lies outside.
    pub path: String,
    /// The folder whose files follow it; `None` for one that others only extend.
    pub folder: Option<String>,
    /// The layer that it extends, by its index.
    pub extends: Option<usize>,
    /// Severities by rule.
    pub rules: Vec<(String, RuleLevel)>,
    /// Files that are no part of the project.
    pub exclude: Globs,
    /// Severities for some paths; the last that matches counts.
    pub overrides: Vec<Override>,
    /// Findings that are allowed, wherever they are written.
    pub allowed: Vec<Allowed>,
}

impl Follows for Layer {
    fn folder(&mut self) -> &mut Option<String> {
        &mut self.folder
    }

    fn base(&self) -> Option<usize> {
        self.extends
    }

    fn excludes(&self, path: &str) -> bool {
        self.exclude.matches(path)
    }
}

/// An entry of the config that allows findings.
#[derive(Clone, Debug)]
pub struct Allowed {
    /// The rule or the topic, as it is written.
    pub rule: String,
    /// The rule, or those of the topic.
    pub rules: Vec<String>,
    /// Where; `None` for everywhere.
    pub paths: Option<Globs>,
    /// What: a Terraform address, `StatefulSet/ledger` or `ledger`; `None` for anything.
    pub object: Option<String>,
    /// The last day on which it counts.
    pub until: Option<Date>,
    /// Where it is written in the config, in bytes.
    pub place: Range<usize>,
}

impl Allowed {
    /// Whether its last day is over.
    #[must_use]
    pub fn is_over(&self, today: Option<Date>) -> bool {
        self.until.zip(today).is_some_and(|(until, today)| until < today)
    }
}

/// Whether a rule reports, and with which severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleLevel {
    /// It reports nothing.
    Off,
    /// Its findings have this severity.
    At(Severity),
}

impl RuleLevel {
    /// The words for a level.
    pub const WORDS: [&'static str; 4] = ["off", "note", "warning", "error"];

    /// The level of that word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "off" => Some(Self::Off),
            _ => Severity::from_word(word).map(Self::At),
        }
    }
}

/// A rule by its name, and the topic that sets it together with others.
#[derive(Clone, Copy, Debug)]
pub struct RuleName<'a> {
    /// Its own name.
    pub rule: &'a str,
    /// Its topic.
    pub topic: &'a str,
}

/// Severities for some paths.
#[derive(Clone, Debug)]
pub struct Override {
    /// The paths.
    pub paths: Globs,
    /// The severities there.
    pub rules: Vec<(String, RuleLevel)>,
}

impl Config {
    /// The severity of a rule's finding in the file at `path` (relative to the root); `None` when the
    /// rule is off there. `given` is what the rule itself says.
    #[must_use]
    pub fn severity(&self, rule: &str, path: &str, given: Severity) -> Option<Severity> {
        match self.layers_of(path).find_map(|(_, it)| it.level(rule, path)) {
            Some(RuleLevel::Off) => None,
            Some(RuleLevel::At(severity)) => Some(severity),
            None => Some(given),
        }
    }

    /// Whether the rule runs at all, as far as the command line decides.
    #[must_use]
    pub fn runs(&self, rule: &str) -> bool {
        let names = |list: &[String]| list.iter().any(|it| it == rule);
        (self.only.is_empty() || names(&self.only)) && !names(&self.skip)
    }

    /// Whether a file or folder (relative to the root) is no part of the project. Here the layers of all
    /// folders above count, as those of `.gitignore` do.
    #[must_use]
    pub fn excludes(&self, path: &str) -> bool {
        self.layers.exclude(path)
    }

    /// Whether a file or folder, or a folder around it, is no part of the project.
    #[must_use]
    pub fn excludes_around(&self, path: &str) -> bool {
        self.layers.exclude_around(path)
    }

    /// The layers that decide about a file, with their indices: that of the nearest folder, and those it
    /// extends.
    pub fn layers_of(&self, path: &str) -> impl Iterator<Item = (usize, &Layer)> {
        self.layers.nearest(path)
    }
}

impl Layer {
    /// The level that this layer itself gives a rule for a file.
    fn level(&self, rule: &str, path: &str) -> Option<RuleLevel> {
        let of = |list: &[(String, RuleLevel)]| {
            list.iter().rev().find(|(name, _)| name == rule).map(|(_, level)| *level)
        };
        let special = self.overrides.iter().rev().filter(|it| it.paths.matches(path));
        special.map(|it| of(&it.rules)).find(Option::is_some).flatten().or_else(|| of(&self.rules))
    }
}

/// Patterns as in `.gitignore`, matched below a folder: one without a slash matches at any depth, and one
/// that matches a folder matches everything in it.
#[derive(Clone, Debug, Default)]
pub struct Globs {
    folder: String,
    set: GlobSet,
}

impl Globs {
    /// Patterns below `folder` (relative to the root).
    ///
    /// # Errors
    /// The number of the pattern that cannot be read, and why.
    pub fn new(folder: &str, patterns: &[&str]) -> Result<Self, (usize, String)> {
        let mut set = GlobSetBuilder::new();
        for (index, pattern) in patterns.iter().enumerate() {
            let bare = pattern.trim_end_matches('/');
            let rooted = bare.trim_start_matches("./").trim_start_matches('/');
            let whole = if bare.contains('/') { rooted.to_owned() } else { format!("**/{bare}") };
            for text in [format!("{whole}/**"), whole] {
                let glob = GlobBuilder::new(&text).literal_separator(true).build();
                set.add(glob.map_err(|error| (index, error.kind().to_string()))?);
            }
        }
        let set = set.build().map_err(|error| (0, error.kind().to_string()))?;
        Ok(Self { folder: folder.to_owned(), set })
    }

    /// Whether the path relative to the root matches.
    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        let below = path.strip_prefix(self.folder.as_str()).map(|it| it.trim_start_matches('/'));
        below.is_some_and(|it| !it.is_empty() && self.set.is_match(it))
    }
}

/// A known word close to the one written, in the form " (did you mean `x`?)"; empty when there is none.
#[must_use]
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let close = known
        .into_iter()
        .map(|it| (strsim::jaro_winkler(word, it), it))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    close.map_or_else(String::new, |(_, it)| format!(" (did you mean `{it}`?)"))
}

/// The only file of a config that is being read.
const CONFIG_FILE: FileId = FileId(0);

#[cfg(test)]
mod tests {
    use super::{Config, Globs, Layer, Layers, Override, RuleLevel, did_you_mean};
    use crate::findings::Severity;

    #[test]
    fn patterns_match_as_in_gitignore() {
        let cases = [
            ("", "vendor", "a/vendor/x.yaml", true),
            ("", "vendor/", "vendor", true),
            ("", "/vendor", "a/vendor", false),
            ("", "*.gen.yaml", "deep/er/x.gen.yaml", true),
            ("", "charts/*/crds", "charts/a/crds/x.yaml", true),
            ("", "charts/*/crds", "charts/a/b/crds/x.yaml", false),
            ("", "charts/**/crds", "charts/a/b/crds", true),
            ("infra", "/dev", "infra/dev/x", true),
            ("infra", "dev", "dev/x", false),
        ];
        for (folder, pattern, path, expected) in cases {
            let globs = Globs::new(folder, &[pattern]).unwrap();
            assert_eq!(globs.matches(path), expected, "{folder} {pattern} {path}");
        }
        assert_eq!(Globs::new("", &["a", "a["]).unwrap_err().0, 1);
    }

    #[test]
    fn the_last_override_that_speaks_counts() {
        let level = |rule: &str, level| vec![(rule.to_owned(), level)];
        let special = |glob, rules| Override { paths: Globs::new("", &[glob]).unwrap(), rules };
        let layer = Layer {
            folder: Some(String::new()),
            rules: level("a", RuleLevel::At(Severity::Error)),
            overrides: vec![
                special("dev", level("a", RuleLevel::Off)),
                special("dev/x", level("b", RuleLevel::At(Severity::Note))),
            ],
            ..Layer::default()
        };
        let config = Config { layers: Layers::new(vec![layer]), ..Config::default() };
        let cases = [
            ("a", "prod/y", Some(Severity::Error)),
            ("a", "dev/x/y", None),
            ("b", "dev/x/y", Some(Severity::Note)),
            ("b", "prod/y", Some(Severity::Warning)),
        ];
        for (rule, path, expected) in cases {
            assert_eq!(config.severity(rule, path, Severity::Warning), expected, "{rule} {path}");
        }
    }

    #[test]
    fn each_file_follows_the_nearest_layer_and_what_it_extends() {
        let layer =
            |folder: Option<&str>, extends, rules: &[(&str, RuleLevel)], exclude: &str| Layer {
                folder: folder.map(str::to_owned),
                extends,
                rules: rules.iter().map(|(rule, level)| ((*rule).to_owned(), *level)).collect(),
                exclude: Globs::new(folder.unwrap_or_default(), &[exclude]).unwrap(),
                ..Layer::default()
            };
        let error = RuleLevel::At(Severity::Error);
        let config = Config {
            layers: Layers::new(vec![
                layer(Some(""), None, &[("a", RuleLevel::Off)], "gen"),
                layer(Some("apps"), Some(2), &[("a", error)], "tmp"),
                layer(None, None, &[("a", RuleLevel::Off), ("b", RuleLevel::Off)], "none"),
            ]),
            ..Config::default()
        };
        let cases = [
            ("a", "x.tf", None),
            ("b", "x.tf", Some(Severity::Warning)),
            ("a", "apps/x.tf", Some(Severity::Error)),
            ("b", "apps/x.tf", None),
            ("b", "application/x.tf", Some(Severity::Warning)),
        ];
        for (rule, path, expected) in cases {
            assert_eq!(config.severity(rule, path, Severity::Warning), expected, "{rule} {path}");
        }
        let cases = [("gen", true), ("tmp", false), ("apps/gen", true), ("apps/tmp", true)];
        for (path, expected) in cases {
            assert_eq!(config.excludes(path), expected, "{path}");
        }
    }

    #[test]
    fn suggestions_are_close_or_absent() {
        assert_eq!(did_you_mean("exlude", ["rules", "exclude"]), " (did you mean `exclude`?)");
        assert_eq!(did_you_mean("zzz", ["rules", "exclude"]), "");
    }
}
