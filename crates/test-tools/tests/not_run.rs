//! Prints, after all other tests, which were not run. It has no test of its own and does not fail.

#![expect(clippy::print_stdout, reason = "its line is what it is for")]

fn main() {
    // Test runners ask for a list of tests.
    if std::env::args().any(|it| it == "--list") {
        return;
    }
    let counts = karplint_test_tools::not_run();
    let counts: Vec<String> =
        counts.iter().map(|(what, count)| format!("{what}: {count}")).collect();
    if counts.is_empty() {
        println!("\nall tests were run\n");
    } else {
        println!("\nnot run for want of {}\n", counts.join(", "));
    }
}
