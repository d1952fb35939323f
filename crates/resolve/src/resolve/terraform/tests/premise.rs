//! Blocks that are there only with other values of variables than those known.

use crate::resolve::terraform::tests::{Project, show};

/// The value of `x` in a call of a module that is not there, with these variables and this `count`.
fn x(variables: &str, count: &str, x: &str) -> String {
    let text = format!(
        "{variables}module \"probe\" {{\n  source = \"./no\"\n  count = {count}\n  x = {x}\n}}\n"
    );
    let project = Project::new(&[("main.tf", &text)]);
    let object = project.terraform.roots[0].objects.iter().find(|it| &*it.name == "probe");
    show(object.expect("the call").body.get("x").present().expect("a value"))
}

#[test]
fn a_block_is_evaluated_as_it_is_where_it_is_there() {
    let on = "variable \"on\" {\n  default = false\n}\n";
    let open = "variable \"on\" {\n  type = bool\n}\n";
    let stage = "variable \"stage\" {\n  default = \"dev\"\n}\n";
    let any = "variable \"on\" {\n  type = any\n  default = {}\n}\n";
    for (variables, count, value, expected) in [
        (on, "var.on ? 1 : 0", "var.on ? 1 : 2", "1"),
        (on, "var.on ? 0 : 1", "var.on ? 1 : 2", "2"),
        (open, "var.on ? 1 : 0", "var.on ? 1 : 2", "1"),
        (open, "var.on ? 0 : 1", "var.on ? 1 : 2", "2"),
        (stage, "var.stage == \"live\" ? 1 : 0", "var.stage", "\"live\""),
        (
            stage,
            "var.stage == \"live\" || var.stage == \"test\" ? 1 : 0",
            "var.stage",
            "?var.stage",
        ),
        (
            stage,
            "length(var.stage) > 9 ? 1 : 0",
            "var.stage == \"dev\" ? 1 : 2",
            "?var.stage == \"dev\" ? 1 : 2",
        ),
        (stage, "length(var.stage) > 9 ? 1 : 0", "var.stage == \"dev\" ? 1 : 1", "1"),
        (any, "try(var.on.x, false) ? 1 : 0", "try(var.on.x, false) ? 1 : 2", "2"),
    ] {
        assert_eq!(x(variables, count, value), expected, "{variables}{count}");
    }
}

#[test]
fn branches_share_what_they_agree_in() {
    let open = "variable \"on\" {\n  type = bool\n}\n";
    let value = "(var.on ? { a = { b = 1, c = 1 } } : { a = { b = 1, c = 2 } }).a.b";
    assert_eq!(x(open, "1", value), "1");
}
