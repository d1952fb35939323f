//! How long many policies take on many objects.

use std::time::{Duration, Instant};

use karplint_cel::{
    cel::{bindings::Bindings, collection},
    policy::read,
};
use karplint_core::source::FileId;

use crate::value;

const OBJECTS: usize = 10_000;
const POLICIES: usize = 200;

/// A policy as teams write them, the condition the same for all and the limit different.
fn policy(index: usize) -> String {
    format!(
        "apiVersion: karplint/v1\nkind: Policy\nmetadata: {{name: p{index}}}\nspec:\n  title: t\n  subject: object\n  kinds: [v1/Pod]\n  validations:\n    - expression: object.spec.containers.all(it, !it.image.endsWith(':latest')) && duration(object.spec.expireAfter) <= duration('{}h')\n",
        1000 + index
    )
}

#[test]
#[ignore = "measured in a release build"]
fn two_hundred_policies_on_ten_thousand_objects() {
    let text: Vec<String> = (0..POLICIES).map(policy).collect();
    let file = read::read(FileId(1), &text.join("---\n"));
    assert_eq!((file.policies.len(), file.errors), (POLICIES, vec![]));
    let object = value(
        "metadata: {name: data}\nspec:\n  expireAfter: 720h\n  containers:\n    - {name: web, image: shop/web:1.2}\n    - {name: log, image: other/log:1}\n",
    );
    let bindings: Vec<Bindings> = (0..OBJECTS)
        .map(|_| {
            let mut bindings = Bindings::default();
            bindings.set("object", collection::read(&object));
            bindings
        })
        .collect();
    let start = Instant::now();
    let mut failed = 0;
    // As `karplint check` does it: each policy of a few objects before the next few.
    for some in bindings.chunks(64) {
        for policy in &file.policies {
            failed += some.iter().map(|it| policy.judge(it).len()).sum::<usize>();
        }
    }
    let took = start.elapsed();
    assert_eq!(failed, 0);
    assert!(took < Duration::from_secs(1), "{took:?} on one core");
}
