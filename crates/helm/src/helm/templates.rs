//! The templates of charts, each read once, however often the charts are rendered.

use std::{cell::RefCell, fmt, marker::PhantomData, rc::Rc};

use crate::{
    hash::HashMap,
    helm::{
        chart::{Chart, ChartFile, Place},
        functions::{arguments::Dialect, is_defined},
        template::{lex::SyntaxError, parse::parse, tree::Tree},
        text::{Source, Text},
    },
};

/// Templates that were read. One thread keeps them for the renderings that it makes.
#[derive(Default)]
pub struct Templates<'a> {
    /// By the place of the file in memory, which the charts keep.
    read: RefCell<HashMap<*const ChartFile, Rc<Template>>>,
    charts: PhantomData<&'a Chart>,
}

impl fmt::Debug for Templates<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} templates", self.read.borrow().len())
    }
}

/// A template as it was read.
pub(crate) struct Template {
    /// The text with its places.
    pub text: Text,
    /// Its tree, or why it has none.
    pub tree: Result<Tree, SyntaxError>,
}

impl Template {
    /// Reads a text.
    pub(crate) fn new(text: Text) -> Self {
        let tree = parse(text.as_str(), |it| is_defined(it, Dialect::Helm));
        Self { text, tree }
    }
}

impl<'a> Templates<'a> {
    /// The template in a file.
    pub(crate) fn of(&self, file: &'a ChartFile) -> Rc<Template> {
        let mut read = self.read.borrow_mut();
        let new = || {
            let source = match file.place {
                Place::File(_) => Source::Written(file.span()),
                Place::Archive(span) => Source::Made(span),
            };
            Rc::new(Template::new(Text::new(&*file.text().text, source)))
        };
        Rc::clone(read.entry(std::ptr::from_ref(file)).or_insert_with(new))
    }
}
