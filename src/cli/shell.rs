//! Shell completions and manual pages: generated from the description of the command line.

use clap::{
    Arg, Command, CommandFactory,
    builder::{PossibleValue, PossibleValuesParser},
};

use crate::{
    cli::{
        args::{Arguments, Completions, Manual},
        exit::CLEAN,
        output::Streams,
    },
    config::output::Format,
    rules,
};

/// Prints a script that completes karplint's arguments, and returns the exit code.
///
/// # Errors
/// When standard output cannot be written.
pub(super) fn completions(wanted: &Completions, output: &mut Streams) -> Result<u8, String> {
    let mut script = Vec::new();
    let mut command = with_names(Arguments::command());
    clap_complete::generate(wanted.shell, &mut command, "karplint", &mut script);
    output.print(&String::from_utf8_lossy(&script))?;
    Ok(CLEAN)
}

/// Prints the page for `man`, of karplint or of one command, and returns the exit code.
///
/// # Errors
/// When there is no such command, or standard output cannot be written.
pub(super) fn manual(wanted: &Manual, output: &mut Streams) -> Result<u8, String> {
    let mut command = Arguments::command().disable_help_subcommand(true);
    command.build();
    let page = match &wanted.command {
        None => &command,
        Some(name) => command
            .find_subcommand(name)
            .ok_or_else(|| format!("`{name}` is no command; `karplint --help` lists them"))?,
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page.clone())
        .render(&mut text)
        .map_err(|error| format!("the page cannot be written: {error}"))?;
    output.print(&(String::from_utf8_lossy(&text).into_owned() + MANUAL))?;
    Ok(CLEAN)
}

/// What the description of the command line does not hold.
const MANUAL: &str = r#".SH "EXIT STATUS"
.TP
\fB0\fR
Nothing was found that \fB\-\-fail\-on\fR counts.
.TP
\fB1\fR
Something was found, or an upgrade has something to change.
.TP
\fB2\fR
karplint could not do its work: wrong arguments, mistakes in the configuration, nothing to read.
.SH FILES
.TP
\fI.karplint.yaml\fR
Decisions, for the files beside it and below; the nearest one counts. \fBkarplint init\fR writes one.
.TP
\fI.karplint/policies/*.yaml\fR
Policies of one's own.
.TP
\fI.gitignore\fR, \fI.git/info/exclude\fR
What is no part of the project.
.SH EXAMPLES
.nf
karplint check
karplint check \-\-fix infra/
karplint check \-\-changed\-since main
karplint check \-\-format sarif \-\-output karplint.sarif
kubectl get nodepools,ec2nodeclasses \-o yaml | karplint check \-
helm template web charts/web | karplint check \-
karplint explain crds\-not\-skipped
.fi
"#;

/// The command line with the names that its own parsers would accept: rules and forms.
fn with_names(command: Command) -> Command {
    let rule = |argument: Arg| {
        let names = rules::pages().map(|it| PossibleValue::new(it.name).help(it.title.to_string()));
        argument.value_parser(PossibleValuesParser::new(names))
    };
    let form = |argument: Arg| argument.value_parser(clap::value_parser!(Format));
    let scope = |command: Command| command.mut_arg("only", rule).mut_arg("skip", rule);
    command
        .mut_subcommand("check", |it| scope(it).mut_arg("formats", form))
        .mut_subcommand("baseline", scope)
        .mut_subcommand("explain", |it| it.mut_arg("rule", rule))
}
