//! The macros that go through a list or mapping.

use crate::cel::{
    compare, cost,
    data::{Data, MapData, Operand, Outcome},
    eval::{
        elements::{self, Elements},
        state::{Evaluate, Evaluator},
    },
    fault::Fault,
    place::Place,
    tree::{Expr, Fold, FoldKind},
};

/// A macro and what it goes through.
struct Each<'e, 'a> {
    fold: &'a Fold,
    elements: &'e Elements<'e>,
    evaluate: Evaluate<'a>,
}

/// An answer, and what decided it.
type Answer = Result<(bool, Option<Place>), Fault>;

impl<'a> Evaluator<'a> {
    /// The value of a macro.
    ///
    /// # Errors
    /// When its range is no list or mapping, and those of its parts.
    pub(super) fn fold(&mut self, fold: &'a Fold, evaluate: Evaluate<'a>) -> Outcome {
        let range = evaluate(self, &fold.range)?;
        let elements = Elements::of(&range, fold.second.is_some())?;
        let each = Each { fold, elements: &elements, evaluate };
        let key = range.place.as_ref().map(Place::key);
        match fold.kind {
            FoldKind::All => self.quantifier(&each, key, false),
            FoldKind::Exists => self.quantifier(&each, key, true),
            FoldKind::ExistsOne => self.exists_one(&each, key),
            _ => Ok(Operand { data: self.collect(&each)?, place: range.place.clone() }),
        }
    }

    /// A part of a macro for one element.
    fn with(&mut self, each: &Each<'_, 'a>, at: usize, body: &'a Expr) -> Outcome {
        let (first, second) = each.elements.get(at);
        let depth = self.scope.bind(&each.fold.first, first);
        if let (Some(name), Some(second)) = (&each.fold.second, second) {
            self.scope.bind(name, second);
        }
        let found = (each.evaluate)(self, body);
        self.scope.leave(depth);
        found
    }

    /// A part of a macro that is a truth value.
    fn asks(&mut self, each: &Each<'_, 'a>, at: usize, body: &'a Expr) -> Answer {
        let found = self.with(each, at, body)?;
        match found.data {
            Data::Bool(it) => Ok((it, found.place)),
            other => {
                let message = format!("no such overload: {}", other.type_name());
                Err(Fault::error(message).or_at(found.place.as_ref(), &body.at))
            }
        }
    }

    /// `all` and `exists`: an element that is `decisive` decides whatever the others are.
    fn quantifier(&mut self, each: &Each<'_, 'a>, key: Option<Place>, decisive: bool) -> Outcome {
        let known = each.elements.known();
        // What the loop asks before each element, and what it does with the answer.
        let condition = if decisive { 3 } else { 2 };
        let mut fault = None;
        self.cost.charge(1)?;
        for at in 0..known {
            self.cost.charge(condition + 1)?;
            match self.asks(each, at, &each.fold.body) {
                Ok((it, place)) if it == decisive => {
                    self.cost.charge(if at + 1 < known { condition } else { 0 })?;
                    let place = match (place, each.elements.place(at)) {
                        (Some(place), Some(element)) => Some(place.inside(&element)),
                        (place, element) => place.or(element),
                    };
                    return Ok(Operand { data: Data::Bool(decisive), place });
                }
                Ok(_) => {}
                Err(Fault::TooCostly) => return Err(Fault::TooCostly),
                Err(it) => fault = Some(Fault::worse(fault, each.elements.blame(it, at))),
            }
        }
        if let Err(it) = each.elements.closed() {
            fault = Some(Fault::worse(fault, it));
        }
        fault.map_or(Ok(Operand { data: Data::Bool(!decisive), place: key }), Err)
    }

    fn exists_one(&mut self, each: &Each<'_, 'a>, key: Option<Place>) -> Outcome {
        let mut fault = None;
        let mut count = 0;
        self.cost.charge(2)?;
        for at in 0..each.elements.known() {
            match self.asks(each, at, &each.fold.body) {
                Ok((true, _)) => {
                    self.cost.charge(2)?;
                    count += 1;
                }
                Ok((false, _)) => {}
                Err(Fault::TooCostly) => return Err(Fault::TooCostly),
                Err(it) => fault = Some(Fault::worse(fault, each.elements.blame(it, at))),
            }
        }
        if let Err(it) = each.elements.closed() {
            fault = Some(Fault::worse(fault, it));
        }
        fault.map_or(Ok(Operand { data: Data::Bool(count == 1), place: key }), Err)
    }

    /// The macros that make a list or mapping.
    fn collect(&mut self, each: &Each<'_, 'a>) -> Result<Data, Fault> {
        let mut fault = None;
        let mut found: Vec<(Operand, Operand)> = Vec::new();
        self.cost.charge(1)?;
        for at in 0..each.elements.known() {
            match self.collected(each, at) {
                Ok(Some(pair)) => found.push(pair),
                Ok(None) => {}
                Err(Fault::TooCostly) => return Err(Fault::TooCostly),
                Err(it) => fault = Some(Fault::worse(fault, each.elements.blame(it, at))),
            }
        }
        if let Some(fault) = fault {
            return Err(fault);
        }
        let mut data = self.made(each, found)?;
        match &mut data {
            Data::List(list) => list.rest = each.elements.rest(),
            Data::Map(MapData { rest, .. }) => *rest = each.elements.rest(),
            _ => {}
        }
        Ok(data)
    }

    /// The list or mapping of what the elements added.
    fn made(
        &mut self,
        each: &Each<'_, 'a>,
        mut found: Vec<(Operand, Operand)>,
    ) -> Result<Data, Fault> {
        match each.fold.kind {
            FoldKind::SortBy => {
                let keys = Data::list(found.iter().map(|(key, _)| key.clone()).collect());
                self.cost.charge(cost::with_each_other(Some(&keys)))?;
                compare::sort(&mut found, |(key, _)| key)?;
                each.elements.closed()?;
            }
            FoldKind::TransformMap => return Ok(Data::Map(elements::keyed(found)?)),
            FoldKind::TransformMapEntry => {
                let mut all = Vec::new();
                for (_, entry) in found {
                    let Data::Map(map) = entry.data else { return Err(Fault::NoOverload) };
                    all.extend(map.all()?);
                }
                return Ok(Data::Map(elements::keyed(all)?));
            }
            _ => {}
        }
        Ok(Data::list(found.into_iter().map(|(_, it)| it).collect()))
    }

    /// What one element adds: a key, which a list does not ask for, and a value.
    fn collected(
        &mut self,
        each: &Each<'_, 'a>,
        at: usize,
    ) -> Result<Option<(Operand, Operand)>, Fault> {
        let fold = each.fold;
        if let Some(filter) = &fold.filter
            && !self.asks(each, at, filter)?.0
        {
            return Ok(None);
        }
        let none = Operand::from(Data::Null);
        let element = || each.elements.get(at).0;
        Ok(Some(match fold.kind {
            FoldKind::Filter => {
                if !self.asks(each, at, &fold.body)?.0 {
                    return Ok(None);
                }
                self.cost.charge(13)?;
                (none, element()?)
            }
            FoldKind::SortBy => {
                self.cost.charge(12)?;
                (self.with(each, at, &fold.body)?, element()?)
            }
            FoldKind::TransformMap | FoldKind::TransformMapEntry => {
                self.cost.charge(if fold.kind == FoldKind::TransformMap { 3 } else { 2 })?;
                let value = self.with(each, at, &fold.body)?;
                (element()?, value)
            }
            _ => {
                self.cost.charge(12)?;
                (none, self.with(each, at, &fold.body)?)
            }
        }))
    }
}
