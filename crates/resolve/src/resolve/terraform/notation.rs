//! Expressions in Terraform's notation, without layout: the text of symbols.

use crate::{
    resolve::terraform::reference,
    syntax::hcl::{Access, Binary, Expr, ExprKind, For, Splat, TemplatePart, Unary},
};

/// Gives the text of a reference that means something else at each evaluation (a loop's variable).
pub(super) type Replace<'r> = &'r dyn Fn(&Expr) -> Option<String>;

/// Symbols are compared, not read: longer texts than this are cut and end in a hash of the whole.
const LONGEST: usize = 400;

/// The expression's text.
pub(super) fn text(expression: &Expr, replace: Replace<'_>) -> String {
    let mut writer = NotationWriter { out: String::new(), replace };
    writer.expression(expression);
    let mut out = writer.out;
    if out.len() > LONGEST {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        out.hash(&mut hasher);
        out.truncate(out.floor_char_boundary(LONGEST));
        out = format!("{out}…{:016x}", hasher.finish());
    }
    out
}

/// The expression's text as it is written.
pub(super) fn plain(expression: &Expr) -> String {
    text(expression, &|_| None)
}

struct NotationWriter<'r> {
    out: String,
    replace: Replace<'r>,
}

impl NotationWriter<'_> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn list<'e>(&mut self, expressions: impl IntoIterator<Item = &'e Expr>) {
        for (index, expression) in expressions.into_iter().enumerate() {
            if index > 0 {
                self.put(", ");
            }
            self.expression(expression);
        }
    }

    fn expression(&mut self, expression: &Expr) {
        if reference::root_of(expression).is_some()
            && let Some(text) = (self.replace)(expression)
        {
            self.put(&text);
            return;
        }
        match &expression.kind {
            ExprKind::Null => self.put("null"),
            ExprKind::Unreadable => self.put("\"…\""),
            ExprKind::Bool(value) => self.put(if *value { "true" } else { "false" }),
            ExprKind::Number(number) => self.put(&number.to_string()),
            ExprKind::Template(parts) => {
                self.put("\"");
                self.parts(parts);
                self.put("\"");
            }
            ExprKind::Array(items) => {
                self.put("[");
                self.list(items);
                self.put("]");
            }
            ExprKind::Object(items) => {
                self.put("{");
                for (index, item) in items.iter().enumerate() {
                    self.put(if index > 0 { ", " } else { "" });
                    self.expression(&item.key);
                    self.put(" = ");
                    self.expression(&item.value);
                }
                self.put("}");
            }
            ExprKind::Parens(inner) => {
                self.put("(");
                self.expression(inner);
                self.put(")");
            }
            ExprKind::Variable(name) => self.put(name),
            ExprKind::GetAttr(base, name) => {
                self.expression(base);
                self.put(".");
                self.put(name);
            }
            ExprKind::Index(base, key) => {
                self.expression(base);
                self.put("[");
                self.expression(key);
                self.put("]");
            }
            ExprKind::Splat(splat) => self.splat(splat),
            _ => self.compound(expression),
        }
    }

    fn compound(&mut self, expression: &Expr) {
        match &expression.kind {
            ExprKind::Call { name, arguments, expand } => {
                self.put(name);
                self.put("(");
                self.list(arguments);
                self.put(if *expand { "...)" } else { ")" });
            }
            ExprKind::Conditional(parts) => {
                let [condition, then, otherwise] = &**parts;
                self.expression(condition);
                self.put(" ? ");
                self.expression(then);
                self.put(" : ");
                self.expression(otherwise);
            }
            ExprKind::Unary(operator, operand) => {
                self.put(match operator {
                    Unary::Negate => "-",
                    Unary::Not => "!",
                });
                self.expression(operand);
            }
            ExprKind::Binary(operator, operands) => {
                let [left, right] = &**operands;
                self.expression(left);
                self.put(sign(*operator));
                self.expression(right);
            }
            ExprKind::For(it) => self.for_expression(it),
            _ => {}
        }
    }

    fn splat(&mut self, splat: &Splat) {
        self.expression(&splat.base);
        self.put("[*]");
        for step in &splat.steps {
            match step {
                Access::Attr(name) => {
                    self.put(".");
                    self.put(name);
                }
                Access::Index(key) => {
                    self.put("[");
                    self.expression(key);
                    self.put("]");
                }
                Access::Splat(_) => self.put("[*]"),
            }
        }
    }

    fn for_expression(&mut self, it: &For) {
        self.put(if it.key.is_some() { "{for " } else { "[for " });
        if let Some(key) = &it.key_variable {
            self.put(key);
            self.put(", ");
        }
        self.put(&it.value_variable);
        self.put(" in ");
        self.expression(&it.collection);
        self.put(" : ");
        if let Some(key) = &it.key {
            self.expression(key);
            self.put(" => ");
        }
        self.expression(&it.value);
        self.put(if it.grouping { "..." } else { "" });
        if let Some(condition) = &it.condition {
            self.put(" if ");
            self.expression(condition);
        }
        self.put(if it.key.is_some() { "}" } else { "]" });
    }

    fn parts(&mut self, parts: &[TemplatePart]) {
        for part in parts {
            match part {
                TemplatePart::Literal(literal) => self.put(&literal.text),
                TemplatePart::Interpolation(inner, _) => {
                    self.put("${");
                    self.expression(inner);
                    self.put("}");
                }
                TemplatePart::If { condition, then, otherwise, .. } => {
                    self.put("%{if ");
                    self.expression(condition);
                    self.put("}");
                    self.parts(then);
                    self.put("%{else}");
                    self.parts(otherwise);
                    self.put("%{endif}");
                }
                TemplatePart::For { key_variable, value_variable, collection, body, .. } => {
                    self.put("%{for ");
                    self.put(key_variable.as_deref().unwrap_or_default());
                    self.put(",");
                    self.put(value_variable);
                    self.put(" in ");
                    self.expression(collection);
                    self.put("}");
                    self.parts(body);
                    self.put("%{endfor}");
                }
            }
        }
    }
}

fn sign(operator: Binary) -> &'static str {
    match operator {
        Binary::Equal => " == ",
        Binary::NotEqual => " != ",
        Binary::Less => " < ",
        Binary::LessOrEqual => " <= ",
        Binary::Greater => " > ",
        Binary::GreaterOrEqual => " >= ",
        Binary::Plus => " + ",
        Binary::Minus => " - ",
        Binary::Times => " * ",
        Binary::Divide => " / ",
        Binary::Modulo => " % ",
        Binary::And => " && ",
        Binary::Or => " || ",
    }
}
