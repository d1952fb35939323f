//! Whatever is written, there is a value or an error, and a mistake's place can be shown.

use karplint_cel::cel::{
    bindings::Bindings,
    collection,
    program::Program,
    types::{Schema, Type},
};
use proptest::{prelude::*, sample};

use crate::value;

/// Pieces of expressions, right and wrong ones.
const PIECES: &[&str] = &[
    "object",
    ".a",
    ".list",
    ".map",
    ".?b",
    "[0]",
    "[?1]",
    "['p']",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "?",
    " ",
    "1",
    "-1",
    "2u",
    "1.5",
    "1e400",
    "9223372036854775808",
    "'x'",
    "'ö'",
    "\"",
    "'",
    "r'\\d'",
    "b'\\xff'",
    "'\\ö'",
    "'''",
    "true",
    "false",
    "null",
    "+",
    "-",
    "*",
    "/",
    "%",
    "==",
    "!=",
    "<",
    ">=",
    "in",
    "&&",
    "||",
    "!",
    "`q`",
    ".all(it, it",
    ".exists(k, v, ",
    ".map(it, ",
    ".filter(it, true)",
    "has(object.a)",
    ".size()",
    "size(",
    "int(",
    "string(",
    "duration('1h')",
    "timestamp('2026-01-01T00:00:00Z')",
    ".getHours('+25:00')",
    ".split('')",
    ".substring(1)",
    ".lastIndexOf('', 1)",
    ".charAt(9)",
    ".format([1, 'ö'])",
    "'%.1f%s'",
    ".replace('', 'ö')",
    ".matches('[ö')",
    ".find('\\\\d{')",
    "quantity('1Gi')",
    ".add(1)",
    "quantity('1e9999')",
    "semver('1.2.3')",
    "ip('::1')",
    "cidr('10.0.0.0/8')",
    "url('https://a:b@[::1]:1/ö?x#y')",
    ".getQuery()",
    ".optMap(it, it)",
    "optional.of(",
    ".orValue(1)",
    "sets.contains([1], ",
    "lists.range(3)",
    ".slice(0, 9)",
    ".sortBy(it, it)",
    "type(",
    "dyn(",
    "ö",
    "#",
    "//",
    "\n",
    "\u{e000}0\u{e001}",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]
    #[test]
    fn no_text_makes_it_panic(pieces in proptest::collection::vec(sample::select(PIECES.to_vec()), 1..9)) {
        let text = pieces.concat();
        let at = |at: &std::ops::Range<usize>| prop_assert_is_some(text.get(at.clone()).is_some());
        match Program::parse(&text) {
            Err(mistake) => at(&mistake.at)?,
            Ok(program) => {
                let object = value("{a: 1, list: [1, 2], map: {p: x}}");
                let mut schema = Schema::default();
                schema.variables.insert("object".into(), Type::Dyn);
                for mistake in program.check(&schema).1 {
                    at(&mistake.at)?;
                }
                let mut bindings = Bindings::default();
                bindings.set("object", collection::read(&object));
                let _ = program.evaluate(&bindings);
            }
        }
    }

    #[test]
    fn no_letters_make_it_panic(text in "\\PC{0,40}") {
        if let Err(mistake) = Program::parse(&text) {
            prop_assert!(text.get(mistake.at).is_some());
        }
    }
}

/// That a place lies between characters.
fn prop_assert_is_some(is_some: bool) -> Result<(), TestCaseError> {
    prop_assert!(is_some, "the place of a mistake cuts a character");
    Ok(())
}
