//! Lazy evaluation of what a root's module instances declare: variables, locals, outputs, attributes.
//!
//! Everything is evaluated when it is first asked for, and once. What leads back to itself is unknown.

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
    sync::Arc,
};

use crate::hash::HashMap;

use crate::{
    resolve::terraform::{
        call_site::CallSite,
        functions::call::EvaluationError,
        instance::{Expansion, ModuleInstance, ModuleInstances},
        module::Module,
        notation,
        origin::Origin,
        reference,
        scope::LexicalScope,
    },
    source::{FileId, Files, Span},
    syntax::hcl::{Attribute, Expr, TemplatePart},
    value::{Kind, Symbol, Value},
};

/// How deep expressions, references and modules may be nested in one evaluation.
const DEEPEST: u32 = 160;

/// How high a tree of expressions a value may be made of.
const HIGHEST: u32 = 1_000;
/// How many expressions a value may be made of.
const HEAVIEST: u64 = 1_000_000;

/// What evaluating gives.
pub(super) type Evaluated = Result<Value, EvaluationError>;

/// The evaluation of one root.
pub(super) struct Evaluator<'a> {
    /// The project's files, for `file` and `templatefile`.
    pub files: &'a Files,
    /// The root's tree of module calls.
    pub call_sites: &'a [CallSite<'a>],
    /// The root's folder: relative paths start there.
    pub folder: Arc<str>,
    /// What variable files give to the root's variables.
    pub inputs: BTreeMap<&'a str, &'a Attribute>,
    memo: RefCell<HashMap<(u32, EvaluationKey<'a>), Option<MeasuredValue>>>,
    pub(super) expansions: RefCell<HashMap<(u32, usize), Rc<Expansion>>>,
    pub(super) children: RefCell<HashMap<(u32, usize), ModuleInstances<'a>>>,
    pub(super) items: RefCell<HashMap<AttributeOf, Value>>,
    /// The texts of expressions, by their addresses, which stay theirs: all trees are kept until the end.
    texts: RefCell<HashMap<(usize, Span), Arc<str>>>,
    /// The trees of texts that expressions made.
    pub(super) kept: RefCell<Vec<Rc<[TemplatePart]>>>,
    /// Which locals and arguments of module instances depend on a variable whose value is not fixed.
    pub(super) links: RefCell<HashMap<(u32, Link<'a>), bool>>,
    /// The root as it is evaluated under each premise, by the premise as text.
    pub(super) premises: RefCell<HashMap<String, Rc<ModuleInstance<'a>>>>,
    templates: RefCell<HashMap<FileId, Option<Rc<[TemplatePart]>>>>,
    pub(super) instances: Cell<u32>,
    unique: Cell<u32>,
    depth: Cell<u32>,
    /// The steps that are taken, of those that may be; afterwards everything is unknown.
    pub(super) steps: Cell<usize>,
    /// The files beside the configuration whose texts were asked for.
    pub(super) read: RefCell<BTreeSet<FileId>>,
    pub(super) most_steps: usize,
    measure: Cell<Measure>,
    /// Whether a part that Terraform would refuse is unknown instead of spoiling the whole.
    lenient: Cell<bool>,
    /// Whether a template is filled in: Terraform refuses one inside another, and so none is filled in 2ⁿ times.
    pub(super) templating: Cell<bool>,
    /// How many blocks `dynamic` blocks have made.
    pub(super) blocks: Cell<usize>,
}

/// How large a value may be, estimated from the expressions it is made of as if none were shared. Whoever
/// walks over a value may recurse into it: a few lines can describe one with 2⁶⁴ leaves.
#[derive(Clone, Copy, Default)]
struct Measure {
    height: u32,
    weight: u64,
}

impl Measure {
    fn is_too_much(self) -> bool {
        self.height > HIGHEST || self.weight > HEAVIEST
    }

    /// Beside one another.
    fn and(self, other: Self) -> Self {
        let weight = self.weight.saturating_add(other.weight);
        Self { height: self.height.max(other.height), weight }
    }

    /// Inside one more expression.
    fn inside(self) -> Self {
        Self { height: self.height.saturating_add(1), weight: self.weight.saturating_add(1) }
    }
}

/// A finished value and its size.
type MeasuredValue = (Value, Measure);

/// A reference to an item of an instance, and the one attribute that is wanted of it.
type AttributeOf = (u32, usize, Option<Arc<str>>);

/// What is evaluated once in each module instance.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum EvaluationKey<'a> {
    /// `var.x`
    Variable(&'a str),
    /// `local.x`
    Local(&'a str),
    /// An output, asked for by the caller.
    Output(&'a str),
    /// An attribute or nested block type of an item's instance.
    Attribute(usize, u32, &'a str),
    /// The `count` or `for_each` of an item.
    Repetition(usize),
}

/// A local or an argument, of which it is known whether it depends on a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Link<'a> {
    /// `local.x`
    Local(&'a str),
    /// What the caller gives to `var.x`.
    Argument(&'a str),
}

impl<'a> Evaluator<'a> {
    /// A fresh evaluation.
    pub(super) fn new(
        files: &'a Files,
        call_sites: &'a [CallSite<'a>],
        folder: Arc<str>,
        inputs: BTreeMap<&'a str, &'a Attribute>,
        most_steps: usize,
    ) -> Self {
        Self {
            files,
            call_sites,
            folder,
            inputs,
            memo: RefCell::default(),
            expansions: RefCell::default(),
            children: RefCell::default(),
            items: RefCell::default(),
            texts: RefCell::default(),
            kept: RefCell::default(),
            links: RefCell::default(),
            premises: RefCell::default(),
            templates: RefCell::default(),
            instances: Cell::new(0),
            unique: Cell::new(0),
            depth: Cell::new(0),
            steps: Cell::new(0),
            read: RefCell::default(),
            most_steps,
            measure: Cell::default(),
            lenient: Cell::new(false),
            templating: Cell::new(false),
            blocks: Cell::new(0),
        }
    }

    /// A number that was not given before.
    pub(super) fn fresh(&self) -> u32 {
        self.unique.set(self.unique.get().wrapping_add(1));
        self.unique.get()
    }

    /// Runs `work` one level deeper; `None` when that is too deep or all steps are used up.
    pub(super) fn deeper<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        self.steps.set(self.steps.get() + 1);
        if self.depth.get() >= DEEPEST || self.steps.get() > self.most_steps {
            return None;
        }
        self.depth.set(self.depth.get() + 1);
        let beside = self.measure.take();
        let result = work();
        self.measure.set(beside.and(self.measure.get().inside()));
        self.depth.set(self.depth.get() - 1);
        Some(result)
    }

    /// Evaluates once; `None` while it is being evaluated already.
    pub(super) fn once(
        &self,
        instance: &ModuleInstance<'a>,
        key: EvaluationKey<'a>,
        evaluate: impl FnOnce() -> Value,
    ) -> Option<Value> {
        let key = (instance.id, key);
        if let Some(known) = self.memo.borrow().get(&key) {
            let (value, measure) = known.as_ref()?;
            self.measure.set(self.measure.get().and(*measure));
            return Some(value.clone());
        }
        self.memo.borrow_mut().insert(key, None);
        let beside = self.measure.take();
        let value = self.deeper(evaluate);
        let mut measure = self.measure.get();
        let value = value.map(|value| {
            if !measure.is_too_much() {
                return value;
            }
            measure = Measure::default();
            let text = format!("#{}", self.fresh());
            Value::unknown(Symbol::new(Arc::clone(&instance.scope), text), value.span)
        });
        self.measure.set(beside.and(measure));
        match &value {
            Some(value) => self.memo.borrow_mut().insert(key, Some((value.clone(), measure))),
            None => self.memo.borrow_mut().remove(&key),
        };
        value
    }

    /// An expression's value; unknown as far as it cannot be evaluated. A module without a caller may ask its
    /// variables for what only a caller gives: that spoils the one entry, not the object around it.
    pub(super) fn value(&self, scope: LexicalScope<'_, 'a>, expression: &Expr) -> Value {
        let strict = self.with_lenience(false, || self.expression(scope, expression));
        let value =
            strict.or_else(|_| self.with_lenience(true, || self.expression(scope, expression)));
        value.unwrap_or_else(|_| self.unknown(scope, expression))
    }

    /// Evaluates while faults of parts count, or do not.
    pub(super) fn with_lenience<T>(&self, lenient: bool, work: impl FnOnce() -> T) -> T {
        let before = self.lenient.replace(lenient);
        let result = work();
        self.lenient.set(before);
        result
    }

    /// A part of an expression.
    ///
    /// # Errors
    /// When Terraform would refuse it and that counts.
    pub(super) fn part_of(&self, scope: LexicalScope<'_, 'a>, part: &Expr) -> Evaluated {
        match self.expression(scope, part) {
            Err(_) if self.lenient.get() => Ok(self.unknown(scope, part)),
            result => result,
        }
    }

    /// The unknown value of an expression.
    pub(super) fn unknown(&self, scope: LexicalScope<'_, 'a>, expression: &Expr) -> Value {
        Value::unknown(self.symbol(scope, expression), expression.span)
    }

    /// The symbol of an expression. What a loop binds is replaced by what it stands for this time.
    pub(super) fn symbol(&self, scope: LexicalScope<'_, 'a>, expression: &Expr) -> Symbol {
        let own = &scope.instance.scope;
        if scope.frame.is_none() {
            return Symbol::new(Arc::clone(own), self.plain(expression));
        }
        let others = RefCell::new(String::new());
        let text = notation::text(expression, &|reference| {
            let name = reference::root_of(reference)?;
            scope.bound(name)?;
            Some(match self.expression(scope, reference).ok()?.kind {
                Kind::Unknown(symbol) => {
                    let mut others = others.borrow_mut();
                    if symbol.scope != *own {
                        others.extend([&*symbol.scope, "/"]);
                    }
                    others.extend(symbol.parts_of.as_deref());
                    symbol.text.to_string()
                }
                Kind::Null => "null".to_owned(),
                Kind::Bool(value) => value.to_string(),
                Kind::Number(value) => value.to_string(),
                Kind::String(text) if text.holes.is_empty() => format!("{:?}", text.text),
                _ => format!("{name}#{}", self.fresh()),
            })
        });
        let symbol = Symbol::new(Arc::clone(own), text);
        match others.into_inner() {
            it if it.is_empty() => symbol,
            others => symbol.with_parts_of(others),
        }
    }

    /// The expression's text as it is written.
    pub(super) fn plain(&self, expression: &Expr) -> Arc<str> {
        let key = (std::ptr::from_ref(expression).addr(), expression.span);
        if let Some(known) = self.texts.borrow().get(&key) {
            return Arc::clone(known);
        }
        let text: Arc<str> = notation::plain(expression).into();
        self.texts.borrow_mut().insert(key, Arc::clone(&text));
        text
    }

    /// The `count` or `for_each` of an item.
    pub(super) fn repetition(
        &self,
        instance: &Rc<ModuleInstance<'a>>,
        item: usize,
        written: &Expr,
    ) -> Value {
        let scope = LexicalScope::top(instance);
        self.once(instance, EvaluationKey::Repetition(item), || self.value(scope, written))
            .unwrap_or_else(|| self.unknown(scope, written))
    }

    /// Something inside an item's instance, evaluated once.
    pub(super) fn part(
        &self,
        instance: &ModuleInstance<'a>,
        item: usize,
        index: usize,
        name: &'a str,
        evaluate: impl FnOnce() -> Value,
    ) -> Option<Value> {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        self.once(instance, EvaluationKey::Attribute(item, index, name), evaluate)
    }

    /// A template file's parts.
    pub(super) fn template(&self, file: FileId) -> Option<Rc<[TemplatePart]>> {
        self.read.borrow_mut().insert(file);
        if let Some(known) = self.templates.borrow().get(&file) {
            return known.clone();
        }
        let text = self.files.get(file).text();
        let parts = crate::syntax::hcl::read::parse_template(file, text).ok().map(Rc::from);
        self.templates.borrow_mut().insert(file, parts.clone());
        parts
    }

    /// What was evaluated so far.
    pub(super) fn origin(&self) -> Origin {
        let folders = self.call_sites.iter().map(|it| Arc::clone(&it.module.folder)).collect();
        Origin { folders, read: self.read.borrow().clone(), steps: self.steps.get() }
    }

    /// The root's module.
    pub(super) fn root(&self) -> Option<&'a Module> {
        self.call_sites.first().map(|it| it.module)
    }
}
