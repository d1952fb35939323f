//! What each function wants of its arguments, as Go's reflection checks it before the call.

use std::{rc::Rc, sync::OnceLock};

use crate::{
    hash::HashMap,
    helm::{
        fault::{ErrorKind, Fault},
        functions::{
            arguments::{to_float, truncated},
            kinds::type_name,
        },
        value::{Kind, Of, Val},
    },
    value::Symbol,
};

/// The type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parameter {
    /// `interface{}`, and what reflection takes as it is.
    Any,
    /// `string`
    Text,
    /// `int`: neither what sprig computes, which is an `int64`, nor a number of a values file.
    Int,
    /// `float64`
    Float,
    /// `bool`
    Bool,
    /// `map[string]interface{}`, also a nil one.
    Map,
    /// `[]interface{}`, also a nil one.
    List,
    /// `time.Time`
    Time,
}

use Parameter::{Any, Bool, Float, Int, List, Map, Text, Time};

/// The parameters of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameters {
    /// Those that there must be.
    pub fixed: &'static [Parameter],
    /// What any further ones are; `None` if there are none.
    pub further: Option<Parameter>,
}

impl Parameters {
    /// The parameter at a place.
    pub(crate) fn at(&self, place: usize) -> Option<Parameter> {
        self.fixed.get(place).copied().or(self.further)
    }
}

/// Functions by their parameters.
const TABLE: &[(&[Parameter], Option<Parameter>, &str)] = &[
    (&[], None, "hello now uuidv4"),
    (
        &[],
        Some(Any),
        "add addf all any cat coalesce concat dict dig html js list print println quote squote tuple urlquery",
    ),
    (&[], Some(Int), "seq"),
    (&[], Some(Map), "keys"),
    (
        &[Any],
        None,
        "add1 add1f ago ceil compact deepCopy duration durationRound empty first float64 floor \
         htmlDate initial int int64 kindOf last len mustCompact mustDeepCopy mustFirst mustInitial mustLast \
         mustRest mustReverse mustToJson mustToPrettyJson mustToRawJson mustToYaml mustToToml mustUniq not rest \
         reverse sortAlpha toDecimal toJson toPrettyJson toRawJson toString toStrings toToml toYaml toYamlPretty \
         typeOf uniq",
    ),
    (
        &[Any],
        Some(Any),
        "and biggest call default divf eq index max maxf min minf mul mulf mustSlice mustWithout or slice subf \
         without",
    ),
    (
        &[Any, Any],
        None,
        "append deepEqual div ge gt has le lt mod mustAppend mustHas mustPrepend mustPush ne prepend push sub",
    ),
    (&[Any, Any, Bool], None, "ternary"),
    (&[Any, Int], Some(Float), "round"),
    (&[Any, Text], None, "htmlDateInZone"),
    (&[Int], None, "randAlpha randAlphaNum randAscii randBytes randNumeric until"),
    (&[Int, Any], None, "chunk mustChunk"),
    (&[Int, Int], None, "randInt"),
    (&[Int, Int, Int], None, "untilStep"),
    (&[Int, Int, Text], None, "abbrevboth substr"),
    (&[Int, Text], None, "abbrev indent nindent repeat trunc wrap"),
    (&[Int, Text, Text], None, "wrapWith"),
    (&[Map], None, "urlJoin values"),
    (&[Map], Some(Map), "merge mergeOverwrite mustMerge mustMergeOverwrite"),
    (&[Map], Some(Text), "omit pick"),
    (&[Map, Text], None, "get hasKey unset"),
    (&[Map, Text, Any], None, "set"),
    (
        &[Text],
        None,
        "adler32sum atoi b32dec b32enc b64dec b64enc base bcrypt camelcase clean dir ext fail fromJson \
         fromJsonArray fromToml fromTomlArray fromYaml fromYamlArray genPrivateKey getHostByName initials isAbs \
         kebabcase lower mustFromJson mustFromYaml nospace osBase osClean osDir osExt osIsAbs regexQuoteMeta \
         semver sha1sum sha256sum sha512sum shuffle snakecase swapcase title trim untitle upper urlParse",
    ),
    (&[Text], Some(Any), "printf"),
    (&[Text], Some(Map), "pluck"),
    (
        &[Text, Any],
        None,
        "date include join kindIs required tpl typeIs \
         typeIsLike",
    ),
    (&[Text, Time], None, "dateModify date_modify mustDateModify must_date_modify"),
    (&[Time], None, "unixEpoch"),
    (&[Text, Any, Text], None, "dateInZone date_in_zone"),
    (&[Text, Int], None, "genCA"),
    (&[Text, Int, Text], None, "genCAWithKey splitn"),
    (&[Text, List, List, Int], None, "genSelfSignedCert"),
    (&[Text, List, List, Int, Any], None, "genSignedCert"),
    (&[Text, List, List, Int, Any, Text], None, "genSignedCertWithKey"),
    (&[Text, List, List, Int, Text], None, "genSelfSignedCertWithKey"),
    (
        &[Text, Text],
        None,
        "buildCustomCert contains decryptAES encryptAES hasPrefix hasSuffix htpasswd mustRegexFind \
         mustRegexMatch mustToDate regexFind regexMatch semverCompare split splitList toDate trimAll trimPrefix \
         trimSuffix trimall",
    ),
    (&[Text, Text, Int], None, "mustRegexFindAll mustRegexSplit plural regexFindAll regexSplit"),
    (
        &[Text, Text, Text],
        None,
        "mustRegexReplaceAll mustRegexReplaceAllLiteral regexReplaceAll regexReplaceAllLiteral replace",
    ),
    (&[Text, Text, Text, Text], None, "lookup"),
];

/// The parameters of a function; `None` for one that is not listed.
pub(crate) fn parameters(name: &str) -> Option<Parameters> {
    static BY_NAME: OnceLock<HashMap<&'static str, Parameters>> = OnceLock::new();
    BY_NAME.get_or_init(|| all().collect()).get(name).copied()
}

/// All functions with their parameters.
pub(crate) fn all() -> impl Iterator<Item = (&'static str, Parameters)> {
    TABLE.iter().flat_map(|&(fixed, further, names)| {
        names.split_whitespace().map(move |it| (it, Parameters { fixed, further }))
    })
}

/// The arguments of a call as the function gets them, or why Go does not call it. Of what is not known nothing is
/// asked; `written` says which are numbers of the template, which become what is wanted.
pub(crate) fn admit(
    name: &str,
    values: &mut [Val],
    written: &dyn Fn(usize) -> bool,
) -> Result<(), Fault> {
    let Some(parameters) = parameters(name) else { return Ok(()) };
    let (count, least) = (values.len(), parameters.fixed.len());
    if count < least || (parameters.further.is_none() && count > least) {
        let at_least = if parameters.further.is_some() { "at least " } else { "" };
        let message =
            format!("wrong number of args for {name}: want {at_least}{least} got {count}");
        return Err(Fault::Error(ErrorKind::Template, message));
    }
    for (at, value) in values.iter_mut().enumerate() {
        let Some(parameter) = parameters.at(at) else { break };
        if written(at) {
            become_wanted(parameter, value);
        }
        fits(parameter, value)?;
        if value.is_nil() {
            value.kind = Kind::Nil;
        }
    }
    Ok(())
}

/// A number of a template as what is wanted, if it can be that.
fn become_wanted(parameter: Parameter, value: &mut Val) {
    value.kind = match (parameter, &value.kind) {
        (Int, Kind::Float(number)) if number.fract() == 0.0 && number.abs() < 9.0e18 => {
            Kind::Int(truncated(*number))
        }
        (Float, Kind::Int(number)) => Kind::Float(to_float(*number)),
        _ => return,
    };
}

/// Whether Go assigns a value to a parameter.
fn fits(parameter: Parameter, value: &Val) -> Result<(), Fault> {
    if let (Kind::Text(text), true) = (&value.kind, parameter != Any && parameter != Text)
        && let Some(symbol) = text.first_hole()
    {
        return Err(Fault::Unknown(Rc::new(symbol.clone())));
    }
    if let (Map, Kind::Struct(it)) = (parameter, &value.kind)
        && it.is_map_elsewhere()
    {
        return Err(Fault::Unknown(Rc::new(Symbol::of_installation(".Chart"))));
    }
    let wanted = match (parameter, &value.kind) {
        (Any, _)
        | (_, Kind::Unknown(_))
        | (Text, Kind::Text(_))
        | (Int, Kind::Int(_))
        | (Float, Kind::Float(_))
        | (Bool, Kind::Bool(_))
        | (Time, Kind::Time(_))
        | (Map, Kind::Map(_) | Kind::Nil)
        | (List, Kind::Nil) => return Ok(()),
        (List, Kind::List(items)) if matches!(items.of, Of::Any | Of::Rest) => return Ok(()),
        (Text, _) => "string",
        (Int, _) => "int",
        (Float, _) => "float64",
        (Bool, _) => "bool",
        (Map, _) => "map[string]interface {}",
        (List, _) => "[]interface {}",
        (Time, _) => "time.Time",
    };
    if matches!(value.kind, Kind::Nil) {
        return Fault::error(format!("invalid value; expected {wanted}"));
    }
    let found = if value.is_nil() { "interface {}" } else { type_name(value) };
    Fault::error(format!("wrong type for value; expected {wanted}; got {found}"))
}
