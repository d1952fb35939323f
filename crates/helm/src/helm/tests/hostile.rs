//! Charts that want to do harm end in an error.

use super::template;
use crate::helm::fault::ErrorKind;

#[test]
fn endless_charts_end() {
    let cases = [
        "{{ define \"a\" }}{{ include \"a\" . }}{{ end }}{{ include \"a\" . }}",
        "{{ define \"a\" }}{{ template \"a\" . }}{{ end }}{{ template \"a\" . }}",
        "{{ define \"a\" }}{{ tpl \"{{ include \\\"a\\\" . }}\" . }}{{ end }}{{ include \"a\" . }}",
        "{{ $s := \"aaaaaaaaaa\" }}{{ range until 100 }}{{ $s = print $s $s }}{{ end }}{{ $s }}",
        "{{ range until 99999 }}{{ range until 99999 }}x{{ end }}{{ end }}",
        "{{ range until 99999 }}{{ range until 99999 }}{{ $x := 1 }}{{ end }}{{ end }}",
    ];
    for text in cases {
        let error = template(text, "").unwrap_err();
        assert_eq!(error.kind, ErrorKind::Limit, "{text}: {}", error.message);
        assert!(
            error.span.is_some() || !error.calls.is_empty() || text.contains("range"),
            "{text}"
        );
    }
}

#[test]
fn cycles_and_depths_are_survived() {
    let deep = format!("{}1{}", "(".repeat(5000), ")".repeat(5000));
    let nested = "{{ if true }}".repeat(3000);
    let cases = [
        "{{ $d := dict }}{{ $_ := set $d \"d\" $d }}{{ toYaml $d | len }}{{ toJson $d | len }}{{ print $d | len }}",
        "{{ $d := dict }}{{ $_ := set $d \"d\" $d }}{{ $_ := merge $d $d }}{{ deepCopy $d | len }}{{ eq 1 1 }}",
        "{{ $d := dict }}{{ $_ := set $d \"d\" $d }}{{ deepEqual $d (deepCopy $d) }}",
        "{{ printf \"%999999999d\" 1 | len }}{{ repeat 999999999 \"x\" }}",
        "{{ until 999999999 | len }}{{ indent 999999999 \"x\" | len }}{{ seq 1 999999999 | len }}",
        "{{ trunc -9223372036854775808 \"abc\" }}{{ substr -5 99 \"é\" }}{{ slice (list 1) 5 2 }}",
        "{{ div 1 0 }}{{ mod 1 0 }}",
        "{{ index (list 1) -1 }}",
        "{{ div -9223372036854775808 -1 }}{{ round 1e308 300 }}{{ int 1e300 }}",
        "{{",
        "{{ \"",
        "{{/* a",
        "{{ . | | }}",
        "{{ end }}",
        "\u{e000}0\u{e001}{{ . }}\u{e000}",
    ];
    for text in cases.into_iter().chain([&*format!("{{{{ {deep} }}}}"), &nested]) {
        let _ = template(text, "");
    }
}

#[test]
fn any_key_is_a_field_of_the_chart() {
    let text = "name: shop\nversion: 1.0.0\nmaintainers: [{é: x, \"\": y}]\n";
    let chart = [("Chart.yaml", text), ("templates/a.yaml", "{{ .Chart.Maintainers }}")];
    let found = super::rendered(&chart, &super::values(""), &super::offline());
    assert!(found.files.first().is_some_and(|it| it.text.is_ok()));
}

#[test]
fn mutated_templates_neither_stop_nor_hang() {
    const PARTS: [&str; 24] = [
        "{{", "}}", "{{-", "-}}", " ", "|", "(", ")", "$", ".", "Values", "\"", "`", ":=", "=",
        "range", "if", "end", "else", "include", "tpl", "toYaml", "1", "é",
    ];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |count: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % u64::try_from(count).unwrap()).unwrap()
    };
    for _ in 0..3000 {
        let count = next(24) + 1;
        let text: String = (0..count).map(|_| PARTS[next(PARTS.len())]).collect();
        let _ = template(&text, "a: 1");
        let _ = template(&format!("{{{{ if .Values.a }}}}{{{{ {text} }}}}{{{{ end }}}}"), "a: 1");
    }
}
