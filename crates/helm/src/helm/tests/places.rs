//! Where rendered text is written: changing the literal that the place names changes the text.

use super::{offline, rendered, values};
use crate::{
    source::Span,
    syntax::yaml,
    value::{Kind, Value},
};

const CHART: [(&str, &str); 4] = [
    (
        "values.yaml",
        "image: {name: nginx, tag: v1}\nreplicas: 3\nlabels: {team: web, tier: front}\nargs: [one, two]\n\
         note: \"uses {{ .Values.image.name }}\"\nlong: |\n  first\n  second\n",
    ),
    (
        "templates/_names.tpl",
        "{{- define \"labels\" -}}\napp: fixed\n{{ toYaml .Values.labels }}\n{{- end -}}\n",
    ),
    (
        "templates/a.yaml",
        "kind: Deployment
metadata:
  labels:
    {{- include \"labels\" . | nindent 4 }}
  annotations:
    {{- range $k, $v := .Values.labels }}
    copy/{{ $k }}: {{ $v | upper | quote }}
    {{- end }}
    note: {{ tpl .Values.note . | quote }}
spec:
  replicas: {{ .Values.replicas }}
  image: {{ .Values.image.name }}
  args: {{ toJson .Values.args }}
  more: {{ .Values.args | toYaml | nindent 4 }}
  file: {{ .Files.Get \"conf.txt\" | trim }}
  long: {{ .Values.long | quote }}
  trimmed: {{ .Values.image.tag | trimPrefix \"v\" }}
",
    ),
    ("conf.txt", "content\n"),
];

fn scalars(value: &Value, path: &str, found: &mut Vec<(String, Span, String)>) {
    match &value.kind {
        Kind::Map(map) => {
            for entry in &map.entries {
                scalars(&entry.value, &format!("{path}.{}", entry.key), found);
            }
        }
        Kind::List(list) => {
            for (at, item) in list.items.iter().enumerate() {
                scalars(item, &format!("{path}.{at}"), found);
            }
        }
        Kind::String(text) => {
            let span = text.locate(0, text.text.len(), value.span);
            found.push((path.to_owned(), span, text.text.to_string()));
        }
        Kind::Number(number) => found.push((path.to_owned(), value.span, number.to_string())),
        _ => {}
    }
}

/// The scalars of the rendered object.
fn found(chart: &[(&str, &str)]) -> Vec<(String, Span, String)> {
    let mut rendering = rendered(chart, &values(""), &offline());
    let text = rendering.files.remove(0).text.unwrap();
    let documents = yaml::parse_literal(&text, Span::new(crate::source::FileId(77), 0, 0));
    assert!(documents.parse_errors.is_empty(), "{:?}\n{}", documents.parse_errors, text.text);
    let mut list = Vec::new();
    scalars(documents.values.first().unwrap(), "", &mut list);
    list
}

#[test]
fn the_place_of_a_scalar_is_what_one_edits() {
    let before = found(&CHART);
    assert_eq!(before.len(), 16);
    for (path, span, text) in &before {
        let number = usize::try_from(span.file.0).unwrap() - 1;
        let (_, source) = CHART.get(number).unwrap_or_else(|| panic!("{path}: {span:?}"));
        let literal = source.get(span.range()).unwrap();
        assert!(!literal.is_empty(), "{path}: {text}");
        let digits = literal.bytes().all(|it| it.is_ascii_digit());
        // No function has another name.
        let edited = match literal.contains(" | ") {
            _ if digits => "8".to_owned(),
            true => format!("{literal} | printf \"x%v\""),
            false => format!("{literal}x"),
        };
        let edited =
            if literal.contains('\n') { literal.replace("first", "third") } else { edited };
        let (head, tail) = (&source[..span.start as usize], &source[span.end as usize..]);
        let changed = format!("{head}{edited}{tail}");
        let mut chart = CHART;
        chart[number].1 = &changed;
        let after = found(&chart);
        let now = after.iter().find(|(it, ..)| it == path).map(|(.., it)| it);
        assert_ne!(now, Some(text), "{path} at {literal:?} of {}", CHART[number].0);
    }
}

#[test]
fn what_a_value_gave_points_at_the_value() {
    let list = found(&CHART);
    let place = |path: &str| {
        let (_, span, _) = list.iter().find(|(it, ..)| it == path).unwrap();
        let (name, source) = CHART[usize::try_from(span.file.0).unwrap() - 1];
        (name, source.get(span.range()).unwrap())
    };
    assert_eq!(place(".spec.replicas"), ("values.yaml", "3"));
    assert_eq!(place(".spec.image"), ("values.yaml", "nginx"));
    assert_eq!(place(".spec.args.1"), ("values.yaml", "two"));
    assert_eq!(place(".spec.more.0"), ("values.yaml", "one"));
    assert_eq!(place(".metadata.labels.team"), ("values.yaml", "web"));
    assert_eq!(place(".metadata.labels.app"), ("templates/_names.tpl", "fixed"));
    assert_eq!(place(".spec.file"), ("conf.txt", "content"));
    assert_eq!(place(".spec.trimmed"), ("values.yaml", "v1"));
    assert_eq!(place(".kind"), ("templates/a.yaml", "Deployment"));
}

/// The file of the values that a release gives; see [`super::values`].
const GIVEN: u32 = 99;

/// All scalars of what a recorded chart prints, each with its file, document and path; or the first error.
fn printed(files: &[(&str, &str)], given: &str) -> Result<Vec<(String, Span, String)>, String> {
    let mut list = Vec::new();
    for file in super::golden::printed_by(files, given, &offline()).files {
        let text = file.text.map_err(|it| it.message)?;
        let documents = yaml::parse_literal(&text, Span::new(crate::source::FileId(77), 0, 0));
        if !file.name.ends_with("NOTES.txt") {
            for (at, document) in documents.values.iter().enumerate() {
                scalars(document, &format!("{} {at} ", file.name), &mut list);
            }
        }
    }
    Ok(list)
}

/// Texts that one may write instead of a literal, so that something else is printed.
fn edits(literal: &str, in_template: bool) -> Vec<String> {
    let digit = literal.find(|it: char| it.is_ascii_digit());
    let mut edits = Vec::new();
    if let Some(at) = digit {
        edits.push(format!("{}1{}", &literal[..at], &literal[at..]));
    }
    if in_template {
        edits.push(format!("{literal} | printf \"x%v\""));
        edits.push(format!("(print \"x\" ({literal}))"));
    }
    let middle = literal.char_indices().nth(literal.chars().count() / 2).map_or(0, |it| it.0);
    edits.push(format!("{}x{}", &literal[..middle], &literal[middle..]));
    edits.push(format!("{literal}x"));
    edits
}

#[test]
fn every_scalar_changes_with_the_literal_it_names() {
    let all = super::golden::Golden::all();
    let before: Vec<_> = all.iter().map(|it| printed(&it.listed(), &it.given).unwrap()).collect();
    let mut subjects: Vec<(usize, usize)> = Vec::new();
    for (chart, found) in before.iter().enumerate() {
        subjects
            .extend((0..found.len()).filter(|at| !found[*at].2.is_empty()).map(|at| (chart, at)));
    }
    assert!(subjects.len() > 200, "{}", subjects.len());
    let mut still = Vec::new();
    for (chart, at) in subjects {
        let (golden, (path, span, text)) = (&all[chart], &before[chart][at]);
        let files = golden.listed();
        let is_given = span.file.0 == GIVEN;
        let number = usize::try_from(span.file.0).unwrap().wrapping_sub(1);
        let source = if is_given { Some(&*golden.given) } else { files.get(number).map(|it| it.1) };
        let Some(literal) = source.and_then(|it| it.get(span.range())) else {
            still.push(format!("{path}: {text:?} is at no place: {span:?}"));
            continue;
        };
        let source = source.unwrap();
        let (head, tail) = (&source[..span.start as usize], &source[span.end as usize..]);
        let in_template = !is_given && files[number].0.contains("templates/");
        let changes = edits(literal, in_template).into_iter().any(|edit| {
            let changed = format!("{head}{edit}{tail}");
            let after = if is_given {
                printed(&files, &changed)
            } else {
                let mut files = files.clone();
                files[number].1 = &changed;
                printed(&files, &golden.given)
            };
            // What an action makes may no longer be a list or a mapping.
            after.is_ok_and(|list| match list.iter().find(|it| it.0 == *path) {
                Some(now) => now.2 != *text,
                None => in_template,
            })
        });
        if !changes {
            still.push(format!("{path}: {text:?} stays whatever {literal:?} is"));
        }
    }
    assert!(still.is_empty(), "{}:\n{}", still.len(), still.join("\n"));
}
