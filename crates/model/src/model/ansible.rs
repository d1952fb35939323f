//! Clusters that Ansible makes on machines of one's own: Karpenter launches no nodes there.

use std::collections::BTreeSet;

use crate::source::{Files, SourceFile, is_below};

/// What the tasks of a role run to make a cluster, or have a node join one.
const MAKERS: &[&str] =
    &["kubeadm init", "kubeadm join", "get.k3s.io", "k3s server", "get.rke2.io"];
/// Why what lies in their folders is not judged.
pub(super) const CLUSTER: &str = "for a cluster that Ansible makes on other machines";
/// The folder of roles, in a path.
const ROLES: &str = "/roles/";
/// The folder of a role's tasks.
const TASKS: &str = "tasks";

/// The folders of Ansible whose roles make a cluster, and that do not name Karpenter.
pub(super) fn clusters(files: &Files) -> BTreeSet<String> {
    let mut found: BTreeSet<String> = BTreeSet::new();
    for (_, file) in files.iter() {
        let Some(folder) = around_roles(file).filter(|it| !found.contains(*it)) else { continue };
        if file.skim(|text| MAKERS.iter().any(|it| text.contains(it))) {
            found.insert(folder.to_owned());
        }
    }
    let names_karpenter = |folder: &str| {
        let mut inside = files.iter().filter(|(_, it)| is_below(it.path(), folder));
        inside.any(|(_, it)| it.skim(|text| text.contains("karpenter")))
    };
    found.retain(|it| !names_karpenter(it));
    found
}

/// The folder around the roles to one of which a file of tasks belongs: `ansible` of `ansible/roles/nodes/tasks/main.yml`.
/// Roles at the top of a repository are for all of it.
fn around_roles(file: &SourceFile) -> Option<&str> {
    let (around, inside) = file.folder().split_once(ROLES)?;
    let is_of_tasks = inside.split('/').nth(1) == Some(TASKS);
    (is_of_tasks && matches!(file.ending(), "yaml" | "yml")).then_some(around)
}

#[cfg(test)]
mod tests {
    use super::clusters;
    use crate::source::{Files, SourceFile};

    #[test]
    fn roles_make_clusters_by_their_tasks() {
        for (path, task, is_one) in [
            ("ansible/roles/nodes/tasks/main.yml", "- command: kubeadm init --config k.yml", true),
            (
                "ops/ansible/roles/nodes/tasks/join.yaml",
                "- shell: curl -sfL https://get.k3s.io | sh -",
                true,
            ),
            (
                "ansible/roles/nodes/tasks/main.yml",
                "- command: kubectl apply -f karpenter.yaml",
                false,
            ),
            ("ansible/roles/nodes/files/main.yml", "- command: kubeadm init", false),
            ("roles/nodes/tasks/main.yml", "- command: kubeadm init", false),
        ] {
            let files = Files::new(vec![SourceFile::new(path, task)]);
            assert_eq!(!clusters(&files).is_empty(), is_one, "{path}: {task}");
        }
    }
}
