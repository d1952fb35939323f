//! Service accounts: the one a controller runs as, and those that a role is for.

use crate::{
    resolve::release::Release,
    source::Span,
    value::{Field, Kind, Text, Value},
};

/// A service account, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Account {
    /// Its namespace.
    pub namespace: Option<String>,
    /// Its name.
    pub name: Option<String>,
}

/// What precedes the namespace in the subject of a token.
const SUBJECT: &str = "system:serviceaccount:";
/// What annotates a service account with its role.
pub(super) const ROLE: &str = "eks.amazonaws.com/role-arn";

impl Account {
    /// A service account of which both are known.
    #[must_use]
    pub(crate) fn known(namespace: &str, name: &str) -> Self {
        Self { namespace: Some(namespace.to_owned()), name: Some(name.to_owned()) }
    }

    /// The one that a controller runs as.
    #[must_use]
    pub(crate) fn of_release(release: &Release) -> Self {
        Self { namespace: release.namespace.known().cloned(), name: name_of_release(release) }
    }

    /// Reads `namespace:name`.
    #[must_use]
    pub(crate) fn read(value: &Value) -> Self {
        let Kind::String(text) = &value.kind else { return Self { namespace: None, name: None } };
        let plain = text.text.strip_prefix(SUBJECT).unwrap_or(&text.text);
        let known = |part: &str| plain_part(part).then(|| part.to_owned());
        match plain.split_once(':') {
            Some((namespace, name)) => Self { namespace: known(namespace), name: known(name) },
            None => Self { namespace: None, name: None },
        }
    }

    /// Whether this, which a role is for and may be written with `*`, is certainly another account.
    #[must_use]
    pub(crate) fn excludes(&self, other: &Self) -> bool {
        let apart = |pattern: &Option<String>, text: &Option<String>| {
            pattern.as_ref().zip(text.as_ref()).is_some_and(|(it, text)| !matches(it, text))
        };
        apart(&self.namespace, &other.namespace) || apart(&self.name, &other.name)
    }

    /// What people would call it: `kube-system:karpenter`.
    #[must_use]
    pub(crate) fn title(&self) -> String {
        let part = |it: &Option<String>| it.clone().unwrap_or_else(|| "…".to_owned());
        format!("{}:{}", part(&self.namespace), part(&self.name))
    }
}

/// The name of the service account of a release, as the chart's template makes it (`_helpers.tpl` of
/// karpenter v0.32.0 to v1.14.1).
fn name_of_release(release: &Release) -> Option<String> {
    let values = &release.values;
    let written = match values.at("serviceAccount.name") {
        Field::Present(name) => Some(name.as_str()?).filter(|it| !it.is_empty()),
        Field::Missing => None,
        Field::Unknown => return None,
    };
    if let Some(name) = written {
        return Some(name.to_owned());
    }
    let created = match values.at("serviceAccount.create") {
        Field::Missing => true,
        Field::Present(value) => value.as_bool()?,
        Field::Unknown => return None,
    };
    if !created {
        return Some("default".to_owned());
    }
    let overridden = ["fullnameOverride", "nameOverride"];
    let plain = overridden.iter().all(|it| values.get(it).is_missing());
    let release = release.name.as_deref().filter(|_| plain)?;
    let name = if release.contains("karpenter") {
        release.to_owned()
    } else {
        format!("{release}-karpenter")
    };
    (name.len() <= 63).then_some(name)
}

/// The role that the values of a release annotate its service account with.
#[must_use]
pub(crate) fn role_of_release(release: &Release) -> Field<'_> {
    release.values.at("serviceAccount.annotations").get(ROLE)
}

/// The role that a release means to annotate its service account with, where Helm took the dots in the key for steps
/// into mappings.
#[must_use]
pub(crate) fn role_by_split_key(release: &Release) -> Option<&Value> {
    let mut names = ROLE.split('.');
    let annotations = release.values.at("serviceAccount.annotations").present()?;
    names.try_fold(annotations, |it, name| it.get(name).present())
}

/// Where the values of a release annotate its service account with a role that they leave empty.
#[must_use]
pub(super) fn empty_role(release: &Release) -> Option<Span> {
    let annotations = release.values.at("serviceAccount.annotations").present()?;
    let role = annotations.as_map()?.entry(ROLE)?;
    (role.value.is_empty() || role.value.as_str() == Some("")).then_some(role.key_span)
}

/// The accounts that a trust policy is for, each with its place: what it names as the subject of a
/// token. `None` where one of them is not known, or none is named: then any account may be meant.
#[must_use]
pub(super) fn trusted(policy: &Value) -> Option<Vec<(Account, Span)>> {
    let mut found = Vec::new();
    subjects(policy, &mut found)?;
    (!found.is_empty()).then_some(found)
}

fn subjects(value: &Value, found: &mut Vec<(Account, Span)>) -> Option<()> {
    match &value.kind {
        Kind::String(Text { encodes: Some(encoded), .. }) => subjects(encoded, found),
        Kind::String(text) => subjects_in_text(text, value.span, found),
        Kind::List(list) => {
            list.rest.is_none().then_some(())?;
            list.items.iter().try_for_each(|it| subjects(it, found))
        }
        Kind::Map(map) => {
            map.entries.iter().try_for_each(|it| subjects(&it.value, found))?;
            let rest = map.rest.as_ref();
            rest.map_or(Some(()), |it| subjects_of_issuer(&it.text, value.span, found))
        }
        // Somewhere else in a policy nothing says whom it trusts.
        _ => Some(()),
    }
}

/// The subjects in an expression whose keys name an issuer that is not known: `{"${var.issuer}:sub" = "system:…"}`.
fn subjects_of_issuer(
    expression: &str,
    place: Span,
    found: &mut Vec<(Account, Span)>,
) -> Option<()> {
    for (at, key) in expression.match_indices(":sub\" = ") {
        let rest = &expression[at + key.len()..];
        let list = rest.strip_prefix('[').and_then(|it| it.split_once(']'));
        let one = || Some(rest.strip_prefix('"')?.split_once('"')?.0);
        let subjects = match list {
            Some((items, _)) => {
                items.split(", ").map(|it| quoted(it)).collect::<Option<Vec<_>>>()?
            }
            None => vec![one()?],
        };
        for subject in subjects {
            let (namespace, name) = subject.strip_prefix(SUBJECT)?.split_once(':')?;
            (plain_part(namespace) && plain_part(name)).then_some(())?;
            found.push((Account::known(namespace, name), place));
        }
    }
    Some(())
}

fn quoted(text: &str) -> Option<&str> {
    text.strip_prefix('"')?.strip_suffix('"')
}

fn subjects_in_text(text: &Text, whole: Span, found: &mut Vec<(Account, Span)>) -> Option<()> {
    for (at, _) in text.text.match_indices(SUBJECT) {
        let start = at + SUBJECT.len();
        let rest = &text.text[start..];
        let end = rest.find(['"', '\'', ' ', '\n', ',']).unwrap_or(rest.len());
        let (namespace, name) = rest[..end].split_once(':')?;
        if !plain_part(namespace) || !plain_part(name) {
            return None;
        }
        let place = text.locate(at, start + end, whole);
        found.push((Account::known(namespace, name), place));
    }
    Some(())
}

/// Whether a part is wholly known: a name, possibly with `*`.
fn plain_part(part: &str) -> bool {
    let plain = |it: char| it.is_ascii_alphanumeric() || "-.*?".contains(it);
    !part.is_empty() && part.chars().all(plain)
}

/// Whether a pattern with `*` matches a text.
fn matches(pattern: &str, text: &str) -> bool {
    if pattern.contains('?') {
        return true;
    }
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::{Account, trusted};
    use crate::{source::FileId, syntax::yaml};

    fn value(text: &str) -> crate::value::Value {
        yaml::parse_file(FileId(0), text).values.remove(0)
    }

    #[test]
    fn accounts_are_apart_where_a_part_differs_for_certain() {
        let used = Account::known("kube-system", "karpenter");
        for (trusted, apart) in [
            ("kube-system:karpenter", false),
            ("karpenter:karpenter", true),
            ("kube-system:controller", true),
            ("*:karpenter", false),
            ("kube-*:karp*r", false),
            ("karpenter:*", true),
            ("kube-system:*-karpenter", true),
            ("${NAMESPACE}:karpenter", false),
            ("${NAMESPACE}:controller", true),
            ("karpenter", false),
        ] {
            let account = Account::read(&value(&format!("'{trusted}'")));
            assert_eq!(account.excludes(&used), apart, "{trusted}");
        }
        let unknown = Account { namespace: None, name: Some("karpenter".to_owned()) };
        assert!(!Account::known("karpenter", "karpenter").excludes(&unknown));
        assert!(Account::known("karpenter", "other").excludes(&unknown));
    }

    #[test]
    fn a_policy_trusts_the_subjects_it_names() {
        for (policy, wanted) in [
            (
                "{values: ['system:serviceaccount:karpenter:karpenter']}",
                Some("karpenter:karpenter"),
            ),
            (
                "{a: ['x', {b: 'system:serviceaccount:kube-system:karpenter'}]}",
                Some("kube-system:karpenter"),
            ),
            ("'{\"sub\": \"system:serviceaccount:a:b\", \"aud\": \"sts\"}'", Some("a:b")),
            ("{values: ['system:serviceaccount:${NAMESPACE}:karpenter']}", None),
            ("{values: ['sts.amazonaws.com']}", None),
        ] {
            let found = trusted(&value(policy));
            let first = found.as_ref().and_then(|it| it.first()).map(|it| it.0.title());
            assert_eq!(first.as_deref(), wanted, "{policy}");
        }
    }
}
