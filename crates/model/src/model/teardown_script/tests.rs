//! What files of commands remove first.

use crate::{
    model::teardown_script::{TeardownScript, of_text},
    source::{FileId, Files, SourceFile},
};

fn read(name: &str, text: &str) -> TeardownScript {
    of_text(FileId(0), &SourceFile::new(name, text), text)
}

#[test]
fn what_removes_nodes_first_is_found() {
    for (name, text, nodes, classes) in [
        ("a.sh", "kubectl delete nodepools,nodeclaims --all\nterraform destroy\n", true, false),
        // Pods of nodes alone get other nodes.
        ("a.sh", "kubectl delete nodeclaims --all\nterraform destroy\n", false, false),
        (
            "a.sh",
            "kubectl delete nodepools --all\nkubectl delete nodeclaims --all\nterraform destroy\n",
            true,
            false,
        ),
        ("a.sh", "kubectl delete nodepool --all\nterraform destroy\n", false, false),
        ("a.sh", "kubectl delete nodepool --all\nsleep 60\ntofu destroy\n", true, false),
        ("a.sh", "kubectl delete nodepool --all --cascade=foreground\n$TF destroy", true, false),
        ("a.sh", "kubectl delete ec2nodeclass --all\nterraform apply -destroy\n", true, true),
        ("a.sh", "terraform destroy\nkubectl delete nodeclaims --all\n", false, false),
        ("a.sh", "kubectl delete nodeclaims --all\n", false, false),
        ("a.sh", "# kubectl delete nodeclaims --all\nterraform destroy\n", false, false),
        (
            "a.sh",
            "kubectl delete nodepools,nodeclaims --all --wait=false\nterraform destroy\n",
            false,
            false,
        ),
        ("cleanup.sh", "kubectl delete nodepools,nodeclaims --all\n", true, false),
        // What a function waits for is waited for where it is called.
        (
            "a.sh",
            "rest() {\n  sleep 60\n}\nkubectl delete nodepool --all\nrest\ntofu destroy\n",
            true,
            false,
        ),
        (
            "a.sh",
            "rest() {\n  sleep 60\n}\nrest\nkubectl delete nodepool --all\ntofu destroy\n",
            false,
            false,
        ),
        (
            "a.sh",
            "kubectl delete nodepool --all\naws ec2 terminate-instances --instance-ids $all\ntofu destroy\n",
            true,
            false,
        ),
        // The pools are made anew.
        ("cleanup.sh", "kubectl delete nodepools,nodeclaims --all\ntofu apply\n", false, false),
        (
            "Makefile",
            "down: clean\n\tterraform destroy\nclean:\n\tkubectl delete nodepools,nodeclaims --all\n",
            true,
            false,
        ),
        (
            "Makefile",
            "down:\n\tterraform destroy\nclean:\n\tkubectl delete nodepools,nodeclaims --all\n",
            false,
            false,
        ),
    ] {
        let found = read(name, text);
        assert_eq!((found.nodes.is_some(), found.classes.is_some()), (nodes, classes), "{text}");
    }
}

#[test]
fn a_document_deletes_its_nodes_after_the_load_or_just_before_the_destroy() {
    const LOAD: &str = "* `kubectl delete deployment inflate`\n";
    const SPACE: &str = "* `helm uninstall ingress`\n* `sleep 60`\n";
    const DESTROY: &str = "* `terraform destroy` - takes a while\n";
    for nodes in [
        "* `kubectl delete node -l karpenter.sh/provisioner-name=default`\n",
        "* `kubectl delete nodes -l karpenter.sh/nodepool=default`\n",
        "* `kubectl delete nodeclaims --all`\n",
    ] {
        for (name, text, found) in [
            ("README.md", format!("{LOAD}{nodes}{DESTROY}"), true),
            ("README.md", format!("{nodes}{DESTROY}"), true),
            ("README.md", format!("{nodes}{DESTROY}{DESTROY}"), true),
            // What comes between takes time, in which other pods get nodes anew.
            ("README.md", format!("{nodes}{SPACE}{DESTROY}"), false),
            ("README.md", format!("{LOAD}{DESTROY}{nodes}"), false),
            ("down.sh", format!("{nodes}{DESTROY}"), false),
            // Other pods may get nodes anew.
            ("down.sh", format!("{LOAD}{nodes}{DESTROY}"), false),
        ] {
            assert_eq!(read(name, &text).nodes.is_some(), found, "{name}: {text}");
        }
    }
    let others = format!("{LOAD}* `kubectl delete node -l team=batch`\n{DESTROY}");
    assert!(read("README.md", &others).nodes.is_none());
}

#[test]
fn a_script_is_for_the_folders_it_enters() {
    for (text, root, is_for) in [
        ("cd cluster\nterraform destroy\n", "live/cluster", true),
        ("cd cluster\nterraform destroy\ncd ../addons && tofu destroy\n", "addons", true),
        ("cd ../cluster\nterraform destroy\n", "cluster-old", false),
        ("cd \"$1\"\nterraform destroy\n", "cluster-old", true),
        ("cd live\nterragrunt run-all destroy\n", "live/cluster", true),
        ("cd cluster\ncd ..\nterraform destroy\n", "cluster-old", true),
        ("cd cluster\nterraform -chdir=next destroy\n", "cluster-old", true),
        ("terraform destroy\n", "cluster-old", true),
    ] {
        assert_eq!(read("a.sh", text).is_for(root), is_for, "{text}");
    }
}

#[test]
fn what_terraform_forgets_is_found() {
    let pool = "module.a.kubectl_manifest.pool";
    for (name, text, root, holds) in [
        ("a.sh", "terraform state rm module.a\nterraform destroy\n", "", true),
        (
            "a.sh",
            "terraform -chdir=b state rm 'module.a.kubectl_manifest.pool[0]' || true\ntofu destroy\n",
            "layers/b",
            true,
        ),
        ("a.sh", "terraform -chdir=c state rm module.a\nterraform destroy\n", "b", false),
        ("a.sh", "terraform state rm module.b\nterraform destroy\n", "", false),
        ("a.sh", "terraform state rm module.a\n", "", false),
        ("a.sh", "S=\"$(tofu state list)\"\ntofu state rm $S\n", "", true),
        ("a.sh", "tofu state rm $S\n", "", false),
    ] {
        let found = read(name, text).forgotten;
        assert_eq!(found.iter().any(|it| it.holds(root, pool)), holds, "{text}");
    }
}

#[test]
fn what_stops_the_controller_first_is_found() {
    for (text, stops) in [
        ("helm uninstall karpenter -n karpenter\nterraform destroy\n", true),
        ("helm uninstall web -n karpenter-apps\nterraform destroy\n", false),
        ("terraform destroy\nhelm uninstall karpenter\n", false),
        ("kubectl scale deployment/karpenter --replicas=0\nterraform destroy\n", true),
        (
            "kubectl get deploy -A -o name | xargs -n1 kubectl scale --replicas=0\ntofu destroy\n",
            true,
        ),
        (
            "helm list -A -q | while read -r it; do\n  helm uninstall $it\ndone\ntofu destroy\n",
            true,
        ),
        ("kubectl scale deployment/web --replicas=0\nterraform destroy\n", false),
        ("kubectl scale deployment/karpenter --replicas=02\nterraform destroy\n", false),
    ] {
        assert_eq!(read("a.sh", text).controller.is_some(), stops, "{text}");
    }
}

#[test]
fn destroys_of_single_addresses_are_found() {
    for (text, wanted) in [
        ("terraform destroy -target=module.a\nterraform destroy\n", "module.a"),
        ("terraform destroy -target=module.a\n", ""),
        (
            "terraform destroy -target=module.a \\\n  -target module.b\ntofu destroy\n",
            "module.a module.b",
        ),
        (
            "for it in module.a \"module.b\"; do\n  terraform destroy -target=\"$it\"\ndone\nterraform destroy\n",
            "module.a, module.b",
        ),
        (
            "targets=(\n  \"module.a\"\n  \"module.b\"\n)\nfor it in \"${targets[@]}\"\ndo\n  destroy_output=$(terraform destroy -target=\"$it\")\ndone\n",
            "module.a, module.b",
        ),
        ("terraform apply -target=module.a\nterraform destroy\n", ""),
    ] {
        let found = read("a.sh", text).targeted;
        let found: Vec<String> = found.iter().map(|it| it.addresses.join(" ")).collect();
        assert_eq!(found.join(", "), wanted, "{text}");
    }
}

#[test]
fn a_document_may_enter_folders_that_are_not_here() {
    let files =
        Files::new(vec![SourceFile::new("infra/main.tf", ""), SourceFile::new("b/a.tf", "")]);
    for (name, text, is_for) in [
        ("README.md", "cd <your-clone>\nterraform destroy\n", true),
        ("README.md", "cd shop-cluster\n```\nterraform destroy\n", true),
        ("README.md", "cd b\nterraform destroy\n", false),
        // What a script enters is there, or it fails.
        ("down.sh", "cd ../shop-cluster\nterraform destroy\n", false),
    ] {
        let script = read(name, text).without_unseen_folders(&files);
        assert_eq!(script.is_for("infra"), is_for, "{name}: {text}");
    }
}

#[test]
fn a_document_tells_its_readers_to_wait() {
    let steps = |wait: &str| {
        format!(
            "```\nkubectl delete nodepool default gpu\n```\n{wait}\n```\nterraform destroy\n```\n"
        )
    };
    for (name, wait, nodes) in [
        ("README.md", "# 2. Wait for the nodes to terminate", true),
        ("README.md", "Wait until all EC2 instances are gone.", true),
        ("README.md", "2. Give it a minute.", false),
        ("README.md", "Do not wait for the nodes to be removed.", false),
        ("README.md", "Wait for a node to be ready.", false),
        ("down.sh", "# wait for the nodes to terminate", false),
    ] {
        assert_eq!(read(name, &steps(wait)).nodes.is_some(), nodes, "{name}: {wait}");
    }
}

#[test]
fn root_modules_are_destroyed_in_an_order() {
    for (text, is_first) in [
        ("cd live/pools && terraform destroy\ncd ../cluster && terraform destroy\n", true),
        ("terraform -chdir=live/pools destroy\nterraform destroy\n", true),
        ("cd cluster && terraform destroy\ncd ../pools && terraform destroy\n", false),
        ("cd pools && terraform destroy\n", false),
        ("cd pools && terraform destroy\ncd ../network && terraform destroy\n", false),
    ] {
        let script = read("a.sh", text);
        let found = script.destroys_first("live/pools", "live/cluster");
        assert_eq!(found.is_some(), is_first, "{text}");
    }
}

#[test]
fn scripts_end_what_instances_are_left() {
    const SWEEP: &str = "ids=$(aws ec2 describe-instances --filters Name=tag:karpenter.sh/nodepool,Values=*)\n\
                         aws ec2 terminate-instances --instance-ids $ids\n";
    let other = SWEEP.replace("karpenter.sh/nodepool", "Name");
    for (name, text, ends) in [
        ("deploy.ps1", format!("terraform @destroyArgs\n{SWEEP}"), true),
        ("deploy.ps1", format!("terraform @destroyArgs\n{other}"), false),
        ("README.md", format!("```\nterraform destroy\n{SWEEP}```\n"), false),
    ] {
        assert_eq!(read(name, &text).terminates.is_some(), ends, "{name}: {text}");
    }
}

#[test]
fn a_long_line_of_a_document_is_no_command() {
    let told = |words: &str| {
        format!(
            "- `terraform apply -target=module.pools {words} (Plan: 1 to add, 0 destroy)`\n\n```\nterraform destroy\n```\n"
        )
    };
    for (words, is_one) in [("-auto-approve", true), (&*"and then ".repeat(90), false)] {
        assert_eq!(!read("notes.md", &told(words)).targeted.is_empty(), is_one, "{words}");
    }
}
