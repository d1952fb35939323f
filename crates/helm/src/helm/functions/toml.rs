//! TOML as the Go package BurntSushi/toml writes it.

use std::rc::Rc;

use crate::helm::{
    convert::DEPTH,
    json::{Form, json},
    print::{float, printed, quoted},
    text::{Builder, Text},
    value::{Item, Kind, Val},
};

/// A map as TOML.
pub(super) fn toml(value: &Val) -> Text {
    let mut out = Builder::default();
    if let Kind::Map(map) = &value.kind {
        table(&map.entries(), "", &mut out, 0);
    }
    out.finish()
}

/// Whether a value is written as tables of its own.
fn is_table(value: &Val) -> bool {
    match &value.kind {
        Kind::Map(_) => true,
        Kind::List(items) => {
            !items.is_empty() && items.iter().all(|it| matches!(it.kind, Kind::Map(_)))
        }
        _ => false,
    }
}

fn table(entries: &[(Rc<str>, Item)], path: &str, out: &mut Builder, depth: usize) {
    if depth > DEPTH {
        return;
    }
    let pad = "  ".repeat(depth);
    let (tables, plain): (Vec<_>, Vec<_>) = entries.iter().partition(|(_, it)| is_table(&it.value));
    for (key, item) in plain {
        if item.value.is_nil() {
            continue;
        }
        out.push_made(&pad);
        out.push_made(&format!("{} = ", bare(key)));
        inline(&item.value, out, 0);
        out.push_made("\n");
    }
    for (key, item) in tables {
        let path = if path.is_empty() { bare(key) } else { format!("{path}.{}", bare(key)) };
        match &item.value.kind {
            Kind::Map(map) => {
                if out.len() > 0 && depth == 0 {
                    out.push_made("\n");
                }
                out.push_made(&format!("{pad}[{path}]\n"));
                table(&map.entries(), &path, out, depth + 1);
            }
            Kind::List(items) => {
                for item in items.iter() {
                    let Kind::Map(map) = &item.kind else { continue };
                    if out.len() > 0 {
                        out.push_made("\n");
                    }
                    out.push_made(&format!("{pad}[[{path}]]\n"));
                    table(&map.entries(), &path, out, depth + 1);
                }
            }
            _ => {}
        }
    }
}

fn bare(key: &str) -> String {
    let plain = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-');
    if !key.is_empty() && key.bytes().all(plain) { key.to_owned() } else { format!("{key:?}") }
}

fn inline(value: &Val, out: &mut Builder, depth: usize) {
    match &value.kind {
        _ if depth > DEPTH => {}
        Kind::Text(text) => out.push_text(&quoted(text)),
        Kind::Float(it) if it.fract() == 0.0 && it.abs() < 1e15 => {
            out.push(&format!("{it:.1}"), &crate::helm::print::source(value));
        }
        Kind::Float(it) => out.push(&float(*it, 'g', None), &crate::helm::print::source(value)),
        Kind::List(items) => {
            out.push_made("[");
            for (at, item) in items.iter().enumerate() {
                out.push_made(if at > 0 { ", " } else { "" });
                inline(item, out, depth + 1);
            }
            out.push_made("]");
        }
        Kind::Map(_) => out.push_text(&json(value, Form { pretty: false, html: false })),
        _ => out.push_text(&printed(value)),
    }
}
