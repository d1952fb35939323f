//! What is wrong with an expression before any value is known, at its character.

use std::collections::BTreeMap;

use karplint_cel::cel::{
    program::Program,
    types::{Object, Schema, Type},
};

fn schema() -> Schema {
    let object = |fields: &[(&str, Type)]| Object {
        fields: fields.iter().map(|(name, of)| ((*name).into(), of.clone())).collect(),
        is_open: false,
    };
    let strings = Type::map(Type::String, Type::String);
    Schema {
        variables: BTreeMap::from([("object".into(), Type::Object("NodePool".into()))]),
        objects: BTreeMap::from([
            ("NodePool".into(), object(&[("spec", Type::Object("NodePoolSpec".into()))])),
            (
                "NodePoolSpec".into(),
                object(&[
                    ("weight", Type::Int),
                    ("labels", strings),
                    ("zones", Type::list(Type::String)),
                    ("taints", Type::list(Type::Object("Taint".into()))),
                ]),
            ),
            ("Taint".into(), object(&[("key", Type::String), ("value", Type::String)])),
        ]),
        ..Schema::default()
    }
}

/// The first mistake: the text it is at, and what it says.
fn mistake(expression: &str) -> (String, String) {
    let found = match Program::parse(expression) {
        Err(mistake) => Some(mistake),
        Ok(program) => program.check(&schema()).1.into_iter().next(),
    };
    let found = found.unwrap_or_else(|| panic!("nothing is wrong with {expression}"));
    (expression[found.at].to_owned(), found.message)
}

#[test]
fn each_mistake_is_at_its_character() {
    for (expression, at, message) in [
        (
            "object.spec.wieght > 1",
            "wieght",
            "`NodePoolSpec` has no field `wieght`; did you mean `weight`?",
        ),
        (
            "objekt.spec.weight > 1",
            "objekt",
            "`objekt` is not a variable here; did you mean `object`?",
        ),
        ("has(object.spec.limits)", "limits", "`NodePoolSpec` has no field `limits`"),
        (
            "object.spec.taints.all(it, it.kye == '')",
            "kye",
            "`Taint` has no field `kye`; did you mean `key`?",
        ),
        ("object.spec.weight > '1'", "'1'", "there is no `>` between `int` and `string`"),
        (
            "object.spec.weight && true",
            "object.spec.weight",
            "a bool is expected here, and this is `int`",
        ),
        ("object.spec.zones.all(it, it)", "it", "a bool is expected here, and this is `string`"),
        (
            "object.spec.weight.all(it, true)",
            "object.spec.weight",
            "a list or map is expected here, and this is `int`",
        ),
        ("[1, 'a']", "'a'", "`int` is expected, as before, and this is `string`"),
        ("{'a': 1, 'b': 'c'}", "'c'", "`int` is expected, as before, and this is `string`"),
        ("true ? 1 : 'a'", "'a'", "`int` is expected, as before, and this is `string`"),
        (
            "object.spec.zones[0].startswith('a')",
            "startswith",
            "there is no function `startswith`; did you mean `startsWith`?",
        ),
        (
            "object.spec.weight.startsWith('a')",
            "startsWith",
            "`startsWith` of `int` does not take (`string`)",
        ),
        ("math.abs(1)", "math", "`math` is not a variable here"),
        ("quantity(1)", "quantity", "`quantity` does not take (`int`)"),
        ("duration('30d') > duration('1h')", "'30d'", "`30d` is not a duration"),
        ("'a'.matches('(')", "'('", "`(` is not a regular expression"),
        ("object.spec.weight >", "", "the expression ends where a value is expected"),
        (
            "object.spec.zones.all(it.x, true)",
            "it.x",
            "a plain name is expected here, such as `it`",
        ),
        ("'a", "'", "this text is not closed"),
        ("1 # 2", "#", "`#` is no part of an expression"),
        ("a b", "b", "an operator is expected here"),
        ("has(object)", "object", "`has` takes a field, such as `object.spec.limits`"),
        ("'\\d'", "\\d", "there is no such escape in CEL"),
    ] {
        assert_eq!(mistake(expression), (at.to_owned(), message.to_owned()), "{expression}");
    }
}

#[test]
fn types_are_found() {
    for (expression, wanted) in [
        ("object.spec.zones", "list(string)"),
        ("object.spec.zones.map(it, it.size())", "list(int)"),
        ("object.spec.?weight", "optional_type(int)"),
        ("object.spec.?weight.orValue(1)", "int"),
        ("object.spec.labels.transformMap(key, it, it.size())", "map(string, int)"),
        ("[].map(it, 1)", "list(int)"),
        ("object.spec.zones.sort().first()", "optional_type(string)"),
        ("quantity('1').add(quantity('2'))", "kubernetes.Quantity"),
        ("url('/a').getQuery()['x'][0]", "string"),
    ] {
        let program = Program::parse(expression).expect("CEL");
        let (found, mistakes) = program.check(&schema());
        assert_eq!((found.to_string().as_str(), &*mistakes), (wanted, &[][..]), "{expression}");
    }
}
