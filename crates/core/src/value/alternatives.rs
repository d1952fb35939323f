//! The expressions of which one gives a value that is not known: `try(a, "")`, `coalesce(a, b)`, `c ? a : b`.

/// The expressions in Terraform's notation of which one gives the value of another. What gives nothing, `""` and
/// `null`, is left out; any other expression gives its value itself.
#[must_use]
pub fn alternatives(expression: &str) -> Vec<&str> {
    let mut found = Vec::new();
    collect(expression, 0, &mut found);
    found
}

/// Expressions are followed so deep.
const DEEPEST: usize = 8;

fn collect<'e>(expression: &'e str, depth: usize, found: &mut Vec<&'e str>) {
    let expression = expression.trim();
    if matches!(expression, "" | "\"\"" | "null") {
        return;
    }
    let inside = |name: &str| {
        let rest = expression.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')')?;
        (split(rest, ")").len() == 1).then_some(rest)
    };
    let parts = if depth >= DEEPEST {
        Vec::new()
    } else if let Some(inner) = inside("") {
        vec![inner]
    } else if let Some(arguments) = inside("try").or_else(|| inside("coalesce")) {
        split(arguments, ",")
    } else {
        let branches = after(expression, " ? ");
        let other = branches.and_then(|it| after(it, " : "));
        match (branches.map(|it| split(it, " : ")).as_deref(), other) {
            (Some([then, ..]), Some(other)) => vec![*then, other],
            _ => Vec::new(),
        }
    };
    if parts.is_empty() {
        found.push(expression);
    }
    for part in parts {
        collect(part, depth + 1, found);
    }
}

/// What follows the first separator.
fn after<'e>(text: &'e str, separator: &str) -> Option<&'e str> {
    if !text.contains(separator) {
        return None;
    }
    let first = split(text, separator).first()?.len();
    text.get(first + separator.len()..)
}

/// The parts between separators that are in no brackets and no quotes.
fn split<'e>(text: &'e str, separator: &str) -> Vec<&'e str> {
    let (mut depth, mut quoted, mut start) = (0_i32, false, 0);
    let mut parts = Vec::new();
    for (at, letter) in text.char_indices() {
        let outside = depth == 0 && !quoted && at >= start;
        if outside && text.get(at..).is_some_and(|it| it.starts_with(separator)) {
            parts.push(text.get(start..at).unwrap_or_default());
            start = at + separator.len();
            continue;
        }
        match letter {
            '"' => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => depth -= 1,
            _ => {}
        }
    }
    parts.push(text.get(start..).unwrap_or_default());
    parts
}

#[cfg(test)]
mod tests {
    use super::alternatives;

    #[test]
    fn what_may_give_a_value_is_found() {
        for (expression, wanted) in [
            ("module.a.queue_arn", &["module.a.queue_arn"][..]),
            ("try(module.a[0].queue_arn, \"\")", &["module.a[0].queue_arn"]),
            ("try(a.b, c[\"x,y\"], null)", &["a.b", "c[\"x,y\"]"]),
            ("coalesce(var.x, module.a.arn)", &["var.x", "module.a.arn"]),
            ("var.on ? a.arn : b.arn", &["a.arn", "b.arn"]),
            ("(var.on ? (try(a.arn, \"\")) : \"\")", &["a.arn"]),
            ("var.a ? b : var.c ? d : e", &["b", "d", "e"]),
            ("basename(a.arn)", &["basename(a.arn)"]),
            ("(a) + (b)", &["(a) + (b)"]),
            ("try(a) + try(b)", &["try(a) + try(b)"]),
        ] {
            assert_eq!(alternatives(expression), wanted, "{expression}");
        }
    }
}
