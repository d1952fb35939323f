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
        let edited = if digits { "8".to_owned() } else { format!("{literal}x") };
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
