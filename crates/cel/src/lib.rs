//! CEL, the expression language of Kubernetes' admission policies, over values that know where they are written.
//!
//! A [`cel::program::Program`] is parsed from a text, checked against the types of its variables and evaluated:
//!
//! ```
//! use karplint_cel::cel::{bindings::Bindings, collection, data::Data, program::Program};
//! use karplint_core::{source::FileId, syntax::yaml};
//!
//! let text = "spec: {expireAfter: 1440h}";
//! let object = &yaml::parse_file(FileId(0), text).values[0];
//! let mut bindings = Bindings::default();
//! bindings.set("object", collection::read(object));
//!
//! let program = Program::parse("duration(object.spec.expireAfter) <= duration('720h')").unwrap();
//! let found = program.evaluate(&bindings).outcome.unwrap();
//!
//! assert!(matches!(found.data, Data::Bool(false)));
//! // It points at what makes it false.
//! assert_eq!(&text[found.place.unwrap().span.range()], "1440h");
//! ```
//!
//! Three things differ from other evaluators. A value that is not known statically is no error and no value but
//! [`cel::fault::Fault::Unknown`], and every operator says what it knows in spite of it. Values of files keep
//! their places and steps, and a result has the place of the operand that decided it. And macros are nodes of the
//! tree and are not rewritten, so a mistake points at what was written.
//!
//! The dialect is that of Kubernetes 1.34; [`cel::declarations`] lists every function. Cost is counted as
//! Kubernetes counts it. Differences, each on purpose:
//!
//! - A field that is null in a file counts as missing for `has()` and `.?`, as it does once an API server has read it.
//! - Expressions may be nested 150 levels deep, not 250.
//! - There are no protobuf messages. The functions of an `authorizer` have types and no values.
//!
//! Of Google's conformance tests (cel-spec 0.25.1), every one passes that needs no protobuf message, except those of
//! libraries that Kubernetes does not have (`math`, `encoders`, `cel.bind`, `cel.block`), those of `format`, which follow
//! version 4 of the strings where every Kubernetes has version 2 (`["a"]` for a list and not `[a]`, `1,234.50` and not
//! `1234.50`), and five of `type_deductions` that declare functions of their own.
//!
//! The parser is our own, 400 lines: that of the crate `cel` brings 42 crates along, rewrites macros while it parses
//! and keeps the place of a node's first token where a mistake needs all of it.

pub mod cel;
pub mod policy;

use karplint_core::{findings, hash, source, syntax, time, value};
