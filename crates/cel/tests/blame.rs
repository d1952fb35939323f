//! Where a false expression, or an error, points.

use karplint_cel::cel::{data::Data, fault::Fault, place::Place};

use crate::{evaluate, value};

const OBJECT: &str = "\
metadata:
  name: data
  labels: {team: search}
spec:
  expireAfter: 1440h
  limits: {cpu: '1000'}
  zones: [eu-west-1a, us-east-1b]
  empty: []
  containers:
    - {name: web, image: shop/web:1.2}
    - {name: log, image: other/log:latest}
";

/// What a failing expression points at, and the element it was in.
fn blamed(expression: &str) -> (String, Option<String>) {
    let text = |place: &Place| OBJECT[place.span.range()].to_owned();
    let place = match evaluate(expression, &value(OBJECT)).outcome {
        Ok(operand) => {
            assert!(matches!(operand.data, Data::Bool(false)), "{expression}: {:?}", operand.data);
            operand.place
        }
        Err(Fault::Error(error)) => error.place,
        other => panic!("{expression}: {other:?}"),
    };
    let Some(place) = place else { return ("nothing".to_owned(), None) };
    (text(&place), place.within.as_deref().map(text))
}

#[test]
fn the_operand_that_decides() {
    for (expression, wanted) in [
        ("object.spec.expireAfter == '720h'", "1440h"),
        ("duration(object.spec.expireAfter) <= duration('720h')", "1440h"),
        ("object.metadata.name != 'x' && object.spec.expireAfter != '1440h'", "1440h"),
        (
            "has(object.spec.limits) && quantity(object.spec.limits.cpu).isLessThan(quantity('10'))",
            "'1000'",
        ),
        ("!has(object.spec.limits) || object.spec.limits.cpu == '1'", "'1000'"),
        ("!(object.metadata.name == 'data')", "data"),
        ("object.metadata.labels.team in ['web', 'shop']", "search"),
        ("has(object.spec.template)", "spec"),
        ("'owner' in object.metadata.labels", "labels"),
        ("object.spec.zones.exists(it, it.startsWith('ap-'))", "zones"),
        ("object.spec.zones.size() > 2", "zones"),
        ("object.spec.empty.size() > 0", "empty"),
        ("sets.contains(object.spec.zones, ['ap'])", "zones"),
        ("object.spec.?template.hasValue()", "spec"),
        ("true ? object.spec.expireAfter == '' : true", "1440h"),
        ("object.metadata.name == 'data' ? false : true", "data"),
        ("1 > 2", "nothing"),
    ] {
        assert_eq!(blamed(expression), (wanted.to_owned(), None), "{expression}");
    }
}

#[test]
fn the_operand_inside_the_element_that_fails() {
    for (expression, wanted, element) in [
        ("object.spec.zones.all(it, it.startsWith('eu-'))", "us-east-1b", None),
        (
            "object.spec.containers.all(it, !it.image.endsWith(':latest'))",
            "other/log:latest",
            Some("{name: log, image: other/log:latest}"),
        ),
        (
            "!object.spec.containers.exists(it, it.image.endsWith(':latest'))",
            "other/log:latest",
            Some("{name: log, image: other/log:latest}"),
        ),
        ("object.metadata.labels.all(key, value, value == '')", "search", Some("team")),
    ] {
        let found = blamed(expression);
        assert_eq!((found.0.as_str(), found.1.as_deref()), (wanted, element), "{expression}");
    }
}

#[test]
fn an_error_points_at_the_operand_that_raised_it() {
    for (expression, wanted) in [
        ("object.spec.template.spec == null", "spec"),
        ("duration(object.metadata.name) > duration('1s')", "data"),
        ("object.spec.zones[7] == ''", "zones"),
        ("object.metadata.name > 1", "data"),
        ("object.spec.containers.all(it, it.ports.size() > 0)", "{name: web, image: shop/web:1.2}"),
    ] {
        assert_eq!(blamed(expression).0, wanted, "{expression}");
    }
}

#[test]
fn an_error_says_which_part_of_the_expression_raised_it() {
    for (expression, wanted) in [
        ("object.metadata.nam == ''", "nam"),
        ("true && duration('x') > duration('1s')", "duration"),
        ("[1].all(it, it / 0 > 1)", "/"),
    ] {
        let Err(Fault::Error(error)) = evaluate(expression, &value(OBJECT)).outcome else {
            panic!("{expression} is no error");
        };
        assert_eq!(&expression[error.at], wanted, "{expression}");
    }
}
