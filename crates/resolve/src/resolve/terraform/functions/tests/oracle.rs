//! The recorded expectations against the terraform binary, where there is one.

use super::expectations;
use crate::resolve::terraform::tests::console::ask;

/// Expressions a console session evaluates at once; a line of its input must stay below 64 KB.
const AT_ONCE: usize = 60;

#[test]
fn expectations_are_terraforms() {
    let recorded: Vec<_> = expectations().filter(|it| it.1 != "unknown").collect();
    assert!(recorded.len() >= 400, "only {} expectations", recorded.len());
    if !karplint_test_tools::can_run("terraform") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for chunk in recorded.chunks(AT_ONCE) {
        let answers = ask(folder.path(), chunk);
        for ((expression, expected), answer) in chunk.iter().zip(&answers) {
            assert_eq!(answer, expected, "{expression}");
        }
        assert_eq!(answers.len(), chunk.len());
    }
}
