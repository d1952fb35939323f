//! What expressions give.

use crate::{evaluate, shown, value};

const OBJECT: &str = "
metadata:
  name: data
  labels: {team: search, tier: '2'}
spec:
  weight: 10
  ratio: 1.5
  nothing: null
  limits: {cpu: '100', memory: 400Gi}
  zones: [eu-west-1a, eu-west-1b]
  taints:
    - {key: dedicated, value: search, effect: NoSchedule}
";

fn assert_all(cases: &[(&str, &str)]) {
    let object = value(OBJECT);
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(expression, wanted)| {
            let found = shown(&evaluate(expression, &object).outcome);
            (found != *wanted).then(|| format!("{expression}\n  wanted {wanted}\n  got    {found}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn fields_and_elements() {
    assert_all(&[
        ("object.metadata.name", r#""data""#),
        ("object.spec.weight", "10"),
        ("object.spec.ratio", "1.5"),
        ("object.spec.zones[1]", r#""eu-west-1b""#),
        ("object.spec.zones[2]", "error: index out of bounds: 2"),
        ("object.metadata['name']", r#""data""#),
        ("object.spec.limit", "error: no such key: limit"),
        ("has(object.spec.limits)", "true"),
        ("has(object.spec.limit)", "false"),
        ("has(object.spec.nothing)", "false"),
        ("object.spec.nothing == null", "true"),
        ("object.?spec.?limits.?cpu.orValue('0')", r#""100""#),
        ("object.?spec.?limit.?cpu.orValue('0')", r#""0""#),
        ("object.spec.?nothing", "none"),
        ("object.spec.zones[?5]", "none"),
        ("object.spec.zones[?0].optMap(it, it + '!')", r#"some("eu-west-1a!")"#),
        ("'team' in object.metadata.labels", "true"),
        ("'teams' in object.metadata.labels", "false"),
        ("'eu-west-1a' in object.spec.zones", "true"),
        ("object.metadata.labels.`team`", r#""search""#),
        ("{1: 'a', 'b': 2u}[1u]", r#""a""#),
        ("[1, ?optional.none(), ?optional.of(3)]", "[1, 3]"),
        ("{'a': 1, 'a': 2}", "error: failed with repeated key"),
    ]);
}

#[test]
fn operators() {
    assert_all(&[
        ("1 + 2 * 3 - 4", "3"),
        ("7 / 2", "3"),
        ("-7 % 3", "-1"),
        ("1 / 0", "error: division by zero"),
        ("9223372036854775807 + 1", "error: integer overflow"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("1 == 1.0 && 1u == 1", "true"),
        ("1 < 1.5", "true"),
        ("'a' + 'b' == 'ab'", "true"),
        ("[1] + [2]", "[1, 2]"),
        ("1 + 1.0", "error: no such overload: +(int, double)"),
        ("1 == 'a'", "false"),
        ("!true || 1 < 2", "true"),
        ("1 / 0 > 1 || true", "true"),
        ("true || 1 / 0 > 1", "true"),
        ("1 / 0 > 1 && false", "false"),
        ("true && 1 / 0 > 1", "error: division by zero"),
        ("1 > 2 ? 'a' : 'b'", r#""b""#),
        ("true ? 1 : 1 / 0", "1"),
        ("duration('90s') > duration('1m')", "true"),
        ("timestamp('2026-03-01T00:00:00Z') - duration('24h')", "@1772236800.000000000"),
        ("type(1) == int", "true"),
    ]);
}

#[test]
fn macros() {
    assert_all(&[
        ("object.spec.zones.all(it, it.startsWith('eu-'))", "true"),
        ("object.spec.zones.exists(it, it.endsWith('c'))", "false"),
        ("object.spec.zones.exists_one(it, it.endsWith('a'))", "true"),
        ("object.spec.zones.map(it, it.size())", "[10, 10]"),
        ("object.spec.zones.map(it, it.endsWith('a'), it)", r#"["eu-west-1a"]"#),
        ("object.spec.zones.filter(it, it.endsWith('b'))", r#"["eu-west-1b"]"#),
        ("object.metadata.labels.all(key, key.size() == 4)", "true"),
        ("object.metadata.labels.all(key, value, value != '')", "true"),
        ("object.spec.zones.exists(at, it, at == 1 && it.endsWith('b'))", "true"),
        ("[3, 1].transformList(at, it, at * it)", "[0, 1]"),
        ("{'a': 1}.transformMap(key, it, it + 1)", r#"{"a": 2}"#),
        ("{'a': 'b'}.transformMapEntry(key, it, {it: key})", r#"{"b": "a"}"#),
        ("[3, 1, 2].sortBy(it, -it)", "[3, 2, 1]"),
        ("[1, 2].all(it, 1 / (it - 1) > 0)", "error: division by zero"),
        ("[1, 0].exists(it, 1 / it == 1)", "true"),
    ]);
}

#[test]
fn texts_lists_and_sets() {
    assert_all(&[
        ("'a,b,c'.split(',', 2)", r#"["a", "b,c"]"#),
        ("['a', 'b'].join('-')", r#""a-b""#),
        ("'Größe'.size()", "5"),
        ("'Größe'.substring(2, 4)", r#""öß""#),
        ("'tacocat'.lastIndexOf('c', 3)", "2"),
        ("'%s has %d of %.1f'.format(['a', 2, 2.25])", r#""a has 2 of 2.2""#),
        ("'abc 12'.find('[0-9]+')", r#""12""#),
        ("'1 ab 2'.findAll('[0-9]')", r#"["1", "2"]"#),
        ("'m5.large'.matches('^m[56]\\\\.')", "true"),
        ("[2, 3, 1].sort().reverse()", "[3, 2, 1]"),
        ("[1, 2, 3].sum() + [4, 5].max()", "11"),
        ("[[1], [2, 3]].flatten()", "[1, 2, 3]"),
        ("[1, 1, 2].distinct()", "[1, 2]"),
        ("[1, 2, 3].slice(1, 3)", "[2, 3]"),
        ("lists.range(3)", "[0, 1, 2]"),
        ("sets.contains(object.spec.zones, ['eu-west-1a'])", "true"),
        ("sets.equivalent([1, 2], [2, 1, 1])", "true"),
        ("sets.intersects([1], [2])", "false"),
        ("[1, 2].first()", "some(1)"),
        ("[].last()", "none"),
    ]);
}

#[test]
fn kubernetes_libraries() {
    assert_all(&[
        ("quantity(object.spec.limits.memory).isGreaterThan(quantity('1T'))", "false"),
        ("quantity('1.5Gi').asInteger()", "1610612736"),
        ("quantity('100m').add(quantity('900m')).isInteger()", "true"),
        ("quantity('200K')", "error: `200K` is not a quantity"),
        ("semver('1.34.2').isLessThan(semver('1.34.10'))", "true"),
        ("semver('v1.34', true).minor()", "34"),
        ("isSemver('v1.34')", "false"),
        ("ip('10.0.0.1').isLoopback()", "false"),
        ("cidr('10.0.0.0/8').containsIP('10.1.2.3')", "true"),
        ("cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')", "true"),
        ("string(cidr('10.1.2.3/8').masked())", r#""10.0.0.0/8""#),
        ("ip.isCanonical('2001:DB8::1')", "false"),
        ("url('https://example.com:8443/a b?x=1').getHost()", r#""example.com:8443""#),
        ("url('https://example.com/a b').getEscapedPath()", r#""/a%20b""#),
        ("url('https://example.com/?x=1&x=2').getQuery()", r#"{"x": ["1", "2"]}"#),
        ("isURL('../a')", "false"),
        ("format.dns1123Label().validate('a-b').hasValue()", "false"),
        ("format.dns1123Label().validate('A').hasValue()", "true"),
        ("format.named('nothing').hasValue()", "false"),
        ("timestamp('2026-07-01T00:00:00Z').getHours('Europe/Berlin')", "2"),
    ]);
}

#[test]
fn taints_and_selectors() {
    assert_all(&[
        ("tolerates([{'operator': 'Exists'}], object.spec.taints[0])", "true"),
        ("tolerates([{'key': 'dedicated', 'value': 'web'}], object.spec.taints[0])", "false"),
        ("tolerates([{'key': 'dedicated', 'value': 'search'}], object.spec.taints[0])", "true"),
        ("tolerates([], object.spec.taints[0])", "false"),
        ("selects({'team': 'search'}, object.metadata.labels)", "true"),
        ("selects({'matchLabels': {'team': 'web'}}, object.metadata.labels)", "false"),
        (
            "selects({'matchExpressions': [{'key': 'tier', 'operator': 'In', 'values': ['1', '2']}]}, object.metadata.labels)",
            "true",
        ),
    ]);
}

#[test]
fn cost_is_counted_as_kubernetes_counts_it() {
    let object = value(OBJECT);
    for (expression, wanted) in [
        ("true", 0),
        ("object.spec.weight", 3),
        ("object.spec.zones[0]", 4),
        ("has(object.spec.limits)", 2),
        ("object.spec.weight > 1 && object.spec.weight < 20", 8),
        ("true ? object.spec.weight : 1", 2),
        ("object.spec.zones.all(it, it != '')", 12),
        ("[1, 2, 3].exists(it, it == 3)", 19),
        ("object.spec.zones.map(it, it)", 30),
        ("'eu' in ['eu', 'us']", 0),
        ("duration('720h') > duration('1h')", 1),
        ("quantity('100m').isLessThan(quantity('1'))", 3),
        ("'0123456789012345678901234567890'.matches('[0-9]+')", 8),
    ] {
        assert_eq!(evaluate(expression, &object).cost, wanted, "{expression}");
    }
}
