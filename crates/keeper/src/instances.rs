//! The instance types: the table of Karpenter's website and the limits of interfaces, in the form of the data.

use std::{collections::BTreeMap, fmt::Write};

use crate::{
    ours::{Difference, data},
    tree::Tree,
};

/// Our file.
const OURS: &str = "instance-types.txt";
/// The table of the labels and resources of each type.
pub(crate) const TABLE: &str = "website/content/en/docs/reference/instance-types.md";
/// How many interfaces and addresses each has.
pub(crate) const LIMITS: &str = "pkg/providers/instancetype/zz_generated.vpclimits.go";
/// What a label about the instance begins with.
const LABEL: &str = "karpenter.k8s.aws/instance-";

/// A type: its labels and resources, or its limits.
type Facts<'t> = BTreeMap<&'t str, &'t str>;

/// A family as it is written in the data.
struct Family {
    name: String,
    text: String,
}

/// The families of a tree, in the form of the data; `None` where it has no such table.
pub(crate) fn text(tree: &Tree, checked: &str) -> Option<String> {
    let mut out = format!(
        "# The instance types of EC2 by the labels that Karpenter gives their nodes and by what they have: after each family\n\
         # its types with CPUs, memory in MiB, local NVMe in GB, GPUs, accelerators, network interfaces (of the default card),\n\
         # IPv4 addresses of each, interfaces for pods of their own, EBS bandwidth in Mbps, network bandwidth in Mbps, clock\n\
         # speed in MHz, EFA interfaces, memory of a GPU in MiB; zeros at the end are left out. Types with \"metal\" in their\n\
         # size have no hypervisor; what AWS makes has the architecture arm64, all else amd64. Written by the maintainer's\n\
         # command. It is no YAML: a run would read that ten times as long.\n\
         source: aws/karpenter-provider-aws {TABLE} and {LIMITS}\nchecked: {checked}\n"
    );
    families(tree)?.iter().for_each(|it| out.push_str(&it.text));
    Some(out)
}

/// The families that the data has not, or otherwise.
pub(crate) fn differences(tree: &Tree) -> Vec<Difference> {
    let ours = data(OURS);
    let families = families(tree).unwrap_or_default();
    let other = families.iter().filter(|it| !ours.contains(&it.text));
    let difference = |it: &Family| {
        let what = format!("family {} is another: print them with `instances`", it.name);
        Difference::at(OURS, &format!("\n{}: ", it.name), what)
    };
    other.map(difference).collect()
}

fn families(tree: &Tree) -> Option<Vec<Family>> {
    let types = table(tree.ending(TABLE)?.1);
    let limits = limits(tree.ending(LIMITS)?.1);
    let mut found: BTreeMap<&str, Vec<(&str, &Facts<'_>)>> = BTreeMap::new();
    for (name, facts) in &types {
        let (family, size) = name.split_once('.')?;
        found.entry(family).or_default().push((size, facts));
    }
    let family = |(name, mut sizes): (&str, Vec<(&str, &Facts<'_>)>)| {
        sizes.sort_by_key(|(size, facts)| (number(facts, "memory"), number(facts, "cpu"), *size));
        let rows: Vec<String> = sizes
            .iter()
            .map(|(size, facts)| {
                let name = format!("{name}.{size}");
                row(&name, facts, limits.get(name.as_str()))
            })
            .collect();
        let about = sizes.first().map(|it| about(it.1)).unwrap_or_default();
        let text = format!("\n{name}: {about}\n{}\n", rows.join("\n"));
        Family { name: name.to_owned(), text }
    };
    Some(found.into_iter().map(family).collect())
}

/// What all sizes of a family share.
fn about(facts: &Facts<'_>) -> String {
    let label = |key: &str| facts.get(format!("{LABEL}{key}").as_str()).copied();
    let mut out = String::new();
    for (ours, theirs) in
        [("category", "category"), ("generation", "generation"), ("maker", "cpu-manufacturer")]
    {
        let _ = write!(out, "{ours} {}, ", label(theirs).unwrap_or_default());
    }
    let hypervisor = label("hypervisor").filter(|it| !it.is_empty()).unwrap_or("nitro");
    let _ = write!(out, "hypervisor {hypervisor}");
    if label("encryption-in-transit-supported") == Some("true") {
        out.push_str(", encrypts true");
    }
    for ours in ["gpu", "accelerator"] {
        let maker = label(&format!("{ours}-manufacturer"));
        if let Some((maker, name)) = maker.zip(label(&format!("{ours}-name"))) {
            let _ = write!(out, ", {ours} {maker} {name}");
        }
    }
    let devices = resource(facts, "aws.amazon.com/neuron");
    if let Some(cores) = resource(facts, "aws.amazon.com/neuroncore").checked_div(devices) {
        let _ = write!(out, ", cores {cores}");
    }
    out
}

/// The numbers of a type.
fn row(name: &str, facts: &Facts<'_>, limits: Option<&Facts<'_>>) -> String {
    let limit = |key: &str| limits.and_then(|it| it.get(key)?.parse().ok()).unwrap_or_default();
    let pods = resource(facts, "pods");
    // Where no limits are listed: the number of pods tells them, with as many addresses as others have.
    let (interfaces, addresses) = match limits {
        Some(_) => (limit("interfaces"), limit("addresses")),
        None => (pods.saturating_sub(2) / 49, 50),
    };
    let accelerators =
        number(facts, "accelerator-count").max(resource(facts, "aws.amazon.com/neuron"));
    let numbers = [
        number(facts, "cpu"),
        number(facts, "memory"),
        number(facts, "local-nvme"),
        number(facts, "gpu-count"),
        accelerators,
        interfaces,
        addresses,
        resource(facts, "vpc.amazonaws.com/pod-eni"),
        number(facts, "ebs-bandwidth"),
        number(facts, "network-bandwidth"),
        number(facts, "cpu-sustained-clock-speed-mhz"),
        resource(facts, "vpc.amazonaws.com/efa"),
        number(facts, "gpu-memory"),
    ];
    let used = numbers.iter().rposition(|it| *it != 0).map_or(0, |it| it + 1);
    let words = numbers.iter().take(used).map(ToString::to_string);
    [name.to_owned()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
}

fn number(facts: &Facts<'_>, key: &str) -> u64 {
    resource(facts, &format!("{LABEL}{key}"))
}

fn resource(facts: &Facts<'_>, key: &str) -> u64 {
    facts.get(key).and_then(|it| it.parse().ok()).unwrap_or_default()
}

/// The labels and resources of each type.
fn table(text: &str) -> BTreeMap<&str, Facts<'_>> {
    let mut found: BTreeMap<&str, Facts<'_>> = BTreeMap::new();
    let mut current = None;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("### `").and_then(|it| it.strip_suffix('`')) {
            current = Some(name);
        } else if let Some(name) = current
            && let Some((key, value)) =
                line.trim().strip_prefix('|').and_then(|it| it.strip_suffix('|')?.split_once('|'))
        {
            found.entry(name).or_default().insert(key, value);
        }
    }
    found
}

/// The interfaces of the default card and the addresses of each type.
fn limits(text: &str) -> BTreeMap<&str, Facts<'_>> {
    let mut found: BTreeMap<&str, Facts<'_>> = BTreeMap::new();
    let mut current = None;
    let mut most = None;
    for line in text.lines() {
        let field = line.trim().trim_end_matches(',').split_once(':');
        match field.map(|(key, value)| (key, value.trim())) {
            Some((name, "{")) if name.starts_with('"') => current = Some(name.trim_matches('"')),
            Some(("MaximumNetworkInterfaces", value)) => most = Some(value),
            Some((key, value)) => {
                let Some(facts) = current.map(|it| found.entry(it).or_default()) else { continue };
                match key {
                    "IPv4PerInterface" => facts.insert("addresses", value),
                    "DefaultNetworkCardIndex" => facts.insert("card", value),
                    // The card is known before the list of cards begins.
                    "NetworkCardIndex" if facts.get("card") == Some(&value) => {
                        most.and_then(|it| facts.insert("interfaces", it))
                    }
                    "Interface" => facts.insert("interfaces", value),
                    _ => None,
                };
            }
            None => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{LIMITS, TABLE, differences, text};
    use crate::tree::Tree;

    const TYPES: &str = "## q1 Family\n### `q1.large`\n#### Labels\n | Label | Value |\n |--|--|\n \
        |karpenter.k8s.aws/instance-category|q|\n |karpenter.k8s.aws/instance-cpu|2|\n \
        |karpenter.k8s.aws/instance-cpu-manufacturer|amd|\n |karpenter.k8s.aws/instance-generation|1|\n \
        |karpenter.k8s.aws/instance-hypervisor|nitro|\n |karpenter.k8s.aws/instance-memory|4096|\n\
        #### Resources\n |pods|29|\n |vpc.amazonaws.com/pod-eni|9|\n";
    const ENIS: &str = "var Limits = map[string]*VPCLimits{\n\t\"q1.large\": {\n\t\tInterface: 6,\n\t\t\
        IPv4PerInterface: 10,\n\t\tDefaultNetworkCardIndex: 0,\n\t\tNetworkCards: []NetworkCard{\n\t\t\t{\n\
        \t\t\t\tMaximumNetworkInterfaces: 3,\n\t\t\t\tNetworkCardIndex: 0,\n\t\t\t},\n\t\t\t{\n\
        \t\t\t\tMaximumNetworkInterfaces: 5,\n\t\t\t\tNetworkCardIndex: 1,\n\t\t\t},\n";

    #[test]
    fn a_type_is_one_row() {
        let tree = Tree::of(&[(TABLE, TYPES), (LIMITS, ENIS)]);
        let found = text(&tree, "2026-11-22").unwrap_or_default();
        let wanted = "\n\nq1: category q, generation 1, maker amd, hypervisor nitro\nq1.large 2 4096 0 0 0 3 10 9\n";
        assert!(found.ends_with(wanted), "{found}");
        assert_eq!(differences(&tree).len(), 1);
    }
}
