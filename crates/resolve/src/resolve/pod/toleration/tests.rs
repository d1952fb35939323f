//! The table of matching.

use proptest::prelude::Strategy;

use crate::{
    resolve::{
        pod::toleration::{Effect, Taint, Toleration, TolerationPart, Tolerations, tolerates},
        samples::{disrupted, read, taint},
    },
    source::{FileId, Span},
    value::{Field, Kind, Symbol, Value},
};

/// A toleration, and whether it matches the taint of Karpenter 1, that of 0.32 to 0.37, and that of a
/// node group for the controller.
#[rustfmt::skip]
const MATCHES: &[(&str, bool, bool, bool)] = &[
    ("{operator: Exists}", true, true, true),
    ("{key: karpenter.sh/disrupted, operator: Exists}", true, false, false),
    ("{key: karpenter.sh/disrupted, operator: Exists, effect: NoSchedule}", true, false, false),
    ("{key: karpenter.sh/disrupted, operator: Exists, effect: NoExecute}", false, false, false),
    ("{key: karpenter.sh/disrupted}", true, false, false),
    ("{key: karpenter.sh/disrupted, operator: Equal}", true, false, false),
    ("{key: karpenter.sh/disrupted, operator: Equal, value: ''}", true, false, false),
    ("{key: karpenter.sh/disrupted, value: 'true'}", false, false, false),
    ("{key: karpenter.sh/disrupted, operator: Equal, value: disrupting}", false, false, false),
    ("{operator: Exists, effect: NoSchedule}", true, true, true),
    ("{operator: Exists, effect: NoExecute}", false, false, false),
    ("{operator: Exists, effect: NoExecute, tolerationSeconds: 300}", false, false, false),
    ("{operator: Exists, tolerationSeconds: 300}", true, true, true),
    ("{operator: Exists, effect: NO_SCHEDULE}", false, false, false),
    ("{operator: Exists, effect: PreferNoSchedule}", false, false, false),
    ("{operator: exists}", false, false, false),
    ("{key: karpenter.sh/disrupted, operator: Gt, value: '1'}", false, false, false),
    ("{key: karpenter.sh/disruption, operator: Exists}", false, true, false),
    ("{key: karpenter.sh/disruption, value: disrupting}", false, true, false),
    ("{key: karpenter.sh/disruption, value: disrupting, effect: NoSchedule}", false, true, false),
    ("{key: karpenter.sh/disruption}", false, false, false),
    ("{key: karpenter.sh/controller}", false, false, false),
    ("{key: karpenter.sh/controller, value: 'true', effect: NoSchedule}", false, false, true),
    ("{key: karpenter.sh/controller, value: true}", false, false, true),
    ("{key: CriticalAddonsOnly, operator: Exists}", false, false, false),
    ("{key: karpenter.sh/disruption, effect: NoExecute, operator: Exists}", false, false, false),
    ("{key: karpenter.sh/disruption, operator: Equal, value: 'true'}", false, false, false),
    ("{key: karpenter.sh/disrupted, value: '', effect: NoSchedule}", true, false, false),
    ("{key: karpenter.sh/disrupted, value: null, operator: null}", true, false, false),
    ("{key: karpenter.sh/disrupted, operator: Exists, tolerationSeconds: 5}", true, false, false),
    ("{key: karpenter.sh/disrupted, operator: Exists, effect: ''}", true, false, false),
    ("{key: karpenter.sh/disrupted, operator: Exists, effect: NO_SCHEDULE}", false, false, false),
    ("{key: karpenter.sh/disrupted, operator: Exists, effect: noschedule}", false, false, false),
    ("{key: karpenter.sh/Disrupted, operator: Exists}", false, false, false),
    ("{key: karpenter.sh/unregistered, operator: Exists}", false, false, false),
    ("{key: node.kubernetes.io/unschedulable, operator: Exists}", false, false, false),
    ("{key: karpenter.sh/controller, operator: Lt, value: '1'}", false, false, false),
];

#[test]
fn matching_is_that_of_kubernetes() {
    let disrupting = taint("karpenter.sh/disruption", "disrupting", Effect::NoSchedule);
    let controller = taint("karpenter.sh/controller", "true", Effect::NoSchedule);
    for (toleration, v1, v1beta1, group) in MATCHES {
        let read = Toleration::read(&read(toleration));
        assert_eq!(tolerates(&read, &disrupted()), Some(*v1), "{toleration} on v1");
        assert_eq!(tolerates(&read, &disrupting), Some(*v1beta1), "{toleration} on v1beta1");
        assert_eq!(tolerates(&read, &controller), Some(*group), "{toleration} on the group");
    }
}

#[test]
fn what_is_unknown_decides_only_where_it_matters() {
    let span = Span::new(FileId(0), 0, 1);
    let unknown = || Value::unknown(Symbol::new("", "var.x"), span);
    for (written, hole, wanted) in [
        ("{key: karpenter.sh/disrupted}", "operator", None),
        ("{key: karpenter.sh/disrupted, operator: Exists}", "effect", None),
        ("{key: other, operator: Exists}", "effect", Some(false)),
        ("{operator: Exists}", "key", None),
        ("{operator: Exists}", "value", Some(true)),
        ("{key: karpenter.sh/disrupted}", "value", None),
    ] {
        let mut value = read(written);
        let Kind::Map(map) = &mut value.kind else { unreachable!("{written} is a mapping") };
        let map = std::sync::Arc::make_mut(map);
        map.entries.push(crate::value::Entry {
            key: hole.into(),
            key_span: span,
            value: unknown(),
        });
        let toleration = Toleration::read(&value);
        assert_eq!(tolerates(&toleration, &disrupted()), wanted, "{written} + {hole}");
        let list = Value::list(vec![value], span);
        let tolerations = Tolerations::read(Field::Present(&list));
        assert_eq!(tolerations.tolerate(&disrupted()), wanted, "{written} + {hole}");
    }
    assert_eq!(tolerates(&Toleration::read(&unknown()), &disrupted()), None);
    assert_eq!(Tolerations::read(Field::Unknown).tolerate(&disrupted()), None);
    assert_eq!(Tolerations::read(Field::Missing).tolerate(&disrupted()), Some(false));
}

#[test]
fn spellings_are_distinguished() {
    let eks = Toleration::read(&read("{operator: Exists, effect: NO_SCHEDULE}"));
    assert!(eks.eks_spelling());
    assert_eq!(eks.is_blanket(Effect::NoSchedule), Some(false));
    let blanket = Toleration::read(&read("{operator: Exists, effect: NoSchedule}"));
    assert!(!blanket.eks_spelling());
    assert_eq!(blanket.is_blanket(Effect::NoSchedule), Some(true));
    assert_eq!(blanket.is_blanket(Effect::NoExecute), Some(false));
    let group = Taint::of_node_group(&read("{key: a, value: 'true', effect: NO_SCHEDULE}"));
    assert_eq!(group, Some(taint("a", "true", Effect::NoSchedule)));
    let group = Taint::of_node_group(&read("{key: a, effect: NoExecute}"));
    assert_eq!(group, Some(taint("a", "", Effect::NoExecute)));
    assert_eq!(Taint::of_node_group(&read("{key: a, effect: Never}")), None);
    assert_eq!(Taint::of_node_group(&read("{effect: NO_SCHEDULE}")), None);
}

/// A toleration as Kubernetes' own code sees it.
#[derive(Clone, Debug)]
struct Plain([&'static str; 4]);

impl Plain {
    /// What `ToleratesTaint` answers with the comparison of numbers switched on.
    fn matches(&self, taint: &Taint) -> bool {
        let [key, operator, value, effect] = self.0;
        if !effect.is_empty() && effect != taint.effect.word() {
            return false;
        }
        if !key.is_empty() && key != taint.key {
            return false;
        }
        let numbers = taint.value.parse::<i64>().ok().zip(value.parse::<i64>().ok());
        match operator {
            "" | "Equal" => value == taint.value,
            "Exists" => true,
            "Lt" => numbers.is_some_and(|(taint, value)| taint < value),
            "Gt" => numbers.is_some_and(|(taint, value)| taint > value),
            _ => false,
        }
    }

    /// Whether the answer depends on a feature gate of the cluster.
    fn compares(&self) -> bool {
        matches!(self.0[1], "Lt" | "Gt")
    }

    fn read(&self, hidden: usize) -> Toleration {
        let part = |at: usize| match self.0.get(at) {
            Some(text) if at != hidden => TolerationPart::Known((*text).to_owned()),
            _ => TolerationPart::Unknown,
        };
        let [key, operator, value, effect] = [part(0), part(1), part(2), part(3)];
        Toleration { key, operator, value, effect, written: None }
    }
}

/// No part is hidden.
const NONE: usize = 9;

fn any_of(words: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    proptest::sample::select(words)
}

fn any_toleration() -> impl Strategy<Value = Plain> {
    let key = any_of(&["", "a", "b"]);
    let operator = any_of(&["", "Equal", "Exists", "exists", "Lt", "Gt"]);
    let value = any_of(&["", "x", "true", "1", "2"]);
    let effect = any_of(&["", "NoSchedule", "NoExecute", "NO_SCHEDULE"]);
    (key, operator, value, effect).prop_map(|(a, b, c, d)| Plain([a, b, c, d]))
}

fn any_taint() -> impl Strategy<Value = Taint> {
    let effect = proptest::sample::select(&[Effect::NoSchedule, Effect::NoExecute][..]);
    let parts = (any_of(&["a", "b"]), any_of(&["", "x", "true", "1", "2"]), effect);
    parts.prop_map(|(key, value, effect)| taint(key, value, effect))
}

proptest::proptest! {
    #[test]
    fn matching_agrees_with_the_oracle_and_never_guesses(
        plain in any_toleration(), taint in any_taint(), hidden in 0..4usize,
    ) {
        let truth = plain.matches(&taint);
        let answer = tolerates(&plain.read(NONE), &taint);
        if plain.compares() {
            assert!(answer.is_none_or(|it| it == truth), "{plain:?} {taint:?}");
        } else {
            assert_eq!(answer, Some(truth), "{plain:?} {taint:?}");
        }
        let unsure = tolerates(&plain.read(hidden), &taint);
        assert!(unsure.is_none_or(|it| it == truth), "{plain:?} without part {hidden}");
    }

    #[test]
    fn a_list_tolerates_what_one_of_it_tolerates(
        list in proptest::collection::vec((any_toleration(), 0..9usize), 0..5),
        taint in any_taint(),
        rest_unknown in proptest::bool::ANY,
    ) {
        let truth = list.iter().any(|(it, _)| it.matches(&taint));
        let read = |list: Vec<Toleration>| Tolerations { list, rest_unknown }.tolerate(&taint);
        let whole = list.iter().map(|(it, _)| it.read(NONE)).collect();
        let answer = read(whole);
        assert!(answer != Some(true) || truth, "{list:?}");
        assert!(answer != Some(false) || !(truth || rest_unknown), "{list:?}");
        let parts: Vec<Toleration> = list.iter().map(|(it, hidden)| it.read(*hidden)).collect();
        let unsure = read(parts.clone());
        assert!(unsure != Some(true) || truth, "{list:?}");
        assert!(unsure != Some(false) || !(truth || rest_unknown), "{list:?}");
        assert_eq!(read(parts.into_iter().rev().collect()), unsure, "the order means nothing");
    }

    #[test]
    fn a_blanket_tolerates_every_taint_of_its_effect(plain in any_toleration(), taint in any_taint()) {
        let blanket = plain.read(NONE).is_blanket(taint.effect);
        assert!(blanket != Some(true) || plain.matches(&taint), "{plain:?} {taint:?}");
        let others = ["c", "d/e"].map(|key| Taint { key: key.to_owned(), ..taint.clone() });
        let all = [&taint].into_iter().chain(&others).all(|it| plain.matches(it));
        let valid = !plain.0[0].is_empty() || plain.0[1] == "Exists";
        assert!(!(all && valid) || blanket == Some(true), "{plain:?} {taint:?}");
    }
}
