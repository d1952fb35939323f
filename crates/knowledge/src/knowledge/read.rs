//! Reads the YAML files of the data. A mistake is reported as `file:line:column: words`; a test allows none.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{
        self, DeserializeOwned, MapAccess, SeqAccess, Visitor,
        value::{BorrowedStrDeserializer, MapAccessDeserializer, SeqAccessDeserializer},
    },
};

use crate::{
    source::{FileId, SourceFile, Span, column::ColumnUnit},
    syntax::yaml,
    value::Text,
};

/// The content of a file, and what is wrong with it.
#[derive(Debug, Default)]
pub(super) struct Read<T> {
    /// The data; the type's default for what could not be read.
    pub data: T,
    /// The mistakes.
    pub problems: Vec<String>,
}

/// The only document of a file.
pub(super) fn document<T: DeserializeOwned + Default>(file: &str, text: &'static str) -> Read<T> {
    let Read { data, mut problems } = documents(file, text);
    let mut documents: Vec<T> = data;
    if documents.len() > 1 {
        problems.push(format!("{file}: more than one document"));
    }
    Read { data: documents.pop().unwrap_or_default(), problems }
}

/// The documents of a file.
pub(super) fn documents<T: DeserializeOwned>(file: &str, text: &'static str) -> Read<Vec<T>> {
    let whole = Span::new(FileId(u32::MAX), 0, text.len());
    let documents = yaml::parse_literal(&Text::verbatim(text, whole), whole);
    let mut read = Read { data: Vec::new(), problems: Vec::new() };
    let mut complain = |span: Span, message: &str| {
        let at = SourceFile::new(file, text).position(span.start as usize, ColumnUnit::Characters);
        read.problems.push(format!("{file}:{}:{}: {message}", at.line, at.column));
    };
    for it in &documents.parse_errors {
        complain(it.span, &it.message);
    }
    if documents.values.is_empty() {
        complain(whole, "an empty file");
    }
    for value in &documents.values {
        match T::deserialize(value) {
            Ok(data) => read.data.push(data),
            Err(mistake) => complain(mistake.span.unwrap_or(value.span), &mistake.message),
        }
    }
    read
}

impl<T> Read<T> {
    /// The same mistakes, and something else made of the data.
    pub(super) fn map<U>(self, make: impl FnOnce(T) -> U) -> Read<U> {
        Read { data: make(self.data), problems: self.problems }
    }
}

/// A list, or what its only item would be.
#[derive(Debug)]
pub(super) struct OneOrMany<T>(pub Vec<T>);

impl<T> Default for OneOrMany<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(OneOrManyVisitor(PhantomData))
    }
}

struct OneOrManyVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOrManyVisitor<T> {
    type Value = OneOrMany<T>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("text, a mapping or a list")
    }

    fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<OneOrMany<T>, E> {
        Ok(OneOrMany(vec![T::deserialize(BorrowedStrDeserializer::new(text))?]))
    }

    fn visit_map<A: MapAccess<'de>>(self, from: A) -> Result<OneOrMany<T>, A::Error> {
        Ok(OneOrMany(vec![T::deserialize(MapAccessDeserializer::new(from))?]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, from: A) -> Result<OneOrMany<T>, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(from)).map(OneOrMany)
    }
}

#[cfg(test)]
mod tests;
