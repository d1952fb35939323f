//! What keeps Karpenter from ever replacing a node, and what does not.

use crate::{
    model::node_pool::{
        NodePool,
        frozen::{Frozen, frozen_by},
    },
    resolve::{kubernetes::objects, scope::Scope},
    source::{FileId, Span},
    syntax::yaml,
};

/// What is said of a pool with these budgets, each as the text at its place.
fn said(api: &str, budgets: &str) -> Vec<String> {
    let text = format!(
        "apiVersion: karpenter.sh/{api}\nkind: NodePool\nmetadata: {{name: a}}\nspec:\n  disruption: {{budgets: {budgets}}}\n  \
         template: {{spec: {{nodeClassRef: {{name: a}}}}}}\n"
    );
    let values = yaml::parse_file(FileId(0), &text).values;
    let object = objects(&values[0]).remove(0);
    let pool = NodePool::read(&object, &Scope::new(None, &"".into()), None);
    let pool = pool.unwrap_or_else(|| unreachable!("{text}"));
    let at = |it: Span| text[it.start as usize..it.end as usize].trim_matches('"').to_owned();
    let words = |it: Frozen| match it {
        Frozen::InvalidSchedule { span, .. } => format!("unread {}", at(span)),
        Frozen::Nothing(closed) => {
            let closed = closed.iter().map(|it| {
                let schedule = it.schedule.map(|(span, _)| format!(" at {}", at(span)));
                at(it.nodes) + &schedule.unwrap_or_default()
            });
            closed.collect::<Vec<_>>().join(" and ")
        }
    };
    frozen_by(&pool).into_iter().map(words).collect()
}

#[test]
fn a_pool_is_frozen_when_nothing_is_allowed_at_any_time() {
    for (budgets, wanted) in [
        (r#"[{nodes: "0"}]"#, &["0"][..]),
        ("[{nodes: 0%}]", &["0%"]),
        (r#"[{nodes: "00"}]"#, &["00"]),
        ("[{nodes: 10%}, {nodes: 0%}]", &["0%"]),
        ("[{nodes: 1%}]", &[]),
        (r#"[{nodes: "10"}]"#, &[]),
        ("[]", &[]),
        // The API server takes texts only.
        ("[{nodes: 0}]", &[]),
        ("[{}]", &[]),
        ("[{nodes: 0%, reasons: [Drifted]}]", &[]),
        ("[{nodes: 0%, reasons: []}]", &[]),
        ("[{nodes: 0%, reasons: [Drifted, Empty, Underutilized]}]", &["0%"]),
        (
            r#"[{nodes: 0%, reasons: [Drifted]}, {nodes: "0", reasons: [Empty, Underutilized]}]"#,
            &["0% and 0"],
        ),
        (r#"[{nodes: "000", reasons: [Drifted]}, {nodes: "0"}]"#, &["0"]),
        (r#"[{nodes: 0%, schedule: "0 0 * * *", duration: 24h}]"#, &["0% at 0 0 * * *"]),
        (r#"[{nodes: 0%, schedule: "0 0 * * *", duration: 24h0m0s}]"#, &["0% at 0 0 * * *"]),
        (r#"[{nodes: 0%, schedule: "0 0 * * *", duration: 23h59m}]"#, &[]),
        (r#"[{nodes: 0%, schedule: "@hourly", duration: 60m}]"#, &["0% at @hourly"]),
        (r#"[{nodes: 0%, schedule: "0 9 * * mon-fri", duration: 71h}]"#, &[]),
        (
            r#"[{nodes: 0%, schedule: "0 9 * * mon-fri", duration: 72h}]"#,
            &["0% at 0 9 * * mon-fri"],
        ),
        (r#"[{nodes: 0%, schedule: "0 0 30 2 *", duration: 1h}]"#, &["0% at 0 0 30 2 *"]),
        (r#"[{nodes: 5%, schedule: "* * * * 7", duration: 1h}]"#, &["unread * * * * 7"]),
        (
            r#"[{nodes: 5%, reasons: [Empty], schedule: "0 0 9 * * *", duration: 1h}, {nodes: 0%}]"#,
            &["unread 0 0 9 * * *", "0%"],
        ),
        // Refused by the API server.
        (r#"[{nodes: 0%, schedule: "* * * * *"}]"#, &[]),
        (r#"[{nodes: 0%, schedule: "@every 1h", duration: 1h}]"#, &[]),
        (r#"[{nodes: 0%, schedule: "* * * * 7", duration: 1d}]"#, &[]),
        (r#"[{nodes: 0%, schedule: "* * * * *", duration: 90s}]"#, &[]),
    ] {
        assert_eq!(said("v1", budgets), wanted, "{budgets}");
    }
}

#[test]
fn a_time_zone_is_read_by_some_releases_before_v1() {
    let budgets = r#"[{nodes: 5%, schedule: "TZ=Asia/Tokyo 0 9 * * *", duration: 8h}]"#;
    assert_eq!(said("v1", budgets), ["unread TZ=Asia/Tokyo 0 9 * * *"]);
    assert!(said("v1beta1", budgets).is_empty());
}
