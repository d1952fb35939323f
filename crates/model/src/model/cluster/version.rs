//! The Kubernetes version of a cluster.

use crate::{
    resolve::{
        setting::Setting,
        terraform::{object::Mode, root::Root},
    },
    value::{Field, Value},
    version::Version,
};

/// The inputs of the EKS module, up to version 20 and from 21 on.
const INPUTS: [&str; 2] = ["cluster_version", "kubernetes_version"];

/// That of a cluster the EKS module makes, if it is written: the module's own default changes with EKS.
#[must_use]
pub(crate) fn of_module(body: &Value) -> Option<Setting<Version>> {
    INPUTS.iter().find_map(|it| of_field(body.get(it)))
}

/// That of the one cluster that is a resource of the root, if it is written.
#[must_use]
pub(crate) fn of_resources(root: &Root) -> Option<Setting<Version>> {
    let mut clusters = root.of(Mode::Resource, "aws_eks_cluster");
    let only = clusters.next().filter(|_| clusters.next().is_none())?;
    of_field(only.body.get("version"))
}

/// That of a value, if it is written.
#[must_use]
pub(crate) fn of_field(field: Field<'_>) -> Option<Setting<Version>> {
    Some(Setting::written(field.present()?, read))
}

/// `1.33`, as text or as a number; `1.30` as a number is 1.3, which is no version of EKS.
fn read(value: &Value) -> Option<Version> {
    let version = match value.as_number() {
        Some(number) => Version::parse(&number.to_string()),
        None => Version::parse(value.as_str()?),
    };
    version.filter(|it| it.line() >= (1, 10))
}

#[cfg(test)]
mod tests {
    use super::of_field;
    use crate::{source::FileId, syntax::yaml, value::Field};

    #[test]
    fn a_version_of_kubernetes_is_text_or_a_number() {
        for (written, wanted) in [
            ("'1.33'", Some("1.33.0")),
            ("1.33", Some("1.33.0")),
            ("v1.30", Some("1.30.0")),
            ("1.30", None),
            ("latest", None),
            ("[]", None),
        ] {
            let values = yaml::parse_file(FileId(0), written).values;
            let version = of_field(Field::Present(&values[0]));
            let version = version.and_then(|it| it.known().map(ToString::to_string));
            assert_eq!(version.as_deref(), wanted, "{written}");
        }
    }
}
