//! Tests of clusters that scripts make.

use crate::{
    resolve::{gitops::eksctl, release::script::installed},
    source::{Files, SourceFile},
};

/// The clusters of scripts, each in one line: its name or where that is written, its version, and how many groups of nodes it has, if
/// all are known.
fn of(list: &[(&str, &str)]) -> Vec<String> {
    let sources = list.iter().map(|(path, text)| SourceFile::new(*path, *text));
    let files = Files::new(sources.collect());
    let found = installed(&files).held.objects;
    let shown = found.iter().map(|located| {
        let config = eksctl::cluster(&files, located);
        let version = config.version.as_ref().and_then(|it| it.as_str()).unwrap_or("?");
        let groups =
            if config.complete { config.node_groups.len().to_string() } else { "?".into() };
        let name = config.name.as_ref().and_then(|it| it.as_str());
        format!("{} {version} {groups}", name.unwrap_or(files.text(config.report_span)))
    });
    shown.collect()
}

const CONFIG: &str = "apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\nmetadata:\n  name: $C\n  version: '$V'\nnodeGroups: [{name: a}]\n";

#[test]
fn a_text_is_read_as_the_file_would_be() {
    for (path, before, command, after, wanted) in [
        ("a.sh", "V=1.30\nC=${C:-d}", "eksctl create cluster -f - <<EOF", "EOF", "d 1.30 1"),
        ("a.sh", "V=1.30", "eksctl create cluster -f - <<EOF", "EOF", "$C 1.30 1"),
        ("a.sh", "V=1.30", "cat <<EOF | eksctl create cluster --config-file -", "EOF", "$C 1.30 1"),
        ("a.sh", "V=1.30", "cat >c <<EOF", "EOF\neksctl create cluster -f c", "$C 1.30 1"),
        ("a.sh", "V=1.30\nV=1.31", "eksctl create cluster -f - <<EOF", "EOF", "$C ? 1"),
        ("a.sh", "V=${V:-1.30}", "eksctl create cluster -f - <<EOF", "EOF", "$C ? 1"),
        ("a.ps1", "$V = '1.30'", "@\"", "\"@ | eksctl create cluster -f -", "$C 1.30 1"),
        (
            "a.sh",
            "V=1.30",
            "cat >c <<EOF",
            "EOF\nyq -i .a=1 c\neksctl create cluster -f c",
            "$C ? ?",
        ),
        ("a.sh", "V=1.30", "cat >c <<EOF", "EOF\ncat d >>c\neksctl create cluster -f c", "$C ? ?"),
        ("a.sh", "V=1.30", "cat >c <<EOF", "EOF\nrm c\neksctl create cluster -f d", ""),
        ("a.sh", "V=1.30", "eksctl create cluster --dry-run -f - <<EOF", "EOF", ""),
        ("a.sh", "V=1.30", "eksctl delete cluster -f - <<EOF", "EOF", ""),
    ] {
        let text = format!("{before}\n{command}\n{CONFIG}{after}\n");
        assert_eq!(of(&[(path, &text)]).join("; "), wanted, "{text}");
    }
}

#[test]
fn flags_make_a_cluster_with_one_group() {
    for (flags, wanted) in [
        ("--name=a --version 1.30", "a 1.30 1"),
        ("a -r eu-west-1 --nodes 3 --managed=false", "a ? 1"),
        ("--name a --zones b --with-oidc --node-labels c=d", "a ? 1"),
        ("--name a --version 1.30 --without-nodegroup", "a 1.30 ?"),
        ("--name a --fargate", "a ? ?"),
        ("--name a $MORE", "a ? ?"),
        ("--name a --dry-run", ""),
    ] {
        let text = format!("eksctl create cluster {flags}\n");
        assert_eq!(of(&[("a.sh", &text)]).join("; "), wanted, "{flags}");
    }
}

#[test]
fn later_commands_change_a_cluster() {
    let makes = ("a.sh", "eksctl create cluster --name a --version 1.30\n");
    for (later, wanted) in [
        ("eksctl upgrade cluster --name a", "a ? 1"),
        ("aws --region b eks update-cluster-version --name a", "a ? 1"),
        ("eksctl create nodegroup --cluster a", "a 1.30 ?"),
        ("kubectl taint --overwrite nodes --all b=c:NoSchedule", "a 1.30 ?"),
        ("kubectl label nodes --all b=c", "a 1.30 ?"),
        ("aws eks create-fargate-profile --cluster-name a", "a 1.30 ?"),
        ("echo eksctl; kubectl get nodes", "a 1.30 1"),
    ] {
        assert_eq!(of(&[makes, ("b/c.sh", later)]).join("; "), wanted, "{later}");
    }
}
