//! Calls of functions: those that run templates or stop early here, the others by their table.

use std::rc::Rc;

use crate::{
    hash::HashMap,
    helm::{
        exec::{Frame, Machine, Named, Run, Written, without_no_value},
        fault::{ErrorKind, Fault},
        functions::{
            arguments::{Answer, Args, Dialect},
            function, is_defined,
            parameters::admit,
        },
        limits::CALL,
        print::printed,
        template::{
            parse::parse,
            tree::{Tree, Word},
        },
        text::Text,
        value::{Kind, Val},
        weight,
    },
    source::Span,
    value::Symbol,
};

impl Machine {
    /// A function with its written arguments and the result of the command before it.
    pub(super) fn function(
        &mut self,
        frame: &mut Frame,
        dot: &Val,
        (name, word): (&Rc<str>, &Word),
        rest: &[Word],
        last: Option<Val>,
    ) -> Run<Val> {
        if matches!(&**name, "and" | "or") {
            return self.lazy(frame, dot, &**name == "and", rest, last);
        }
        let mut values = Vec::with_capacity(rest.len() + 1);
        for word in rest {
            values.push(self.operand(frame, dot, word)?);
        }
        values.extend(last);
        let end = rest.last().map_or(word.at.end, |it| it.at.end);
        let place = frame.place(&(word.at.start..end));
        if self.host.dialect == Dialect::Helm
            && let Err(fault) =
                admit(name, &mut values, &|at| rest.get(at).is_some_and(Word::is_number))
        {
            return self.answered_without(&values, name, Err(fault), place);
        }
        match &**name {
            "include" => self.include(&values, place),
            "tpl" => self.tpl(&values, place),
            _ => self.call(name, &values, place),
        }
    }

    fn call(&mut self, name: &str, values: &[Val], place: Option<Span>) -> Run<Val> {
        let Some(function) = function(name, self.host.dialect) else {
            self.unsupported.insert(name.to_owned());
            return Ok(Val::unknown(Symbol::of_installation(name)));
        };
        let cost = weight::of_call(name, values, CALL);
        self.limited(place, |it| it.work(cost))?;
        let answer = function(&Args { name, values, host: &self.host });
        let value = self.answered_without(values, name, answer, place)?;
        match &value.kind {
            Kind::Text(text) => self.limited(place, |it| it.text(text.len()))?,
            Kind::List(items) => self.limited(place, |it| it.work(items.len()))?,
            _ => {}
        }
        Ok(value)
    }

    /// What a function answered. What it refuses may be there once others give the values that are not here.
    fn answered_without(
        &self,
        values: &[Val],
        name: &str,
        answer: Answer,
        place: Option<Span>,
    ) -> Run<Val> {
        let answer = match answer {
            Err(Fault::Error(ErrorKind::Template, _))
                if self.host.assumptions.others_give_values && values.iter().any(Val::is_nil) =>
            {
                Err(Fault::Unknown(Rc::new(Symbol::of_installation(name))))
            }
            answer => answer,
        };
        self.answered(answer, place)
    }

    /// `and` and `or`, which evaluate no more than they need.
    fn lazy(
        &mut self,
        frame: &mut Frame,
        dot: &Val,
        all: bool,
        rest: &[Word],
        last: Option<Val>,
    ) -> Run<Val> {
        if rest.is_empty() && last.is_none() {
            let name = if all { "and" } else { "or" };
            let message = format!("wrong number of args for {name}: want at least 1 got 0");
            return self.fail(None, ErrorKind::Template, message);
        }
        let mut doubt: Option<Rc<Symbol>> = None;
        let mut value = None;
        for word in rest {
            let next = self.operand(frame, dot, word);
            let next = match (next, &doubt) {
                // What is only perhaps evaluated only perhaps fails.
                (Err(error), Some(_)) if error.kind != ErrorKind::Limit => continue,
                (next, _) => next?,
            };
            match next.truth() {
                Ok(truth) if truth != all => return Ok(decided(next, doubt, truth)),
                Ok(_) => {}
                Err(symbol) => doubt = doubt.or(Some(symbol)),
            }
            value = Some(next);
        }
        if let Some(last) = last {
            match last.truth() {
                Ok(truth) if truth != all => return Ok(decided(last, doubt, truth)),
                Ok(_) => {}
                Err(symbol) => doubt = doubt.or(Some(symbol)),
            }
            value = Some(last);
        }
        Ok(match (doubt, value) {
            (Some(symbol), _) => Kind::Unknown(symbol).into(),
            (None, value) => value.unwrap_or(Val::NIL),
        })
    }

    fn include(&mut self, values: &[Val], place: Option<Span>) -> Run<Val> {
        let [name, data] = values else {
            let message = format!("wrong number of args for include: want 2 got {}", values.len());
            return self.fail(place, ErrorKind::Template, message);
        };
        let name = match &name.kind {
            Kind::Text(text) => text,
            Kind::Unknown(symbol) => return Ok(Kind::Unknown(symbol.clone()).into()),
            _ => {
                let message = "wrong type for value; expected string".to_owned();
                return self.fail(place, ErrorKind::Template, message);
            }
        };
        if let Some(symbol) = name.first_hole() {
            return Ok(Val::unknown(symbol.clone()));
        }
        if let Some(symbol) = self.elsewhere(name.as_str()) {
            return Ok(Val::unknown(symbol));
        }
        let text = self.execute(name.as_str(), data, place)?;
        Ok(Kind::Text(text).into())
    }

    fn tpl(&mut self, values: &[Val], place: Option<Span>) -> Run<Val> {
        let [text, data] = values else {
            let message = format!("wrong number of args for tpl: want 2 got {}", values.len());
            return self.fail(place, ErrorKind::Template, message);
        };
        let text = match &text.kind {
            Kind::Text(_) => printed(text),
            Kind::Unknown(symbol) => return Ok(Kind::Unknown(symbol.clone()).into()),
            _ => {
                let message = "wrong type for value; expected string".to_owned();
                return self.fail(place, ErrorKind::Template, message);
            }
        };
        if !text.as_str().contains("{{") {
            return Ok(Kind::Text(text).into());
        }
        self.limited(place, |it| it.work(text.len() / 4))?;
        let tree = self.parsed(&text, place)?;
        let written = Rc::new(Written { name: Rc::from("gotpl"), text });
        let around = self.with_definitions(&tree, &written);
        let result = self.run(&written, &tree.nodes, data, place);
        if let Some(around) = around {
            self.named = around;
        }
        Ok(Kind::Text(without_no_value(result?)).into())
    }

    fn parsed(&mut self, text: &Text, place: Option<Span>) -> Run<Rc<Tree>> {
        if let Some(tree) = self.parsed.get(text.as_str()) {
            return Ok(tree.clone());
        }
        let is_known: fn(&str) -> bool = match self.host.dialect {
            Dialect::Helm => |it| is_defined(it, Dialect::Helm),
            Dialect::Helmfile => |_| true,
        };
        let tree = parse(text.as_str(), is_known).or_else(|it| {
            let message = format!("cannot parse template: {}", it.message);
            self.fail(place, ErrorKind::Syntax, message)
        })?;
        let tree = Rc::new(tree);
        self.parsed.insert(text.as_str().into(), tree.clone());
        Ok(tree)
    }

    /// Adds what the text of `tpl` defines, which is seen by that text only; what was there before.
    fn with_definitions(
        &mut self,
        tree: &Tree,
        written: &Rc<Written>,
    ) -> Option<HashMap<Rc<str>, Named>> {
        if tree.definitions.is_empty() {
            return None;
        }
        let around = self.named.clone();
        for it in &tree.definitions {
            self.define(it.name.clone(), written, it.nodes.clone());
        }
        Some(around)
    }
}

/// What ends an `and` or `or`: where something before it is not known, only its truth is.
fn decided(value: Val, doubt: Option<Rc<Symbol>>, truth: bool) -> Val {
    match doubt {
        None => value,
        Some(_) if !truth => value,
        Some(symbol) => Kind::Unknown(symbol).into(),
    }
}
