//! The HCL reader against recorded expectations and, for templates, against Terraform itself.

mod oracle;

use crate::{
    findings::Severity,
    source::{FileId, Span},
    syntax::hcl::{
        Access, Body, Expr, ExprKind, TemplatePart,
        read::{parse, parse_template},
    },
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
        ExprKind::Unreadable => "?".to_owned(),
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

fn show_parts(parts: &[TemplatePart]) -> String {
    let one = |part: &TemplatePart| match part {
        TemplatePart::Literal(it) => it.text.to_string(),
        TemplatePart::Interpolation(it, _) => format!("${{{}}}", show(it)),
        TemplatePart::If { condition, then, otherwise, .. } => {
            let [then, otherwise] = [then, otherwise].map(|it| show_parts(it));
            format!("%{{{}|{then}|{otherwise}}}", show(condition))
        }
        TemplatePart::For { value_variable, collection, body, .. } => {
            format!("%{{{value_variable} {}|{}}}", show(collection), show_parts(body))
        }
    };
    parts.iter().map(one).collect()
}

fn value(text: &str) -> Expr {
    let file = parse(FILE, text);
    assert_eq!(file.parse_errors, [], "{text}");
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
            for it in items {
                every_in(it, check);
            }
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

fn every_part(parts: &[TemplatePart], check: &mut dyn FnMut(&Expr)) {
    for part in parts {
        match part {
            TemplatePart::Literal(_) => {}
            TemplatePart::Interpolation(it, _) => every_in(it, check),
            TemplatePart::If { condition, then, otherwise, .. } => {
                every_in(condition, check);
                every_part(then, check);
                every_part(otherwise, check);
            }
            TemplatePart::For { collection, body, .. } => {
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

fn check_pieces(text: &str, parts: &[TemplatePart]) {
    for part in parts {
        match part {
            TemplatePart::Literal(it) => {
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
            TemplatePart::Interpolation(_, span) => {
                let written = under(text, *span);
                assert!(written.starts_with("${") && written.ends_with('}'), "{written}");
            }
            TemplatePart::If { then, otherwise, span, .. } => {
                assert!(under(text, *span).starts_with("%{"));
                check_pieces(text, then);
                check_pieces(text, otherwise);
            }
            TemplatePart::For { body, span, .. } => {
                assert!(under(text, *span).starts_with("%{"));
                check_pieces(text, body);
            }
        }
    }
}

const SAMPLE: &str = r#"resource "helm_release" "karpenter" {
  name       = "karpenter"
  repository = "oci://public.ecr.aws/${var.alias}/é"
  version    = var.enabled ? "1.${local.minor}.0" : null
  count      = length(module.eks.cluster[*].name) > 0 && !var.off ? 1 : 0
  values = [
    yamlencode({
      settings = { clusterName = module.eks.cluster_name, "interruptionQueue" = aws_sqs_queue.q[0].name }
      (local.key) = -1.5
      list = aws_x.y.*.id[0]
    }),
    <<-EOT
      serviceAccount:
        name: ${var.sa}
      %{ if var.a ~}
      x: "$${y}"
      %{ else ~}
      x: 2
      %{ endif ~}
      %{ for k, v in var.tags }
      ${k}: ${v}
      %{ endfor }
    EOT
    , "tab\tnew\n\"quoted\" \u00e9 ${"nested ${upper("x")}"}",
  ]
  set { value = true }
  dynamic "set" {
    for_each = { for k, v in var.all : k => v... if v != null }
    content {
      name  = set.key
      value = [for i, x in set.value : (x.a + 1) * 2 if x.b][0]
    }
  }
  x = provider::aws::arn_parse(local.arns...)
  y = a.0.b["c"]
  plain = <<EOT
text
EOT
}
"#;

#[test]
fn spans_cover_what_they_stand_for() {
    for text in [SAMPLE.to_owned(), format!("\u{feff}{SAMPLE}"), SAMPLE.replace('\n', "\r\n")] {
        let file = parse(FILE, &text);
        assert_eq!(file.parse_errors, []);
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
pub(super) const TEMPLATES: [(&str, &str); 19] = [
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
    ("<<E\nx << E\nE\"\n  E)\nE2\ny\nE", "x << E\nE\"\n  E)\nE2\ny\n"),
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
fn render(parts: &[TemplatePart]) -> String {
    let one = |part: &TemplatePart| match part {
        TemplatePart::Literal(it) => it.text.to_string(),
        TemplatePart::Interpolation(..) => "X".to_owned(),
        TemplatePart::If { then, .. } => render(then),
        TemplatePart::For { body, .. } => render(body).repeat(2),
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
fn template_files_are_templates_without_quotes() {
    let text = "  %{ for i in items ~}\n\n    foo ${x}\n  %{ endfor ~}\n\n   bar ${~ x ~} \n\n  \
                z \\n \"q\" $${e}\n";
    let parts = parse_template(FILE, text).expect("a template");
    check_pieces(text, &parts);
    let expected = "  \n    foo X\n  \n    foo X\n  \n   barX\n  z \\n \"q\" ${e}\n";
    assert_eq!(render(&parts), expected);
    let broken = [
        ("ab ${ cd", 7, "expected `}`"),
        ("a%{ if a }b", 1, "this directive has no partner or is not complete"),
        ("a ${", 2, "this interpolation is not complete"),
        ("${b.}", 4, "expected a name after `.`"),
    ];
    for (text, at, message) in broken {
        let parse_errors = parse_template(FILE, text).expect_err("it is broken");
        assert_eq!((parse_errors.span.start, &*parse_errors.message), (at, message), "{text}");
        assert_eq!(parse_errors.severity, Severity::Error);
    }
    assert!(parse_template(FILE, "").is_ok_and(|it| it.is_empty()));
}
