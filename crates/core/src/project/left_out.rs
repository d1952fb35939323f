//! Files and folders that are no part of any project.

use crate::{project::skipped::TEMPLATE, source::file_name};

/// The folder names by which Go and the test tools of Kyverno mark what only tests read; it is not applied.
const TEST_DATA: &[&str] = &["testdata", ".chainsaw-test", ".kyverno-test"];

/// Whether a name shows that the file is a Jinja template, whatever it becomes: `eks.j2.tf`.
fn is_jinja(path: &str) -> bool {
    let name = file_name(path);
    [".j2.", ".jinja.", ".jinja2."].iter().any(|it| name.contains(it))
}

/// Whether a path is inside test data.
pub(super) fn lies_in_test_data(path: &str) -> bool {
    path.split('/').any(|it| TEST_DATA.contains(&it))
}

/// Why a file or folder is no part of any project, if it is not.
pub(super) fn reason(path: &str, inside_test_data: bool) -> Option<&'static str> {
    let name = file_name(path);
    match name {
        _ if TEST_DATA.contains(&name) && !inside_test_data => Some("test data"),
        _ if is_jinja(path) => Some(TEMPLATE),
        _ => None,
    }
}
