//! `karplint init` and `karplint schema`: a config to start from, and what editors need to complete it.

use serde_json::Value;

use crate::{
    cli::{exit::CLEAN, output::Streams, scope},
    config::{self, RuleName, schema::schema},
    gate::Gate,
    page::Page,
    policies, rules,
};

/// A config that decides nothing yet.
const START: &str = include_str!("init/karplint.yaml");

/// Writes a commented config into the working directory, unless there is one.
///
/// # Errors
/// When there is one, or the file cannot be written.
pub(super) fn init(output: &mut Streams) -> Result<u8, String> {
    let name = config::FILE_NAME;
    let here = scope::working_directory()?;
    let fails = |it| format!("{name}: cannot be written: {it}");
    let gate = Gate::at(&here).map_err(fails)?;
    if let Some(there) = config::FILE_NAMES.into_iter().find(|it| gate.holds(it)) {
        return Err(format!("{there}: is there already"));
    }
    gate.create(name, START).map_err(fails)?;
    output.remark(&format!("{name} is written; it decides nothing yet\n"));
    Ok(CLEAN)
}

/// Prints the JSON schema of the config, or that of policies.
///
/// # Errors
/// When standard output cannot be written.
pub(super) fn print_schema(of_policies: bool, output: &mut Streams) -> Result<u8, String> {
    let schema = if of_policies { policies::schema::schema() } else { of_config() };
    // Strings, lists and objects always become JSON.
    let text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    output.print(&(text + "\n"))?;
    Ok(CLEAN)
}

fn of_config() -> Value {
    let name = |it: &'static Page| RuleName { rule: it.name, topic: it.topic };
    let rules = rules::pages().map(|it| (name(it), &*it.title));
    let rules: Vec<(RuleName, &str)> = rules.collect();
    schema(&rules)
}
