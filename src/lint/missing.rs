//! Where the modules come from whose outputs are missing to decide a question.

use crate::{
    findings::silence::{Silence, Unreported},
    resolve::terraform::{Terraform, object::Mode},
    source::{Files, parent},
    value::Value,
};

/// Names the source of the module behind each value that only that module knows.
pub(super) fn name_modules(terraform: &Terraform, files: &Files, unreported: &mut [Unreported]) {
    for it in unreported {
        let folder = parent(files.get(it.span.file).path());
        let Silence::Undecided(_, reason) = &it.silence else { continue };
        let called = reason.missing.as_deref().and_then(|it| it.strip_prefix("module."));
        let name = called.and_then(|it| it.split(['.', '[']).next());
        let Some(source) = name.and_then(|it| source_of(terraform, folder, it)) else { continue };
        it.silence = it.silence.clone().without_module(source);
    }
}

/// The source of a module call in a folder, where what it calls is not read.
fn source_of<'a>(terraform: &'a Terraform, folder: &str, name: &str) -> Option<&'a str> {
    let objects = terraform.roots.iter().flat_map(|it| &it.objects);
    let mut calls = objects.filter(|it| it.mode == Mode::Module && !it.entered);
    let call = calls.find(|it| &*it.folder == folder && &*it.name == name)?;
    call.body.get("source").present().and_then(Value::as_str)
}
