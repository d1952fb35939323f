//! Fields of values, and the methods of Helm's objects.

use std::rc::Rc;

use crate::{
    helm::{
        exec::{Machine, Run},
        fault::Fault,
        files::Files,
        functions::{arguments::Answer, encoding, kinds::type_name},
        print::printed,
        semver::Semver,
        text::Text,
        value::{Found, Kind, Of, Val},
    },
    source::Span,
    value::Symbol,
};

impl Machine {
    /// A value's field, and the field of that; the arguments belong to the last.
    pub(super) fn fields(
        &self,
        mut value: Val,
        fields: &[Rc<str>],
        arguments: &[Val],
        place: Option<Span>,
    ) -> Run<Val> {
        // Go: a dot, a variable or a result that is nil has any field, and it is nil. Only where a field
        // itself leads to nil, a field of that is an error.
        if matches!(value.kind, Kind::Nil) {
            return Ok(value);
        }
        for (at, name) in fields.iter().enumerate() {
            if value.is_nil() && self.host.assumptions.others_give_values {
                let path = fields.join(".");
                return Ok(Val::unknown(Symbol::of_installation(format!(".{path}"))));
            }
            let own = if at + 1 == fields.len() { arguments } else { &[] };
            value = self.answered(field(&value, name, own), place)?.into_item();
        }
        Ok(value)
    }
}

fn field(value: &Val, name: &str, arguments: &[Val]) -> Answer {
    match &value.kind {
        Kind::Map(_) if !arguments.is_empty() && name != "AsMap" => {
            Fault::error(format!("{name} is not a method but has arguments"))
        }
        Kind::Map(map) => match map.get(name) {
            Found::Present(found) => Ok(found),
            // A method of `.Values`, which functions want that take maps only.
            Found::Missing | Found::Unknown(_) if name == "AsMap" => Ok(value.clone()),
            Found::Missing => Ok(Val::NIL),
            Found::Unknown(symbol) => Err(Fault::Unknown(symbol)),
        },
        Kind::Nil | Kind::NilItem => {
            Fault::error(format!("nil pointer evaluating interface {{}}.{name}"))
        }
        Kind::Unknown(symbol) => {
            let text = format!("{}.{name}", symbol.text);
            let symbol = Symbol::new(symbol.scope.clone(), text).because(symbol.cause);
            Err(Fault::Unknown(Rc::new(symbol)))
        }
        Kind::Struct(it) => match it.get(name) {
            Some(_) if !arguments.is_empty() => {
                Fault::error(format!("{name} has arguments but cannot be invoked as function"))
            }
            Some(found) => Ok(found.clone()),
            None if it.is_map_elsewhere() => {
                Err(Fault::Unknown(Rc::new(Symbol::of_installation(format!(".Chart.{name}")))))
            }
            None => Fault::error(format!("can't evaluate field {name} in type {}", it.type_name)),
        },
        Kind::Files(files) => of_files(files, name, arguments),
        Kind::ApiVersions(versions) if name == "Has" => {
            versions.has(argument(arguments)?.as_str()).map(Val::bool)
        }
        Kind::Version(version) => of_version(version, name, arguments),
        _ => Fault::error(format!("can't evaluate field {name} in type {}", type_name(value))),
    }
}

/// The text that a method is given.
fn argument(arguments: &[Val]) -> Result<Text, Fault> {
    let [first] = arguments else {
        let count = arguments.len();
        return Fault::error(format!("wrong number of args: want 1 got {count}"));
    };
    if !matches!(first.kind, Kind::Text(_) | Kind::Unknown(_)) {
        let found = type_name(first);
        return Fault::error(format!("wrong type for value; expected string; got {found}"));
    }
    let text = printed(first);
    match text.first_hole() {
        Some(symbol) => Err(Fault::Unknown(Rc::new(symbol.clone()))),
        None => Ok(text),
    }
}

fn of_files(files: &Rc<Files>, name: &str, arguments: &[Val]) -> Answer {
    Ok(match name {
        "Get" => Kind::Text(files.get(argument(arguments)?.as_str())).into(),
        "GetBytes" => Kind::Bytes(files.get(argument(arguments)?.as_str())).into(),
        "Glob" => Kind::Files(Rc::new(files.glob(argument(arguments)?.as_str()))).into(),
        "Lines" => {
            let text = files.get(argument(arguments)?.as_str());
            let whole = text.as_str();
            let whole = whole.strip_suffix('\n').unwrap_or(whole);
            let lines = whole.split('\n').map(|it| Kind::Text(text.part(it)).into());
            let lines = if text.len() == 0 { Vec::new() } else { lines.collect() };
            Val::list_of(lines, Of::Texts)
        }
        "AsConfig" => encoding::config_of(files),
        "AsSecrets" => encoding::secrets_of(files),
        path => match files.iter().find(|(it, _)| &***it == path) {
            Some((_, text)) => Kind::Bytes(text.clone()).into(),
            None => Val::NIL,
        },
    })
}

fn of_version(version: &Rc<Semver>, name: &str, arguments: &[Val]) -> Answer {
    let [major, minor, patch] = version.numbers;
    let number = |it: u64| {
        if version.keeps_form {
            Val::text(it.to_string())
        } else {
            Kind::Long(i64::try_from(it).unwrap_or(i64::MAX)).into()
        }
    };
    Ok(match name {
        "Major" => number(major),
        "Minor" => number(minor),
        "Patch" => number(patch),
        "Prerelease" => Val::text(version.prerelease.as_str()),
        "Metadata" => Val::text(version.metadata.as_str()),
        "Version" | "GitVersion" | "String" => Val::text(version.printed()),
        "Original" => Val::text(version.original.as_str()),
        "Compare" => {
            let other = match arguments.first().map(|it| &it.kind) {
                Some(Kind::Version(other)) => other.clone(),
                _ => return Fault::error("wrong type for value; expected *semver.Version"),
            };
            Kind::Int(match version.compare(&other) {
                std::cmp::Ordering::Less => -1,
                std::cmp::Ordering::Equal => 0,
                std::cmp::Ordering::Greater => 1,
            })
            .into()
        }
        _ => return Fault::error(format!("can't evaluate field {name} in type *semver.Version")),
    })
}
