//! The few values of which a value is one that is not known: both branches of a condition, the entries of a mapping
//! under a key that is not known.

use std::{
    fmt,
    hash::{Hash, Hasher},
    sync::Arc,
};

use crate::value::{HOLE_END, HOLE_START, Kind, Symbol, Text, Value};

/// More values than this are not few.
const MOST: usize = 16;

/// What else is known of a symbol: it takes no part in which symbols are equal, or look the same.
#[derive(Clone, Default)]
pub(super) struct Cases(Option<Arc<Vec<Value>>>);

impl PartialEq for Cases {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Cases {}

impl fmt::Debug for Cases {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.0.is_some() { "few" } else { "any" })
    }
}

impl Hash for Cases {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl Symbol {
    /// The same, of which is known that it is one of these values, each once; `None` where these are not few, or
    /// lists or mappings are among them.
    #[must_use]
    pub fn among<'v>(self, values: impl IntoIterator<Item = &'v Value>) -> Option<Self> {
        let mut found: Vec<Value> = Vec::new();
        for value in values {
            let known = value.symbol().and_then(|it| it.cases.0.as_ref());
            for case in known.map_or(std::slice::from_ref(value), |it| it.as_slice()) {
                if matches!(case.kind, Kind::List(_) | Kind::Map(_)) || found.len() > MOST {
                    return None;
                }
                if !found.iter().any(|it| it.same_as(case) == Some(true)) {
                    found.push(case.clone());
                }
            }
        }
        let is_few = (1..=MOST).contains(&found.len());
        is_few.then(|| self.one_of(Cases(Some(Arc::new(found)))))
    }
}

impl Value {
    /// The symbol that it is, or that its text wholly consists of.
    fn symbol(&self) -> Option<&Symbol> {
        match &self.kind {
            Kind::Unknown(symbol) => Some(symbol),
            Kind::String(text) => text.only_hole(),
            _ => None,
        }
    }

    /// The values of which it is one, where it is not known and these are few. What holds for each of them holds,
    /// whichever it is.
    #[must_use]
    pub fn cases(&self) -> Option<Vec<Self>> {
        match &self.kind {
            Kind::Unknown(symbol) => symbol.cases.0.as_deref().cloned(),
            Kind::String(text) => text.cases(self),
            _ => None,
        }
    }
}

impl Text {
    /// The texts with each value of the one thing in it that is not known.
    fn cases(&self, whole: &Value) -> Option<Vec<Value>> {
        let symbol = self.holes.first()?;
        let cases = symbol.cases.0.as_deref()?;
        if self.only_hole().is_some() {
            return Some(cases.clone());
        }
        if self.holes.iter().any(|it| it != symbol) {
            return None;
        }
        let filled = |case: &Value| {
            let piece = case.as_str().map(str::to_owned);
            let piece = piece.or_else(|| case.as_bool().map(|it| it.to_string()))?;
            let mut parts = self.text.split(HOLE_START);
            let mut text = parts.next()?.to_owned();
            for part in parts {
                text.push_str(&piece);
                text.push_str(part.split_once(HOLE_END)?.1);
            }
            Some(Value { kind: Kind::String(Self::computed(text)), ..whole.clone() })
        };
        cases.iter().map(filled).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::MOST;
    use crate::{
        source::{FileId, Span},
        value::{HOLE_END, HOLE_START, Kind, Symbol, Text, Value},
    };

    fn nowhere() -> Span {
        Span::new(FileId(0), 0, 0)
    }

    fn text(it: &str) -> Value {
        Value::computed(it, nowhere())
    }

    fn unknown(name: &str) -> Value {
        Value::unknown(Symbol::new("", name), nowhere())
    }

    fn among(values: &[Value]) -> Option<Symbol> {
        Symbol::new("", "x").among(values)
    }

    #[test]
    fn the_cases_of_cases_are_cases() {
        let inner = among(&[text("a"), text("b")]).map(|it| Value::unknown(it, nowhere()));
        let both = among(&[inner.expect("two are few"), text("b"), unknown("c")]).expect("few");
        let cases = Value::unknown(both, nowhere()).cases().expect("it is one of few");
        assert_eq!(cases.len(), 3);
        let many: Vec<Value> = (0..=MOST).map(|it| text(&it.to_string())).collect();
        assert!(among(&many).is_none());
        assert!(among(&[text("a"), Value::list(Vec::new(), nowhere())]).is_none());
    }

    #[test]
    fn a_text_has_the_cases_of_what_is_in_it() {
        let symbol = among(&[text("1.2"), text("1.3")]).expect("two are few");
        let hole = format!("v{HOLE_START}0{HOLE_END}.0");
        let whole = Text { holes: [symbol].into(), ..Text::computed(hole) };
        let whole = Value::new(Kind::String(whole), nowhere());
        let cases = whole.cases().expect("it is one of few");
        let texts: Vec<_> = cases.iter().filter_map(Value::as_str).collect();
        assert_eq!(texts, ["v1.2.0", "v1.3.0"]);
        assert_eq!(whole.same_as(&text("v1.4.0")), Some(false));
        assert_eq!(whole.same_as(&text("v1.3.0")), None);
    }
}
