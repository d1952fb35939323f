//! Blocks with several instances: a fault that only some of them have names these.

use std::collections::{BTreeSet, HashMap};

use crate::{
    findings::{Finding, Instance},
    lint::callers::{self, Key},
};

/// The instances that have each fault.
#[derive(Debug, Default)]
pub struct Affected {
    instances: HashMap<Key, BTreeSet<String>>,
}

impl Affected {
    /// Takes a finding in.
    pub fn add(&mut self, finding: &Finding) {
        if let Some(instance) = &finding.instance {
            let affected = self.instances.entry(callers::key(finding)).or_default();
            affected.insert(instance.address.clone());
        }
    }

    /// Names the instances, where there are others.
    pub fn tell(&self, finding: &mut Finding) {
        let Some(Instance { of, .. }) = finding.instance else { return };
        let Some(names) = self.instances.get(&callers::key(finding)) else { return };
        if names.len() < of {
            let names: Vec<String> = names.iter().map(|it| format!("`{it}`")).collect();
            finding.note(finding.span, format!("only in {}", names.join(", ")));
        }
    }
}
