//! Commands and operands of a pipeline.

use std::rc::Rc;

use crate::helm::{
    exec::{Frame, Machine, Run},
    fault::ErrorKind,
    template::tree::{Command, Word, WordKind},
    text::{Source, Text},
    value::{Kind, Val},
};

impl Machine {
    /// A command; `last` is the result of the one before it.
    pub(super) fn command(
        &mut self,
        frame: &mut Frame,
        dot: &Val,
        command: &Command,
        last: Option<Val>,
    ) -> Run<Val> {
        self.limited(None, crate::helm::limits::Budget::step)?;
        let Some((first, rest)) = command.words.split_first() else { return Ok(Val::NIL) };
        let takes_arguments = !rest.is_empty() || last.is_some();
        let (base, fields): (Val, &[Rc<str>]) = match &first.kind {
            WordKind::Function(name) => {
                return self.function(frame, dot, (name, first), rest, last);
            }
            WordKind::Field(fields) => (dot.clone(), fields),
            WordKind::Variable(name, fields) => (self.variable(frame, name, first)?, fields),
            WordKind::Chain(inner, fields) => (self.operand(frame, dot, inner)?, fields),
            WordKind::Nil => {
                let place = frame.place(&first.at);
                return self.fail(place, ErrorKind::Template, "nil is not a command".to_owned());
            }
            _ if takes_arguments => return self.no_function(frame, first),
            _ => return self.operand(frame, dot, first),
        };
        if fields.is_empty() {
            return if takes_arguments { self.no_function(frame, first) } else { Ok(base) };
        }
        let mut arguments = Vec::with_capacity(rest.len() + 1);
        for word in rest {
            arguments.push(self.operand(frame, dot, word)?);
        }
        arguments.extend(last);
        let place = frame.place(&first.at);
        self.fields(base, fields, &arguments, place)
    }

    /// The error of a value that is called.
    fn no_function(&self, frame: &Frame, word: &Word) -> Run<Val> {
        let said = frame.written.text.as_str().get(word.at.clone()).unwrap_or_default();
        let message = format!("can't give argument to non-function {said}");
        self.fail(frame.place(&word.at), ErrorKind::Template, message)
    }

    fn variable(&self, frame: &Frame, name: &str, word: &Word) -> Run<Val> {
        let Some(value) = frame.variable(name) else {
            let message = format!("undefined variable: {name}");
            return self.fail(frame.place(&word.at), ErrorKind::Template, message);
        };
        Ok(value.clone())
    }

    /// An operand that stands for itself.
    pub(super) fn operand(&mut self, frame: &mut Frame, dot: &Val, word: &Word) -> Run<Val> {
        let place = || frame.place(&word.at);
        Ok(match &word.kind {
            WordKind::Dot => dot.clone(),
            WordKind::Nil => Val::NIL,
            WordKind::Bool(it) => Val::bool(*it),
            WordKind::Int(it) => Kind::Int(*it).into(),
            WordKind::Float(it) => Kind::Float(*it).into(),
            WordKind::Text { text, verbatim } => {
                let text = match verbatim {
                    Some(range) => frame.written.text.slice(range.clone()),
                    None => Text::new(text.clone(), place().map_or(Source::Nowhere, Source::Made)),
                };
                Kind::Text(text).into()
            }
            WordKind::Field(fields) => {
                let place = place();
                self.fields(dot.clone(), fields, &[], place)?
            }
            WordKind::Variable(name, fields) => {
                let value = self.variable(frame, name, word)?;
                let place = place();
                self.fields(value, fields, &[], place)?
            }
            WordKind::Function(name) => self.function(frame, dot, (name, word), &[], None)?,
            WordKind::Pipe(pipe) => {
                self.limited(None, crate::helm::limits::Budget::enter)?;
                let value = self.pipeline(frame, dot, pipe)?;
                self.budget.leave();
                value
            }
            WordKind::Chain(inner, fields) => {
                let place = place();
                let value = self.operand(frame, dot, inner)?;
                self.fields(value, fields, &[], place)?
            }
        })
    }
}
