//! References: `var.x.y`, `local.a["b"]`, `module.m.out`, `helm_release.r.version`.

use std::{borrow::Cow, sync::Arc};

use crate::{
    resolve::terraform::{
        agreement,
        evaluate::{Evaluated, Evaluator},
        expression::key_text,
        functions::call::EvaluationError,
        object::Mode,
        operator::{fault, number},
        scope::LexicalScope,
        symbol::{inside, member},
    },
    source::Span,
    syntax::hcl::{Expr, ExprKind},
    value::{
        Kind, Symbol, Value,
        step::{Referent, Step, StepKind},
    },
};

/// A step of a traversal.
enum Hop<'e> {
    /// `.name`
    Attr(&'e Arc<str>),
    /// `[key]`, with the whole expression up to here.
    Index(&'e Expr, &'e Expr),
}

impl<'a> Evaluator<'a> {
    /// A traversal. `wanted` is the attribute a splat takes of it.
    pub(super) fn traversal(
        &self,
        scope: LexicalScope<'_, 'a>,
        whole: &Expr,
        wanted: Option<&str>,
    ) -> Evaluated {
        let mut hops = Vec::new();
        let mut base = whole;
        loop {
            match &base.kind {
                ExprKind::GetAttr(inner, name) => {
                    hops.push(Hop::Attr(name));
                    base = inner;
                }
                ExprKind::Index(inner, key) => {
                    hops.push(Hop::Index(key, base));
                    base = inner;
                }
                _ => break,
            }
        }
        hops.reverse();
        let ExprKind::Variable(root) = &base.kind else {
            let value = self.expression(scope, base)?;
            return self.follow(scope, value, &hops, whole.span);
        };
        let head = self.head(scope, root, whole, &hops, wanted)?;
        let rest = hops.get(head.taken..).unwrap_or_default();
        let value = self.follow(scope, head.value, rest, whole.span)?;
        // What becomes unknown here has not come from anywhere.
        if let Some((to, name)) = head.leads_to
            && value.span != whole.span
        {
            let text = self.plain(whole);
            let kind = StepKind::Reference { to, name: Arc::clone(name), text };
            return Ok(value.through(whole.span, kind));
        }
        Ok(value)
    }

    /// The value of a traversal's first words.
    fn head<'e>(
        &self,
        scope: LexicalScope<'_, 'a>,
        root: &str,
        whole: &Expr,
        hops: &[Hop<'e>],
        wanted: Option<&str>,
    ) -> Result<Head<'e>, EvaluationError> {
        let instance = scope.instance;
        let at = whole.span;
        if let Some(value) = scope.bound(root) {
            return Ok(Head { value: value.clone(), taken: 0, leads_to: None });
        }
        if scope.closed {
            return fault(at, format!("nothing here is called `{root}`"));
        }
        let name = |index: usize| hop_name(hops, index);
        let unknown = |text: String, taken: usize| Ok(Head::unknown(scope, text, taken, whole));
        match (root, name(0)) {
            ("var", Some(name)) => {
                let value = self.variable(instance, name, at);
                Ok(Head { value, taken: 1, leads_to: Some((Referent::Variable, name)) })
            }
            ("local", Some(name)) => match self.local(instance, name) {
                Some(value) => {
                    Ok(Head { value, taken: 1, leads_to: Some((Referent::Local, name)) })
                }
                None => unknown(format!("local.{name}"), 1),
            },
            ("path", Some(name)) => {
                let path = match &**name {
                    "module" => relative(&self.folder, &instance.module.folder),
                    "root" => Cow::Borrowed("."),
                    _ => return unknown(format!("path.{name}"), 1),
                };
                let value = Value::computed(Arc::<str>::from(path), at);
                Ok(Head { value, taken: 1, leads_to: None })
            }
            _ => self.item_head(scope, root, whole, hops, wanted),
        }
    }

    /// The value of the first words of a reference to a resource, data source or module call.
    fn item_head<'e>(
        &self,
        scope: LexicalScope<'_, 'a>,
        root: &str,
        whole: &Expr,
        hops: &[Hop<'e>],
        wanted: Option<&str>,
    ) -> Result<Head<'e>, EvaluationError> {
        let instance = scope.instance;
        let name = |index: usize| hop_name(hops, index);
        let unknown = |text: String, taken: usize| Ok(Head::unknown(scope, text, taken, whole));
        let (mode, kind, taken) = match (root, name(0)) {
            ("module", Some(_)) => (Mode::Module, "module", 0),
            ("data", Some(kind)) => (Mode::Data, &**kind, 1),
            ("resource", Some(kind)) => (Mode::Resource, &**kind, 1),
            ("each" | "count" | "self" | "terraform" | "ephemeral", _) | (_, None) => {
                return unknown(self.plain(whole).to_string(), hops.len());
            }
            (kind, Some(_)) => (Mode::Resource, kind, 0),
        };
        let Some(own) = name(taken) else {
            return unknown(self.plain(whole).to_string(), hops.len());
        };
        let taken = taken + 1;
        let attribute = match (name(taken), hops.get(taken)) {
            (Some(name), _) => Some(&**name),
            (None, Some(Hop::Index(..))) => name(taken + 1).map(|it| &**it).or(wanted),
            _ => wanted,
        };
        let item = instance.module.find(mode, kind, own);
        let referent = match mode {
            Mode::Module => Referent::Module,
            Mode::Data => Referent::Data,
            Mode::Resource | Mode::Ephemeral => Referent::Resource,
        };
        let leads_to = Some((referent, own));
        if let (Some(item), Some(Hop::Index(key, _))) = (item, hops.get(taken)) {
            let key = self.expression(scope, key)?;
            if let Some(value) = self.item_at(instance, item, &key, attribute) {
                return Ok(Head { value, taken: taken + 1, leads_to });
            }
        }
        match item.and_then(|it| self.item_value(instance, it, attribute, whole.span)) {
            Some(value) => Ok(Head { value, taken, leads_to }),
            None if mode == Mode::Data => unknown(format!("data.{kind}.{own}"), taken),
            None => unknown(format!("{kind}.{own}"), taken),
        }
    }

    fn follow(
        &self,
        scope: LexicalScope<'_, 'a>,
        mut value: Value,
        hops: &[Hop<'_>],
        at: Span,
    ) -> Evaluated {
        for hop in hops {
            value = match hop {
                Hop::Attr(name) => attribute(&value, name, at)?,
                Hop::Index(key, here) => {
                    let key = self.expression(scope, key)?;
                    let doubt = || self.symbol(scope, here);
                    index(&value, &key, &doubt, at)?
                }
            };
        }
        Ok(value)
    }
}

struct Head<'e> {
    value: Value,
    /// How many steps of the traversal it stands for.
    taken: usize,
    /// The declaration that it leads to, by its name, if the step is worth a note.
    leads_to: Option<(Referent, &'e Arc<str>)>,
}

impl Head<'_> {
    fn unknown(scope: LexicalScope<'_, '_>, text: String, taken: usize, whole: &Expr) -> Self {
        let symbol = Symbol::new(Arc::clone(&scope.instance.scope), text);
        Self { value: Value::unknown(symbol, whole.span), taken, leads_to: None }
    }
}

fn hop_name<'e>(hops: &[Hop<'e>], index: usize) -> Option<&'e Arc<str>> {
    match hops.get(index) {
        Some(Hop::Attr(name)) => Some(name),
        _ => None,
    }
}

/// `value.name`
///
/// # Errors
/// When there is certainly no such attribute.
pub(super) fn attribute(value: &Value, name: &str, at: Span) -> Evaluated {
    match &value.kind {
        Kind::Map(map) => match (map.entry(name), &map.rest) {
            (Some(entry), _) => Ok(match &entry.value.kind {
                // One of few becomes unknown here.
                Kind::Unknown(symbol) if entry.value.cases().is_some() => {
                    Value::unknown(symbol.clone(), at)
                }
                _ => carry(&entry.value, value),
            }),
            (None, Some(rest)) => Ok(Value::unknown(member(rest, name), at)),
            (None, None) => fault(at, format!("there is no `{name}`")),
        },
        Kind::Unknown(symbol) => Ok(Value::unknown(member(symbol, name), at)),
        _ => fault(at, format!("this has no attribute `{name}`")),
    }
}

/// `value[key]`; `doubt` names the result when the key is unknown.
///
/// # Errors
/// When there is certainly no such item.
pub(super) fn index(value: &Value, key: &Value, doubt: &dyn Fn() -> Symbol, at: Span) -> Evaluated {
    let unknown = |symbol: Symbol| Ok(Value::unknown(symbol, at));
    match &value.kind {
        Kind::List(list) if list.is_set => fault(at, "the items of a set have no positions"),
        Kind::List(list) => {
            let Some(position) = number(key)? else { return unknown(doubt()) };
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "negative and broken positions are refused"
            )]
            let found = (position >= 0.0 && position.fract() == 0.0)
                .then(|| list.items.get(position as usize))
                .flatten();
            match (found, &list.rest) {
                (Some(item), _) => Ok(carry(item, value)),
                (None, Some(rest)) => unknown(inside(rest, &format!("[{position}]"))),
                (None, None) => fault(at, "the list has no such item"),
            }
        }
        Kind::Map(_) => match key_text(key)? {
            Some(key) => attribute(value, &key, at),
            None => Ok(agreed(value, key, &doubt(), at)),
        },
        Kind::Unknown(symbol) => match (&key.kind, key_text(key)?) {
            (Kind::Number(number), _) => unknown(inside(symbol, &format!("[{number}]"))),
            (_, Some(text)) => attribute(value, &text, at),
            (_, None) => unknown(doubt()),
        },
        _ => fault(at, "this has no items"),
    }
}

/// What all entries of a mapping say that the key may lead to.
fn agreed(mapping: &Value, key: &Value, doubt: &Symbol, at: Span) -> Value {
    let taken = mapping.as_map().and_then(|it| agreement::taken(it, key));
    let common = taken.and_then(|it| agreement::shared_by_all(it.into_iter(), doubt));
    match common {
        Some(Value { kind: Kind::Unknown(symbol), .. }) => Value::unknown(symbol, at),
        Some(common) => carry(&common, mapping),
        None => Value::unknown(doubt.clone(), at),
    }
}

/// An item with the steps of its container.
pub(super) fn carry(item: &Value, container: &Value) -> Value {
    let mut item = item.clone();
    if container.origin.is_some() {
        let mut outer: Vec<&Step> = container.steps().collect();
        outer.reverse();
        for step in outer {
            item = item.through(step.span, step.kind.clone());
        }
    }
    item
}

/// The path from one folder to another, as Terraform gives `path.module`.
fn relative<'p>(from: &str, to: &'p str) -> Cow<'p, str> {
    if from.is_empty() {
        return if to.is_empty() { Cow::Borrowed(".") } else { Cow::Borrowed(to) };
    }
    let from: Vec<&str> = from.split('/').collect();
    let to: Vec<&str> = to.split('/').filter(|it| !it.is_empty()).collect();
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", from.len() - shared);
    let path: Vec<&str> = up.chain(to.into_iter().skip(shared)).collect();
    if path.is_empty() { Cow::Borrowed(".") } else { Cow::Owned(path.join("/")) }
}
