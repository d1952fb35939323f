//! Accepted findings: a file of fingerprints that people can read.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::report::shown::Shown;

/// Raised when a field changes its meaning or is removed.
const SCHEMA_VERSION: u32 = 1;

/// The accepted findings.
#[derive(Debug, Default, Deserialize, Serialize)]
pub struct Baseline {
    schema_version: u32,
    findings: Vec<AcceptedFinding>,
}

/// An accepted finding.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct AcceptedFinding {
    /// The path from the project's root.
    pub path: String,
    /// The rule.
    pub rule: String,
    /// Its message; for readers only.
    pub message: String,
    /// Its fingerprint, which stays when lines above move.
    pub fingerprint: String,
}

impl Baseline {
    /// The findings of a report, in an order that keeps differences small.
    #[must_use]
    pub fn of(findings: &[Shown], path: impl Fn(&Shown) -> String) -> Self {
        let accepted = |it: &Shown| AcceptedFinding {
            path: path(it),
            rule: it.finding.rule.to_owned(),
            message: it.finding.message.clone(),
            fingerprint: it.fingerprint.clone(),
        };
        let mut findings: Vec<AcceptedFinding> = findings.iter().map(accepted).collect();
        findings.sort();
        Self { schema_version: SCHEMA_VERSION, findings }
    }

    /// Reads a baseline.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let baseline: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if baseline.schema_version != SCHEMA_VERSION {
            return Err(format!(
                "`schema_version` is {}, and this karplint knows {SCHEMA_VERSION}",
                baseline.schema_version
            ));
        }
        Ok(baseline)
    }

    /// Its text.
    #[must_use]
    pub fn text(&self) -> String {
        // Strings, numbers and lists always become JSON.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// How many findings it accepts.
    #[must_use]
    pub fn count(&self) -> usize {
        self.findings.len()
    }

    /// The fingerprints of the accepted findings.
    #[must_use]
    pub fn fingerprints(&self) -> HashSet<&str> {
        self.findings.iter().map(|it| it.fingerprint.as_str()).collect()
    }

    /// Those that are not found any more.
    #[must_use]
    pub fn gone(&self, found: &HashSet<&str>) -> Vec<&AcceptedFinding> {
        self.findings.iter().filter(|it| !found.contains(it.fingerprint.as_str())).collect()
    }
}
