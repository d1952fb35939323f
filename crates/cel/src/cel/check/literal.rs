//! What can be said of a call before it is evaluated, because its arguments are literals.

use crate::cel::{
    check::Checker,
    data::Data,
    library::{
        self,
        format::{Piece, pieces, wrong},
    },
    tree::{Call, Expr, ExprKind},
    types::Type,
};

impl Checker<'_> {
    /// Complains about literals that a function will not take.
    pub(super) fn literal_arguments(&mut self, call: &Call) {
        self.literal_argument(call);
        if &*call.name == "format" {
            self.format(call);
        }
    }

    /// A text that is read when it is evaluated, and can be read now.
    fn literal_argument(&mut self, call: &Call) {
        let is_regex = matches!(&*call.name, "matches" | "find" | "findAll");
        let read = is_regex || matches!(&*call.name, "duration" | "timestamp");
        let argument = call.arguments.get(usize::from(is_regex));
        let Some(argument) = argument.filter(|_| read) else { return };
        let ExprKind::Literal(Data::String(text)) = &argument.kind else { return };
        let message = match &*call.name {
            _ if is_regex => library::regex::mistake(text),
            name => library::mistake(name, text),
        };
        if let Some(message) = message {
            self.wrong(argument, message);
        }
    }

    /// Complains about a format that its values do not fit.
    fn format(&mut self, call: &Call) {
        let [format, values] = &*call.arguments else { return };
        let (ExprKind::Literal(Data::String(text)), ExprKind::List(items)) =
            (&format.kind, &values.kind)
        else {
            return;
        };
        let mut rest = items.iter();
        let mut count = 0;
        for piece in pieces(text) {
            let letter = match piece {
                Ok(Piece::Text(_)) => continue,
                Ok(Piece::Value(letter, _)) => letter,
                Err(message) => {
                    self.wrong(format, message);
                    return;
                }
            };
            let Some(item) = rest.next() else {
                self.wrong(format, format!("there is no value for `%{letter}`"));
                return;
            };
            count += 1;
            if let Some((at, of)) = self.misfit(letter, &item.value) {
                self.wrong(at, wrong(letter, &of));
                return;
            }
        }
        if let Some(first) = rest.next() {
            let message = format!("the format has room for {count} values, and there are more");
            self.wrong(&first.value, message);
        }
    }

    /// The value that a letter does not take, and its type; in a list or mapping, the one inside.
    fn misfit<'e>(&mut self, letter: char, value: &'e Expr) -> Option<(&'e Expr, String)> {
        let of = self.quiet(value);
        let takes = match letter {
            's' => !matches!(of, Type::Opaque(_) | Type::Object(_) | Type::Optional(_)),
            'd' | 'o' => matches!(of, Type::Int | Type::Uint | Type::Dyn),
            'f' | 'e' => matches!(of, Type::Double | Type::String | Type::Dyn),
            'b' => matches!(of, Type::Int | Type::Uint | Type::Bool | Type::Dyn),
            _ => {
                matches!(of, Type::Int | Type::Uint | Type::String | Type::Bytes | Type::Dyn)
            }
        };
        if !takes {
            return Some((value, of.to_string()));
        }
        let parts: Vec<&Expr> = match &value.kind {
            ExprKind::List(items) if letter == 's' => items.iter().map(|it| &it.value).collect(),
            ExprKind::Map(entries) if letter == 's' => {
                entries.iter().flat_map(|it| [&it.key, &it.value]).collect()
            }
            _ => Vec::new(),
        };
        parts.into_iter().find_map(|it| self.misfit(letter, it))
    }

    /// The type of an expression, whose mistakes are known already.
    fn quiet(&mut self, expression: &Expr) -> Type {
        let (before, allowed) = (self.mistakes.len(), self.allows_mixed);
        self.allows_mixed = true;
        let found = self.check(expression);
        self.allows_mixed = allowed;
        self.mistakes.truncate(before);
        self.types.finished(&found)
    }
}
