//! The HCL reader against recorded expectations and, for templates, against Terraform itself.

use std::{fmt::Write as _, process::Command};

use crate::{
    findings::Severity,
    source::{FileId, Span},
    syntax::hcl::{Access, Body, Expr, ExprKind, HclFile, Part, parse, parse_template},
};

const FILE: FileId = FileId(7);

fn under(text: &str, span: Span) -> &str {
    assert_eq!(span.file, FILE);
    text.get(span.range()).expect("a span lies in its file, between characters")
}

/// An expression in a notation that shows its shape.
fn show(expr: &Expr) -> String {
    let list = |items: &[Expr]| items.iter().map(show).collect::<Vec<_>>().join(" ");
    match &expr.kind {
        ExprKind::Null => "null".to_owned(),
        ExprKind::Bool(it) => it.to_string(),
        ExprKind::Number(it) => it.to_string(),
        ExprKind::Template(parts) => format!("'{}'", show_parts(parts)),
        ExprKind::Array(items) => format!("[{}]", list(items)),
        ExprKind::Object(items) => {
            let items = items.iter().map(|it| format!("{}={}", show(&it.key), show(&it.value)));
            format!("{{{}}}", items.collect::<Vec<_>>().join(" "))
        }
        ExprKind::Parens(it) => format!("({})", show(it)),
        ExprKind::Variable(it) => it.to_string(),
        ExprKind::GetAttr(base, name) => format!("{}.{name}", show(base)),
        ExprKind::Index(base, key) => format!("{}[{}]", show(base), show(key)),
        ExprKind::Splat(it) => {
            let steps = it.steps.iter().map(|step| match step {
                Access::Attr(name) => format!(".{name}"),
                Access::Index(key) => format!("[{}]", show(key)),
                Access::Splat(true) => "[*]".to_owned(),
                Access::Splat(false) => ".*".to_owned(),
            });
            let sign = if it.full { "[*]" } else { ".*" };
            format!("<{}{sign}{}>", show(&it.base), steps.collect::<String>())
        }
        ExprKind::Call { name, arguments, expand } => {
            format!("{name}({}{})", list(arguments), if *expand { "..." } else { "" })
        }
        ExprKind::Conditional(it) => format!("(? {})", list(&it[..])),
        ExprKind::Unary(operator, it) => format!("({operator:?} {})", show(it)),
        ExprKind::Binary(operator, it) => format!("({operator:?} {})", list(&it[..])),
        ExprKind::For(it) => format!(
            "for {:?} {} in {}: {:?} {} {} {:?}",
            it.key_variable,
            it.value_variable,
            show(&it.collection),
            it.key.as_ref().map(show),
            show(&it.value),
            it.grouping,
            it.condition.as_ref().map(show)
        ),
    }
}

fn show_parts(parts: &[Part]) -> String {
    let mut result = String::new();
    for part in parts {
        match part {
            Part::Literal(it) => result.push_str(&it.text),
            Part::Interpolation(it, _) => write!(result, "${{{}}}", show(it)).unwrap(),
            Part::If { condition, then, otherwise, .. } => {
                let [then, otherwise] = [then, otherwise].map(|it| show_parts(it));
                write!(result, "%{{{}|{then}|{otherwise}}}", show(condition)).unwrap();
            }
            Part::For { value_variable, collection, body, .. } => {
                let body = show_parts(body);
                write!(result, "%{{{value_variable} {}|{body}}}", show(collection)).unwrap();
            }
        }
    }
    result
}

fn value(text: &str) -> Expr {
    let file = parse(FILE, text);
    assert_eq!(file.unread, [], "{text}");
    file.body.attributes.first().expect("an attribute").value.clone()
}

#[test]
fn expressions_have_the_shape_terraform_gives_them() {
    let cases = [
        ("null", "null"),
        ("1.5e3", "1500"),
        ("-1", "-1"),
        ("1 + 2 * 3", "(Plus 1 (Times 2 3))"),
        ("!a && b == c", "(And (Not a) (Equal b c))"),
        ("a ? b : c ? d : e", "(? a b (? c d e))"),
        ("var.a.b", "var.a.b"),
        ("a.0.b", "a[0].b"),
        ("a[\"k\"][1]", "a['k'][1]"),
        ("a.*.b.c[0].d", "<a.*.b.c>[0].d"),
        ("a[*].b[0].c", "<a[*].b[0].c>"),
        ("a[*].b[*].c", "<a[*].b[*].c>"),
        ("a.*", "<a.*>"),
        ("f(a, b...)", "f(a b...)"),
        ("provider::aws::arn(a)", "provider::aws::arn(a)"),
        ("{ a = 1, \"b${c}\" = 2, (d) = 3 }", "{'a'=1 'b${c}'=2 (d)=3}"),
        ("[for v in c : v.x if v.y]", "for None v in c: None v.x false Some(\"v.y\")"),
        ("{for k, v in c : k => v...}", "for Some(\"k\") v in c: Some(\"k\") v true None"),
        (
            "{for k, v in c : k => v ? 1 :\r\n # why\n 2 }",
            "for Some(\"k\") v in c: Some(\"k\") (? v 1 2) false None",
        ),
        ("(a)", "(a)"),
        (r#""a\n\"\u00e9\t$${x}%%{y}""#, "'a\n\"é\t${x}%{y}'"),
        (r#""""#, "''"),
        (r#""${a}""#, "'${a}'"),
        (r#""x%{ if a ~}  b\" %{ else } c  %{~ endif }""#, "'x%{a|b\" | c}'"),
        (r#""%{ for k, v in c }${v},%{ endfor }""#, "'%{v c|${v},}'"),
    ];
    for (written, expected) in cases {
        assert_eq!(show(&value(&format!("x = {written}\n"))), expected, "{written}");
    }
}

/// Calls `check` with every expression in a body.
fn every(body: &Body, check: &mut dyn FnMut(&Expr)) {
    for it in &body.attributes {
        every_in(&it.value, check);
    }
    for it in &body.blocks {
        every(&it.body, check);
    }
}

fn every_in(expr: &Expr, check: &mut dyn FnMut(&Expr)) {
    check(expr);
    match &expr.kind {
        ExprKind::Template(parts) => every_part(parts, check),
        ExprKind::Array(items) | ExprKind::Call { arguments: items, .. } => {
            items.iter().for_each(|it| every_in(it, check));
        }
        ExprKind::Object(items) => {
            for it in items {
                every_in(&it.key, check);
                every_in(&it.value, check);
            }
        }
        ExprKind::Parens(it) | ExprKind::GetAttr(it, _) | ExprKind::Unary(_, it) => {
            every_in(it, check);
        }
        ExprKind::Index(base, key) => [base, key].into_iter().for_each(|it| every_in(it, check)),
        ExprKind::Splat(it) => every_in(&it.base, check),
        ExprKind::Conditional(it) => it.iter().for_each(|it| every_in(it, check)),
        ExprKind::Binary(_, it) => it.iter().for_each(|it| every_in(it, check)),
        ExprKind::For(it) => {
            let more = it.key.iter().chain(&it.condition);
            [&it.collection, &it.value].into_iter().chain(more).for_each(|it| every_in(it, check));
        }
        _ => {}
    }
}

fn every_part(parts: &[Part], check: &mut dyn FnMut(&Expr)) {
    for part in parts {
        match part {
            Part::Literal(_) => {}
            Part::Interpolation(it, _) => every_in(it, check),
            Part::If { condition, then, otherwise, .. } => {
                every_in(condition, check);
                every_part(then, check);
                every_part(otherwise, check);
            }
            Part::For { collection, body, .. } => {
                every_in(collection, check);
                every_part(body, check);
            }
        }
    }
}

/// What the text under an expression's span must look like.
fn check_span(text: &str, expr: &Expr) {
    let written = under(text, expr.span);
    let wrapped = |open: &str, close: &str| written.starts_with(open) && written.ends_with(close);
    let good = match &expr.kind {
        ExprKind::Null => written == "null",
        ExprKind::Bool(it) => written == it.to_string(),
        ExprKind::Number(_) => written.starts_with(|it: char| it.is_ascii_digit() || it == '-'),
        ExprKind::Template(parts) => {
            check_pieces(text, parts);
            wrapped("\"", "\"") || wrapped("<<", "") || !written.contains(char::is_whitespace)
        }
        ExprKind::Array(_) => wrapped("[", "]"),
        ExprKind::Object(_) => wrapped("{", "}"),
        ExprKind::For(_) => wrapped("[", "]") || wrapped("{", "}"),
        ExprKind::Parens(_) => wrapped("(", ")"),
        ExprKind::Variable(it) => written == &**it,
        ExprKind::GetAttr(_, name) => written.ends_with(&**name),
        ExprKind::Index(_, key) => {
            let key = under(text, key.span);
            written.ends_with(']') || written.ends_with(key)
        }
        ExprKind::Call { name, .. } => wrapped(name.split("::").next().unwrap_or_default(), ")"),
        _ => !written.is_empty(),
    };
    assert!(good, "{written:?} is not {}", show(expr));
}

fn check_pieces(text: &str, parts: &[Part]) {
    for part in parts {
        match part {
            Part::Literal(it) => {
                let mut at = 0;
                for piece in &it.pieces {
                    assert_eq!(piece.at, at, "pieces follow each other");
                    at += piece.len;
                    if piece.len == piece.span.end - piece.span.start {
                        let decoded = &it.text[piece.at as usize..at as usize];
                        assert_eq!(under(text, piece.span), decoded);
                    } else {
                        assert!(under(text, piece.span).starts_with(['\\', '$', '%']));
                    }
                }
                assert_eq!(at as usize, it.text.len(), "pieces cover the text");
            }
            Part::Interpolation(_, span) => {
                let written = under(text, *span);
                assert!(written.starts_with("${") && written.ends_with('}'), "{written}");
            }
            Part::If { then, otherwise, span, .. } => {
                assert!(under(text, *span).starts_with("%{"));
                check_pieces(text, then);
                check_pieces(text, otherwise);
            }
            Part::For { body, span, .. } => {
                assert!(under(text, *span).starts_with("%{"));
                check_pieces(text, body);
            }
        }
    }
}

const SAMPLE: &str = include_str!("sample.tf");

#[test]
fn spans_cover_what_they_stand_for() {
    for text in [SAMPLE.to_owned(), format!("\u{feff}{SAMPLE}"), SAMPLE.replace('\n', "\r\n")] {
        let file = parse(FILE, &text);
        assert_eq!(file.unread, []);
        let mut count = 0;
        every(&file.body, &mut |it| {
            check_span(&text, it);
            count += 1;
        });
        assert!(count > 60, "{count}");
        let block = &file.body.blocks[0];
        assert_eq!(under(&text, block.header), "resource \"helm_release\" \"karpenter\"");
        assert_eq!(under(&text, block.labels[1].1), "\"karpenter\"");
        assert!(under(&text, block.span).ends_with('}'));
        let name = block.body.attribute("name").expect("a name");
        assert_eq!(under(&text, name.name_span), "name");
        assert_eq!(under(&text, name.span), "name       = \"karpenter\"");
        assert_eq!(under(&text, name.value.span), "\"karpenter\"");
    }
}

/// Expressions with the values Terraform 1.11 gives them, `x` being "X", `yes` true.
const TEMPLATES: [(&str, &str); 18] = [
    ("<<-E\n    one\n      two\n\n    three ${local.x}\n  E", "one\n  two\n\nthree X\n"),
    ("<<-E\n    one\n  ${local.x}\n    two\n  E", "  one\nX\n  two\n"),
    ("<<-E\n    %{ if local.yes ~}\n    foo\n    %{ endif ~}\n    bar\n  E", "    foo\n    bar\n"),
    (
        "<<E\n    %{ for i in [1,2] ~}\n    foo ${local.x}\n    %{ endfor ~}\n    bar\nE",
        "        foo X\n        foo X\n        bar\n",
    ),
    ("<<-E\n    a ${local.x ~}\n    b\n     ${~ local.x}\n    c\nE", "    a X    b\nX\n    c\n"),
    ("\"  %{ if local.yes ~}  a\\n\\n  b  %{~ endif }  \"", "  a\n\n  b  "),
    ("<<-E\n\ttab\n    space\n  E", "tab\n   space\n"),
    ("<<-E\n    one\n      \n   \n    two\n  E", "one\n      \n   \ntwo\n"),
    ("<<E\nE", ""),
    ("<<-E\n${local.x}\n    a\n  E", "X\n    a\n"),
    ("<<E\n  a $${b} %%{c} $ % \\n \"q\" $$x\nE", "  a ${b} %{c} $ % \\n \"q\" $$x\n"),
    ("\"a $${b} %%{c} $ % \\n \\u00e9 $$$${local.x}\"", "a ${b} %{c} $ % \n \u{e9} $$${local.x}"),
    ("<<E\n${local.x ~}\nE", "X"),
    (
        "<<-E\n    a\n  %{~ if local.yes }\n    b\n  %{~ endif }\n    c\n  E",
        "    a\n\n    b\n\n    c\n",
    ),
    ("<<E\r\n  a\r\n  b\r\nE", "  a\r\n  b\r\n"),
    ("<<-E\r\n    a\r\n\r\n      b ${local.x}\r\n  E", "a\r\n\r\n  b X\r\n"),
    ("\"${local.x ~}  \\n\\n  b\"", "Xb"),
    ("<<-E\n    a\n    \u{a0}b\n    E", "a\n\u{a0}b\n"),
];

/// The template's value when every interpolation is "X", conditions hold and loops run twice.
fn render(parts: &[Part]) -> String {
    let one = |part: &Part| match part {
        Part::Literal(it) => it.text.to_string(),
        Part::Interpolation(..) => "X".to_owned(),
        Part::If { then, .. } => render(then),
        Part::For { body, .. } => render(body).repeat(2),
    };
    parts.iter().map(one).collect()
}

#[test]
fn templates_have_the_recorded_values() {
    for (written, expected) in TEMPLATES {
        let text = format!("x = {written}\n");
        let value = value(&text);
        check_span(&text, &value);
        let ExprKind::Template(parts) = &value.kind else { unreachable!("{written}") };
        assert_eq!(render(parts), expected, "{written}");
    }
}

#[test]
fn templates_have_the_values_terraform_gives_them() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = "locals {\n  x = \"X\"\n  yes = true\n  all = [\n".to_owned();
    for (written, _) in TEMPLATES {
        write!(text, "{written}\n  ,\n").unwrap();
    }
    text.push_str("  ]\n}\n");
    std::fs::write(folder.path().join("main.tf"), text).unwrap();
    std::fs::write(folder.path().join("in"), "jsonencode(local.all)\n").unwrap();
    let input = std::fs::File::open(folder.path().join("in")).unwrap();
    let mut run = Command::new("terraform");
    let Ok(output) = run.arg("console").current_dir(folder.path()).stdin(input).output() else {
        eprintln!("skipped: terraform is not installed");
        return;
    };
    let printed: String = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| unreachable!("{}", String::from_utf8_lossy(&output.stderr)));
    let values: Vec<String> = serde_json::from_str(&printed).unwrap();
    for ((written, expected), value) in TEMPLATES.into_iter().zip(values) {
        assert_eq!(value, expected, "{written}");
    }
}

#[test]
fn template_files_are_templates_without_quotes() {
    let text = "  %{ for i in items ~}\n\n    foo ${x}\n  %{ endfor ~}\n\n   bar ${~ x ~} \n\n  \
                z \\n \"q\" $${e}\n";
    let parts = parse_template(FILE, text).unwrap();
    check_pieces(text, &parts);
    let expected = "  \n    foo X\n  \n    foo X\n  \n   barX\n  z \\n \"q\" ${e}\n";
    assert_eq!(render(&parts), expected);
    let unread = parse_template(FILE, "ab ${ cd").unwrap_err();
    assert_eq!(unread.severity, Severity::Error);
    assert!(parse_template(FILE, "%{ if a }b").is_err());
    assert_eq!(parse_template(FILE, "").unwrap().len(), 0);
}

fn problems(text: &str) -> (HclFile, Vec<(String, String)>) {
    let file = parse(FILE, text);
    let unread = file.unread.iter().map(|it| {
        let rest = &text[it.span.start as usize..];
        let place: String = rest.lines().next().unwrap_or_default().chars().take(8).collect();
        (place, it.message.clone())
    });
    let unread = unread.collect();
    (file, unread)
}

#[test]
fn a_duplicate_key_is_said_and_the_last_one_counts() {
    let text = "locals {\n  a = {\n    k = \"é\" # one\n    l = 2\n    k = {\n      m = 1, m = 2\n    }\n  }\n}\n";
    let (file, unread) = problems(text);
    let shape = show(&file.body.blocks[0].body.attributes[0].value);
    assert_eq!(shape, "{'l'=2 'k'={'m'=2}}");
    let duplicate = |at: &str, key: &str| {
        (at.to_owned(), format!("duplicate key `{key}`: the last one counts"))
    };
    assert_eq!(unread, [duplicate("k = \"é\" ", "k"), duplicate("m = 1, m", "m")]);
    assert!(file.unread.iter().all(|it| it.severity == Severity::Warning));
    let (file, unread) = problems("a = 1\nb = 2\na = 3\n");
    assert_eq!(file.body.attributes.len(), 2);
    assert_eq!(unread, [("a = 3".to_owned(), "`a` is set twice here".to_owned())]);
}

#[test]
fn a_syntax_error_costs_only_its_block() {
    let cases = [
        ("a \"x\" {\n  v = \"open\n}\n", "\"open", "the string is not closed"),
        ("a \"x\" {\n  v = [1, 2\n}\n", "[1, 2", "the `[` is not closed"),
        ("a \"x\" {\n  v = f(1\n", "(1", "the `(` is not closed"),
        ("a \"x\" {\n  v = 1\n", "{", "the `{` is not closed"),
        ("a \"x\" {\n  v\n}\n", "", "expected `=` or `{` after `v`"),
        ("a \"x\" {\n  v = \n}\n", "", "expected a value"),
        ("a \"x\" {\n  v = \"\\q\"\n}\n", "\\q\"", "this escape sequence does not exist"),
        ("a \"x\" {\n  v = 1 w = 2\n}\n", "w = 2", "expected a new line here"),
        ("a = <<E\nx\n", "<<E", "the heredoc is not closed"),
    ];
    let good = "ok \"1\" {\nunindented = 1\nb {\n}\n}\n\nok \"2\" {\n  x = <<E\nz = 1\nE\n}\n";
    for (broken, place, message) in cases {
        let (file, unread) = problems(&format!("{good}{broken}{good}{broken}{good}"));
        let place: String = place.chars().take(8).collect();
        let expected = (place, message.to_owned());
        assert_eq!(unread, [expected.clone(), expected], "{broken}");
        let kept = file.body.blocks_of("ok").count();
        assert_eq!(kept, 6, "{broken}");
        assert!(file.unread.iter().all(|it| it.severity == Severity::Error));
    }
    let (file, unread) = problems("a {\n  v = 1\n}\n}\nb {}\n");
    assert_eq!(file.body.blocks.len(), 2);
    assert_eq!(unread, [("}".to_owned(), "unexpected `}`".to_owned())]);
}

#[test]
fn a_string_over_two_lines_is_not_closed_though_it_reads() {
    let (file, unread) = problems("a = \"b\nc\"\nd = \"${a}\n\"\n");
    assert_eq!(file.body.attributes.len(), 2);
    let message = "the string is not closed";
    assert_eq!(
        unread,
        [("\"b".to_owned(), message.to_owned()), ("\"${a}".to_owned(), message.to_owned())]
    );
}

fn on_a_worker_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(8 << 20).spawn(test).unwrap();
    thread.join().unwrap();
}

#[test]
fn hostile_text_is_refused_in_time() {
    on_a_worker_stack(|| {
        let deep =
            ["(", "[", "{a=", "\"${", "f(", "-", "!", "[for a in ", "a {\n", "1+", "a.", "a?"];
        for shape in deep {
            let text = format!("x = {}", shape.repeat(100_000));
            assert!(!parse(FILE, &text).unread.is_empty(), "{shape}");
            let text = format!("y = 1\nx = {}\nz = 1\n", shape.repeat(20_000));
            let _ = parse(FILE, &text);
            let _ = parse_template(FILE, &format!("${{{text}"));
        }
        let text = "a {\n".repeat(64) + "x = [[1]]\n" + &"}\n".repeat(64);
        let _ = parse(FILE, &text);
    });
    let text = format!("x = {{\n{}}}\n", "a = 1\n".repeat(3_000));
    let file = parse(FILE, &text);
    assert_eq!(file.unread.len(), 2_999);
    let large = "#".repeat(5 << 20);
    assert_eq!(parse(FILE, &large).unread.len(), 1);
}
