//! What may be written next in an expression that is being typed.

use std::sync::Arc;

use crate::cel::{
    declarations,
    program::Program,
    types::{Schema, Type},
};

/// The macros that lists and mappings have.
const MACROS: &[&str] = &["all", "exists", "existsOne", "exists_one", "filter", "map"];
/// The macros with two names: index or key, and value.
const MACROS_OF_TWO: &[&str] =
    &["all", "exists", "existsOne", "transformList", "transformMap", "transformMapEntry"];

/// Something that may be written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Completion {
    /// What it is.
    pub kind: CompletionKind,
    /// Its name.
    pub name: Arc<str>,
    /// Its type; of a function, that of its result.
    pub of: Type,
}

/// What may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CompletionKind {
    /// A field of what is before the dot.
    Field,
    /// A variable.
    Variable,
    /// A function or macro.
    Function,
}

/// What may follow at a byte of an expression, whatever of the name is written already. What is behind the byte is
/// not looked at.
#[must_use]
pub fn complete(text: &str, at: usize, schema: &Schema) -> Vec<Completion> {
    let Some(before) = text.get(..at) else { return Vec::new() };
    let before = before.trim_end_matches(is_part_of_name);
    let mut schema = schema.clone();
    name_elements(before, &mut schema);
    let dot = before.trim_end_matches('?');
    let mut found = match dot.strip_suffix('.') {
        None => variables(&schema),
        Some(chain) => {
            type_of(operand(chain), &schema).map_or_else(Vec::new, |it| of(&it, &schema))
        }
    };
    found.sort();
    found.dedup_by(|a, b| (a.kind, &a.name) == (b.kind, &b.name));
    found
}

fn is_part_of_name(it: char) -> bool {
    it == '_' || it.is_ascii_alphanumeric()
}

fn variables(schema: &Schema) -> Vec<Completion> {
    let variable = |(name, of): (&Arc<str>, &Type)| Completion {
        kind: CompletionKind::Variable,
        name: name.clone(),
        of: of.clone(),
    };
    let mut found: Vec<Completion> = schema.variables.iter().map(variable).collect();
    found.retain(|it| !it.name.contains('.'));
    let functions = declarations::names().filter(|it| !it.contains('.'));
    found.extend(functions.filter_map(|name| {
        let overload = declarations::overloads(name).iter().find(|it| !it.is_method)?;
        Some(function(name, &overload.result))
    }));
    found
}

fn function(name: &str, result: &Type) -> Completion {
    Completion { kind: CompletionKind::Function, name: name.into(), of: result.clone() }
}

/// The fields and methods of a type.
fn of(holder: &Type, schema: &Schema) -> Vec<Completion> {
    let mut found = Vec::new();
    let inner = match holder {
        Type::Optional(inner) => inner,
        other => other,
    };
    if let Type::Object(name) = inner
        && let Some(object) = schema.objects.get(name)
    {
        let field = |(name, of): (&Arc<str>, &Type)| Completion {
            kind: CompletionKind::Field,
            name: name.clone(),
            of: of.clone(),
        };
        found.extend(object.fields.iter().map(field));
        return found;
    }
    for name in declarations::names() {
        let mut methods = declarations::overloads(name).iter().filter(|it| it.is_method);
        let fits = |of: &Type| matches_shape(of, holder);
        if let Some(it) = methods.find(|it| it.parameters.first().is_some_and(fits)) {
            found.push(function(name, &it.result));
        }
    }
    if matches!(holder, Type::List(_) | Type::Map(_)) {
        found.extend(MACROS.iter().map(|it| function(it, &Type::Bool)));
    }
    found
}

/// Whether a parameter takes a value of a type; what is in a list or mapping is not compared.
fn matches_shape(parameter: &Type, of: &Type) -> bool {
    match (parameter, of) {
        (Type::List(_), Type::List(_))
        | (Type::Map(_), Type::Map(_))
        | (Type::Optional(_), Type::Optional(_)) => true,
        (a, b) => a == b,
    }
}

/// The type of an expression, as far as it can be told.
fn type_of(text: &str, schema: &Schema) -> Option<Type> {
    let program = Program::parse(text).ok()?;
    Some(program.check(schema).0)
}

/// The last operand of a text: names, fields, elements and calls, without what they are compared with.
fn operand(text: &str) -> &str {
    let mut start = text.len();
    loop {
        let before = &text[..start];
        let next = match before.chars().next_back() {
            Some(')' | ']') => match opening(before) {
                Some(at) => at,
                None => break,
            },
            Some('"' | '\'') => literal(before),
            Some(it) if is_part_of_name(it) => before.trim_end_matches(is_part_of_name).len(),
            _ => break,
        };
        start = next;
        let before = text[..start].trim_end_matches('?');
        match before.strip_suffix('.') {
            Some(chain) => start = chain.len(),
            // A call's or element's own operand goes before it.
            None if text[start..].starts_with(['(', '[']) => {}
            None => break,
        }
    }
    text[start..].trim_start_matches(['.', '?'])
}

/// Where the text literal at the end begins.
fn literal(text: &str) -> usize {
    let inside = text.get(..text.len() - 1).unwrap_or_default();
    text.chars().next_back().and_then(|it| inside.rfind(it)).unwrap_or(0)
}

/// Where the bracket at the end is opened.
fn opening(text: &str) -> Option<usize> {
    let mut open = Vec::new();
    for (at, it) in brackets(text) {
        match it {
            '(' | '[' | '{' => open.push(at),
            _ if at + 1 == text.len() => return open.pop(),
            _ => {
                open.pop();
            }
        }
    }
    None
}

/// The brackets of a text that are in no literal, each with its place.
fn brackets(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut quote = None;
    let mut is_escaped = false;
    text.char_indices().filter_map(move |(at, it)| {
        match quote {
            Some(_) if is_escaped => is_escaped = false,
            Some(_) if it == '\\' => is_escaped = true,
            Some(end) if it == end => quote = None,
            None if matches!(it, '"' | '\'') => quote = Some(it),
            None if "()[]{}".contains(it) => return Some((at, it)),
            Some(_) | None => {}
        }
        None
    })
}

/// Adds the names that macros around the end of a text give to elements.
fn name_elements(text: &str, schema: &mut Schema) {
    let mut open: Vec<(usize, char)> = Vec::new();
    for (at, it) in brackets(text) {
        match it {
            '(' | '[' | '{' => open.push((at, it)),
            _ => {
                open.pop();
            }
        }
    }
    for (at, _) in open.into_iter().filter(|it| it.1 == '(') {
        let (before, inside) = (&text[..at], &text[at + 1..]);
        let chain = before.trim_end_matches(is_part_of_name);
        let name = &before[chain.len()..];
        let Some(chain) = chain.strip_suffix('.') else { continue };
        let mut arguments = inside.split(',').map(str::trim);
        let names: Vec<&str> = arguments.by_ref().take(2).collect();
        let range = type_of(operand(chain), schema);
        let elements = elements(range.as_ref());
        let is_name = |it: &str| !it.is_empty() && it.chars().all(is_part_of_name);
        match (&*names, elements) {
            ([first, second], Some((key, value)))
                if MACROS_OF_TWO.contains(&name)
                    && is_name(first)
                    && is_name(second)
                    && arguments.next().is_some() =>
            {
                schema.variables.insert((*first).into(), key);
                schema.variables.insert((*second).into(), value);
            }
            ([first, _], Some((key, value))) if is_name(first) && MACROS.contains(&name) => {
                let of = if matches!(range, Some(Type::Map(_))) { key } else { value };
                schema.variables.insert((*first).into(), of);
            }
            _ => {}
        }
    }
}

/// The types of the index or key and of the element of a list or mapping.
fn elements(range: Option<&Type>) -> Option<(Type, Type)> {
    Some(match range? {
        Type::List(item) => (Type::Int, (**item).clone()),
        Type::Map(entry) => (entry.0.clone(), entry.1.clone()),
        Type::Dyn => (Type::Dyn, Type::Dyn),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{CompletionKind, complete};
    use crate::cel::types::{Object, Schema, Type};

    fn schema() -> Schema {
        let mut schema = Schema::default();
        let named = |name: &str| Type::Object(name.into());
        for (name, fields) in [
            ("pool", vec![("name", Type::String), ("spec", named("spec"))]),
            (
                "spec",
                vec![
                    ("weight", Type::Int),
                    ("taints", Type::list(named("taint"))),
                    ("labels", Type::map(Type::String, named("taint"))),
                ],
            ),
            ("taint", vec![("key", Type::String), ("effect", Type::String)]),
        ] {
            let fields = fields.into_iter().map(|(name, of)| (name.into(), of)).collect();
            schema.objects.insert(name.into(), Object { fields, is_open: false });
        }
        schema.variables.insert("object".into(), named("pool"));
        schema
    }

    /// The fields and variables; `|` is the cursor.
    fn names(text: &str) -> String {
        let at = text.find('|').unwrap();
        let found = complete(&text.replace('|', ""), at, &schema());
        let found = found.iter().filter(|it| it.kind != CompletionKind::Function);
        found.map(|it| &*it.name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn fields_follow_a_dot() {
        for (text, wanted) in [
            ("object.|", "name spec"),
            ("object.sp|", "name spec"),
            ("object.|spec", "name spec"),
            ("object.spec.|", "labels taints weight"),
            ("object.?spec.?|", "labels taints weight"),
            ("1 < 2 && !(object.spec.|", "labels taints weight"),
            ("has(object.|", "name spec"),
            ("object.spec.taints[0].|", "effect key"),
            ("object.spec.labels['a.b'].|", "effect key"),
            ("object.spec.taints.filter(it, true)[0].|", "effect key"),
            ("object.spec.taints.all(it, it.|", "effect key"),
            ("object.spec.taints.all(it, it.key == 'a(b' && it.|", "effect key"),
            ("object.spec.taints.all(i, it, it.|", "effect key"),
            ("object.spec.labels.all(key, it, it.|", "effect key"),
            ("[object].all(one, one.spec.taints.exists(it, it.|", "effect key"),
            ("object.spec.weight.|", ""),
            ("nothing.|", ""),
            ("'object.|", "name spec"),
            (".|", ""),
            (").|", ""),
            ("|", "object"),
            ("object.spec.taints.all(taint, tai|", "object taint"),
        ] {
            assert_eq!(names(text), wanted, "{text}");
        }
    }

    #[test]
    fn methods_follow_what_has_them() {
        let functions = |text: &str| complete(text, text.len(), &schema());
        let has = |text: &str, name: &str| functions(text).iter().any(|it| &*it.name == name);
        assert!(has("object.name.", "startsWith"));
        assert!(!has("object.name.", "all"));
        assert!(has("object.spec.taints.", "all"));
        assert!(has("", "duration"));
        assert!(!has("object.", "startsWith"));
    }
}
