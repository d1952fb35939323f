//! Digests of texts and files, and the identifiers made of them.

use std::fmt::Write;

use md5::Digest;
use sha1::Sha1;

use crate::{
    resolve::terraform::functions::{
        argument, base64,
        call::{Call, CallResult},
        filesystem,
    },
    value::Value,
};

/// `md5`, `sha1`, `sha256`, `sha512`
///
/// # Errors
/// When the argument is no text.
pub(super) fn hex<D: Digest>(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    Ok(call.text(hexadecimal(&D::digest(argument::text(call, arguments, 0)?.as_bytes()))))
}

/// `base64sha256`, `base64sha512`
///
/// # Errors
/// When the argument is no text.
pub(super) fn base64<D: Digest>(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let text = argument::text(call, arguments, 0)?;
    Ok(call.text(base64::encode_bytes(&D::digest(text.as_bytes()))))
}

/// `filemd5`, `filesha1`, `filesha256`, `filesha512`
///
/// # Errors
/// When the argument is no text.
pub(super) fn file_hex<D: Digest>(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let bytes = filesystem::bytes(call, arguments)?;
    Ok(bytes.map_or_else(|| call.unknown(), |it| call.text(hexadecimal(&D::digest(it)))))
}

/// `filebase64sha256`, `filebase64sha512`
///
/// # Errors
/// When the argument is no text.
pub(super) fn file_base64<D: Digest>(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let bytes = filesystem::bytes(call, arguments)?;
    Ok(bytes.map_or_else(|| call.unknown(), |it| call.text(base64::encode_bytes(&D::digest(it)))))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// `uuidv5`: the name in one of the four namespaces of RFC 4122, or in one given as a UUID.
///
/// # Errors
/// When the namespace is none.
pub(super) fn uuid(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let namespace = argument::text(call, arguments, 0)?;
    let name = argument::text(call, arguments, 1)?;
    let namespace = match &*namespace {
        "dns" => "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
        "url" => "6ba7b811-9dad-11d1-80b4-00c04fd430c8",
        "oid" => "6ba7b812-9dad-11d1-80b4-00c04fd430c8",
        "x500" => "6ba7b814-9dad-11d1-80b4-00c04fd430c8",
        other => other,
    };
    let Some(namespace) = read_uuid(namespace) else {
        return call.fault("needs a namespace that is a UUID");
    };
    let mut bytes = Sha1::new().chain_update(namespace).chain_update(name.as_bytes()).finalize();
    bytes[6] = bytes[6] & 0x0f | 0x50;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = hexadecimal(&bytes[..16]);
    let parts = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
    Ok(call.text(parts.join("-")))
}

fn read_uuid(text: &str) -> Option<[u8; 16]> {
    let digits: String = text.chars().filter(|it| *it != '-').collect();
    let plausible = text.len() == 36 && digits.len() == 32 && digits.is_ascii();
    let mut bytes = [0; 16];
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digits.get(index * 2..index * 2 + 2)?, 16).ok()?;
    }
    plausible.then_some(bytes)
}
