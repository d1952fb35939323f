//! Pools whose requirements share nodes, and pools whose requirements only look so.

use proptest::prelude::*;

use super::Offerings;
use crate::{resolve::setting::Setting, source::FileId, syntax::yaml, value::Field};

/// Whether two pools certainly may launch the same nodes.
fn overlap(one: &Offerings, other: &Offerings) -> bool {
    one.launches().zip(other.launches()).is_some_and(|(one, other)| one.overlap(&other))
}

fn offerings(requirements: &str, labels: &str) -> Offerings {
    let text =
        format!("{{metadata: {{labels: {labels}}}, spec: {{requirements: [{requirements}]}}}}");
    let values = yaml::parse_file(FileId(0), &text).values;
    let name = Setting::unknown(values[0].span);
    Offerings::read(Field::Present(&values[0]), &name)
}

/// `category in c,m; cpu gt 4` as requirements.
fn requirements(short: &str) -> String {
    let full = |key: &str| match key {
        "type" => "node.kubernetes.io/instance-type".to_owned(),
        "arch" | "os" => format!("kubernetes.io/{key}"),
        "zone" => "topology.kubernetes.io/zone".to_owned(),
        "capacity" => "karpenter.sh/capacity-type".to_owned(),
        "team" => key.to_owned(),
        _ if key.contains('/') => key.to_owned(),
        _ => format!("karpenter.k8s.aws/instance-{key}"),
    };
    let operator = |it: &str| match it {
        "in" => "In",
        "not" => "NotIn",
        "has" => "Exists",
        "lacks" => "DoesNotExist",
        "gt" => "Gt",
        "lt" => "Lt",
        "gte" => "Gte",
        _ => "Lte",
    };
    let each = short.split("; ").filter(|it| !it.is_empty()).map(|it| {
        let words: Vec<&str> = it.split(' ').collect();
        let values = words.get(2).map(|it| it.replace(',', "\", \""));
        let values = values.map(|it| format!(", values: [\"{it}\"]")).unwrap_or_default();
        format!("{{key: {}, operator: {}{values}}}", full(words[0]), operator(words[1]))
    });
    each.collect::<Vec<_>>().join(", ")
}

#[test]
fn overlap_is_told_by_instance_types_and_other_labels() {
    for (one, other, wanted) in [
        ("", "", true),
        ("", "category in c", true),
        ("category in c,m,r", "category in m,t", true),
        ("category in c,m,r", "category in g,p", false),
        ("category in c,m,r", "family in m7i", true),
        ("category in c,m,r", "family in g5,g6", false),
        ("category in c,m,r", "type in g5.xlarge,r7i.large", true),
        ("category in c,m,r", "type in t3.medium", false),
        ("category in c,m,r", "gpu-count gt 0", false),
        ("category in c,m,r", "gpu-manufacturer in nvidia", false),
        ("category not g,p", "gpu-name has", true),
        ("category not g,gr,p,dl", "gpu-name has", false),
        ("gpu-count lacks", "gpu-manufacturer has", false),
        ("gpu-count not 8", "category in m", true),
        ("accelerator-name in inferentia2", "category in inf", true),
        ("generation gt 5", "family in m5", false),
        ("generation gt 5", "family in m5,m6i", true),
        ("cpu in 2,4", "cpu in 8,16", false),
        ("cpu lt 9", "cpu gt 7", true),
        ("cpu lt 8", "size in 16xlarge,24xlarge", false),
        ("cpu lte 8", "cpu gte 8", true),
        ("memory gt 100000", "size in large", false),
        ("size in large", "size not large,xlarge", false),
        ("hypervisor in nitro", "size in metal", false),
        ("local-nvme gt 100", "family in m5", false),
        ("local-nvme gt 100", "family in m5d", true),
        ("arch in amd64", "arch in arm64", false),
        ("arch in amd64", "family in m7g", false),
        ("arch in amd64,arm64", "family in m7g", true),
        ("beta.kubernetes.io/arch in amd64", "arch in arm64", false),
        ("capacity in spot", "capacity in on-demand", false),
        ("capacity in spot", "capacity in spot,on-demand", true),
        ("capacity in spot", "", true),
        ("capacity not spot", "capacity in spot", false),
        ("capacity not spot", "capacity not on-demand", false),
        ("capacity in reserved", "capacity in spot,on-demand", false),
        ("zone in eu-west-1a", "zone in eu-west-1b", false),
        ("zone in eu-west-1a", "zone not eu-west-1a", false),
        ("zone in eu-west-1a", "", true),
        ("failure-domain.beta.kubernetes.io/zone in a", "zone in b", false),
        // Two lists of exceptions may leave nothing.
        ("zone not eu-west-1a", "zone not eu-west-1b,eu-west-1c", false),
        ("team in a", "team in b", false),
        ("team in a", "team has", true),
        ("team in a", "team lacks", false),
        ("team in a", "", true),
        ("team has", "team has", true),
        ("team gt 4", "team lt 5", false),
        ("os in windows", "os in windows", false),
        ("network-bandwidth gt 100", "", true),
        // Not in the data.
        ("family in m99z", "", false),
    ] {
        let (first, second) =
            (offerings(&requirements(one), "{}"), offerings(&requirements(other), "{}"));
        assert_eq!(overlap(&first, &second), wanted, "{one} | {other}");
        assert_eq!(overlap(&second, &first), wanted, "{other} | {one}");
    }
}

#[test]
fn labels_of_templates_count_where_karpenter_knows_them() {
    for (one, other, wanted) in [
        ("{team: a}", "{team: b}", true),
        ("{team: a}", "{}", true),
        ("{karpenter.sh/capacity-type: spot}", "{karpenter.sh/capacity-type: on-demand}", false),
        ("{kubernetes.io/arch: arm64}", "{kubernetes.io/arch: amd64}", false),
        ("{kubernetes.io/arch: arm64}", "{}", true),
    ] {
        assert_eq!(overlap(&offerings("", one), &offerings("", other)), wanted, "{one} {other}");
    }
    // Auto Mode has names of its own.
    let category = |of: &str| {
        format!("{{key: eks.amazonaws.com/instance-category, operator: In, values: [{of}]}}")
    };
    let one = |of: &str| offerings(&category(of), "{}");
    assert!(overlap(&one("c"), &one("c")) && !overlap(&one("c"), &one("m")));
}

fn demands() -> impl Strategy<Value = String> {
    let one = prop_oneof![
        proptest::sample::subsequence(vec!["c", "m", "r", "g", "t"], 1..4)
            .prop_map(|it| format!("category in {}", it.join(","))),
        proptest::sample::subsequence(vec!["m5", "m7g", "g5", "c7i", "r6i", "t3"], 1..4)
            .prop_map(|it| format!("family not {}", it.join(","))),
        (2_u32..9).prop_map(|it| format!("generation gt {it}")),
        (1_u32..97).prop_map(|it| format!("cpu lt {it}")),
        Just("arch in amd64".to_owned()),
        Just("arch in arm64".to_owned()),
        Just("capacity in spot".to_owned()),
        Just("capacity in spot,on-demand".to_owned()),
        Just("team in a,b".to_owned()),
        Just("team has".to_owned()),
        Just("zone not a".to_owned()),
    ];
    proptest::collection::vec(one, 0..4).prop_map(|it| it.join("; "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whoever_asks_for_more_shares_less(one in demands(), other in demands(), more in demands()) {
        let joined = [one.as_str(), more.as_str()].into_iter().filter(|it| !it.is_empty());
        let joined = joined.collect::<Vec<_>>().join("; ");
        let read = |it: &str| offerings(&requirements(it), "{}");
        let (first, second, narrow) = (read(&one), read(&other), read(&joined));
        prop_assert_eq!(overlap(&first, &second), overlap(&second, &first));
        if overlap(&narrow, &second) {
            prop_assert!(overlap(&first, &second), "{} | {} | {}", one, other, more);
        }
    }
}
