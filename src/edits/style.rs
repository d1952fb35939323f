//! How entries are written, and new ones like them.

use crate::{findings::change::NewValue, source::Files, value::Value};

/// How the entries of a mapping are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Style {
    /// Around keys.
    pub key_quote: &'static str,
    /// Around texts; none where YAML tells them from numbers by itself.
    pub text_quote: &'static str,
    /// Between a key and its value.
    pub sign: &'static str,
    /// Whether there is a blank before a colon.
    pub spaced: bool,
    /// Whether the mapping is in braces.
    pub braced: bool,
    /// Whether a comma follows each entry that is not the last.
    pub commas: bool,
    /// The column of `=`, counted from the key.
    pub width: usize,
    /// Where the dashes of lists are, counted from their key.
    pub dash: usize,
}

impl Style {
    /// YAML in block style, where no neighbour shows how it is written.
    pub(super) const BLOCK: Self = Self {
        key_quote: "",
        text_quote: "",
        sign: ":",
        spaced: false,
        braced: false,
        commas: false,
        width: 0,
        dash: 2,
    };
    /// Terraform's language.
    pub(super) const TERRAFORM: Self =
        Self { text_quote: "\"", sign: "=", braced: true, ..Self::BLOCK };
    /// JSON.
    pub(super) const JSON: Self =
        Self { key_quote: "\"", text_quote: "\"", braced: true, commas: true, ..Self::BLOCK };

    /// How the language around a list is written, where no mapping in it shows it.
    #[must_use]
    pub(super) fn like(files: &Files, list: &Value) -> Self {
        let quotes = files.text(list.span).contains('"');
        match files.get(list.span.file).ending() {
            "tf" | "tofu" | "tfvars" | "hcl" => Self::TERRAFORM,
            "json" => Self::JSON,
            _ if quotes => Self { text_quote: "\"", ..Self::BLOCK },
            _ => Self::BLOCK,
        }
    }

    /// What follows an entry that is not the last.
    #[must_use]
    pub(super) fn comma(&self) -> &'static str {
        if self.commas { "," } else { "" }
    }

    /// The text of an entry whose key follows `indent`: a line break and blanks.
    #[must_use]
    pub(super) fn entry(&self, key: &str, value: &NewValue, indent: &str) -> String {
        let name = self.key(key);
        if let (NewValue::List(_) | NewValue::Map(_), false) = (value, self.braced) {
            return format!("{name}:{}", self.block(value, indent));
        }
        let text = self.laid_out(value, indent);
        // `terraform fmt` does not align what has several lines.
        let width = if text.contains('\n') { 0 } else { self.width };
        let pad = " ".repeat(width.saturating_sub(name.len() + 1));
        let gap = match self.sign {
            "=" => format!("{pad} = "),
            _ if self.spaced => " : ".to_owned(),
            _ => ": ".to_owned(),
        };
        format!("{name}{gap}{text}")
    }

    /// The text of a value behind its key, in several lines where one would be long.
    #[must_use]
    pub(super) fn laid_out(&self, value: &NewValue, indent: &str) -> String {
        let line = self.inline(value);
        let has_lines = indent.starts_with(['\r', '\n']);
        let is_long = line.len() + indent.len() > LONGEST;
        if has_lines && is_long { self.spread(value, indent) } else { line }
    }

    /// The text of a value with a line for each item and entry.
    fn spread(&self, value: &NewValue, indent: &str) -> String {
        let inner = format!("{indent}  ");
        let between = |lines: Vec<String>, comma: &str| lines.join(&format!("{comma}{inner}"));
        match value {
            NewValue::Map(entries) => {
                let widest = entries.iter().map(|(key, _)| self.key(key).len()).max();
                let width = if self.sign == "=" { widest.unwrap_or_default() + 1 } else { 0 };
                let style = Self { width, ..self.clone() };
                let lines = entries.iter().map(|(key, it)| style.entry(key, it, &inner));
                format!("{{{inner}{}{indent}}}", between(lines.collect(), self.comma()))
            }
            NewValue::List(items) => {
                let lines = items.iter().map(|it| match it {
                    NewValue::Encoded(..) => self.spread(it, &inner),
                    _ => self.inline(it),
                });
                format!("[{inner}{}{indent}]", between(lines.collect(), ","))
            }
            NewValue::Encoded(function, value) if self.sign == "=" => {
                format!("{function}({})", self.spread(value, indent))
            }
            NewValue::Text(_) | NewValue::Plain(_) | NewValue::Encoded(..) => self.inline(value),
        }
    }

    /// The lines of a list or mapping of YAML below its key.
    #[must_use]
    pub(super) fn block(&self, value: &NewValue, indent: &str) -> String {
        match value {
            NewValue::Map(entries) => {
                let inner = format!("{indent}  ");
                let lines = entries.iter().map(|(key, it)| self.entry(key, it, &inner));
                lines.flat_map(|it| [inner.clone(), it]).collect()
            }
            NewValue::List(items) => {
                let before = format!("{indent}{}", " ".repeat(self.dash));
                let lines = items.iter().map(|it| self.item(it, &before));
                lines.flat_map(|it| [before.clone(), "- ".to_owned(), it]).collect()
            }
            _ => format!(" {}", self.inline(value)),
        }
    }

    /// An item of a list of YAML, whose dash follows `indent`.
    #[must_use]
    pub(super) fn item(&self, value: &NewValue, indent: &str) -> String {
        let NewValue::Map(entries) = value else { return self.inline(value) };
        let inner = format!("{indent}  ");
        let lines: Vec<_> = entries.iter().map(|(key, it)| self.entry(key, it, &inner)).collect();
        lines.join(&inner)
    }

    /// The text of a value in one line.
    #[must_use]
    pub(super) fn inline(&self, value: &NewValue) -> String {
        match value {
            NewValue::Text(text) if self.text_quote.is_empty() => scalar(text),
            NewValue::Text(text) => self.quoted(text),
            NewValue::Plain(source) => source.clone(),
            NewValue::Encoded(function, value) if self.sign == "=" => {
                format!("{function}({})", self.inline(value))
            }
            NewValue::Encoded(_, value) => self.inline(&NewValue::Text(Self::JSON.inline(value))),
            NewValue::List(items) => {
                let items: Vec<_> = items.iter().map(|it| self.inline(it)).collect();
                format!("[{}]", items.join(", "))
            }
            NewValue::Map(entries) => {
                let sign = if self.sign == "=" { " =" } else { ":" };
                let entry = |(key, it): &(String, NewValue)| {
                    format!("{}{sign} {}", self.key(key), self.inline(it))
                };
                let entries: Vec<_> = entries.iter().map(entry).collect();
                format!("{{ {} }}", entries.join(", "))
            }
        }
    }

    /// A key with the quotes it has here, or needs.
    #[must_use]
    pub(super) fn key(&self, key: &str) -> String {
        let is_name = key.chars().all(|it| it.is_ascii_alphanumeric() || matches!(it, '_' | '-'));
        let quote = if self.sign == "=" && !is_name { "\"" } else { self.key_quote };
        format!("{quote}{key}{quote}")
    }

    /// Text between quotes, which are escaped themselves in JSON in a string.
    fn quoted(&self, text: &str) -> String {
        let quote = self.text_quote;
        let text = if quote == "'" { text.replace('\'', "''") } else { escaped(text) };
        let text = if quote == "\\\"" { escaped(&text) } else { text };
        format!("{quote}{text}{quote}")
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// Longer lines are hard to read.
const LONGEST: usize = 100;

/// Words that YAML 1.1 or 1.2 takes for something else than text.
const CONSTANTS: [&str; 9] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];

/// Text as YAML takes it: plain where it cannot be taken for something else.
fn scalar(text: &str) -> String {
    let letter = |it: char| it.is_ascii_alphanumeric() || matches!(it, '.' | '_' | '-' | '/' | '@');
    let word = text.starts_with(|it: char| it.is_ascii_alphabetic());
    let is_constant = CONSTANTS.contains(&text.to_ascii_lowercase().as_str());
    let number = text.trim_end_matches(['s', 'm', 'h']);
    let is_time = number.len() < text.len() && number.chars().all(|it| it.is_ascii_digit());
    if text.chars().all(letter) && ((word && !is_constant) || (is_time && !number.is_empty())) {
        text.to_owned()
    } else if text.contains('"') && !text.contains('\'') {
        format!("'{text}'")
    } else {
        format!("\"{}\"", escaped(text))
    }
}

#[cfg(test)]
mod tests {
    use super::{Style, scalar};
    use crate::findings::change::NewValue;

    #[test]
    fn text_gets_the_quotes_it_needs() {
        for (text, written) in [
            ("Exists", "Exists"),
            ("karpenter.sh/disrupted", "karpenter.sh/disrupted"),
            ("0s", "0s"),
            ("24h", "24h"),
            ("s", "s"),
            ("true", "\"true\""),
            ("No", "\"No\""),
            ("-1", "\"-1\""),
            ("10", "\"10\""),
            ("1.5", "\"1.5\""),
            ("", "\"\""),
            ("a: b", "\"a: b\""),
            ("al2@latest", "al2@latest"),
            ("@a", "\"@a\""),
            ("say \"no\"", "'say \"no\"'"),
            ("it's \"no\"", "\"it's \\\"no\\\"\""),
        ] {
            assert_eq!(scalar(text), written);
        }
    }

    #[test]
    fn each_language_is_written_in_its_way() {
        let toleration =
            NewValue::texts([("key", "karpenter.sh/disrupted"), ("operator", "Exists")]);
        let draft = NewValue::List(vec![toleration]);
        let escaped = Style { key_quote: "\\\"", text_quote: "\\\"", ..Style::JSON };
        for (style, written) in [
            (
                Style::BLOCK,
                "tolerations:\n    - key: karpenter.sh/disrupted\n      operator: Exists",
            ),
            (
                Style { braced: true, ..Style::BLOCK },
                "tolerations: [{ key: karpenter.sh/disrupted, operator: Exists }]",
            ),
            (
                Style::TERRAFORM,
                "tolerations = [{ key = \"karpenter.sh/disrupted\", operator = \"Exists\" }]",
            ),
            (
                Style::JSON,
                r#""tolerations": [{ "key": "karpenter.sh/disrupted", "operator": "Exists" }]"#,
            ),
            (
                escaped,
                r#"\"tolerations\": [{ \"key\": \"karpenter.sh/disrupted\", \"operator\": \"Exists\" }]"#,
            ),
        ] {
            assert_eq!(style.entry("tolerations", &draft, "\n  "), written);
        }
        let flag = NewValue::Map(vec![("a.b/c".to_owned(), NewValue::text("true"))]);
        assert_eq!(Style::TERRAFORM.inline(&flag), "{ \"a.b/c\" = \"true\" }");
    }
}
