//! The JSON schema of `.karplint.yaml`, for editors.

use std::collections::BTreeSet;

use clap::ValueEnum;
use serde_json::{Map, Value, json};

use crate::config::{
    RuleLevel, RuleName,
    output::{FailOn, Format},
};

/// What names of policies look like.
const POLICY: &str = "^[a-z0-9]+(-[a-z0-9]+)*$";

/// The schema, for these rules with their titles.
#[must_use]
pub(crate) fn schema(rules: &[(RuleName, &str)]) -> Value {
    // Editors that read YAML 1.1 take a bare `off` for false.
    let mut levels: Vec<Value> = RuleLevel::WORDS.iter().map(|it| json!(it)).collect();
    levels.push(json!(false));
    let level = |description: &str| json!({ "description": description, "enum": levels });
    let of_topic = |(name, _): &(RuleName, &str)| {
        (name.topic.to_owned(), level(&format!("All rules of the topic `{}`", name.topic)))
    };
    let of_rule = |(name, title): &(RuleName, &str)| (name.rule.to_owned(), level(title));
    let by_rule: Map<String, Value> =
        rules.iter().map(of_topic).chain(rules.iter().map(of_rule)).collect();
    let topics: BTreeSet<&str> = rules.iter().map(|(name, _)| name.topic).collect();
    let names: Vec<&str> = rules.iter().map(|(name, _)| name.rule).chain(topics).collect();
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": concat!(env!("CARGO_PKG_REPOSITORY"), "/releases/latest/download/karplint.schema.json"),
        "title": "karplint",
        "description": "Decisions of karplint: each file follows the nearest `.karplint.yaml` above it",
        "type": "object",
        "additionalProperties": false,
        "definitions": {
            "rules": {
                "type": "object",
                "properties": by_rule,
                "patternProperties": { POLICY: level("A policy of the repository") },
                "additionalProperties": false,
            },
            "patterns": {
                "description": "Patterns as in `.gitignore`, from the folder of the config",
                "anyOf": [
                    { "type": "string" },
                    { "type": "array", "items": { "type": "string" } },
                ],
            },
            "version": { "type": ["string", "number"], "examples": ["1.8.2"] },
        },
        "properties": {
            "extends": { "description": "A config whose decisions count where this one has none; a path from the folder of this file, inside the repository", "type": "string", "minLength": 1 },
            "rules": {
                "description": "How loud a rule is, or all rules of a topic: off, note, warning or error; what is said of a rule itself counts",
                "$ref": "#/definitions/rules",
            },
            "exclude": { "description": "Files that are no part of the project; patterns of configs in the folders above count too", "$ref": "#/definitions/patterns" },
            "paths": { "description": "Levels for some paths; the last that matches counts", "type": "array", "items": overrides() },
            "allow": { "description": "Findings that are allowed", "type": "array", "items": allowed(&names) },
            "karpenter_version": { "description": "Karpenter's version where the repository does not say. Read in the root's config only", "$ref": "#/definitions/version" },
            "kubernetes_version": { "description": "Kubernetes' version where the repository does not say. Read in the root's config only", "$ref": "#/definitions/version" },
            "terraform": terraform(),
            "policies": { "description": "Files of policies beside those in `.karplint/policies`. Read in the root's config only", "$ref": "#/definitions/patterns" },
            "fail-on": word::<FailOn>("From which severity on the exit status is 1; `--fail-on` wins. Read in the root's config only"),
            "baseline": { "description": "The file of accepted findings, which `karplint baseline` writes; `--baseline` wins. Read in the root's config only", "type": "string", "minLength": 1 },
            "format": word::<Format>("The form of the report; `--format` wins. Read in the root's config only"),
        },
    })
}

/// One of the words of the command line.
fn word<T: ValueEnum>(description: &str) -> Value {
    let known = T::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let known: Vec<String> = known.map(|it| it.get_name().to_owned()).collect();
    json!({ "description": description, "enum": known })
}

fn overrides() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["paths", "rules"],
        "properties": {
            "paths": { "$ref": "#/definitions/patterns" },
            "rules": { "$ref": "#/definitions/rules" },
        },
    })
}

fn allowed(names: &[&str]) -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["rule", "reason"],
        "properties": {
            "rule": {
                "description": "The rule, or the topic of several",
                "anyOf": [{ "enum": names }, { "type": "string", "pattern": POLICY }],
            },
            "reason": { "description": "Why", "type": "string", "minLength": 1 },
            "paths": { "$ref": "#/definitions/patterns" },
            "object": {
                "description": "A Terraform address, `StatefulSet/ledger` or `ledger`",
                "type": "string",
            },
            "until": {
                "description": "The last day on which it counts: 2027-05-31",
                // Readers of YAML 1.1 make a date of it, which is no text.
                "format": "date",
            },
        },
    })
}

fn terraform() -> Value {
    json!({
        "description": "Read in the root's config only",
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "var_files": {
                "description": "Variable files given to Terraform on its command line",
                "$ref": "#/definitions/patterns",
            },
            "variants": {
                "description": "Named sets of further variable files; the repository is judged once with each",
                "type": "object",
                "additionalProperties": { "$ref": "#/definitions/patterns" },
            },
        },
    })
}
