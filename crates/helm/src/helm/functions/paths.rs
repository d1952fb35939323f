//! Paths and addresses.

use crate::helm::{
    functions::arguments::{Answer, Args, Function},
    value::{Found, Kind, Val},
};

/// The functions of this topic.
pub(super) const TABLE: &[(&str, Function)] = &[
    ("base", |it| changed(it, base)),
    ("osBase", |it| changed(it, base)),
    ("dir", |it| changed(it, dir)),
    ("osDir", |it| changed(it, dir)),
    ("clean", |it| changed(it, clean)),
    ("osClean", |it| changed(it, clean)),
    ("ext", |it| changed(it, ext)),
    ("osExt", |it| changed(it, ext)),
    ("isAbs", |it| Ok(Val::bool(it.string(0)?.as_str().starts_with('/')))),
    ("osIsAbs", |it| Ok(Val::bool(it.string(0)?.as_str().starts_with('/')))),
    ("urlParse", url_parse),
    ("urlJoin", url_join),
];

fn changed(args: &Args<'_>, change: fn(&str) -> String) -> Answer {
    let given = args.string(0)?;
    let made = change(given.as_str());
    let kept = match given.as_str().rfind(&made) {
        Some(at) => given.slice(at..at + made.len()),
        None => given.replaced_by(made),
    };
    Ok(Kind::Text(kept).into())
}

fn base(path: &str) -> String {
    let bare = path.trim_end_matches('/');
    match (path.is_empty(), bare.is_empty()) {
        (true, _) => ".".to_owned(),
        (false, true) => "/".to_owned(),
        _ => bare.rsplit('/').next().unwrap_or(bare).to_owned(),
    }
}

fn dir(path: &str) -> String {
    clean(path.rfind('/').and_then(|at| path.get(..=at)).unwrap_or_default())
}

fn ext(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rfind('.').and_then(|at| name.get(at..)).unwrap_or_default().to_owned()
}

fn clean(path: &str) -> String {
    let rooted = path.starts_with('/');
    let mut kept: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if kept.last().is_some_and(|it| *it != "..") => {
                kept.pop();
            }
            ".." if rooted => {}
            part => kept.push(part),
        }
    }
    let joined = kept.join("/");
    match (rooted, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }
}

const PARTS: [&str; 8] =
    ["scheme", "host", "hostname", "path", "query", "opaque", "fragment", "userinfo"];

fn url_parse(args: &Args<'_>) -> Answer {
    let given = args.string(0)?;
    let url = given.as_str();
    if let Err(message) = readable(url) {
        return args.error(format!("unable to parse url: parse {url:?}: {message}"));
    }
    let (rest, fragment) = url.split_once('#').unwrap_or((url, ""));
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (scheme, rest) = match rest.split_once(':') {
        Some((scheme, rest)) if !scheme.contains('/') => (scheme, rest),
        _ => ("", rest),
    };
    let (authority, path, opaque) = match rest.strip_prefix("//") {
        Some(rest) => {
            let end = rest.find('/').unwrap_or(rest.len());
            let (authority, path) = rest.split_at(end);
            (authority, path, "")
        }
        None if !scheme.is_empty() && !rest.starts_with('/') => ("", "", rest),
        None => ("", rest, ""),
    };
    let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    let hostname = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|it| it.is_ascii_digit()) => name,
        _ => host,
    };
    let found = [scheme, host, hostname, path, query, opaque, fragment, user];
    let value = |it: &str| Kind::Text(given.part(it)).into();
    Ok(Val::map(PARTS.iter().zip(found).map(|(key, it)| ((*key).into(), value(it)))))
}

/// Whether Go reads an address.
fn readable(url: &str) -> Result<(), &'static str> {
    let bare = url.split('#').next().unwrap_or_default();
    let before = bare.split(['/', '?']).next().unwrap_or_default();
    if url.bytes().any(|it| it < 0x20 || it == 0x7f) {
        return Err("net/url: invalid control character in URL");
    }
    if bare.starts_with(':') {
        return Err("missing protocol scheme");
    }
    let escaped = url.split_once('?').map_or(bare, |it| it.0);
    let is_hex = |it: Option<u8>| it.is_some_and(|it| it.is_ascii_hexdigit());
    let mut parts = escaped.split('%').skip(1).map(str::bytes);
    if !parts.all(|mut it| is_hex(it.next()) && is_hex(it.next())) {
        return Err("invalid URL escape");
    }
    let scheme = before.split_once(':').map(|it| it.0);
    let is_scheme = |it: &str| {
        it.starts_with(|it: char| it.is_ascii_alphabetic())
            && it.bytes().all(|it| it.is_ascii_alphanumeric() || b"+-.".contains(&it))
    };
    if scheme.is_some_and(|it| !is_scheme(it)) {
        return Err("first path segment in URL cannot contain colon");
    }
    Ok(())
}

fn url_join(args: &Args<'_>) -> Answer {
    let map = args.dict(0)?;
    let part = |name: &str| -> Result<String, crate::helm::fault::Fault> {
        Ok(match map.get(name) {
            Found::Present(value) => {
                let text = crate::helm::print::printed(&value);
                args.without_holes(text)?.as_str().to_owned()
            }
            Found::Missing => String::new(),
            Found::Unknown(symbol) => return Err(args.unknown(&symbol)),
        })
    };
    let mut url = String::new();
    let (scheme, host, user) = (part("scheme")?, part("host")?, part("userinfo")?);
    if !scheme.is_empty() {
        url.push_str(&scheme);
        url.push(':');
    }
    if !scheme.is_empty() || !host.is_empty() || !user.is_empty() {
        url.push_str("//");
        if !user.is_empty() {
            url.push_str(&user);
            url.push('@');
        }
    }
    url.push_str(&host);
    let path = part("path")?;
    if !path.is_empty() && !path.starts_with('/') && !host.is_empty() {
        url.push('/');
    }
    url.push_str(&path);
    for (sign, name) in [("?", "query"), ("#", "fragment")] {
        let found = part(name)?;
        if !found.is_empty() {
            url.push_str(sign);
            url.push_str(&found);
        }
    }
    Ok(Val::text(url))
}
