//! YAML, JSON and TOML, base64, checksums.

use std::{fmt::Write, rc::Rc};

use base64::Engine;
use sha1::Digest;

use crate::{
    helm::{
        convert::val,
        emit::{pretty_yaml, yaml},
        files::Files,
        functions::{
            arguments::{Answer, Args, Function},
            decode,
            toml::{self, toml},
        },
        json::{Form, json},
        text::Text,
        value::{Kind, Val},
    },
    source::{FileId, Span},
    syntax,
    value::Symbol,
};

const PLAIN: Form = Form { pretty: false, html: true };
const PRETTY: Form = Form { pretty: true, html: true };
const RAW: Form = Form { pretty: false, html: false };

/// The functions of this topic.
pub(super) const TABLE: &[(&str, Function)] = &[
    ("toYaml", |it| Ok(encoded(yaml(it.val(0)?)))),
    ("mustToYaml", |it| Ok(encoded(yaml(it.val(0)?)))),
    ("toYamlPretty", |it| Ok(encoded(pretty_yaml(it.val(0)?)))),
    ("fromYaml", |it| decoded(it, Wanted::Map)),
    ("fromYamlArray", |it| decoded(it, Wanted::List)),
    ("toJson", |it| Ok(encoded(json(it.val(0)?, PLAIN)))),
    ("mustToJson", |it| Ok(encoded(json(it.val(0)?, PLAIN)))),
    ("toPrettyJson", |it| Ok(encoded(json(it.val(0)?, PRETTY)))),
    ("mustToPrettyJson", |it| Ok(encoded(json(it.val(0)?, PRETTY)))),
    ("toRawJson", |it| Ok(encoded(json(it.val(0)?, RAW)))),
    ("mustToRawJson", |it| Ok(encoded(json(it.val(0)?, RAW)))),
    ("fromJson", |it| decoded(it, Wanted::Map)),
    ("mustFromJson", |it| decoded(it, Wanted::Anything)),
    ("fromJsonArray", |it| decoded(it, Wanted::List)),
    ("toToml", |it| match it.val(0)? {
        nothing if nothing.is_nil() => it.error("no TOML of nil"),
        value => Ok(toml(value).map_or_else(Val::text, encoded)),
    }),
    ("fromToml", from_toml),
    ("b64enc", |it| changed(it, |text| base64::engine::general_purpose::STANDARD.encode(text))),
    ("b64dec", |it| decoded_bytes(it, decode::base64, "base64")),
    ("b32enc", |it| changed(it, base32)),
    ("b32dec", |it| decoded_bytes(it, decode::base32, "base32")),
    ("sha1sum", |it| changed(it, |text| hex(&sha1::Sha1::digest(text)))),
    ("sha256sum", |it| changed(it, |text| hex(&sha2::Sha256::digest(text)))),
    ("sha512sum", |it| changed(it, |text| hex(&sha2::Sha512::digest(text)))),
    ("adler32sum", |it| changed(it, adler32)),
];

fn encoded(text: Text) -> Val {
    Kind::Text(text).into()
}

/// A place for what is written nowhere. No file has this number.
fn nowhere() -> Span {
    Span::new(FileId(u32::MAX), 0, 0)
}

/// What YAML says; JSON is YAML. Its scalars keep the places that the text knows.
pub(crate) fn read_yaml(text: &Text) -> Result<Val, String> {
    let place = text.locate(&(0..text.len())).unwrap_or_else(nowhere);
    let documents = syntax::yaml::parse_literal(&text.finished(), place);
    let broken =
        documents.parse_errors.iter().find(|it| it.severity == crate::findings::Severity::Error);
    if text.as_str().starts_with('%') {
        return Err("directives are not read".to_owned());
    }
    match (broken, documents.values.first()) {
        (Some(error), _) => Err(format!("error converting YAML to JSON: yaml: {}", error.message)),
        (None, Some(value)) => Ok(val(value)),
        (None, None) => Ok(Val::NIL),
    }
}

/// What a function wants a text to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Map,
    List,
    Anything,
}

/// What a text encodes; Helm reports what it cannot read inside the result.
fn decoded(args: &Args<'_>, wanted: Wanted) -> Answer {
    let given = args.text(0)?;
    if let Some(symbol) = given.only_hole() {
        return Err(args.unknown(symbol));
    }
    let is_json = args.name.contains("Json");
    let is_open = given.first_hole().is_some();
    let refused = if is_json && !is_open { decode::json(given.as_str()).err() } else { None };
    let read = match &refused {
        Some(message) => Err(Val::text(&**message)),
        // The words of the package about other YAML are not known.
        None => read_yaml(&given).map_err(|_| Val::unknown(Symbol::of_installation(args.name))),
    };
    let error = match read {
        Err(_) if is_open => {
            return Err(
                args.unknown(given.first_hole().unwrap_or(&Symbol::of_installation(args.name)))
            );
        }
        Err(error) => error,
        Ok(value) => match (&value.kind, wanted) {
            (Kind::Unknown(_), _)
            | (_, Wanted::Anything)
            | (Kind::Map(_), Wanted::Map)
            | (Kind::List(_), Wanted::List) => return Ok(value),
            (Kind::Nil, Wanted::Map) => return Ok(Val::map([])),
            (Kind::Nil, Wanted::List) => return Ok(Val::list(Vec::new())),
            _ => Val::text(other_than_wanted(&value, wanted, is_json)),
        },
    };
    match wanted {
        Wanted::Map => Ok(Val::map([(Rc::from("Error"), error)])),
        Wanted::List => Ok(Val::list(vec![error])),
        Wanted::Anything => args.error(refused.unwrap_or_default()),
    }
}

fn other_than_wanted(value: &Val, wanted: Wanted, is_json: bool) -> String {
    let found = match &value.kind {
        Kind::Map(_) => "object",
        Kind::List(_) => "array",
        Kind::Text(_) => "string",
        Kind::Bool(_) => "bool",
        _ => "number",
    };
    let asked = if wanted == Wanted::Map { "map[string]interface {}" } else { "[]interface {}" };
    let around = if is_json { "" } else { "error unmarshaling JSON: while decoding JSON: " };
    format!("{around}json: cannot unmarshal {found} into Go value of type {asked}")
}

/// What TOML says; where it is none, the words of the package are not known.
fn from_toml(args: &Args<'_>) -> Answer {
    let given = args.text(0)?;
    if let Some(symbol) = given.only_hole() {
        return Err(args.unknown(symbol));
    }
    match (toml::read::read(&given), given.first_hole()) {
        (Some(value), _) => Ok(value),
        (None, Some(symbol)) => Err(args.unknown(symbol)),
        (None, None) => {
            let words = Symbol::of_installation("the error of fromToml");
            Ok(Val::map([(Rc::from("Error"), Val::unknown(words))]))
        }
    }
}

fn changed(args: &Args<'_>, change: impl Fn(&str) -> String) -> Answer {
    let given = args.string(0)?;
    let made = change(given.as_str());
    Ok(Kind::Text(given.replaced_by(made)).into())
}

/// What a text encodes; what Go says if it is none such.
fn decoded_bytes(
    args: &Args<'_>,
    decode: fn(&str) -> Result<Vec<u8>, usize>,
    encoding: &str,
) -> Answer {
    let given = args.string(0)?;
    let made = match decode(given.as_str()) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(at) => format!("illegal {encoding} data at input byte {at}"),
    };
    Ok(Kind::Text(given.replaced_by(made)).into())
}

/// Bytes as hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn adler32(text: &str) -> String {
    let (mut low, mut high) = (1_u32, 0_u32);
    for byte in text.bytes() {
        low = (low + u32::from(byte)) % 65_521;
        high = (high + low) % 65_521;
    }
    ((high << 16) | low).to_string()
}

fn base32(text: &str) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let mut result = String::new();
    for chunk in text.as_bytes().chunks(5) {
        let mut bits = 0_u64;
        for at in 0..5 {
            bits = (bits << 8) | u64::from(chunk.get(at).copied().unwrap_or(0));
        }
        let count = (chunk.len() * 8).div_ceil(5);
        for at in 0..8 {
            let index = usize::try_from((bits >> (35 - at * 5)) & 31).unwrap_or(0);
            let letter = LETTERS.get(index).map_or('=', |it| char::from(*it));
            result.push(if at < count { letter } else { '=' });
        }
    }
    result
}

/// `.AsConfig`: file names to texts, as YAML.
pub(crate) fn config_of(files: &Files) -> Val {
    let name = |path: &str| -> Rc<str> { path.rsplit('/').next().unwrap_or(path).into() };
    let entries = files.iter().map(|(path, text)| (name(path), Kind::Text(text.clone()).into()));
    encoded(yaml(&Val::map(entries)))
}

/// `.AsSecrets`: file names to texts in base64, as YAML.
pub(crate) fn secrets_of(files: &Files) -> Val {
    let entries = files.iter().map(|(path, text)| {
        let name: Rc<str> = path.rsplit('/').next().unwrap_or(path).into();
        let made = base64::engine::general_purpose::STANDARD.encode(text.as_str());
        (name, Kind::Text(text.replaced_by(made)).into())
    });
    encoded(yaml(&Val::map(entries)))
}
