//! The types of what policies are asked of.

use std::sync::Arc;

use crate::knowledge::schema::{
    self,
    fields::{FieldSchema, FieldType},
};
use karplint_cel::{
    cel::types::{Object, Schema, Type},
    policy::{Subject, SubjectKind},
};

/// The types of the variables that a policy has.
#[must_use]
pub(super) fn schema(subject: &Subject) -> Schema {
    let mut found = Schema::default();
    let object = match subject.kind {
        SubjectKind::NodePool => of_kind(&mut found, "karpenter.sh/v1", "NodePool"),
        SubjectKind::NodeClass => of_kind(&mut found, "karpenter.k8s.aws/v1", "EC2NodeClass"),
        _ => Type::Dyn,
    };
    found.variables.insert("object".into(), object.clone());
    found.variables.insert("subject".into(), object);
    found
}

/// The type of a resource of Karpenter, from its CRD.
fn of_kind(to: &mut Schema, api_version: &str, kind: &str) -> Type {
    let Some(known) = schema::of(api_version, kind) else { return Type::Dyn };
    let root: Arc<str> = kind.into();
    let mut top = Object { is_open: false, ..Object::default() };
    for (name, of) in
        [("apiVersion", Type::String), ("kind", Type::String), ("metadata", Type::Dyn)]
    {
        top.fields.insert(name.into(), of);
    }
    to.objects.insert(root.clone(), top);
    for field in &known.fields {
        add(to, kind, field, &known.fields);
    }
    Type::Object(root)
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
    fn fields_of_a_nodepool_have_types() {
        for (expression, wanted, mistakes) in [
            ("object.spec.template.spec.expireAfter", "string", 0),
            ("object.spec.template.spec.requirements.map(it, it.key)", "list(string)", 0),
            ("object.spec.template.metadata.labels", "map(string, string)", 0),
            ("object.spec.weight", "int", 0),
            ("object.spec.wieght", "dyn", 1),
            ("object.spec.template.spec.requirements.all(it, it.kye == '')", "bool", 1),
        ] {
            let program = Program::parse(expression).unwrap();
            let span = Span::new(FileId(0), 0, 0);
            let subject = Subject { kind: SubjectKind::NodePool, span, kinds: Vec::new() };
            let (found, wrong) = program.check(&schema(&subject));
            assert_eq!(
                (found.to_string().as_str(), wrong.len()),
                (wanted, mistakes),
                "{expression}"
            );
        }
    }
}
