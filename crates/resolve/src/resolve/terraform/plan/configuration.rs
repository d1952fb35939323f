//! The configuration inside a plan as modules: what is written is there, expressions only as what they
//! refer to.

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    resolve::terraform::{
        module::Module,
        object::Mode,
        parsed::Parsed,
        plan::field::{list, mode, word},
    },
    source::Span,
    syntax::hcl::{
        self, Attribute, Block, Body, Expr, ExprKind, ObjectItem, TemplatePart,
        change::{self, Visited},
    },
    value::{Entry, Field, Kind, Value},
};

/// Modules nested deeper than this are left out.
const DEEPEST: usize = 32;

/// The modules of a plan's configuration, and the key of the root's.
pub(super) fn modules(root: &Value, path: &str) -> (Parsed, Arc<str>) {
    let mut parsed = Parsed::default();
    let key: Arc<str> = Arc::from(format!("{path}!"));
    add(&mut parsed, root, &key, 0);
    (parsed, key)
}

fn add(parsed: &mut Parsed, from: &Value, key: &Arc<str>, depth: usize) {
    let mut reader = PlanReader { blocks: Vec::new(), locals: BTreeSet::new() };
    for resource in list(from.get("resources")) {
        reader.resource(resource);
    }
    for (name, entry) in named(from.get("variables")) {
        let default = entry.value.get("default").present();
        let default =
            default.map(|it| attribute("default", entry.key_span, hcl::json::literal_value(it)));
        reader.push("variable", &[name], entry.key_span, default.into_iter().collect());
    }
    for (name, entry) in named(from.get("outputs")) {
        let mut attributes = reader.depends_on(&entry.value);
        if let Field::Present(value) = entry.value.get("expression") {
            attributes.push(attribute("value", entry.key_span, reader.expression(value)));
        }
        reader.push("output", &[name], entry.key_span, attributes);
    }
    let mut calls = Vec::new();
    for (name, entry) in named(from.get("module_calls")) {
        reader.call(name, entry);
        calls.extend(entry.value.get("module").present().map(|it| (name, it)));
    }
    let module = Module::planned(Arc::clone(key), reader.finish(), |name| {
        calls.iter().any(|(it, _)| *it == name).then(|| inside(key, name))
    });
    parsed.modules.insert(Arc::clone(key), module);
    for (name, inner) in calls {
        if depth < DEEPEST {
            add(parsed, inner, &inside(key, name), depth + 1);
        }
    }
}

fn inside(key: &str, name: &str) -> Arc<str> {
    Arc::from(format!("{key}.{name}"))
}

fn named(field: Field<'_>) -> impl Iterator<Item = (&str, &Entry)> {
    let entries = field.present().map_or(&[][..], Value::entries);
    entries.iter().map(|it| (&*it.key, it))
}

fn attribute(name: &str, name_span: Span, value: Expr) -> Attribute {
    let span = name_span.to(value.span);
    Attribute { name: Arc::from(name), name_span, value, span }
}

struct PlanReader {
    blocks: Vec<Block>,
    /// The locals that expressions refer to; a plan does not contain them.
    locals: BTreeSet<String>,
}

impl PlanReader {
    fn push(&mut self, kind: &str, labels: &[&str], header: Span, attributes: Vec<Attribute>) {
        self.blocks.push(Block {
            kind: Arc::from(kind),
            labels: labels.iter().map(|it| (Arc::from(*it), header)).collect(),
            header,
            body: Body { attributes, blocks: Vec::new() },
            span: header,
        });
    }

    fn resource(&mut self, resource: &Value) {
        let (Some(kind), Some(name)) = (word(resource, "type"), word(resource, "name")) else {
            return;
        };
        let header = resource.get("address").present().map_or(resource.span, |it| it.span);
        let mut attributes = self.arguments(resource);
        for provisioner in list(resource.get("provisioners")) {
            for (name, entry) in named(provisioner.get("expressions")) {
                let name = format!("provisioner.{name}");
                let value = self.expression(&entry.value);
                attributes.push(attribute(&name, entry.key_span, value));
            }
        }
        let block = match mode(resource) {
            Mode::Data => "data",
            Mode::Ephemeral => "ephemeral",
            _ => "resource",
        };
        self.push(block, &[kind, name], header, attributes);
    }

    fn call(&mut self, name: &str, entry: &Entry) {
        let mut attributes = self.arguments(&entry.value);
        for (key, name) in [("source", "source"), ("version_constraint", "version")] {
            if let Field::Present(value) = entry.value.get(key) {
                attributes.push(attribute(name, value.name, hcl::json::literal_value(value)));
            }
        }
        self.push("module", &[name], entry.key_span, attributes);
    }

    /// Arguments and meta-arguments.
    fn arguments(&mut self, block: &Value) -> Vec<Attribute> {
        let mut attributes = self.depends_on(block);
        for (name, entry) in named(block.get("expressions")) {
            let value = self.expression(&entry.value);
            attributes.push(attribute(name, entry.key_span, value));
        }
        for (key, name) in [("count_expression", "count"), ("for_each_expression", "for_each")] {
            if let Field::Present(value) = block.get(key) {
                let expression = self.expression(value);
                attributes.push(attribute(name, value.name, expression));
            }
        }
        attributes
    }

    fn depends_on(&mut self, block: &Value) -> Vec<Attribute> {
        let Field::Present(value) = block.get("depends_on") else { return Vec::new() };
        let elements = value.items().iter().filter_map(|it| self.reference(it)).collect();
        let array = Expr { kind: ExprKind::Array(elements), span: value.span };
        vec![attribute("depends_on", value.name, array)]
    }

    /// An expression, or nested blocks of expressions; those that refer to anything are unknown.
    fn expression(&mut self, value: &Value) -> Expr {
        let span = value.span;
        let kind = match &value.kind {
            Kind::List(list) => {
                ExprKind::Array(list.items.iter().map(|it| self.expression(it)).collect())
            }
            Kind::Map(map) => {
                if let Some(constant) = map.entry("constant_value") {
                    return hcl::json::literal_value(&constant.value);
                }
                if map.entries.is_empty() || map.entry("references").is_some() {
                    return self.unknown(list(value.get("references")), span);
                }
                let items = map.entries.iter().map(|it| ObjectItem {
                    key: hcl::json::literal_value(&Value::computed(
                        Arc::clone(&it.key),
                        it.key_span,
                    )),
                    value: self.expression(&it.value),
                });
                ExprKind::Object(items.collect())
            }
            _ => return hcl::json::literal_value(value),
        };
        Expr { kind, span }
    }

    fn unknown(&mut self, references: &[Value], span: Span) -> Expr {
        let texts: Vec<&str> = references.iter().filter_map(Value::as_str).collect();
        // Terraform lists `a.b.c` together with `a.b`, which would mean all of it.
        let shortened = |it: &str| {
            let longer = |other: &&str| {
                other.strip_prefix(it).is_some_and(|rest| rest.starts_with(['.', '[']))
            };
            texts.iter().any(longer)
        };
        let whole = references.iter().filter(|it| it.as_str().is_some_and(|it| !shortened(it)));
        let arguments = whole.filter_map(|it| self.reference(it)).collect();
        let name = Arc::from("plan::unknown");
        Expr { kind: ExprKind::Call { name, arguments, expand: false }, span }
    }

    fn reference(&mut self, value: &Value) -> Option<Expr> {
        let text = value.as_str()?;
        if let Some(local) = text.strip_prefix("local.") {
            let end = local.find(['.', '[']).unwrap_or(local.len());
            self.locals.insert(local.get(..end)?.to_owned());
        }
        let parsed = hcl::read::parse_template(value.span.file, &format!("${{{text}}}")).ok()?;
        let Ok([TemplatePart::Interpolation(mut expr, _)]) = <[TemplatePart; 1]>::try_from(parsed)
        else {
            return None;
        };
        change::in_expr(&mut expr, &mut |node| {
            if let Visited::Expr(expr) = node {
                expr.span = value.span;
            }
        });
        Some(expr)
    }

    /// The blocks, with locals that may be anything: they refer to all there is in the module.
    fn finish(mut self) -> Vec<Block> {
        let Some(at) = self.blocks.first().map(|it| it.header) else { return self.blocks };
        let label = |block: &Block, index: usize| block.label(index).unwrap_or_default().to_owned();
        let addresses = self.blocks.iter().filter_map(|it| match &*it.kind {
            "module" => Some(format!("module.{}", label(it, 0))),
            "data" => Some(format!("data.{}.{}", label(it, 0), label(it, 1))),
            "resource" => Some(format!("{}.{}", label(it, 0), label(it, 1))),
            _ => None,
        });
        let addresses: Vec<Value> = addresses.map(|it| Value::computed(it, at)).collect();
        let locals = std::mem::take(&mut self.locals);
        if !locals.is_empty() {
            let anything = self.unknown(&addresses, at);
            let all = locals.iter().map(|it| attribute(it, at, anything.clone()));
            let all = all.collect();
            self.push("locals", &[], at, all);
        }
        self.blocks
    }
}
