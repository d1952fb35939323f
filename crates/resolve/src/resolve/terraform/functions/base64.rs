//! Base64, and the character sets of `textencodebase64`.

use base64::{
    Engine,
    alphabet::STANDARD,
    engine::{GeneralPurpose, GeneralPurposeConfig},
};

use crate::{
    resolve::terraform::functions::{
        argument,
        call::{Call, CallResult},
    },
    value::Value,
};

/// Go's `base64.StdEncoding`: padding is required, and bits behind the last byte do not matter.
const ENGINE: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
);

/// The base64 of bytes, with padding.
#[must_use]
pub(crate) fn encode_bytes(bytes: &[u8]) -> String {
    ENGINE.encode(bytes)
}

/// The bytes of a base64 text; line breaks are skipped, padding is required.
#[must_use]
pub(crate) fn decode_bytes(text: &str) -> Option<Vec<u8>> {
    let letters: Vec<u8> = text.bytes().filter(|it| !matches!(it, b'\n' | b'\r')).collect();
    ENGINE.decode(letters).ok()
}

/// `base64encode`
///
/// # Errors
/// When the argument is no text.
pub(crate) fn encode(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    Ok(call.text(encode_bytes(argument::text(call, arguments, 0)?.as_bytes())))
}

/// `base64decode`
///
/// # Errors
/// When the argument is no base64, or not of text.
pub(crate) fn decode(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let bytes = decode_bytes(&argument::text(call, arguments, 0)?);
    match bytes.and_then(|it| String::from_utf8(it).ok()) {
        Some(text) => Ok(call.text(text)),
        None => call.fault("needs the base64 of UTF-8 text"),
    }
}

/// `textencodebase64`; character sets other than Unicode's and Latin 1 are unknown.
///
/// # Errors
/// When an argument is no text.
pub(crate) fn encode_text(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let text = argument::text(call, arguments, 0)?;
    let bytes: Option<Vec<u8>> = match &*argument::text(call, arguments, 1)?.to_uppercase() {
        "UTF-8" => Some(text.bytes().collect()),
        "UTF-16LE" => Some(text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
        "UTF-16BE" => Some(text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
        "ISO-8859-1" => text.chars().map(|it| u8::try_from(u32::from(it)).ok()).collect(),
        _ => None,
    };
    Ok(bytes.map_or_else(|| call.unknown(), |it| call.text(encode_bytes(&it))))
}

/// `textdecodebase64`; character sets other than Unicode's and Latin 1 are unknown.
///
/// # Errors
/// When an argument is no base64.
pub(crate) fn decode_text(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let Some(bytes) = decode_bytes(&argument::text(call, arguments, 0)?) else {
        return call.fault("needs base64");
    };
    let wide = |read: fn([u8; 2]) -> u16| {
        let units = bytes.chunks(2).map(|it| it.try_into().ok().map(read));
        String::from_utf16(&units.collect::<Option<Vec<_>>>()?).ok()
    };
    let text = match &*argument::text(call, arguments, 1)?.to_uppercase() {
        "UTF-8" => String::from_utf8(bytes).ok(),
        "UTF-16LE" => wide(u16::from_le_bytes),
        "UTF-16BE" => wide(u16::from_be_bytes),
        "ISO-8859-1" => Some(bytes.iter().map(|it| char::from(*it)).collect()),
        _ => None,
    };
    Ok(text.map_or_else(|| call.unknown(), |it| call.text(it)))
}
