//! Roots of `terraform_data` and local modules, made up at random, the same ones for the same number.

use std::fmt::Write;

/// The files of a root.
pub(super) type Root = Vec<(String, String)>;

/// A root of that number.
pub(super) fn root(number: u64) -> Root {
    let mut maker = Maker { random: Random::new(number), files: Vec::new(), folders: 0 };
    let text = maker.module(0, "").0;
    maker.files.push(("main.tf".to_owned(), text));
    maker.files.sort();
    maker.files
}

/// A source of numbers that look random.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 16) % 1_000_003).unwrap_or_default() % end.max(1)
    }

    fn one_in(&mut self, number: usize) -> bool {
        self.below(number) == 0
    }

    fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        let index = self.below(list.len());
        list.get(index)
    }
}

/// What later items of a module may refer to.
#[derive(Default)]
struct Known {
    /// Expressions.
    values: Vec<String>,
    /// What `depends_on` may name.
    whole: Vec<String>,
    /// Resources, for `replace_triggered_by`.
    resources: Vec<String>,
}

struct Maker {
    random: Random,
    files: Root,
    folders: usize,
}

/// What `count` and `for_each` make of an item.
#[derive(Clone, Copy)]
enum Repeat {
    Once,
    Count,
    Each,
}

impl Maker {
    /// The text of a module, with the names of its variables and outputs.
    fn module(&mut self, depth: usize, folder: &str) -> (String, Vec<String>, Vec<String>) {
        let (mut text, mut known) = (String::new(), Known::default());
        let variables: Vec<String> =
            (0..=self.random.below(3)).map(|it| format!("v{it}")).collect();
        for name in &variables {
            let default = if depth == 0 { "default = \"d\"" } else { "" };
            let _ = writeln!(text, "variable \"{name}\" {{ {default} }}");
            known.values.push(format!("var.{name}"));
        }
        for index in 0..2 + self.random.below(4) {
            match self.random.below(10) {
                0 | 1 => self.local(index, &mut known, &mut text),
                2 => self.data(index, &mut known, &mut text),
                3 | 4 if depth < 2 => self.call((depth, folder), index, &mut known, &mut text),
                _ => self.resource(index, &mut known, &mut text),
            }
        }
        let outputs: Vec<String> = (0..=self.random.below(3)).map(|it| format!("o{it}")).collect();
        for name in &outputs {
            let value = self.value(&known);
            let order = self.order(&known, 4);
            let _ = writeln!(text, "output \"{name}\" {{\n  value = {value}\n{order}}}");
        }
        (text, variables, outputs)
    }

    fn local(&mut self, index: usize, known: &mut Known, text: &mut String) {
        let value = self.value(known);
        let _ = writeln!(text, "locals {{\n  l{index} = {value}\n}}");
        known.values.push(format!("local.l{index}"));
        if self.random.one_in(4) {
            known.whole.push(format!("local.l{index}"));
        }
    }

    fn data(&mut self, index: usize, known: &mut Known, text: &mut String) {
        let value = self.value(known);
        let order = self.order(known, 3);
        let _ = writeln!(
            text,
            "data \"terraform_remote_state\" \"d{index}\" {{\n  backend = \"local\"\n  \
             config = {{ path = {value} }}\n{order}}}"
        );
        known.values.push(format!("data.terraform_remote_state.d{index}.outputs"));
        known.whole.push(format!("data.terraform_remote_state.d{index}"));
    }

    fn resource(&mut self, index: usize, known: &mut Known, text: &mut String) {
        let (repeat, header) = self.repeat(known);
        let mut body = header;
        if !self.random.one_in(3) {
            let _ = writeln!(body, "  input = {}", self.value(known));
        }
        if self.random.one_in(4) {
            let _ = writeln!(body, "  triggers_replace = [{}]", self.value(known));
        }
        if self.random.one_in(6) {
            let value = self.value(known);
            let _ = writeln!(
                body,
                "  provisioner \"local-exec\" {{\n    command = \"echo ${{jsonencode({value})}}\"\n  }}"
            );
        }
        body += &self.lifecycle(known);
        body += &self.order(known, 3);
        let name = format!("r{index}");
        let _ = writeln!(text, "resource \"terraform_data\" \"{name}\" {{\n{body}}}");
        let address = format!("terraform_data.{name}");
        let references = match repeat {
            Repeat::Once => ["X.output", "X.id", "X"],
            Repeat::Count => ["X[0].output", "X[*].output", "one(X[*].id)"],
            Repeat::Each => ["X[\"a\"].output", "values(X)[*].output", "[for k, v in X : v.id]"],
        };
        known.values.extend(references.iter().map(|it| it.replace('X', &address)));
        known.resources.push(address.clone());
        known.whole.push(address);
    }

    fn lifecycle(&mut self, known: &Known) -> String {
        let mut body = String::new();
        if self.random.one_in(5)
            && let Some(resource) = self.random.pick(&known.resources)
        {
            let _ = writeln!(body, "    replace_triggered_by = [{resource}]");
        }
        if self.random.one_in(6) {
            let value = self.value(known);
            let _ = writeln!(
                body,
                "    precondition {{\n      condition = [{value}, var.v0] != null\n      \
                 error_message = \"No.\"\n    }}"
            );
        }
        if body.is_empty() { body } else { format!("  lifecycle {{\n{body}  }}\n") }
    }

    /// A call of a new module or, at times, another one of a module that was called before.
    fn call(
        &mut self,
        (depth, folder): (usize, &str),
        index: usize,
        known: &mut Known,
        text: &mut String,
    ) {
        self.folders += 1;
        let name = format!("m{}", self.folders);
        let inside = format!("{folder}{name}/");
        let (module, variables, outputs) = self.module(depth + 1, &inside);
        self.files.push((format!("{inside}main.tf"), module));
        let times = if self.random.one_in(4) { 2 } else { 1 };
        for time in 0..times {
            let (repeat, header) = self.repeat(known);
            let mut body = format!("  source = \"./{name}\"\n{header}");
            for variable in &variables {
                let _ = writeln!(body, "  {variable} = {}", self.value(known));
            }
            body += &self.order(known, 4);
            let address = format!("c{index}{time}");
            let _ = writeln!(text, "module \"{address}\" {{\n{body}}}");
            let address = format!("module.{address}");
            for output in &outputs {
                let reference = match repeat {
                    Repeat::Once => format!("{address}.{output}"),
                    Repeat::Count if self.random.one_in(2) => format!("{address}[*].{output}"),
                    Repeat::Count => format!("{address}[0].{output}"),
                    Repeat::Each => format!("{address}[\"a\"].{output}"),
                };
                if self.random.one_in(4) {
                    known.whole.push(format!("{address}.{output}"));
                }
                known.values.push(reference);
            }
            if self.random.one_in(3) {
                known.values.push(address.clone());
            }
            known.whole.push(address);
        }
    }

    fn repeat(&mut self, known: &Known) -> (Repeat, String) {
        match self.random.below(8) {
            0 => (Repeat::Count, format!("  count = length([{}])\n", self.value(known))),
            1 => (Repeat::Each, format!("  for_each = {{ a = {} }}\n", self.value(known))),
            2 => (Repeat::Each, "  for_each = toset([\"a\", \"b\"])\n".to_owned()),
            _ => (Repeat::Once, String::new()),
        }
    }

    fn order(&mut self, known: &Known, one_in: usize) -> String {
        if known.whole.is_empty() || !self.random.one_in(one_in) {
            return String::new();
        }
        let mut named = Vec::new();
        for _ in 0..=self.random.below(2) {
            named.extend(self.random.pick(&known.whole).cloned());
        }
        named.sort();
        named.dedup();
        format!("  depends_on = [{}]\n", named.join(", "))
    }

    /// An expression around something known.
    fn value(&mut self, known: &Known) -> String {
        if self.random.one_in(6) {
            return "\"literal\"".to_owned();
        }
        let Some(inner) = self.random.pick(&known.values).cloned() else {
            return "null".to_owned();
        };
        let forms = [
            "X",
            "X",
            "X",
            "jsonencode({ a = X })",
            "[for it in [X] : it]",
            "{ for k, v in { a = X } : k => v }",
            "try(X, null)",
            "X == null ? 1 : 2",
            "\"a-${jsonencode(X)}\"",
            "\"%{ if X != null }y%{ endif }\"",
            "[X][0]",
            "(X)",
            "!(X == null)",
            "concat([X], [\"z\"])[0]",
        ];
        let form = self.random.pick(&forms).copied().unwrap_or("X");
        form.replace('X', &inner)
    }
}
