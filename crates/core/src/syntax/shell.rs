//! Commands of shell scripts, of the recipes of Makefiles and justfiles, and of what runs in pipelines.
//!
//! Quotes, escapes and continued lines are read as a shell reads them; nothing is expanded. What would have to
//! run to be known (`$(…)`, `${x%y}`) is [`Part::Opaque`](word::Part); the marks `$(NAME)` of make and `{{ name }}` of
//! other runners are variables as `$NAME` is.

mod scanner;
pub mod word;

use std::ops::Range;

use crate::syntax::shell::{
    scanner::Scanner,
    word::{Command, Dialect, Word},
};

/// The commands in a range of a text, in their order.
#[must_use]
pub fn commands(text: &str, range: Range<usize>, dialect: Dialect) -> Vec<Command> {
    Scanner::new(text, range, dialect).commands()
}

/// The bytes in a range of a text as one word, blanks and all: the right side of an assignment.
#[must_use]
pub fn word(text: &str, range: Range<usize>, dialect: Dialect) -> Word {
    Scanner::new(text, range, dialect).whole()
}

/// The bytes in a range of a text as one word in which quotes mean themselves: what `envsubst` fills in.
#[must_use]
pub fn document(text: &str, range: Range<usize>) -> Word {
    Scanner::new(text, range, Dialect::Shell).document(false, false)
}

/// The bytes in a range of a text as one word of which nothing means anything but itself to a shell: an item of a list of
/// arguments.
#[must_use]
pub fn argument(text: &str, range: Range<usize>, dialect: Dialect) -> Word {
    Scanner::new(text, range, dialect).document(true, false)
}

/// Whether a text begins with a command that gets a document: `cat <<EOF | kubectl apply -f -`. What has the name of a
/// manifest may be what somebody copied into a shell.
#[must_use]
pub fn begins_with_document(text: &str) -> bool {
    const PROGRAMS: [&str; 3] = ["cat", "envsubst", "kubectl"];
    let is_code = |it: &&str| !it.is_empty() && !it.starts_with('#');
    let first = text.lines().map(str::trim).find(is_code).unwrap_or_default();
    let program = first.split_whitespace().next().unwrap_or_default();
    PROGRAMS.contains(&program) && first.contains("<<")
}

/// The first line of a text, from its beginning, that is a command of somebody's notes: `kubectl get pods`. In a document of
/// YAML no line is.
#[must_use]
pub fn command_among_notes(text: &str) -> Option<Range<usize>> {
    const PROGRAMS: [&str; 9] =
        ["aws", "cat", "curl", "docker", "eksctl", "helm", "kubectl", "sudo", "terraform"];
    let mut at = 0;
    text.split_inclusive('\n').find_map(|line| {
        let start = at;
        at += line.len();
        let mut words = line.split_whitespace();
        let program = words.next().filter(|it| line.starts_with(it) && PROGRAMS.contains(it))?;
        let is_command = words.next().is_some_and(|it| !it.ends_with(':'));
        let is_read = program != "cat" || line.contains("<<");
        (is_command && is_read).then(|| start..start + line.trim_end().len())
    })
}

#[cfg(test)]
mod tests {
    use super::{
        argument, begins_with_document, command_among_notes, commands,
        word::{Dialect, Part, Word},
    };

    /// A word with its variables as `<NAME>` or `<NAME|default>` and what is opaque as `?`.
    fn shown(text: &str, word: &Word) -> String {
        let part = |part: &Part| match part {
            Part::Plain(range) => text[range.clone()].to_owned(),
            Part::Variable { name, default: Some(range), .. } => {
                format!("<{name}|{}>", &text[range.clone()])
            }
            Part::Variable { name, .. } => format!("<{name}>"),
            Part::Opaque(_) => "?".to_owned(),
        };
        word.parts.iter().map(part).collect()
    }

    fn read(text: &str, dialect: Dialect) -> Vec<Vec<String>> {
        let all = commands(text, 0..text.len(), dialect);
        all.iter().map(|it| it.words.iter().map(|it| shown(text, it)).collect()).collect()
    }

    #[test]
    fn words_are_those_of_a_shell() {
        for (text, wanted) in [
            ("helm install a b", vec![vec!["helm", "install", "a", "b"]]),
            ("a \\\n  b # c\nd", vec![vec!["a", "b"], vec!["d"]]),
            ("a 'b # c' \"d \\\" $E\"", vec![vec!["a", "b # c", "d \" <E>"]]),
            ("a=b\\.c\"\\.d\"", vec![vec!["a=b.c\\.d"]]),
            ("a && b | c; (d)", vec![vec!["a"], vec!["b"], vec!["c"], vec!["d"]]),
            ("a > /dev/null 2>&1 b", vec![vec!["a", "b"]]),
            ("a <<EOF b\nhelm install c\nEOF\nd", vec![vec!["a", "b"], vec!["d"]]),
            ("a <<-'EOF'\n\tc \"\n\tEOF\nd", vec![vec!["a"], vec!["d"]]),
            (
                "a ${B:-c} ${D} ${E#v} $(f \"(\") `g`",
                vec![vec!["a", "<B|c>", "<D>", "?", "?", "?"]],
            ),
            ("a ${{ env.B }}-{{ c }} {{.D}} {{ e f }}", vec![vec!["a", "<B>-<c>", "<D>", "?"]]),
            ("a $1 $@ \"", vec![vec!["a", "?", "?", ""]]),
            ("a#b", vec![vec!["a#b"]]),
            ("a $'b' c", vec![vec!["a", "?b", "c"]]),
        ] {
            assert_eq!(read(text, Dialect::Shell), wanted, "{text}");
        }
    }

    #[test]
    fn powershell_escapes_with_backticks() {
        for (text, wanted) in [
            ("helm a `\n  --b 1\nc", vec![vec!["helm", "a", "--b", "1"], vec!["c"]]),
            (
                "a \"b\\.c=$D\" 'e''f' ${g}h $env:I",
                vec![vec!["a", "b\\.c=<d>", "ef", "<g>h", "<I>"]],
            ),
            ("a $b.c $(d) @e \"`$f `\"g\"", vec![vec!["a", "?.c", "?", "?", "$f \"g"]]),
            ("<# a\nb #> c ; d 2>$null # e", vec![vec!["c"], vec!["d"]]),
            ("@\"\nkind: $A\n\"@ | b -f -", vec![vec!["kind: <a>\n"], vec!["b", "-f", "-"]]),
        ] {
            assert_eq!(read(text, Dialect::PowerShell), wanted, "{text}");
        }
    }

    #[test]
    fn make_has_variables_in_parentheses() {
        let words = ["a", "<B>", "?", "?", "<E>"];
        assert_eq!(read("a $(B) $(shell c) $$D ${E}", Dialect::Make), [words]);
    }

    #[test]
    fn ansible_fills_in_before_a_shell_reads() {
        let words = ["a", "<B>", "c<D>", "?", "$E"];
        let text = "a {{ B }} 'c{{ D }}' \"{{ f('x') }}\" '$E'";
        assert_eq!(read(text, Dialect::Ansible), [words]);
        assert_eq!(
            shown("{{ A }}\\.b $c", &argument("{{ A }}\\.b $c", 0..13, Dialect::Ansible)),
            "<A>\\.b $c"
        );
    }

    #[test]
    fn assignments_have_a_name_and_a_value() {
        for (text, wanted) in [
            ("A=b", Some(("A", "b"))),
            ("A=\"$B\"", Some(("A", "<B>"))),
            ("A=", Some(("A", ""))),
            ("--a=b", None),
            ("$A=b", None),
        ] {
            let all = commands(text, 0..text.len(), Dialect::Shell);
            let found = all[0].words[0].assignment(text);
            let found = found.map(|(name, value)| (name, shown(text, &value)));
            assert_eq!(found, wanted.map(|(a, b)| (a.to_owned(), b.to_owned())), "{text}");
        }
    }

    #[test]
    fn a_text_that_begins_with_a_document_is_a_script() {
        for (text, wanted) in [
            ("cat <<EOF | kubectl apply -f -\nkind: Pod\nEOF\n", true),
            ("# The pools\n\n  kubectl apply -f - <<'EOF'\nkind: Pod\nEOF\n", true),
            ("cat: <<EOF\n", false),
            ("kubectl apply -f pools.yaml\n", false),
            ("kind: ConfigMap\ndata:\n  run: |\n    cat <<EOF\n", false),
            ("", false),
        ] {
            assert_eq!(begins_with_document(text), wanted, "{text}");
        }
    }

    #[test]
    fn notes_have_lines_that_are_commands() {
        for (text, wanted) in [
            (
                "# Rollouts\n\nkubectl create namespace shop\n",
                Some("kubectl create namespace shop"),
            ),
            ("---\ncat > pod.yaml <<EOF\nkind: Pod\n", Some("cat > pod.yaml <<EOF")),
            ("kind: Pod\nEOF\nhelm repo update  \n", Some("helm repo update")),
            ("run: |\n  kubectl get pods\n", None),
            ("kubectl: get\nhelm :\n", None),
            ("cat shop\n", None),
            ("kubectl\n", None),
        ] {
            let found = command_among_notes(text).map(|it| &text[it]);
            assert_eq!(found, wanted, "{text}");
        }
    }
}
