//! The generators of an `ApplicationSet`: which elements its template is filled in for.
//!
//! A parameter that is not among an element's is unknown. An element whose parameters only the cluster
//! or another service knows has none.

use globset::GlobSet;

use crate::{
    resolve::gitops::{
        parameters::{Params, filled, is_large},
        repository::{Repository, glob},
    },
    source::Span,
    value::{Kind, Value},
};

/// More elements than this are taken for one that is unknown.
const MAX_ELEMENTS: usize = 256;
/// Generators nest once in Argo CD.
const MAX_DEPTH: usize = 3;

/// Reads generators.
#[derive(Clone, Copy, Debug)]
pub(super) struct Generator<'a> {
    /// Where the git generator looks.
    pub repository: &'a Repository<'a>,
    /// Whether placeholders are Go templates.
    pub go: bool,
}

impl Generator<'_> {
    /// The elements of a generator; one without known parameters where they are not known.
    #[must_use]
    pub(super) fn elements(&self, generator: &Value) -> Vec<Params> {
        self.nested(generator, 0)
    }

    fn nested(&self, generator: &Value, depth: usize) -> Vec<Params> {
        let unknown = || vec![Params::new()];
        let mut found = Vec::new();
        if depth > MAX_DEPTH || generator.as_map().is_none_or(|it| it.rest.is_some()) {
            return unknown();
        }
        let kinds =
            generator.entries().iter().filter(|it| !matches!(&*it.key, "selector" | "template"));
        for entry in kinds {
            let body = &entry.value;
            let elements = match &*entry.key {
                "list" => list(body),
                "git" => self.git(body),
                "clusters" => Some(vec![self.cluster(body)]),
                "matrix" => self.matrix(body, depth),
                "merge" => self.merge(body, depth),
                _ => None,
            };
            found.extend(elements.unwrap_or_else(unknown));
        }
        if let Some(selector) = generator.get("selector").present() {
            found.retain(|it| may_match(selector, it));
            if !selector.get("matchExpressions").is_missing() {
                return unknown();
            }
        }
        if found.len() > MAX_ELEMENTS { unknown() } else { found }
    }

    /// A cluster: what its selector asks for is so, and its `values` are written here.
    fn cluster(&self, body: &Value) -> Params {
        let mut params = Params::new();
        for label in body.at("selector.matchLabels").present().map_or(&[][..], Value::entries) {
            params.insert(format!("metadata.labels.{}", label.key), label.value.clone());
        }
        self.values(body, &mut params);
        params
    }

    /// The `values` of a generator, which may use its other parameters.
    fn values(&self, body: &Value, params: &mut Params) {
        if let Some(values) = body.get("values").present() {
            let values = filled(values, params, self.go);
            flatten(&values, "values", 0, params);
        }
    }

    fn matrix(&self, body: &Value, depth: usize) -> Option<Vec<Params>> {
        let [first, second] = body.get("generators").present()?.items() else { return None };
        let mut found = Vec::new();
        let elements = self.nested(first, depth + 1);
        if is_large(second, elements.len()) {
            return None;
        }
        for params in elements {
            let second = filled(second, &params, self.go);
            for mut both in self.nested(&second, depth + 1) {
                for (path, value) in &params {
                    both.entry(path.clone()).or_insert_with(|| value.clone());
                }
                found.push(both);
            }
            if found.len() > MAX_ELEMENTS {
                return None;
            }
        }
        Some(found)
    }

    /// The elements of the first generator; the others change those with the same keys.
    fn merge(&self, body: &Value, depth: usize) -> Option<Vec<Params>> {
        let keys: Option<Vec<&str>> =
            body.get("mergeKeys").present()?.items().iter().map(Value::as_str).collect();
        let keys = keys?;
        let (first, others) = body.get("generators").present()?.items().split_first()?;
        let mut base = self.nested(first, depth + 1);
        for other in others {
            for over in self.nested(other, depth + 1) {
                for params in &mut base {
                    override_params(params, &over, &keys);
                }
            }
        }
        Some(base)
    }

    /// The files or folders of this repository that the generator finds.
    fn git(&self, body: &Value) -> Option<Vec<Params>> {
        let prefix = match body.get("pathParamPrefix").present() {
            Some(prefix) => format!("{}.", prefix.as_str()?),
            None => String::new(),
        };
        let mut found = Vec::new();
        if let Some(list) = body.get("files").present() {
            let wanted = PathPatterns::read(list)?;
            for (id, file) in self.repository.files.iter() {
                let Some(place) = wanted.place(file.path()) else { continue };
                let document = self.repository.document(id, false);
                let content = document.value.as_ref();
                let several = content.and_then(Value::as_list).map(|it| it.items.as_slice());
                for content in several.or(content.map(std::slice::from_ref)).unwrap_or_default() {
                    let mut params = path_params(&prefix, file.folder(), place);
                    let name = file.name();
                    params.insert(format!("{prefix}path.filename"), Value::computed(name, place));
                    flatten(content, "", 0, &mut params);
                    found.push(params);
                }
            }
        } else {
            let wanted = PathPatterns::read(body.get("directories").present()?)?;
            for folder in self.repository.folders() {
                let Some(place) = wanted.place(folder) else { continue };
                found.push(path_params(&prefix, folder, place));
            }
        }
        for params in &mut found {
            self.values(body, params);
        }
        (!found.is_empty()).then_some(found)
    }
}

/// Elements written one by one.
fn list(body: &Value) -> Option<Vec<Params>> {
    if !body.get("elementsYaml").is_missing() {
        return None;
    }
    let list = body.get("elements").present()?.as_list()?;
    let mut found: Vec<Params> = Vec::with_capacity(list.items.len());
    for item in &list.items {
        let mut params = Params::new();
        flatten(item, "", 0, &mut params);
        found.push(params);
    }
    if list.rest.is_some() {
        found.push(Params::new());
    }
    Some(found)
}

/// The scalars of a value, each under its path.
fn flatten(value: &Value, path: &str, depth: usize, params: &mut Params) {
    match &value.kind {
        Kind::Map(map) if depth < 16 => {
            for entry in &map.entries {
                let path = match path {
                    "" => entry.key.to_string(),
                    path => format!("{path}.{}", entry.key),
                };
                flatten(&entry.value, &path, depth + 1, params);
            }
        }
        Kind::String(_) | Kind::Number(_) | Kind::Bool(_) => {
            params.insert(path.to_owned(), value.clone());
        }
        _ => {
            params.remove(path);
        }
    }
}

/// What an element of a later generator does to one of the first. Where it is not known whether they
/// belong together, what they do not agree on is not known either.
fn override_params(params: &mut Params, over: &Params, keys: &[&str]) {
    let mut sure = true;
    for key in keys {
        match params.get(*key).zip(over.get(*key)).and_then(|(a, b)| a.same_as(b)) {
            Some(true) => {}
            Some(false) => return,
            None => sure = false,
        }
    }
    for (path, value) in over {
        if sure {
            params.insert(path.clone(), value.clone());
        } else if params.get(path).is_some_and(|it| it.same_as(value) != Some(true)) {
            params.remove(path);
        }
    }
}

/// Whether an element may pass a generator's selector.
fn may_match(selector: &Value, params: &Params) -> bool {
    let labels = selector.get("matchLabels").present().map_or(&[][..], Value::entries);
    labels.iter().all(|label| {
        params.get(&*label.key).is_none_or(|it| it.same_as(&label.value) != Some(false))
    })
}

/// The parameters a git generator makes for a folder.
fn path_params(prefix: &str, folder: &str, place: Span) -> Params {
    let name = folder.rsplit('/').next().unwrap_or_default();
    let plain: String =
        name.chars().map(|it| if it.is_alphanumeric() { it } else { '-' }).collect();
    let mut params = Params::new();
    let mut put = |path: String, text: &str| {
        params.insert(format!("{prefix}{path}"), Value::computed(text, place));
    };
    // Go templates know them below `path`, the others as `path` itself.
    put("path".to_owned(), folder);
    put("path.path".to_owned(), folder);
    put("path.basename".to_owned(), name);
    put("path.basenameNormalized".to_owned(), &plain.to_lowercase());
    for (index, segment) in folder.split('/').enumerate() {
        put(format!("path[{index}]"), segment);
        put(format!("path.segments.{index}"), segment);
    }
    params
}

/// A pattern of paths.
struct PathPattern {
    /// What comes before its first special character: most paths begin otherwise, which costs less to see.
    begin: String,
    matcher: GlobSet,
}

impl PathPattern {
    fn new(pattern: &str) -> Option<Self> {
        let written = pattern.trim_start_matches("./").trim_matches('/');
        let end = written.find(['*', '?', '[', '{', '\\']).unwrap_or(written.len());
        Some(Self { begin: written[..end].to_owned(), matcher: glob(pattern)? })
    }

    fn matches(&self, path: &str) -> bool {
        path.starts_with(&self.begin) && self.matcher.is_match(path)
    }
}

/// The path patterns of a git generator.
struct PathPatterns {
    include: Vec<(PathPattern, Span)>,
    exclude: Vec<PathPattern>,
}

impl PathPatterns {
    /// None when a pattern is not known.
    fn read(list: &Value) -> Option<Self> {
        let mut patterns = Self { include: Vec::new(), exclude: Vec::new() };
        if list.as_list()?.rest.is_some() {
            return None;
        }
        for item in list.items() {
            let path = item.get("path").present()?;
            let matcher = PathPattern::new(path.as_str()?)?;
            match item.get("exclude").present().and_then(Value::as_bool) {
                Some(true) => patterns.exclude.push(matcher),
                _ => patterns.include.push((matcher, path.span)),
            }
        }
        Some(patterns)
    }

    /// The pattern that a path matches.
    fn place(&self, path: &str) -> Option<Span> {
        let place =
            self.include.iter().find(|(it, _)| it.matches(path)).map(|(_, place)| *place)?;
        let is_left_out = self.exclude.iter().any(|it| it.matches(path));
        (!is_left_out).then_some(place)
    }
}
