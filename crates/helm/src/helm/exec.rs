//! Runs templates: Go's `text/template`, with unknowns that flow and places that are kept.

mod branch;
mod call;
mod field;
mod join;
mod operand;
pub(crate) mod region;

use std::{ops::Range, rc::Rc};

use crate::{
    hash::HashMap,
    helm::{
        exec::region::Printed,
        fault::{ErrorKind, Fault, RenderError},
        functions::arguments::Host,
        left_out::LeftOutKey,
        limits::{Budget, CALL, Exceeded},
        print::printed,
        template::{
            lex::SyntaxError,
            tree::{Node, Pipe, Tree, is_blank},
        },
        text::{Builder, Text},
        value::{Kind, Val},
        weight,
    },
    source::Span,
    value::Symbol,
};

/// A template's text.
#[derive(Debug)]
pub(crate) struct Written {
    /// Its name: `chart/templates/x.yaml`.
    pub name: Rc<str>,
    /// The text with its places.
    pub text: Text,
}

/// A template that others can call.
#[derive(Clone, Debug)]
struct Named {
    written: Rc<Written>,
    nodes: Rc<Vec<Node>>,
}

/// What runs the templates of one chart.
pub(crate) struct Machine {
    named: HashMap<Rc<str>, Named>,
    parsed: HashMap<Rc<str>, Rc<Tree>>,
    host: Host,
    budget: Budget,
    calls: Vec<Option<Span>>,
    /// Functions that are not known, by name.
    pub(crate) unsupported: std::collections::BTreeSet<String>,
    /// The keys that known values keep from being printed.
    pub(crate) left_out: Vec<LeftOutKey>,
}

/// A template that is running.
struct Frame {
    written: Rc<Written>,
    variables: Vec<(Rc<str>, Val)>,
}

/// How a list of nodes ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    Next,
    Break,
    Continue,
}

type Run<T> = Result<T, Box<RenderError>>;

impl Machine {
    /// A machine without templates.
    pub(crate) fn new(host: Host) -> Self {
        let budget = Budget::of_one_among(host.assumptions.renderings);
        Self {
            named: HashMap::default(),
            parsed: HashMap::default(),
            host,
            budget,
            calls: Vec::new(),
            unsupported: std::collections::BTreeSet::new(),
            left_out: Vec::new(),
        }
    }

    /// Adds a template as it was read, and what it defines.
    pub(crate) fn add(
        &mut self,
        written: &Rc<Written>,
        tree: &Result<Tree, SyntaxError>,
    ) -> Result<(), RenderError> {
        let source = written.text.as_str();
        let Tree { nodes, definitions } = tree.as_ref().map_err(|it| RenderError {
            message: it.message.clone(),
            kind: ErrorKind::Syntax,
            span: written.text.locate(&(it.at..source.ceil_char_boundary(it.at + 1))),
            calls: Vec::new(),
        })?;
        for it in definitions {
            self.define(it.name.clone(), written, it.nodes.clone());
        }
        self.define(written.name.clone(), written, nodes.clone());
        Ok(())
    }

    /// An empty definition does not replace another.
    fn define(&mut self, name: Rc<str>, written: &Rc<Written>, nodes: Rc<Vec<Node>>) {
        if is_blank(&nodes, written.text.as_str()) && self.named.contains_key(&name) {
            return;
        }
        self.named.insert(name, Named { written: written.clone(), nodes });
    }

    /// What a template prints.
    pub(crate) fn render(&mut self, name: &str, data: &Val) -> Result<Text, RenderError> {
        self.whole(name, data).map(|it| region::joined(&it))
    }

    /// The same with what it prints perhaps apart.
    pub(crate) fn print_apart(&mut self, name: &str, data: &Val) -> Result<Printed, RenderError> {
        self.whole(name, data).map(region::settle)
    }

    fn whole(&mut self, name: &str, data: &Val) -> Result<Text, RenderError> {
        self.calls.clear();
        self.budget.return_to(0);
        let text = self.execute(name, data, None).map_err(|it| *it)?;
        Ok(without_no_value(text))
    }

    fn execute(&mut self, name: &str, data: &Val, place: Option<Span>) -> Run<Text> {
        let Some(named) = self.named.get(name).cloned() else {
            if let Some(symbol) = self.elsewhere(name) {
                return Ok(Text::hole(symbol));
            }
            let message = format!("template: no template \"{name}\" associated with template");
            return self.fail(place, ErrorKind::Template, message);
        };
        self.run(&named.written, &named.nodes, data, place)
    }

    /// What a template prints that is none of those here and may be in a chart that is not.
    fn elsewhere(&self, name: &str) -> Option<Symbol> {
        let is_elsewhere = self.host.lacks_charts && !self.named.contains_key(name);
        is_elsewhere.then(|| Symbol::of_installation(format!("include \"{name}\"")))
    }

    fn run(
        &mut self,
        written: &Rc<Written>,
        nodes: &[Node],
        data: &Val,
        place: Option<Span>,
    ) -> Run<Text> {
        self.calls.push(place);
        let mut frame =
            Frame { written: written.clone(), variables: vec![(Rc::from("$"), data.clone())] };
        let mut out = Builder::default();
        self.walk(&mut frame, data, nodes, &mut out)?;
        self.calls.pop();
        self.limited(place, |it| it.text(out.len()))?;
        Ok(out.finish())
    }

    fn walk(
        &mut self,
        frame: &mut Frame,
        dot: &Val,
        nodes: &[Node],
        out: &mut Builder,
    ) -> Run<Flow> {
        self.limited(None, Budget::enter)?;
        let mut flow = Flow::Next;
        for node in nodes {
            flow = self.node(frame, dot, node, out)?;
            self.limited(None, |_| Budget::fits(out.len()))?;
            if flow != Flow::Next {
                break;
            }
        }
        self.budget.leave();
        Ok(flow)
    }

    fn node(&mut self, frame: &mut Frame, dot: &Val, node: &Node, out: &mut Builder) -> Run<Flow> {
        self.limited(None, Budget::step)?;
        match node {
            Node::Text(range) => out.push_part(&frame.written.text, range.clone()),
            Node::Action(pipe) => {
                let value = self.pipeline(frame, dot, pipe)?;
                if pipe.variables.is_empty() {
                    self.print(frame, pipe, &value, out)?;
                }
            }
            Node::If(branch) => return self.conditional(frame, dot, branch, false, out),
            Node::With(branch) => return self.conditional(frame, dot, branch, true, out),
            Node::Range(branch) => return self.repeat(frame, dot, branch, out),
            Node::Template { name, pipe, at } => {
                let data = match pipe {
                    Some(pipe) => self.pipeline(frame, dot, pipe)?,
                    None => Val::NIL,
                };
                let place = frame.place(at);
                let text = self.execute(name, &data, place)?;
                out.push_text(&text);
            }
            Node::Break => return Ok(Flow::Break),
            Node::Continue => return Ok(Flow::Continue),
        }
        Ok(Flow::Next)
    }

    fn print(&mut self, frame: &Frame, pipe: &Pipe, value: &Val, out: &mut Builder) -> Run<()> {
        let place = frame.place(&pipe.at);
        if matches!(value.kind, Kind::List(_) | Kind::Map(_)) {
            let cost = weight::deep(std::slice::from_ref(value), CALL);
            self.limited(place, |it| it.work(cost))?;
        }
        let text = if value.is_nil() {
            Text::new(NO_VALUE, crate::helm::text::Source::Nowhere)
        } else if let Kind::Version(version) = &value.kind {
            Text::new(version.printed(), crate::helm::text::Source::Nowhere)
        } else {
            printed(value)
        };
        out.push_printed(&text, place);
        self.limited(place, |it| it.text(text.len()))
    }

    fn pipeline(&mut self, frame: &mut Frame, dot: &Val, pipe: &Pipe) -> Run<Val> {
        let mut value = None;
        for command in &pipe.commands {
            value = Some(self.command(frame, dot, command, value)?.alone());
        }
        let value = value.unwrap_or(Val::NIL);
        if let [name] = &*pipe.variables {
            frame.set(pipe, name, value.clone());
        }
        Ok(value)
    }

    /// Counts against the budget.
    fn limited(
        &mut self,
        place: Option<Span>,
        cost: impl FnOnce(&mut Budget) -> Result<(), Exceeded>,
    ) -> Run<()> {
        cost(&mut self.budget).or_else(|(kind, message)| self.fail(place, kind, message))
    }

    fn fail<T>(&self, span: Option<Span>, kind: ErrorKind, message: String) -> Run<T> {
        let calls = self.calls.iter().rev().flatten().copied().take(20).collect();
        Err(Box::new(RenderError { message, kind, span, calls }))
    }

    /// What a function answered, as a value or a failure at its place.
    fn answered(&self, answer: Result<Val, Fault>, place: Option<Span>) -> Run<Val> {
        match answer {
            Ok(value) => Ok(value),
            Err(Fault::Unknown(symbol)) => Ok(Kind::Unknown(symbol).into()),
            Err(Fault::Error(kind, message)) => self.fail(place, kind, message),
        }
    }
}

impl Frame {
    fn place(&self, range: &Range<usize>) -> Option<Span> {
        self.written.text.locate(range)
    }

    fn variable(&self, name: &str) -> Option<&Val> {
        self.variables.iter().rev().find(|(it, _)| &**it == name).map(|(_, value)| value)
    }

    /// Sets a variable of a pipe, which is a new one unless the pipe assigns.
    fn set(&mut self, pipe: &Pipe, name: &Rc<str>, value: Val) {
        if !pipe.assigns {
            self.variables.push((name.clone(), value));
        } else if let Some((_, slot)) = self.variables.iter_mut().rev().find(|(it, _)| it == name) {
            *slot = value;
        }
    }
}

/// What Go prints for `nil`.
const NO_VALUE: &str = "<no value>";

/// Helm takes away what Go prints for `nil`.
fn without_no_value(text: Text) -> Text {
    if !text.as_str().contains(NO_VALUE) {
        return text;
    }
    let mut builder = Builder::default();
    let mut done = 0;
    for (at, found) in text.as_str().match_indices(NO_VALUE) {
        builder.push_part(&text, done..at);
        done = at + found.len();
    }
    builder.push_part(&text, done..text.len());
    builder.finish()
}
