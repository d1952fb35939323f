//! How entries are written.

/// How the entries of a mapping are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Style {
    /// Around keys.
    pub key_quote: &'static str,
    /// Around texts.
    pub text_quote: &'static str,
    /// Between a key and its value.
    pub sign: &'static str,
    /// Whether a blank stands before a colon.
    pub spaced: bool,
    /// Whether the mapping stands in braces.
    pub braced: bool,
    /// Whether a comma follows each entry that is not the last.
    pub commas: bool,
    /// The column where `=` stands, counted from the key.
    pub width: usize,
    /// Where the dashes of lists stand, counted from their key.
    pub dash: usize,
}

/// A new value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum New<'a> {
    /// Text.
    Text(&'a str),
    /// As it is written elsewhere.
    Source(&'a str),
    /// A list of one mapping with one entry.
    ListOf(&'a str, &'a str),
}

impl Style {
    /// What follows an entry that is not the last.
    #[must_use]
    pub fn comma(&self) -> &'static str {
        if self.commas { "," } else { "" }
    }

    /// The text of an entry whose key stands behind `indent`.
    #[must_use]
    pub fn entry(&self, key: &str, value: &New<'_>, indent: &str) -> String {
        let quote = self.key_quote;
        if let (New::ListOf(inner, text), false) = (value, self.braced) {
            return format!("{key}:{indent}{}- {inner}: {text}", " ".repeat(self.dash));
        }
        let pad = " ".repeat(self.width.saturating_sub(key.len() + 1));
        let gap = match self.sign {
            "=" => format!("{pad} = "),
            _ if self.spaced => " : ".to_owned(),
            _ => ": ".to_owned(),
        };
        format!("{quote}{key}{quote}{gap}{}", self.value(value))
    }

    /// The text of a value.
    #[must_use]
    pub fn value(&self, value: &New<'_>) -> String {
        let quote = self.text_quote;
        match value {
            New::Text(text) => format!("{quote}{text}{quote}"),
            New::Source(source) => (*source).to_owned(),
            New::ListOf(key, text) => {
                let (own, sign) = (self.key_quote, if self.sign == "=" { " =" } else { ":" });
                format!("[{{ {own}{key}{own}{sign} {quote}{text}{quote} }}]")
            }
        }
    }
}
