//! Sizes of node groups, and what may label their nodes.

use crate::{
    model::cluster::{
        eksctl::max_size,
        read::managed_group,
        start_up::{EKSCTL, MODULE, mentions},
    },
    resolve::gitops::eksctl,
    source::{FileId, Span},
    syntax::yaml,
    value::{Field, Value},
};

fn read(text: &str) -> Value {
    let whole = Span::new(FileId(0), 0, text.len());
    let mut values = yaml::parse_file(FileId(0), text).values;
    values.pop().unwrap_or_else(|| Value::map(Vec::new(), whole))
}

#[test]
fn eksctl_completes_the_largest_size() {
    for (text, managed, wanted) in [
        ("{}", true, Some(2.0)),
        ("{desiredCapacity: 1}", true, Some(1.0)),
        ("{desiredCapacity: 1, maxSize: 4}", true, Some(4.0)),
        ("{minSize: 1}", true, Some(1.0)),
        ("{minSize: 1, desiredCapacity: 3}", false, Some(3.0)),
        ("{desiredCapacity: 0}", true, Some(1.0)),
        ("{desiredCapacity: 0}", false, Some(0.0)),
        ("{maxSize: many}", true, None),
    ] {
        let body = read(text);
        let group = eksctl::EksctlNodeGroup {
            report_span: body.span,
            managed,
            taints: None,
            labels: None,
            may_taint_otherwise: false,
            body,
        };
        assert_eq!(max_size(&group).known().copied(), wanted, "{text}");
    }
}

#[test]
fn the_module_has_a_largest_size_of_its_own() {
    for (text, defaults, wanted) in [
        ("{}", "{}", Some(3.0)),
        ("{}", "{max_size: 1}", Some(1.0)),
        ("{max_size: 2}", "{max_size: 1}", Some(2.0)),
        ("{max_size: '1'}", "{}", Some(1.0)),
    ] {
        let (group, defaults) = (read(text), read(defaults));
        let group = managed_group(group.span, &group, Field::Present(&defaults));
        assert_eq!(group.max_size.known().copied(), wanted, "{text}");
    }
}

#[test]
fn start_up_configuration_may_label_nodes() {
    for (text, keys, wanted) in [
        ("{}", MODULE, false),
        ("{bootstrap_extra_args: '--node-labels=a=b'}", MODULE, true),
        ("{bootstrap_extra_args: '--max-pods=20'}", MODULE, false),
        ("{launch_template_id: lt-0a1b}", MODULE, true),
        ("{cloudinit_pre_nodeadm: [{content: 'flags: [--node-labels=a=b]'}]}", MODULE, true),
        ("{kubeletExtraConfig: {maxPods: 20}}", EKSCTL, false),
        ("{launchTemplate: {id: lt-0a1b}}", EKSCTL, true),
    ] {
        assert_eq!(mentions(Some(&read(text)), keys, "label"), wanted, "{text}");
    }
}
