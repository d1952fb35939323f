//! What resolution makes of small projects: how tests build and ask them.

mod files;
mod forms;
mod generated;
pub(crate) mod console;
mod hostile;
mod modules;
mod order;
mod plan;
mod premise;
mod references;
mod terragrunt;
mod templates;
mod threads;
mod values;

use crate::{
    resolve::terraform::{
        Terraform, object::BlockInstance, options::TerraformOptions, resolve, root::Root,
    },
    source::{Files, SourceFile},
    value::{HOLE_END, HOLE_START, Kind, Value},
};

/// A project of the given files, resolved.
pub(super) struct Project {
    pub files: Files,
    pub terraform: Terraform,
}

impl Project {
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        Self::with(files, &TerraformOptions::default())
    }

    pub(super) fn with(files: &[(&str, &str)], options: &TerraformOptions) -> Self {
        let files = files.iter().map(|(path, text)| SourceFile::new(*path, *text)).collect();
        let files = Files::new(files);
        let terraform = resolve(&files, options);
        Self { files, terraform }
    }

    pub(super) fn root(&self, folder: &str) -> &Root {
        self.terraform.roots.iter().find(|it| &*it.folder == folder).expect("the root")
    }

    pub(super) fn object(&self, address: &str) -> &BlockInstance {
        let mut objects = self.terraform.roots.iter().flat_map(|it| &it.objects);
        objects.find(|it| &*it.address == address).unwrap_or_else(|| panic!("no {address}"))
    }

    pub(super) fn has(&self, address: &str) -> bool {
        self.terraform.roots.iter().flat_map(|it| &it.objects).any(|it| &*it.address == address)
    }

    /// The value at a path of `module.probe`, a call whose module is not there, or of an object.
    pub(super) fn at(&self, address: &str, path: &str) -> Value {
        let found = self.object(address).body.at(path).present();
        found.unwrap_or_else(|| panic!("nothing at {path}")).clone()
    }

    pub(super) fn source(&self, value: &Value) -> &str {
        self.files.text(value.span)
    }

    pub(super) fn steps(&self, value: &Value) -> Vec<String> {
        let step =
            |it: &crate::value::step::Step| format!("{} @ {}", it.kind, self.files.text(it.span));
        value.steps().map(step).collect()
    }

    pub(super) fn waits(&self, from: &str, to: &str) -> bool {
        let root =
            self.terraform.roots.iter().find(|it| it.objects.iter().any(|it| &*it.address == from));
        root.expect("the root").waits_for(self.object(from).node, self.object(to).node)
    }
}

/// The value of one expression as JSON-like text; unknown parts as `?symbol`.
pub(super) fn show(value: &Value) -> String {
    match &value.kind {
        Kind::Null => "null".into(),
        Kind::Bool(it) => it.to_string(),
        Kind::Number(it) => it.to_string(),
        Kind::String(it) => {
            let (first, rest) = it.text.split_once(HOLE_START).unwrap_or((&it.text, ""));
            let mut text = first.to_owned();
            for (index, part) in rest.split(HOLE_START).enumerate() {
                let after = part.split_once(HOLE_END).map_or("", |(_, after)| after);
                let hole = it.holes.get(index).map_or(String::new(), |it| format!("<{}>", it.text));
                text = text + &hole + after;
            }
            format!("{text:?}")
        }
        Kind::Unknown(it) => format!("?{}", it.text),
        Kind::List(it) => {
            let mut parts: Vec<String> = it.items.iter().map(show).collect();
            parts.extend(it.rest.as_ref().map(|_| "…".to_owned()));
            format!("[{}]", parts.join(","))
        }
        Kind::Map(it) => {
            let entry = |it: &crate::value::Entry| format!("{}={}", it.key, show(&it.value));
            let mut parts: Vec<String> = it.entries.iter().map(entry).collect();
            parts.extend(it.rest.as_ref().map(|_| "…".to_owned()));
            format!("{{{}}}", parts.join(","))
        }
    }
}

/// Evaluates one expression among some declarations.
pub(super) fn eval(declarations: &str, expression: &str) -> String {
    let main = format!("{declarations}\nmodule \"probe\" {{\n  x = {expression}\n}}\n");
    let project = Project::new(&[("main.tf", &main)]);
    assert!(
        project.terraform.parse_errors.is_empty(),
        "{main}: {:?}",
        project.terraform.parse_errors
    );
    let body = &project.object("module.probe").body;
    show(&body.as_map().and_then(|it| it.entry("x")).expect("x").value)
}
