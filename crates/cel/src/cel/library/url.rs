//! URLs, as Go reads them.

use std::sync::Arc;

use crate::cel::{
    data::{Data, MapData, Operand, Outcome, network::Url, take},
    fault::Fault,
    native::Native,
};

/// Functions of URLs.
pub(super) const FUNCTIONS: &[(&str, Native)] = &[
    ("url", |it| {
        let [Data::String(text)] = take(it)? else { return Err(Fault::NoOverload) };
        let wrong = || Fault::error(format!("`{text}` is not a URL"));
        // The first reading takes a fragment for a part of the path.
        read(text, true).ok_or_else(wrong)?;
        Ok(Data::Url(Arc::new(read(text, false).ok_or_else(wrong)?)).into())
    }),
    ("isURL", |it| {
        let [Data::String(text)] = take(it)? else { return Err(Fault::NoOverload) };
        Ok(Data::Bool(read(text, true).is_some()).into())
    }),
    ("getScheme", |it| part(it, |url| url.scheme.clone())),
    ("getHost", |it| part(it, |url| url.host.clone())),
    ("getHostname", |it| part(it, |url| host_and_port(&url.host).0.to_owned())),
    ("getPort", |it| part(it, |url| host_and_port(&url.host).1.to_owned())),
    ("getEscapedPath", |it| part(it, escaped_path)),
    ("getQuery", query),
];

fn part(arguments: &[Operand], part: fn(&Url) -> String) -> Outcome {
    let [Data::Url(url)] = take(arguments)? else { return Err(Fault::NoOverload) };
    Ok(Data::text(part(url)).into())
}

/// A URL; as the target of a request it must be absolute, and has no fragment.
#[must_use]
pub(super) fn read(text: &str, is_request: bool) -> Option<Url> {
    if text.bytes().any(|it| it < b' ' || it == 0x7f) || (text.is_empty() && is_request) {
        return None;
    }
    let mut url = Url::default();
    let mut rest = text;
    if !is_request && let Some((before, fragment)) = text.split_once('#') {
        url.fragment = unescape(fragment, false)?;
        rest = before;
    }
    if rest == "*" {
        return Some(Url { path: rest.to_owned(), raw_path: rest.to_owned(), ..url });
    }
    let (scheme, after) = scheme(rest)?;
    url.scheme = scheme.to_ascii_lowercase();
    let (before, query) = after.split_once('?').unwrap_or((after, ""));
    query.clone_into(&mut url.query);
    rest = before;
    if !rest.starts_with('/') {
        if !url.scheme.is_empty() {
            return Some(url);
        }
        let first = rest.split('/').next().unwrap_or_default();
        return if is_request || first.contains(':') { None } else { with_path(url, rest) };
    }
    let has_authority = !url.scheme.is_empty() || (!is_request && !rest.starts_with("///"));
    if has_authority && let Some(after) = rest.strip_prefix("//") {
        let (authority, path) = after.split_at(after.find('/').unwrap_or(after.len()));
        url = with_authority(url, authority)?;
        rest = path;
    }
    with_path(url, rest)
}

fn with_path(url: Url, path: &str) -> Option<Url> {
    Some(Url { path: unescape(path, false)?, raw_path: path.to_owned(), ..url })
}

/// The scheme, empty if there is none, and what follows.
fn scheme(text: &str) -> Option<(&str, &str)> {
    for (at, letter) in text.char_indices() {
        match letter {
            'a'..='z' | 'A'..='Z' => {}
            '0'..='9' | '+' | '-' | '.' if at > 0 => {}
            ':' if at == 0 => return None,
            ':' => return Some((&text[..at], &text[at + 1..])),
            _ => break,
        }
    }
    Some(("", text))
}

fn with_authority(mut url: Url, authority: &str) -> Option<Url> {
    let host = match authority.rsplit_once('@') {
        Some((user, host)) => {
            let allowed =
                |it: char| it.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(it);
            if !user.chars().all(allowed) {
                return None;
            }
            url.user = unescape(user, false)?;
            host
        }
        None => authority,
    };
    let port = if host.starts_with('[') {
        &host[host.rfind(']')? + 1..]
    } else {
        host.rfind(':').map_or("", |at| &host[at..])
    };
    let digits = port.strip_prefix(':').unwrap_or(port);
    if !(port.is_empty() || port.starts_with(':')) || !digits.bytes().all(|it| it.is_ascii_digit())
    {
        return None;
    }
    let allowed = |it: char| {
        !it.is_ascii() || it.is_ascii_alphanumeric() || "-_.~!$&'()*+,;=:[]<>\"%".contains(it)
    };
    if !host.chars().all(allowed) {
        return None;
    }
    // Only bytes that are not ASCII may be escaped, and the sign before a zone.
    let mut escapes = host.split('%').skip(1);
    if !escapes
        .all(|it| it.starts_with("25") || it.starts_with(|it: char| ('8'..='f').contains(&it)))
    {
        return None;
    }
    url.host = unescape(host, false)?;
    Some(url)
}

/// A text with `%20` as a space; in queries a plus sign is one, too.
fn unescape(text: &str, is_query: bool) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digit = |it: u8| char::from(it).to_digit(16);
                let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
                u8::try_from(high * 16 + low).ok()?
            }
            b'+' if is_query => b' ',
            other => other,
        });
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The host without brackets, and the port.
fn host_and_port(host: &str) -> (&str, &str) {
    let (name, port) = match host.rfind(':') {
        Some(at) if host[at + 1..].bytes().all(|it| it.is_ascii_digit()) => {
            (&host[..at], &host[at + 1..])
        }
        _ => (host, ""),
    };
    (name.strip_prefix('[').and_then(|it| it.strip_suffix(']')).unwrap_or(name), port)
}

fn escaped_path(url: &Url) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "-_.~$&+,/:;=@".contains(it);
    let is_valid = |it: char| is_plain(it) || "!'()*[]%".contains(it);
    if url.raw_path.chars().all(is_valid) {
        return url.raw_path.clone();
    }
    let escape = |byte: u8| match char::from(byte) {
        letter if is_plain(letter) => letter.to_string(),
        _ => format!("%{byte:02X}"),
    };
    url.path.bytes().map(escape).collect()
}

fn query(arguments: &[Operand]) -> Outcome {
    let [Data::Url(url)] = take(arguments)? else { return Err(Fault::NoOverload) };
    let mut entries: Vec<(String, Vec<Operand>)> = Vec::new();
    for pair in url.query.split('&').filter(|it| !it.is_empty() && !it.contains(';')) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (Some(key), Some(value)) = (unescape(key, true), unescape(value, true)) else {
            continue;
        };
        match entries.iter_mut().find(|(it, _)| *it == key) {
            Some((_, values)) => values.push(Data::text(value).into()),
            None => entries.push((key, vec![Data::text(value).into()])),
        }
    }
    let entry = |(key, values): (String, _)| (Data::text(key).into(), Data::list(values).into());
    Ok(Data::Map(MapData::computed(entries.into_iter().map(entry).collect())).into())
}
