//! The types of the variables that policies have.

use std::sync::Arc;

use crate::{
    knowledge::schema::{
        self,
        fields::{FieldSchema, FieldType},
    },
    policies::fields::{TYPES, object_type},
};
use karplint_cel::{
    cel::types::{Object, Schema, Type},
    policy::{Subject, SubjectKind},
};

/// The types of the variables that a policy has.
#[must_use]
pub(super) fn schema(subject: &Subject) -> Schema {
    let mut found = Schema::default();
    let mut set = |name: &str, of: Type| found.variables.insert(name.into(), of);
    set("cluster", Type::Object("cluster".into()));
    let word = SubjectKind::ALL.iter().find(|it| it.1 == subject.kind).map_or("", |it| it.0);
    set("subject", Type::Object(word.into()));
    for (name, fields) in TYPES {
        found.objects.insert((*name).into(), object_type(fields));
    }
    found.objects.insert("metadata".into(), metadata());
    let object = match subject.kind {
        SubjectKind::NodePool => of_kind(&mut found, "karpenter.sh", "NodePool"),
        SubjectKind::NodeClass => of_kind(&mut found, "karpenter.k8s.aws", "EC2NodeClass"),
        SubjectKind::Object => of_kinds(&mut found, &subject.kinds),
        SubjectKind::Workload => any_object(&mut found),
        _ => return found,
    };
    if subject.kind == SubjectKind::Object {
        found.variables.insert("subject".into(), object.clone());
    }
    found.variables.insert("object".into(), object);
    found
}

/// The type of the objects that patterns such as `karpenter.sh/*/NodePool` mean.
fn of_kinds(to: &mut Schema, kinds: &[Arc<str>]) -> Type {
    if let [one] = kinds
        && let Some((group, rest)) = one.split_once('/')
        && let Some((_, kind)) = rest.split_once('/')
        && schema::kind(group, kind).is_some()
    {
        return of_kind(to, group, kind);
    }
    any_object(to)
}

/// The type of any Kubernetes object.
fn any_object(to: &mut Schema) -> Type {
    to.objects.insert("object".into(), Object { is_open: true, ..with_metadata() });
    Type::Object("object".into())
}

fn with_metadata() -> Object {
    let mut top = Object::default();
    let metadata = Type::Object("metadata".into());
    for (name, of) in [("apiVersion", Type::String), ("kind", Type::String), ("metadata", metadata)]
    {
        top.fields.insert(name.into(), of);
    }
    top
}

/// `ObjectMeta` of Kubernetes.
fn metadata() -> Object {
    let labels = || Type::map(Type::String, Type::String);
    let fields = [
        ("name", Type::String),
        ("generateName", Type::String),
        ("namespace", Type::String),
        ("labels", labels()),
        ("annotations", labels()),
        ("finalizers", Type::list(Type::String)),
        ("ownerReferences", Type::list(Type::Dyn)),
        ("managedFields", Type::list(Type::Dyn)),
        ("uid", Type::String),
        ("selfLink", Type::String),
        ("resourceVersion", Type::String),
        ("generation", Type::Int),
        ("creationTimestamp", Type::Dyn),
        ("deletionTimestamp", Type::Dyn),
        ("deletionGracePeriodSeconds", Type::Int),
    ];
    let fields = fields.into_iter().map(|(name, of)| (name.into(), of));
    Object { fields: fields.collect(), is_open: false }
}

/// The type of a resource of Karpenter, from its CRD: with the fields of each version of the API.
fn of_kind(to: &mut Schema, group: &str, kind: &str) -> Type {
    let Some(known) = schema::kind(group, kind) else { return any_object(to) };
    for version in &known.schemas {
        for field in version.fields() {
            add(to, kind, field, version.fields());
        }
    }
    // Of metadata the CRD says less than Kubernetes.
    to.objects.entry(kind.into()).or_default().fields.extend(with_metadata().fields);
    Type::Object(kind.into())
}

/// Adds a field to the type of what holds it.
fn add(to: &mut Schema, kind: &str, field: &FieldSchema, all: &[FieldSchema]) {
    let Some((holder, name)) = field.path.rsplit_once('.').or(Some(("", &*field.path))) else {
        return;
    };
    if name.ends_with("[]") || name.ends_with("{}") {
        return;
    }
    let of = type_of(kind, field, all);
    let object = to.objects.entry(named(kind, holder)).or_default();
    object.fields.insert(name.into(), of);
}

/// The name of the type of an object inside a resource.
fn named(kind: &str, path: &str) -> Arc<str> {
    if path.is_empty() { kind.into() } else { format!("{kind}.{path}").into() }
}

fn type_of(kind: &str, field: &FieldSchema, all: &[FieldSchema]) -> Type {
    let inner = |mark: &str| {
        let path = format!("{}{mark}", field.path);
        let found = all.iter().find(|it| it.path == path);
        found.map_or(Type::Dyn, |it| type_of(kind, it, all))
    };
    let has_fields = || all.iter().any(|it| it.path.starts_with(&format!("{}.", field.path)));
    match field.facts.last().map(|it| it.shape.holds) {
        Some(FieldType::Object) if has_fields() => Type::Object(named(kind, &field.path)),
        Some(FieldType::Map) => Type::map(Type::String, inner("{}")),
        Some(FieldType::List) => Type::list(inner("[]")),
        Some(FieldType::Text) => Type::String,
        Some(FieldType::Boolean) => Type::Bool,
        Some(FieldType::Integer) => Type::Int,
        Some(FieldType::Object | FieldType::IntegerOrText | FieldType::Any) | None => Type::Dyn,
    }
}

#[cfg(test)]
mod tests {
    use karplint_cel::{
        cel::program::Program,
        policy::{Subject, SubjectKind},
    };

    use super::schema;
    use crate::source::{FileId, Span};

    #[test]
    fn fields_of_subjects_have_types() {
        let pod = &["v1/Pod".into()][..];
        for (kind, kinds, expression, wanted, mistakes) in [
            (SubjectKind::NodePool, &[][..], "object.spec.template.spec.expireAfter", "string", 0),
            (
                SubjectKind::NodePool,
                &[],
                "object.spec.template.spec.requirements.map(it, it.key)",
                "list(string)",
                0,
            ),
            (
                SubjectKind::NodePool,
                &[],
                "object.spec.template.metadata.labels",
                "map(string, string)",
                0,
            ),
            (SubjectKind::NodePool, &[], "object.spec.weight", "int", 0),
            (SubjectKind::NodePool, &[], "object.spec.wieght", "dyn", 1),
            (SubjectKind::NodePool, &[], "object.metadata.nmae", "dyn", 1),
            (SubjectKind::NodePool, &[], "subject.expireAfter", "string", 0),
            (SubjectKind::NodePool, &[], "subject.expire_after", "dyn", 1),
            (SubjectKind::Release, &[], "object", "dyn", 1),
            (SubjectKind::Release, &[], "subject.values.replicas", "dyn", 0),
            (SubjectKind::Release, &[], "cluster.nodePools.map(it, it.name)", "list(string)", 0),
            (SubjectKind::Object, pod, "object.spec.containers", "dyn", 0),
            (SubjectKind::Object, pod, "object.metadata.labels", "map(string, string)", 0),
            (SubjectKind::Workload, &[], "subject.replica", "dyn", 1),
        ] {
            let program = Program::parse(expression).unwrap();
            let span = Span::new(FileId(0), 0, 0);
            let subject = Subject { kind, span, kinds: kinds.to_vec() };
            let (found, wrong) = program.check(&schema(&subject));
            assert_eq!(
                (found.to_string().as_str(), wrong.len()),
                (wanted, mistakes),
                "{expression}"
            );
        }
    }
}
