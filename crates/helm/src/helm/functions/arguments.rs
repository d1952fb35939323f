//! What a function is given, read as Go's reflection and the package `cast` read it.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::Rc,
};

use regex_automata::meta::Regex;

use crate::{
    helm::{
        capabilities,
        cluster::Assumptions,
        fault::{ErrorKind, Fault},
        print::printed,
        text::Text,
        value::{Dict, Items, Kind, Val},
    },
    value::Symbol,
};

/// Whose functions templates call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Helm's.
    #[default]
    Helm,
    /// helmfile's, some of which have the names of others.
    Helmfile,
}

/// What all calls of a rendering share.
#[derive(Debug, Default)]
pub(crate) struct Host {
    /// What is assumed of the cluster.
    pub assumptions: Assumptions,
    /// Whose functions these are.
    pub dialect: Dialect,
    /// How many conditions around the call are not known; what it changes is then not known either.
    pub doubts: Cell<usize>,
    /// Whether templates may be in a chart that is not here: one of no known name prints what is not known.
    pub lacks_charts: bool,
    /// Counts what is random: each is another.
    pub random: Cell<usize>,
    /// The regular expressions that were used: charts ask the same ones for each of their objects.
    pub patterns: RefCell<HashMap<Box<str>, Rc<Regex>>>,
}

/// The arguments of a call.
#[derive(Debug)]
pub(crate) struct Args<'a> {
    /// The function's name.
    pub name: &'a str,
    /// Them.
    pub values: &'a [Val],
    /// What the rendering has.
    pub host: &'a Host,
}

/// What a function answers.
pub(crate) type Answer = Result<Val, Fault>;
/// A function.
pub(crate) type Function = fn(&Args<'_>) -> Answer;

impl Args<'_> {
    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.values.len()
    }

    /// An argument; an error where there are fewer.
    pub(crate) fn val(&self, at: usize) -> Result<&Val, Fault> {
        let Some(value) = self.values.get(at) else {
            let count = self.values.len();
            let message = format!("wrong number of args for {}: got {count}", self.name);
            return Err(Fault::Error(ErrorKind::Template, message));
        };
        Ok(value)
    }

    /// The last argument.
    pub(crate) fn last(&self) -> Result<&Val, Fault> {
        self.val(self.count().saturating_sub(1))
    }

    /// An argument that is not unknown.
    pub(crate) fn known(&self, at: usize) -> Result<&Val, Fault> {
        let value = self.val(at)?;
        match &value.kind {
            Kind::Unknown(symbol) => Err(self.unknown(symbol)),
            _ => Ok(value),
        }
    }

    /// That the answer is not known because of a symbol.
    pub(crate) fn unknown(&self, symbol: &Symbol) -> Fault {
        let text = if symbol.text.len() > 200 {
            symbol.text.to_string()
        } else {
            format!("{}({})", self.name, symbol.text)
        };
        let symbol = Symbol::new(symbol.scope.clone(), text).because(symbol.cause);
        Fault::Unknown(Rc::new(symbol))
    }

    /// The error of a call.
    pub(crate) fn error<T>(&self, message: impl std::fmt::Display) -> Result<T, Fault> {
        Fault::error(format!("error calling {}: {message}", self.name))
    }

    /// A text, which may have holes. Functions that take anything print it.
    pub(crate) fn printed(&self, at: usize) -> Result<Text, Fault> {
        Ok(printed(self.val(at)?))
    }

    /// A text as a function with a `string` parameter gets it; with holes where it has them.
    pub(crate) fn text(&self, at: usize) -> Result<Text, Fault> {
        let value = self.val(at)?;
        match &value.kind {
            Kind::Text(text) => Ok(text.clone()),
            Kind::Unknown(symbol) => Ok(Text::hole((**symbol).clone())),
            Kind::Nil => Fault::error("invalid value; expected string"),
            _ => {
                let found = crate::helm::functions::kinds::type_name(value);
                Fault::error(format!("wrong type for value; expected string; got {found}"))
            }
        }
    }

    /// A text that is known.
    pub(crate) fn string(&self, at: usize) -> Result<Text, Fault> {
        self.without_holes(self.text(at)?)
    }

    /// A text, if it has no holes.
    pub(crate) fn without_holes(&self, text: Text) -> Result<Text, Fault> {
        match text.first_hole() {
            Some(symbol) => Err(self.unknown(symbol)),
            None => Ok(text),
        }
    }

    /// A whole number as `cast.ToInt64` makes it: 0 where it is none.
    pub(crate) fn int(&self, at: usize) -> Result<i64, Fault> {
        self.to_int(self.val(at)?)
    }

    /// A value as `cast.ToInt64` makes it.
    pub(crate) fn to_int(&self, value: &Val) -> Result<i64, Fault> {
        Ok(match &value.kind {
            Kind::Int(it) | Kind::Long(it) => *it,
            Kind::Float(it) => truncated(*it),
            Kind::Bool(it) => i64::from(*it),
            Kind::Text(text) => match text.first_hole() {
                Some(symbol) => return Err(self.unknown(symbol)),
                None => text_to_int(text.as_str()),
            },
            Kind::Unknown(symbol) => return Err(self.unknown(symbol)),
            _ => 0,
        })
    }

    /// How often or how far: a number that is not negative.
    pub(crate) fn size(&self, at: usize) -> Result<usize, Fault> {
        Ok(usize::try_from(self.int(at)?).unwrap_or(0))
    }

    /// A number as `cast.ToFloat64` makes it.
    pub(crate) fn float(&self, at: usize) -> Result<f64, Fault> {
        let value = self.val(at)?;
        Ok(match &value.kind {
            Kind::Float(it) => *it,
            Kind::Text(text) => match text.first_hole() {
                Some(symbol) => return Err(self.unknown(symbol)),
                None => text.as_str().parse().unwrap_or(0.0),
            },
            _ => to_float(self.to_int(value)?),
        })
    }

    /// A map.
    pub(crate) fn dict(&self, at: usize) -> Result<Rc<Dict>, Fault> {
        let value = self.known(at)?;
        match &value.kind {
            Kind::Map(map) => Ok(map.clone()),
            Kind::Nil => Ok(Dict::of(std::collections::BTreeMap::new(), None)),
            _ => {
                let found = crate::helm::functions::kinds::type_name(value);
                let wanted = "map[string]interface {}";
                Fault::error(format!("wrong type for value; expected {wanted}; got {found}"))
            }
        }
    }

    /// A list.
    pub(crate) fn list(&self, at: usize) -> Result<Rc<Items>, Fault> {
        let value = self.known(at)?;
        let served = match &value.kind {
            Kind::ApiVersions(versions) => capabilities::list(versions),
            _ => Val::NIL,
        };
        match (&value.kind, served.kind) {
            (Kind::List(items), _) => Ok(items.clone()),
            (_, Kind::List(items)) => Ok(items),
            (_, Kind::Unknown(symbol)) => Err(self.unknown(&symbol)),
            _ => {
                let found = crate::helm::functions::kinds::kind_name(value);
                self.error(format!("Cannot work on type {found}"))
            }
        }
    }

    /// Whether an argument is true.
    pub(crate) fn truth(&self, at: usize) -> Result<bool, Fault> {
        self.val(at)?.truth().map_err(|symbol| self.unknown(&symbol))
    }
}

/// A whole number as a float, exactly where it has 53 bits at most.
pub(crate) fn to_float(value: i64) -> f64 {
    let high = i32::try_from(value >> 32).unwrap_or_default();
    let low = u32::try_from(value & 0xffff_ffff).unwrap_or_default();
    f64::from(high) * 4_294_967_296.0 + f64::from(low)
}

/// A float without its fraction.
pub(crate) fn truncated(value: f64) -> i64 {
    if value.is_nan() || value.abs() >= 9.3e18 {
        return i64::MIN;
    }
    format!("{:.0}", value.trunc()).parse().unwrap_or(i64::MAX)
}

fn text_to_int(text: &str) -> i64 {
    let whole = text.split_once('.').map_or(text, |(whole, fraction)| {
        if fraction.bytes().all(|it| it == b'0') { whole } else { text }
    });
    crate::helm::template::literal::integer(whole).unwrap_or(0)
}
