//! The variables of an admission policy's expressions, with their types.

use karplint_cel::cel::types::{Object, Schema, Type};

/// `kubernetes.AdmissionRequest` and what is in it, as the API server declares them: the name of an object type,
/// and its fields.
const REQUEST: &[(&str, &[(&str, &str)])] = &[
    (
        "kubernetes.AdmissionRequest",
        &[
            ("kind", "kubernetes.GroupVersionKind"),
            ("resource", "kubernetes.GroupVersionResource"),
            ("subResource", "string"),
            ("requestKind", "kubernetes.GroupVersionKind"),
            ("requestResource", "kubernetes.GroupVersionResource"),
            ("requestSubResource", "string"),
            ("name", "string"),
            ("namespace", "string"),
            ("operation", "string"),
            ("userInfo", "kubernetes.UserInfo"),
            ("dryRun", "bool"),
            ("options", "dyn"),
        ],
    ),
    (
        "kubernetes.GroupVersionKind",
        &[("group", "string"), ("version", "string"), ("kind", "string")],
    ),
    (
        "kubernetes.GroupVersionResource",
        &[("group", "string"), ("version", "string"), ("resource", "string")],
    ),
    (
        "kubernetes.UserInfo",
        &[
            ("username", "string"),
            ("uid", "string"),
            ("groups", "list(string)"),
            ("extra", "map(string, dyn)"),
        ],
    ),
];

/// `kubernetes.Namespace`, likewise.
const NAMESPACE: &[(&str, &[(&str, &str)])] = &[
    (
        "kubernetes.Namespace",
        &[
            ("metadata", "kubernetes.NamespaceMetadata"),
            ("spec", "kubernetes.NamespaceSpec"),
            ("status", "kubernetes.NamespaceStatus"),
        ],
    ),
    ("kubernetes.NamespaceSpec", &[("finalizers", "list(string)")]),
    ("kubernetes.NamespaceStatus", &[("conditions", "list(dyn)"), ("phase", "string")]),
    (
        "kubernetes.NamespaceMetadata",
        &[
            ("name", "string"),
            ("generateName", "string"),
            ("namespace", "string"),
            ("labels", "map(string, string)"),
            ("annotations", "map(string, string)"),
            ("UID", "string"),
            ("creationTimestamp", "timestamp"),
            ("deletionGracePeriodSeconds", "int"),
            ("deletionTimestamp", "timestamp"),
            ("generation", "int"),
            ("resourceVersion", "string"),
            ("finalizers", "list(string)"),
        ],
    ),
];

/// The name of the type that holds a policy's own variables.
pub(super) const VARIABLES: &str = "variables";

/// The types of the variables that an expression has, besides the policy's own.
pub(super) fn schema(has_params: bool) -> Schema {
    let mut schema = Schema::default();
    for (name, fields) in REQUEST.iter().chain(NAMESPACE) {
        let of = |it: &str| Type::read(it).unwrap_or_else(|| Type::Object(it.into()));
        let fields = fields.iter().map(|(field, it)| ((*field).into(), of(it))).collect();
        schema.objects.insert((*name).into(), Object { fields, is_open: false });
    }
    schema.objects.insert(VARIABLES.into(), Object::default());
    let authorization = |it: &str| Type::Opaque(format!("kubernetes.authorization.{it}").into());
    let params = has_params.then_some(("params", Type::Dyn));
    let variables = [
        ("object", Type::Dyn),
        ("oldObject", Type::Dyn),
        ("request", Type::Object("kubernetes.AdmissionRequest".into())),
        ("namespaceObject", Type::Object("kubernetes.Namespace".into())),
        ("authorizer", authorization("Authorizer")),
        ("authorizer.requestResource", authorization("ResourceCheck")),
        (VARIABLES, Type::Object(VARIABLES.into())),
    ];
    let all = variables.into_iter().chain(params);
    schema.variables.extend(all.map(|(name, of)| (name.into(), of)));
    schema
}

/// The same for expressions after one whose value has that name.
pub(super) fn declare(schema: &mut Schema, name: &str, of: Type) {
    let variables = schema.objects.entry(VARIABLES.into()).or_default();
    variables.fields.insert(name.into(), of);
}
