//! The JSON schema of files with policies, for editors.

use serde_json::{Value, json};

use karplint_cel::policy::{SubjectKind, read::API_VERSION};

/// The schema.
#[must_use]
pub(crate) fn schema() -> Value {
    let subjects: Vec<&str> = SubjectKind::ALL.iter().map(|it| it.0).collect();
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "karplint policy",
        "description": "A rule of one's own for karplint, in CEL",
        "type": "object",
        "additionalProperties": false,
        "required": ["apiVersion", "kind", "metadata", "spec"],
        "definitions": {
            "cel": {
                "description": "An expression of CEL, as Kubernetes 1.34 has it",
                "type": ["string", "boolean"],
            },
            "words": { "type": "array", "minItems": 1, "items": { "type": "string" } },
        },
        "properties": {
            "apiVersion": { "const": API_VERSION },
            "kind": { "const": "Policy" },
            "metadata": {
                "type": "object",
                "additionalProperties": false,
                "required": ["name"],
                "properties": { "name": {
                    "description": "The name of the rule, in kebab-case; no built-in rule has it",
                    "type": "string",
                    "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$",
                } },
            },
            "spec": spec(&subjects),
            "tests": { "description": "Run by `karplint policy test`", "type": "array", "items": test() },
        },
    })
}

fn spec(subjects: &[&str]) -> Value {
    let resource = |word: &str, field: &str| {
        json!({
            "if": { "properties": { "subject": { "const": word } }, "required": ["subject"] },
            "then": { "required": [field] },
            "else": { "not": { "required": [field] } },
        })
    };
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["title", "subject", "validations"],
        "allOf": [resource("object", "kinds"), resource("resource", "types")],
        "properties": {
            "title": { "description": "What it asks for, in one line", "type": "string", "minLength": 1 },
            "severity": {
                "description": "How bad it is to fail it",
                "enum": ["error", "warning", "note"],
                "default": "warning",
            },
            "why": { "description": "Why it is asked for, in Markdown; `karplint explain` shows it", "type": "string" },
            "help": { "description": "What to do, one sentence", "type": "string" },
            "subject": { "description": "What it is asked of: `subject` in CEL", "enum": subjects },
            "kinds": {
                "description": "Which objects: `apps/v1/Deployment`, `v1/Pod`, `karpenter.sh/*/NodePool`",
                "$ref": "#/definitions/words",
            },
            "types": {
                "description": "Which resources of Terraform: `aws_eks_node_group`",
                "$ref": "#/definitions/words",
            },
            "where": {
                "description": "Which subjects it is asked of; an error counts as false",
                "$ref": "#/definitions/cel",
            },
            "variables": {
                "description": "Expressions with names, each of which may use those before it",
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["name", "expression"],
                    "properties": {
                        "name": { "type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$" },
                        "expression": { "$ref": "#/definitions/cel" },
                    },
                },
            },
            "validations": { "type": "array", "minItems": 1, "items": validation() },
        },
    })
}

fn validation() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["expression"],
        "properties": {
            "expression": {
                "description": "What has to be true",
                "$ref": "#/definitions/cel",
            },
            "message": { "description": "What is wrong when it is false", "type": "string" },
            "messageExpression": {
                "description": "The same, computed; `message` stands in where that fails",
                "$ref": "#/definitions/cel",
            },
            "at": {
                "description": "The value to point at, instead of the one that decides",
                "$ref": "#/definitions/cel",
            },
        },
    })
}

fn test() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["name", "files", "expect"],
        "properties": {
            "name": { "description": "What it shows", "type": "string" },
            "files": {
                "description": "A small repository: the text of each file, by its path",
                "type": "object",
                "additionalProperties": { "type": "string" },
            },
            "expect": {
                "description": "Each finding as `file:line`; an empty list for none",
                "type": "array",
                "items": { "type": "string", "pattern": ":[0-9]+$" },
            },
        },
    })
}
