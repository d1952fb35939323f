//! What one `.karplint.yaml` says, before it is joined with others.

use std::{fmt, ops::Range};

use crate::{
    config::{
        Globs, Layer,
        output::{FailOn, Format},
    },
    source::column::Position,
    version::Version,
    visible::{self, visible},
};

/// What one file says.
#[derive(Clone, Debug, Default)]
pub struct ConfigFile {
    /// What it decides about files.
    pub layer: Layer,
    /// What it sets for the whole project.
    pub settings: Settings,
    /// The file it extends, as it is written, and where.
    pub extends: Option<(String, ConfigSpan)>,
    /// What it says of the project.
    pub claims: Vec<Claim>,
}

/// Settings of the whole project.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Karpenter's version.
    pub karpenter_version: Option<String>,
    /// Kubernetes' version.
    pub kubernetes_version: Option<String>,
    /// Variable files, relative to the project's root.
    pub var_files: Vec<String>,
    /// Named sets of further variable files.
    pub variants: Vec<(String, Vec<String>)>,
    /// From which severity on a check fails.
    pub fail_on: Option<FailOn>,
    /// The file of accepted findings, relative to the project's root.
    pub baseline: Option<String>,
    /// The form of the report.
    pub format: Option<Format>,
    /// Files of policies outside of the folder for them.
    pub policies: Option<Globs>,
}

/// A place in a config.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigSpan {
    /// The config's path relative to the project's root; empty when it lies outside.
    pub path: String,
    /// Where in it, in bytes.
    pub range: Range<usize>,
    /// The path as the user would write it.
    pub shown: String,
    /// Where the range begins, from 1.
    pub position: Position,
}

impl fmt::Display for ConfigSpan {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{}:{}:{}",
            visible::path(&self.shown),
            self.position.line,
            self.position.column
        )
    }
}

/// Something wrong with a config.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigMistake {
    /// Where.
    pub at: ConfigSpan,
    /// What is wrong and what is allowed.
    pub message: String,
}

impl fmt::Display for ConfigMistake {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.at, visible(&self.message))
    }
}

/// Something that a config says and the project may contradict.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Where.
    pub at: ConfigSpan,
    /// What.
    pub what: Claimed,
}

/// What a config says.
#[derive(Clone, Debug)]
pub enum Claimed {
    /// This key counts, which it does in the config of the whole project only.
    WholeProject(&'static str),
    /// The pattern excludes something.
    Exclude(Globs),
    /// The pattern matches a file.
    Paths(Globs),
    /// There is such a file of variables.
    VarFile(String),
    /// There is such a rule, or topic of rules.
    Rule(String),
    /// There are such files of policies.
    Policies(Globs),
    /// There is such a baseline.
    Baseline(String),
    /// There is such a release of Karpenter.
    Karpenter(Version),
    /// There is such a version of Kubernetes.
    Kubernetes(Version),
}
