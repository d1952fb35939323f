//! Text from values: printed, quoted, indented, joined.

use std::fmt::Write;

use crate::helm::{
    functions::{
        arguments::{Answer, Args, Function},
        format::{is_text, printf},
    },
    print::{as_text, printed, quoted},
    text::{Builder, Text},
    value::{Kind, Val},
};

/// The functions of this topic.
pub(super) const TABLE: &[(&str, Function)] = &[
    ("print", print),
    ("println", println),
    ("printf", |it| {
        Ok(Kind::Text(printf(&it.string(0)?, it.values.get(1..).unwrap_or_default())).into())
    }),
    ("toString", |it| Ok(Kind::Text(as_text(it.val(0)?)).into())),
    ("quote", |it| Ok(joined(it, as_text, quoted))),
    ("squote", |it| {
        Ok(joined(it, printed, |text| {
            let mut builder = Builder::default();
            builder.push_made("'");
            builder.push_text(text);
            builder.push_made("'");
            builder.finish()
        }))
    }),
    ("cat", |it| Ok(joined(it, printed, Text::clone))),
    ("indent", |it| Ok(Kind::Text(indented(it, false)?).into())),
    ("nindent", |it| Ok(Kind::Text(indented(it, true)?).into())),
    ("html", |it| {
        escaped(
            it,
            &[('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('"', "&#34;"), ('\'', "&#39;")],
        )
    }),
    ("urlquery", url_query),
    ("js", |it| {
        escaped(
            it,
            &[
                ('\\', "\\\\"),
                ('\'', "\\'"),
                ('"', "\\\""),
                ('<', "\\u003C"),
                ('>', "\\u003E"),
                ('&', "\\u0026"),
                ('=', "\\u003D"),
                ('\n', "\\u000A"),
            ],
        )
    }),
];

/// Blanks between operands of which neither is text.
#[expect(clippy::unnecessary_wraps, reason = "the functions of the table have one type")]
fn print(args: &Args<'_>) -> Answer {
    let mut builder = Builder::default();
    let mut before: Option<&Val> = None;
    for value in args.values {
        if before.is_some_and(|it| !is_text(it) && !is_text(value)) {
            builder.push_made(" ");
        }
        builder.push_text(&printed(value));
        before = Some(value);
    }
    Ok(Kind::Text(builder.finish()).into())
}

#[expect(clippy::unnecessary_wraps, reason = "the functions of the table have one type")]
fn println(args: &Args<'_>) -> Answer {
    let mut builder = Builder::default();
    for (at, value) in args.values.iter().enumerate() {
        builder.push_made(if at > 0 { " " } else { "" });
        builder.push_text(&printed(value));
    }
    builder.push_made("\n");
    Ok(Kind::Text(builder.finish()).into())
}

/// The values that are not nil, each changed, with blanks between.
fn joined(args: &Args<'_>, said: fn(&Val) -> Text, change: impl Fn(&Text) -> Text) -> Val {
    let mut builder = Builder::default();
    for value in args.values.iter().filter(|it| !it.is_nil()) {
        if builder.len() > 0 {
            builder.push_made(" ");
        }
        builder.push_text(&change(&said(value)));
    }
    Kind::Text(builder.finish()).into()
}

fn indented(args: &Args<'_>, on_new_line: bool) -> Result<Text, crate::helm::fault::Fault> {
    if args.int(0)? < 0 {
        return args.error("strings: negative Repeat count");
    }
    let width = args.size(0)?.min(1000);
    let text = args.text(1)?;
    let pad = " ".repeat(width);
    let mut builder = Builder::default();
    if on_new_line {
        builder.push_made("\n");
    }
    let mut at = 0;
    for line in text.as_str().split_inclusive('\n') {
        builder.push_made(&pad);
        builder.push_part(&text, at..at + line.len());
        at += line.len();
    }
    if text.len() == 0 || text.as_str().ends_with('\n') {
        builder.push_made(&pad);
    }
    Ok(builder.finish())
}

/// All arguments as one text, as `print` joins them.
fn together(args: &Args<'_>) -> Result<Text, crate::helm::fault::Fault> {
    let said = |it: &Val| if it.is_nil() { Val::text("<no value>") } else { it.clone() };
    let values: Vec<Val> = args.values.iter().map(said).collect();
    match print(&Args { values: &values, ..*args })?.kind {
        Kind::Text(text) => Ok(text),
        _ => Ok(Text::default()),
    }
}

fn escaped(args: &Args<'_>, signs: &[(char, &str)]) -> Answer {
    let text = together(args)?;
    let mut builder = Builder::default();
    let mut done = 0;
    for (at, letter) in text.as_str().char_indices() {
        if let Some((_, escape)) = signs.iter().find(|(it, _)| *it == letter) {
            builder.push_part(&text, done..at);
            builder.push_made(escape);
            done = at + letter.len_utf8();
        }
    }
    builder.push_part(&text, done..text.len());
    Ok(Kind::Text(builder.finish()).into())
}

fn url_query(args: &Args<'_>) -> Answer {
    let text = args.without_holes(together(args)?)?;
    let mut made = String::new();
    for byte in text.as_str().bytes() {
        match byte {
            b' ' => made.push('+'),
            it if it.is_ascii_alphanumeric() || b"-_.~".contains(&it) => made.push(char::from(it)),
            it => {
                let _ = write!(made, "%{it:02X}");
            }
        }
    }
    Ok(Kind::Text(text.replaced_by(made)).into())
}
