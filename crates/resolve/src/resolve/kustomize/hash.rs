//! The hash kustomize appends to the names of what it generates, and base64.

use std::{collections::BTreeMap, fmt::Write as _, sync::Arc};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest, Sha256};

use crate::{
    resolve::kustomize::{
        accumulated::Accumulated,
        edit::{field_mut, retext, text, text_at},
        resource::Resource,
    },
    value::{Value, step::Rewrite},
};

/// Appends its hash to the name of every object that wants one.
pub(super) fn append(made: &mut Accumulated) {
    for resource in made.resources.iter_mut().filter(|it| it.hashed) {
        let Some(hash) = of_object(resource) else { continue };
        resource.remember();
        let place = resource.value.span;
        let metadata = field_mut(&mut resource.value, "metadata");
        let Some(name) = metadata.and_then(|it| field_mut(it, "name")) else { continue };
        let Some(old) = text(name) else { continue };
        retext(name, format!("{old}-{hash}"), place, Rewrite::Hash);
    }
}

fn of_object(resource: &Resource) -> Option<String> {
    let kind = resource.kind();
    let value = &resource.value;
    let mut parts: BTreeMap<&str, String> = BTreeMap::new();
    parts.insert("kind", quoted(&kind));
    // kustomize looks the name up under a key no object has.
    parts.insert("name", quoted(""));
    parts.insert("data", value.get("data").present().map_or_else(|| quoted(""), mapping));
    let (more, secret) = match &*kind {
        "ConfigMap" => ("binaryData", false),
        "Secret" => ("stringData", true),
        _ => return None,
    };
    if let Some(data) = value.get(more).present() {
        parts.insert(more, mapping(data));
    }
    if secret {
        parts.insert("type", quoted(&text_at(value, "type").unwrap_or_default()));
    }
    let json: Vec<String> =
        parts.iter().map(|(key, value)| format!("{}:{value}", quoted(key))).collect();
    let digest = Sha256::digest(format!("{{{}}}", json.join(",")).as_bytes());
    let mut hash = String::new();
    for byte in digest.iter().take(5) {
        let _ = write!(hash, "{byte:02x}");
    }
    // Without vowels and the digits that look like them, no hash spells a word.
    let letter = |it: char| match it {
        '0' => 'g',
        '1' => 'h',
        '3' => 'k',
        'a' => 'm',
        'e' => 't',
        other => other,
    };
    Some(hash.chars().map(letter).collect())
}

fn mapping(value: &Value) -> String {
    let sorted: BTreeMap<&str, Arc<str>> =
        value.entries().iter().filter_map(|it| Some((&*it.key, text(&it.value)?))).collect();
    let pairs: Vec<String> =
        sorted.iter().map(|(key, value)| format!("{}:{}", quoted(key), quoted(value))).collect();
    format!("{{{}}}", pairs.join(","))
}

/// A string as Go writes it in JSON.
fn quoted(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    json.push('"');
    for letter in text.chars() {
        match letter {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\n' => json.push_str("\\n"),
            '\r' => json.push_str("\\r"),
            '\t' => json.push_str("\\t"),
            '\u{8}' => json.push_str("\\b"),
            '\u{c}' => json.push_str("\\f"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(json, "\\u{:04x}", u32::from(letter));
            }
            it if u32::from(it) < 0x20 => {
                let _ = write!(json, "\\u{:04x}", u32::from(it));
            }
            it => json.push(it),
        }
    }
    json.push('"');
    json
}

/// Base64 as kustomize writes it: what is long is cut into lines.
#[must_use]
pub(super) fn base64_lines(bytes: &[u8]) -> String {
    const LINE: usize = 70;
    let whole = STANDARD.encode(bytes);
    if whole.len() < LINE {
        return whole;
    }
    let mut lines = String::with_capacity(whole.len() + whole.len() / LINE + 1);
    let mut rest = whole.as_str();
    while !rest.is_empty() {
        let (line, later) = rest.split_at(rest.len().min(LINE));
        lines.push_str(line);
        lines.push('\n');
        rest = later;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{base64_lines, quoted};

    #[test]
    fn base64_pads() {
        for (text, expected) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
        {
            assert_eq!(base64_lines(text.as_bytes()), expected, "{text}");
        }
        let long = base64_lines(&[0; 60]);
        assert_eq!(long.lines().map(str::len).collect::<Vec<_>>(), [70, 10]);
    }

    #[test]
    fn json_is_escaped_as_go_does() {
        assert_eq!(quoted("a<b>&\"\n\u{1}"), "\"a\\u003cb\\u003e\\u0026\\\"\\n\\u0001\"");
    }
}
