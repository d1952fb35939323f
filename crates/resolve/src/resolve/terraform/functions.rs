//! Terraform's built-in functions over values.
//!
//! A function sees what is known of its arguments and answers with what is sure: where Terraform would
//! need an unknown argument, the answer is the call's own symbol. `try`, `can`, `templatefile` and
//! other functions that need the evaluator are listed here only as such.

mod argument;
pub(crate) mod assemble;
pub(crate) mod base64;
mod calendar;
pub(crate) mod call;
mod collection;
mod conversion;
mod csv;
pub(crate) mod digits;
mod encoding;
pub(crate) mod filesystem;
mod format;
mod hash;
mod json;
mod list;
mod network;
mod number;
mod pattern;
pub(crate) mod scalar;
mod set;
mod split;
pub(super) mod string;
pub(crate) mod unify;
mod yaml;

use md5::Md5;
use sha1::Sha1;
use sha2::{Sha256, Sha512};

use crate::{
    resolve::terraform::functions::call::{Call, CallResult, is_sensible},
    value::Value,
};

type Implementation = fn(&Call<'_>, &[Value]) -> CallResult;

/// Who answers a call.
#[derive(Clone, Copy)]
enum How {
    /// The function, once all arguments are wholly known.
    Whole(Implementation),
    /// The function, from whatever is known of the arguments.
    Parts(Implementation),
    /// Not at all: the result changes from run to run, depends on the machine, or is an irreversible hash.
    Never,
    /// The evaluator: the arguments are not evaluated as usual.
    Evaluator,
}

/// A function: its name, how many arguments it takes, and who answers.
struct Function(&'static str, usize, usize, How);

/// Any number of arguments.
const ANY: usize = usize::MAX;

/// All functions of Terraform 1.11, sorted by name.
const FUNCTIONS: &[Function] = &[
    Function("abs", 1, 1, How::Whole(number::abs)),
    Function("abspath", 1, 1, How::Never),
    Function("alltrue", 1, 1, How::Parts(list::all_true)),
    Function("anytrue", 1, 1, How::Parts(list::any_true)),
    Function("base64decode", 1, 1, How::Whole(base64::decode)),
    Function("base64encode", 1, 1, How::Whole(base64::encode)),
    Function("base64gzip", 1, 1, How::Never),
    Function("base64sha256", 1, 1, How::Whole(hash::base64::<Sha256>)),
    Function("base64sha512", 1, 1, How::Whole(hash::base64::<Sha512>)),
    Function("basename", 1, 1, How::Whole(filesystem::base_name)),
    Function("bcrypt", 1, 2, How::Never),
    Function("can", 1, 1, How::Evaluator),
    Function("ceil", 1, 1, How::Whole(number::ceil)),
    Function("chomp", 1, 1, How::Parts(string::chomp)),
    Function("chunklist", 2, 2, How::Whole(list::chunk_list)),
    Function("cidrhost", 2, 2, How::Whole(network::host)),
    Function("cidrnetmask", 1, 1, How::Whole(network::netmask)),
    Function("cidrsubnet", 3, 3, How::Whole(network::subnet)),
    Function("cidrsubnets", 1, ANY, How::Whole(network::subnets)),
    Function("coalesce", 1, ANY, How::Parts(collection::coalesce)),
    Function("coalescelist", 1, ANY, How::Parts(collection::coalesce_list)),
    Function("compact", 1, 1, How::Parts(list::compact)),
    Function("concat", 1, ANY, How::Parts(list::concat)),
    Function("contains", 2, 2, How::Parts(collection::contains)),
    Function("csvdecode", 1, 1, How::Whole(csv::decode)),
    Function("dirname", 1, 1, How::Whole(filesystem::folder_name)),
    Function("distinct", 1, 1, How::Parts(list::distinct)),
    Function("element", 2, 2, How::Parts(collection::element)),
    Function("endswith", 2, 2, How::Whole(string::ends_with)),
    Function("ephemeralasnull", 1, 1, How::Parts(conversion::same)),
    Function("file", 1, 1, How::Whole(filesystem::file)),
    Function("filebase64", 1, 1, How::Whole(filesystem::file_base64)),
    Function("filebase64sha256", 1, 1, How::Whole(hash::file_base64::<Sha256>)),
    Function("filebase64sha512", 1, 1, How::Whole(hash::file_base64::<Sha512>)),
    Function("fileexists", 1, 1, How::Whole(filesystem::file_exists)),
    Function("filemd5", 1, 1, How::Whole(hash::file_hex::<Md5>)),
    Function("fileset", 2, 2, How::Whole(filesystem::file_set)),
    Function("filesha1", 1, 1, How::Whole(hash::file_hex::<Sha1>)),
    Function("filesha256", 1, 1, How::Whole(hash::file_hex::<Sha256>)),
    Function("filesha512", 1, 1, How::Whole(hash::file_hex::<Sha512>)),
    Function("flatten", 1, 1, How::Parts(list::flatten)),
    Function("floor", 1, 1, How::Whole(number::floor)),
    Function("format", 1, ANY, How::Parts(format::format)),
    Function("formatdate", 2, 2, How::Whole(calendar::format_date)),
    Function("formatlist", 1, ANY, How::Parts(format::format_list)),
    Function("indent", 2, 2, How::Parts(string::indent)),
    Function("index", 2, 2, How::Whole(list::index)),
    Function("issensitive", 1, 1, How::Evaluator),
    Function("join", 1, ANY, How::Parts(string::join)),
    Function("jsondecode", 1, 1, How::Parts(encoding::json_decode)),
    Function("jsonencode", 1, 1, How::Parts(encoding::json_encode)),
    Function("keys", 1, 1, How::Parts(collection::keys)),
    Function("length", 1, 1, How::Parts(collection::length)),
    Function("log", 2, 2, How::Whole(number::log)),
    Function("lookup", 2, 3, How::Parts(collection::lookup)),
    Function("lower", 1, 1, How::Whole(string::lower)),
    Function("matchkeys", 3, 3, How::Whole(list::match_keys)),
    Function("max", 1, ANY, How::Whole(number::max)),
    Function("md5", 1, 1, How::Whole(hash::hex::<Md5>)),
    Function("merge", 0, ANY, How::Parts(collection::merge)),
    Function("min", 1, ANY, How::Whole(number::min)),
    Function("nonsensitive", 1, 1, How::Parts(conversion::same)),
    Function("one", 1, 1, How::Parts(list::one)),
    Function("parseint", 2, 2, How::Whole(number::parse_integer)),
    Function("pathexpand", 1, 1, How::Whole(filesystem::path_expand)),
    Function("plantimestamp", 0, 0, How::Never),
    Function("pow", 2, 2, How::Whole(number::pow)),
    Function("range", 1, 3, How::Whole(list::range)),
    Function("regex", 2, 2, How::Whole(pattern::regex)),
    Function("regexall", 2, 2, How::Whole(pattern::regex_all)),
    Function("replace", 3, 3, How::Parts(pattern::replace)),
    Function("reverse", 1, 1, How::Parts(list::reverse)),
    Function("rsadecrypt", 2, 2, How::Never),
    Function("sensitive", 1, 1, How::Parts(conversion::same)),
    Function("setintersection", 1, ANY, How::Whole(set::intersection)),
    Function("setproduct", 1, ANY, How::Parts(set::product)),
    Function("setsubtract", 2, 2, How::Whole(set::subtract)),
    Function("setunion", 1, ANY, How::Parts(set::union)),
    Function("sha1", 1, 1, How::Whole(hash::hex::<Sha1>)),
    Function("sha256", 1, 1, How::Whole(hash::hex::<Sha256>)),
    Function("sha512", 1, 1, How::Whole(hash::hex::<Sha512>)),
    Function("signum", 1, 1, How::Whole(number::signum)),
    Function("slice", 3, 3, How::Parts(list::slice)),
    Function("sort", 1, 1, How::Whole(list::sort)),
    Function("split", 2, 2, How::Parts(split::split)),
    Function("startswith", 2, 2, How::Whole(string::starts_with)),
    Function("strcontains", 2, 2, How::Whole(string::contains)),
    Function("strrev", 1, 1, How::Whole(string::reverse)),
    Function("substr", 3, 3, How::Whole(string::substring)),
    Function("sum", 1, 1, How::Whole(number::sum)),
    Function("templatefile", 2, 2, How::Evaluator),
    Function("templatestring", 2, 2, How::Evaluator),
    Function("textdecodebase64", 2, 2, How::Whole(base64::decode_text)),
    Function("textencodebase64", 2, 2, How::Whole(base64::encode_text)),
    Function("timeadd", 2, 2, How::Whole(calendar::time_add)),
    Function("timecmp", 2, 2, How::Whole(calendar::time_compare)),
    Function("timestamp", 0, 0, How::Never),
    Function("title", 1, 1, How::Whole(string::title)),
    Function("tobool", 1, 1, How::Parts(conversion::to_bool)),
    Function("tolist", 1, 1, How::Parts(conversion::to_list)),
    Function("tomap", 1, 1, How::Parts(conversion::to_map)),
    Function("tonumber", 1, 1, How::Parts(conversion::to_number)),
    Function("toset", 1, 1, How::Parts(conversion::to_set)),
    Function("tostring", 1, 1, How::Parts(conversion::to_string)),
    Function("transpose", 1, 1, How::Whole(collection::transpose)),
    Function("trim", 2, 2, How::Whole(string::trim)),
    Function("trimprefix", 2, 2, How::Whole(string::trim_prefix)),
    Function("trimspace", 1, 1, How::Parts(string::trim_space)),
    Function("trimsuffix", 2, 2, How::Whole(string::trim_suffix)),
    Function("try", 1, ANY, How::Evaluator),
    Function("upper", 1, 1, How::Whole(string::upper)),
    Function("urlencode", 1, 1, How::Whole(string::url_encode)),
    Function("uuid", 0, 0, How::Never),
    Function("uuidv5", 2, 2, How::Whole(hash::uuid)),
    Function("values", 1, 1, How::Parts(collection::values)),
    Function("yamldecode", 1, 1, How::Parts(encoding::yaml_decode)),
    Function("yamlencode", 1, 1, How::Parts(encoding::yaml_encode)),
    Function("zipmap", 2, 2, How::Parts(collection::zip_map)),
];

/// Functions over numbers, whose digits need not all be known.
const NUMERIC: &[&str] =
    &["abs", "ceil", "floor", "log", "max", "min", "pow", "range", "signum", "sum"];

/// Calls a function. What cannot be known, functions of providers included, is unknown.
///
/// # Errors
/// What Terraform would report as an error of the call.
pub(super) fn call(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let name = call.name.strip_prefix("core::").unwrap_or(call.name);
    let Ok(found) = FUNCTIONS.binary_search_by(|it| it.0.cmp(name)) else {
        return Ok(call.unknown());
    };
    let Some(Function(_, least, most, how)) = FUNCTIONS.get(found) else {
        return Ok(call.unknown());
    };
    if arguments.len() < *least {
        return call.fault(format_args!("needs at least {least} arguments"));
    }
    if arguments.len() > *most {
        return call.fault(format_args!("takes at most {most} arguments"));
    }
    if !is_sensible(arguments) {
        return Ok(call.unknown());
    }
    match how {
        How::Whole(body) if arguments.iter().all(Value::is_wholly_known) => {
            let written = || arguments.iter().all(|it| json::encode(it).holes.is_empty());
            if NUMERIC.contains(&name) || written() {
                body(call, arguments)
            } else {
                Ok(call.unknown())
            }
        }
        How::Parts(body) => body(call, arguments),
        How::Whole(_) | How::Never | How::Evaluator => Ok(call.unknown()),
    }
}

#[cfg(test)]
mod tests;
