//! YAML, JSON and TOML, base64, checksums.

use std::{fmt::Write, rc::Rc};

use base64::Engine;
use sha1::Digest;

use crate::{
    helm::{
        convert::val,
        emit::yaml,
        files::Files,
        functions::{
            arguments::{Answer, Args, Function},
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
    ("toYamlPretty", |it| Ok(encoded(yaml(it.val(0)?)))),
    ("fromYaml", |it| decoded(it, |value| matches!(value.kind, Kind::Map(_)), empty_map)),
    ("fromYamlArray", |it| decoded(it, |value| matches!(value.kind, Kind::List(_)), empty_list)),
    ("toJson", |it| Ok(encoded(json(it.val(0)?, PLAIN)))),
    ("mustToJson", |it| Ok(encoded(json(it.val(0)?, PLAIN)))),
    ("toPrettyJson", |it| Ok(encoded(json(it.val(0)?, PRETTY)))),
    ("mustToPrettyJson", |it| Ok(encoded(json(it.val(0)?, PRETTY)))),
    ("toRawJson", |it| Ok(encoded(json(it.val(0)?, RAW)))),
    ("mustToRawJson", |it| Ok(encoded(json(it.val(0)?, RAW)))),
    ("fromJson", |it| decoded(it, |value| matches!(value.kind, Kind::Map(_)), empty_map)),
    ("mustFromJson", |it| decoded(it, |_| true, empty_map)),
    ("fromJsonArray", |it| decoded(it, |value| matches!(value.kind, Kind::List(_)), empty_list)),
    ("toToml", |it| Ok(toml(it.val(0)?).map_or_else(Val::text, encoded))),
    ("fromToml", from_toml),
    ("b64enc", |it| changed(it, |text| base64::engine::general_purpose::STANDARD.encode(text))),
    ("b64dec", b64dec),
    ("b32enc", |it| changed(it, base32)),
    ("b32dec", |it| changed(it, from_base32)),
    ("sha1sum", |it| changed(it, |text| hex(&sha1::Sha1::digest(text)))),
    ("sha256sum", |it| changed(it, |text| hex(&sha2::Sha256::digest(text)))),
    ("sha512sum", |it| changed(it, |text| hex(&sha2::Sha512::digest(text)))),
    ("md5sum", |it| changed(it, |text| hex(&md5::Md5::digest(text)))),
    ("adler32sum", |it| changed(it, adler32)),
];

fn encoded(text: Text) -> Val {
    Kind::Text(text).into()
}

fn empty_map() -> Val {
    Val::map([])
}

fn empty_list() -> Val {
    Val::list(Vec::new())
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
    match (broken, documents.values.first()) {
        (Some(error), _) => Err(format!("error converting YAML to JSON: yaml: {}", error.message)),
        (None, Some(value)) => Ok(val(value)),
        (None, None) => Ok(Val::NIL),
    }
}

/// What a text encodes. Helm reports what it cannot read inside the result.
fn decoded(args: &Args<'_>, fits: fn(&Val) -> bool, empty: fn() -> Val) -> Answer {
    let given = args.text(0)?;
    if let Some(symbol) = given.only_hole() {
        return Err(args.unknown(symbol));
    }
    match read_yaml(&given) {
        Ok(value) if matches!(value.kind, Kind::Unknown(_)) => Ok(value),
        Ok(value) if value.is_nil() => Ok(empty()),
        Ok(value) if fits(&value) => Ok(value),
        Ok(_) => Ok(failed("error unmarshaling JSON: json: cannot unmarshal", empty)),
        Err(message) => match given.first_hole() {
            Some(symbol) => Err(args.unknown(symbol)),
            None => Ok(failed(&message, empty)),
        },
    }
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

fn failed(message: &str, empty: fn() -> Val) -> Val {
    match empty().kind {
        Kind::Map(_) => Val::map([(Rc::from("Error"), Val::text(message))]),
        _ => Val::list(vec![Val::text(message)]),
    }
}

fn changed(args: &Args<'_>, change: impl Fn(&str) -> String) -> Answer {
    let given = args.string(0)?;
    let made = change(given.as_str());
    Ok(Kind::Text(given.replaced_by(made)).into())
}

fn b64dec(args: &Args<'_>) -> Answer {
    let given = args.string(0)?;
    let made = match base64::engine::general_purpose::STANDARD.decode(given.as_str().as_bytes()) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(_) => "illegal base64 data at input byte 0".to_owned(),
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

/// What base32 says, without regard to what it may be padded with.
fn from_base32(text: &str) -> String {
    let digits = text.trim_end_matches('=').bytes().map(|it| match it {
        b'A'..=b'Z' => Some(it - b'A'),
        b'2'..=b'7' => Some(it - b'2' + 26),
        _ => None,
    });
    let (mut bits, mut count, mut bytes) = (0_u32, 0, Vec::new());
    for (at, digit) in digits.enumerate() {
        let Some(digit) = digit else { return format!("illegal base32 data at input byte {at}") };
        bits = (bits << 5) | u32::from(digit);
        count += 5;
        if count >= 8 {
            count -= 8;
            bytes.extend(u8::try_from(bits >> count & 0xff));
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
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
