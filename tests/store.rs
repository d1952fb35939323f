//! The schemas that editors get: each is valid for its draft, and the entry for `SchemaStore` is that of the config's.

#![expect(clippy::unwrap_used, reason = "a test may stop at what it did not expect")]

use std::process::Command;

use serde_json::Value;

fn schema(arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_karplint")).args(arguments).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

/// What is wrong with a schema of draft 7, by its meta schema: the keywords and what each may hold.
fn faults(root: &Value, schema: &Value, place: &str, found: &mut Vec<String>) {
    let Some(keywords) = schema.as_object() else {
        found.extend((!schema.is_boolean()).then(|| format!("{place} is no schema")));
        return;
    };
    for (keyword, value) in keywords {
        let place = format!("{place}/{keyword}");
        let schemas: Vec<&Value> = match keyword.as_str() {
            "items" if value.is_array() => value.as_array().unwrap().iter().collect(),
            "allOf" | "anyOf" | "oneOf" => value.as_array().into_iter().flatten().collect(),
            "properties" | "patternProperties" | "definitions" => {
                value.as_object().into_iter().flat_map(|it| it.values()).collect()
            }
            "items"
            | "additionalItems"
            | "additionalProperties"
            | "contains"
            | "propertyNames"
            | "not"
            | "if"
            | "then"
            | "else" => vec![value],
            _ => Vec::new(),
        };
        let holds = match keyword.as_str() {
            "$id" | "$schema" | "$comment" | "title" | "description" | "pattern" | "format" => {
                value.is_string()
            }
            "$ref" => {
                let at = value.as_str().unwrap_or_default().strip_prefix('#');
                at.is_some_and(|it| root.pointer(it).is_some())
            }
            "minimum" | "maximum" | "multipleOf" | "exclusiveMinimum" | "exclusiveMaximum" => {
                value.is_number()
            }
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties"
            | "maxProperties" => value.is_u64(),
            "uniqueItems" | "readOnly" => value.is_boolean(),
            "enum" | "examples" => value.as_array().is_some_and(|it| !it.is_empty()),
            "required" => value.as_array().is_some_and(|it| it.iter().all(Value::is_string)),
            "type" => {
                let known = ["array", "boolean", "integer", "null", "number", "object", "string"];
                let mut all =
                    value.as_array().map_or(vec![value], |it| it.iter().collect()).into_iter();
                all.all(|it| it.as_str().is_some_and(|it| known.contains(&it)))
            }
            "allOf" | "anyOf" | "oneOf" => value.as_array().is_some_and(|it| !it.is_empty()),
            "properties" | "patternProperties" | "definitions" => value.is_object(),
            // Of the last four editors show something; others pass over them.
            "const"
            | "default"
            | "markdownDescription"
            | "defaultSnippets"
            | "enumDescriptions"
            | "deprecationMessage" => true,
            _ => !schemas.is_empty(),
        };
        found.extend((!holds).then(|| format!("{place}: {value}")));
        for (at, it) in schemas.into_iter().enumerate() {
            faults(root, it, &format!("{place}/{at}"), found);
        }
    }
}

#[test]
fn schemas_are_valid_for_their_draft() {
    for arguments in [&["schema"][..], &["schema", "--policy"]] {
        let schema = schema(arguments);
        assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#");
        let mut found = Vec::new();
        faults(&schema, &schema, "", &mut found);
        assert_eq!(found, Vec::<String>::new());
    }
    // What the check would find.
    let mut found = Vec::new();
    let broken = serde_json::json!({ "type": "text", "items": { "$ref": "#/x" }, "maxlength": 1 });
    faults(&broken, &broken, "", &mut found);
    assert_eq!(found.len(), 3, "{found:?}");
}

#[test]
fn the_entry_for_schemastore_is_that_of_the_config() {
    let entry: Value = serde_json::from_str(include_str!("../docs/schemastore.json")).unwrap();
    assert_eq!(entry["url"], schema(&["schema"])["$id"]);
    let names = karplint::config::FILE_NAMES.map(Value::from);
    assert_eq!(entry["fileMatch"], Value::from(names.to_vec()));
    // As SchemaStore asks of a description: short, and no word about schemas.
    assert!(!entry["description"].as_str().unwrap().to_lowercase().contains("schema"));
}
