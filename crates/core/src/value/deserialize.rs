//! Typed data out of values: serde reads a [`Value`], and a mistake has its place.
//!
//! `T::deserialize(&value)` reads a struct from a mapping, a `Vec` from a list, an `Option` from null or a
//! value. What is not known statically is no value of any type. A [`Spanned`] keeps the place of what it holds.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{
        self, DeserializeSeed, IntoDeserializer, MapAccess, SeqAccess, Unexpected, Visitor,
        value::{BorrowedStrDeserializer, MapAccessDeserializer, U32Deserializer},
    },
};

use crate::{
    source::{FileId, Span},
    value::{Entry, Kind, Value},
};

/// What is wrong with a value, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// What: "unknown field `sinse`, expected one of …".
    pub message: String,
    /// The innermost value or key that was being read.
    pub span: Option<Span>,
}

/// Something read from a value, with its place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spanned<T> {
    /// What was read.
    pub value: T,
    /// Where it is written.
    pub span: Span,
}

impl ReadError {
    /// The mistake at that place, unless it has one further inside.
    fn at(mut self, span: Span) -> Self {
        self.span.get_or_insert(span);
        self
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for ReadError {}

impl de::Error for ReadError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { message: message.to_string(), span: None }
    }
}

/// The name of the struct by which a [`Spanned`] asks for its place; a list answers: start, end, value.
const SPANNED: &str = "$karplint::Spanned";

impl<'de> Deserializer<'de> for &'de Value {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let read = match &self.kind {
            Kind::Null => visitor.visit_unit(),
            Kind::Bool(value) => visitor.visit_bool(*value),
            Kind::Number(number) => visit_number(*number, visitor),
            Kind::String(text) => match text.known() {
                Some(text) => visitor.visit_borrowed_str(text),
                None => Err(de::Error::invalid_type(Unexpected::Other("unknown text"), &visitor)),
            },
            Kind::List(list) => visitor.visit_seq(Items(list.items.iter())),
            Kind::Map(map) => {
                visitor.visit_map(EntriesReader { rest: map.entries.iter(), value: None })
            }
            Kind::Unknown(_) => {
                Err(de::Error::invalid_type(Unexpected::Other("an unknown value"), &visitor))
            }
        };
        read.map_err(|it| it.at(self.span))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        if self.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        visitor.visit_newtype_struct(self).map_err(|it| it.at(self.span))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        if name == SPANNED {
            return visitor.visit_seq(SpannedParts { at: 0, span: self.span, value: Some(self) });
        }
        self.deserialize_any(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let read = match (self.as_str(), &self.kind) {
            (Some(text), _) => visitor.visit_enum(text.into_deserializer()),
            (None, Kind::Map(map)) => {
                let entries = EntriesReader { rest: map.entries.iter(), value: None };
                visitor.visit_enum(MapAccessDeserializer::new(entries))
            }
            _ => return self.deserialize_any(visitor),
        };
        read.map_err(|it| it.at(self.span))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map identifier ignored_any
    }
}

/// A whole number counts as an integer: YAML does not distinguish `2` from `2.0`.
fn visit_number<'de, V: Visitor<'de>>(number: f64, visitor: V) -> Result<V::Value, ReadError> {
    // Larger ones are not exact.
    const MOST: f64 = 9_007_199_254_740_992.0;
    if number.fract() != 0.0 || number.abs() > MOST {
        return visitor.visit_f64(number);
    }
    #[expect(clippy::cast_possible_truncation, reason = "it is whole, and not too large")]
    visitor.visit_i64(number as i64)
}

struct Items<'de>(std::slice::Iter<'de, Value>);

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, ReadError> {
        let read = |it: &'de Value| seed.deserialize(it).map_err(|mistake| mistake.at(it.span));
        self.0.next().map(read).transpose()
    }
}

struct EntriesReader<'de> {
    rest: std::slice::Iter<'de, Entry>,
    /// The value of the key that was read last.
    value: Option<&'de Value>,
}

impl<'de> MapAccess<'de> for EntriesReader<'de> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ReadError> {
        let Some(entry) = self.rest.next() else { return Ok(None) };
        self.value = Some(&entry.value);
        let key = seed.deserialize(KeyReader(entry)).map_err(|it| it.at(entry.key_span))?;
        Ok(Some(key))
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, ReadError> {
        let value = self.value.take().ok_or_else(|| de::Error::custom("a value before its key"))?;
        seed.deserialize(value).map_err(|it| it.at(value.span))
    }
}

/// The key of an entry.
struct KeyReader<'de>(&'de Entry);

impl<'de> Deserializer<'de> for KeyReader<'de> {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        BorrowedStrDeserializer::new(&self.0.key).deserialize_any(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let span = self.0.key_span;
        if name == SPANNED {
            return visitor.visit_seq(SpannedParts { at: 0, span, value: Some(self) });
        }
        self.deserialize_any(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// The parts of a [`Spanned`]: the file, the start, the end, the value.
struct SpannedParts<D> {
    at: usize,
    span: Span,
    value: Option<D>,
}

impl<'de, D: Deserializer<'de, Error = ReadError>> SeqAccess<'de> for SpannedParts<D> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, ReadError> {
        let numbers = [self.span.file.0, self.span.start, self.span.end];
        let number = numbers.get(self.at).copied();
        self.at += 1;
        match (number, self.value.take_if(|_| number.is_none())) {
            (Some(number), _) => seed.deserialize(U32Deserializer::new(number)).map(Some),
            (None, Some(value)) => seed.deserialize(value).map_err(|it| it.at(self.span)).map(Some),
            (None, None) => Ok(None),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Spanned<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_struct(SPANNED, &[], SpannedVisitor(PhantomData))
    }
}

struct SpannedVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for SpannedVisitor<T> {
    type Value = Spanned<T>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a value with a place")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Self::Value, A::Error> {
        let mut number = || {
            let number: Option<u32> = parts.next_element()?;
            number.ok_or_else(|| de::Error::custom("a place is missing"))
        };
        let (file, start, end) = (FileId(number()?), number()?, number()?);
        let value = parts.next_element()?;
        let value = value.ok_or_else(|| de::Error::custom("a value is missing"))?;
        Ok(Spanned { value, span: Span { file, start, end } })
    }
}

/// A value without places, for data of our own.
impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

/// The place of a value that was read without one.
pub const NOWHERE: Span = Span { file: FileId(u32::MAX), start: 0, end: 0 };

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::new(Kind::Null, NOWHERE))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::new(Kind::Bool(value), NOWHERE))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        #[expect(clippy::cast_precision_loss, reason = "it came from a number of this type")]
        Ok(Value::new(Kind::Number(value as f64), NOWHERE))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::new(Kind::Number(value), NOWHERE))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::computed(value, NOWHERE))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = from.next_element()? {
            items.push(item);
        }
        Ok(Value::list(items, NOWHERE))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut entries = Vec::new();
        while let Some((key, value)) = from.next_entry::<String, Value>()? {
            entries.push(Entry { key: key.into(), key_span: NOWHERE, value });
        }
        Ok(Value::map(entries, NOWHERE))
    }
}
