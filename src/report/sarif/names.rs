//! The name of the object around a place: the address of a Terraform block, a Kubernetes object. They
//! are the names that `object` in the config's allowances takes.

use std::collections::HashMap;

use crate::{
    project::kind::FileKind,
    report::sarif::schema::LogicalLocation,
    resolve::kubernetes,
    source::{FileId, SourceFile, Span},
    syntax::{
        hcl::{self, Block, JsonProperty},
        json, yaml,
    },
    value::Text,
};

/// The objects of a file, in the order of their places, none inside another.
type Things = Vec<(Span, LogicalLocation)>;

/// The objects of the files that a report names.
#[derive(Debug)]
pub(super) struct Names {
    by_file: HashMap<FileId, Things>,
}

impl Names {
    /// Reads the files around the places, each once, and of a YAML stream only the documents around them.
    pub(crate) fn around<'a>(
        file: impl Fn(FileId) -> &'a SourceFile,
        places: impl Iterator<Item = Span>,
    ) -> Self {
        let mut by_file: HashMap<FileId, Vec<u32>> = HashMap::new();
        for place in places {
            by_file.entry(place.file).or_default().push(place.start);
        }
        let things = |(id, mut starts): (FileId, Vec<u32>)| {
            starts.sort_unstable();
            let mut found = things(id, file(id), &starts);
            found.sort_unstable_by_key(|(span, _)| span.start);
            (id, found)
        };
        Self { by_file: by_file.into_iter().map(things).collect() }
    }

    /// The object around a place.
    pub(super) fn at(&self, span: Span) -> Option<&LogicalLocation> {
        let things = self.by_file.get(&span.file)?;
        let after = things.partition_point(|(it, _)| it.start <= span.start);
        let (around, name) = things.get(after.checked_sub(1)?)?;
        around.contains(span).then_some(name)
    }
}

fn things(id: FileId, file: &SourceFile, starts: &[u32]) -> Things {
    let text = file.text();
    match FileKind::of(file.path()) {
        Some(FileKind::Terraform) if file.ending() == "json" => {
            addresses(&hcl::json::parse(id, text, &shape).body)
        }
        Some(FileKind::Terraform) => addresses(&hcl::read::parse(id, text).body),
        Some(FileKind::Yaml | FileKind::Json) => objects(id, file, starts),
        _ => Vec::new(),
    }
}

/// The language's own blocks; what is inside them does not matter here.
fn shape(around: &[std::sync::Arc<str>], name: &str) -> JsonProperty {
    match name {
        _ if !around.is_empty() => JsonProperty::Attribute,
        "resource" | "data" | "ephemeral" => JsonProperty::Blocks(2),
        "module" | "variable" | "output" => JsonProperty::Blocks(1),
        "locals" => JsonProperty::Blocks(0),
        _ => JsonProperty::Attribute,
    }
}

fn addresses(body: &hcl::Body) -> Things {
    body.blocks.iter().flat_map(addresses_of).collect()
}

/// The address of a block; `locals` holds several objects.
fn addresses_of(block: &Block) -> Things {
    let before = match &*block.kind {
        "resource" => "",
        "ephemeral" => "ephemeral.",
        "data" => "data.",
        "module" => "module.",
        "variable" => "var.",
        "output" => "output.",
        "locals" => {
            let local = |it: &hcl::Attribute| {
                (it.span, thing(format!("local.{}", it.name), &it.name, "variable"))
            };
            return block.body.attributes.iter().map(local).collect();
        }
        _ => return Vec::new(),
    };
    let labels: Vec<&str> = block.labels.iter().map(|(text, _)| &**text).collect();
    let (name, kind) = match (&*block.kind, labels.as_slice()) {
        ("resource" | "ephemeral" | "data", [_, name]) => (*name, "resource"),
        ("module", [name]) => (*name, "module"),
        ("variable" | "output", [name]) => (*name, "variable"),
        // Without a written name it has no address.
        _ => return Vec::new(),
    };
    vec![(block.span, thing(format!("{before}{}", labels.join(".")), name, kind))]
}

fn objects(id: FileId, file: &SourceFile, starts: &[u32]) -> Things {
    let whole = Span::new(id, 0, file.text().len());
    let text = Text::verbatim(file.text(), whole);
    let documents = if file.ending() == "json" {
        json::parse(&text, whole)
    } else {
        let holds = |document: &str| {
            // The document is a piece of the text, so this is where it starts.
            let start = document.as_ptr().addr() - text.text.as_ptr().addr();
            let first = starts.partition_point(|it| (*it as usize) < start);
            starts.get(first).is_some_and(|it| (*it as usize) <= start + document.len())
        };
        yaml::parse_some(&text, whole, holds)
    };
    let named = |it: kubernetes::Object| {
        let name = it.anchor_text()?;
        Some((it.value.span, thing(format!("{}/{name}", it.kind), name, "resource")))
    };
    documents.values.iter().flat_map(kubernetes::objects).filter_map(named).collect()
}

fn thing(whole: String, name: &str, kind: &'static str) -> LogicalLocation {
    LogicalLocation { name: name.to_owned(), fully_qualified_name: whole, kind }
}

#[cfg(test)]
mod tests {
    use super::Names;
    use crate::{
        project::Project,
        source::{FileId, Span},
    };

    /// What the places of `@` in a file are called.
    fn names(path: &str, text: &str) -> Vec<String> {
        let marks: Vec<usize> = text.match_indices('@').map(|(at, _)| at).collect();
        let project = Project::from_memory(vec![(path.to_owned(), text.to_owned())]);
        let spans: Vec<Span> = marks.iter().map(|it| Span::new(FileId(0), *it, it + 1)).collect();
        let names = Names::around(|it| project.files.get(it), spans.iter().copied());
        let name = |it: &Span| names.at(*it).map_or("", |it| &it.fully_qualified_name).to_owned();
        spans.iter().map(name).collect()
    }

    #[test]
    fn things_have_the_names_people_give_them() {
        let terraform = "# @\nresource \"helm_release\" \"karpenter\" {\n  name = \"@\"\n  set {\n    name = \"@\"\n  }\n}\ndata \"aws_ami\" \"a\" {\n  x = \"@\"\n}\nmodule \"eks\" {\n  x = \"@\"\n}\nlocals {\n  a = \"@\"\n  b = { c = \"@\" }\n}\nvariable \"v\" { default = \"@\" }\nterraform { x = \"@\" }\n";
        let addresses = ["", "helm_release.karpenter", "helm_release.karpenter", "data.aws_ami.a"];
        let more = ["module.eks", "local.a", "local.b", "var.v", ""];
        assert_eq!(names("a/main.tf", terraform), [&addresses[..], &more].concat());
        let json = r#"{"resource": {"helm_release": {"k": {"name": "@"}}}, "locals": {"a": "@"}}"#;
        assert_eq!(names("main.tf.json", json), ["helm_release.k", "local.a"]);
        let yaml = "# first\nkind: ConfigMap\nmetadata: {name: one}\n---\nkind: StatefulSet\nmetadata:\n  name: ledger\nspec: '@'\n---\nkind: List\nitems:\n- kind: Pod\n  metadata: {name: p}\n  x: '@'\n- kind: Pod\n  metadata: {name: \"{{ .x }}\"}\n  x: '@'\n---\nx: '@'\n";
        assert_eq!(names("a.yaml", yaml), ["StatefulSet/ledger", "Pod/p", "", ""]);
        let json = r#"{"kind": "Pod", "metadata": {"name": "p"}, "x": "@"}"#;
        assert_eq!(names("a.json", json), ["Pod/p"]);
        assert_eq!(names("values.yaml", "x: '@'\n"), [""]);
        assert_eq!(names("a.tf", "resource \"a\" {\n  x = \"@\"\n}\n"), [""]);
    }
}
