//! What is kept of an earlier state of a project: the roots that a change of some files leaves as they were.

use std::sync::Arc;

use crate::{
    resolve::terraform::root::Root,
    source::{FileId, Files},
};

/// The roots of an earlier state, in the order of their folders, and the files whose texts are others now.
#[derive(Clone, Debug)]
pub struct Earlier {
    roots: Vec<Arc<Root>>,
    changed: Vec<FileId>,
}

impl Earlier {
    /// The state before files got other texts.
    #[must_use]
    pub fn new(roots: &[Arc<Root>], changed: impl IntoIterator<Item = FileId>) -> Self {
        Self { roots: roots.to_vec(), changed: changed.into_iter().collect() }
    }

    /// The root of a module with the same set of variable values, if it is as it was.
    pub(super) fn root(
        &self,
        files: &Files,
        folder: &str,
        variant: Option<&str>,
    ) -> Option<Arc<Root>> {
        let is_it = |it: &&Arc<Root>| it.variant.as_deref() == variant && it.plan.is_none();
        let first = self.roots.partition_point(|it| &*it.folder < folder);
        let here = self.roots[first..].iter().take_while(|it| &*it.folder == folder);
        let mut own = here.filter(is_it);
        let root = own.next().filter(|_| own.next().is_none())?;
        let is_apart = |id: &FileId| {
            let file = files.get(*id);
            let is_inside = match file.ending() {
                "tf" | "tofu" => root.origin.folders.contains(file.folder()),
                // Values of variables and arguments, of which nothing says where they are read.
                "tfvars" | "hcl" | "json" => true,
                _ => false,
            };
            !is_inside && !root.origin.read.contains(id)
        };
        self.changed.iter().all(is_apart).then(|| Arc::clone(root))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::resolve::terraform::{
        earlier::Earlier, options::TerraformOptions, resolve, tests::Project,
    };

    /// The folders of the roots that are evaluated again when a file gets another text.
    fn evaluated_again(path: &str) -> Vec<String> {
        let mut project = Project::new(&[
            ("a/main.tf", "module \"m\" {\n  source = \"../m\"\n}\n"),
            (
                "b/main.tf",
                "module \"x\" {\n  source = \"x/y/z\"\n  a = file(\"${path.module}/b.yaml\")\n}\n",
            ),
            ("b/b.yaml", "a: 1\n"),
            (
                "c/main.tf",
                "module \"x\" {\n  source = \"x/y/z\"\n  a = templatefile(\"${path.module}/c.tpl\", {})\n}\n",
            ),
            ("c/c.tpl", "a: 1\n"),
            (
                "d/main.tf",
                "data \"kubectl_path_documents\" \"d\" {\n  pattern = \"*.yaml\"\n}\nmodule \"x\" {\n  source = \"x/y/z\"\n  a = data.kubectl_path_documents.d.documents\n}\n",
            ),
            ("d/d.yaml", "a: 1\n"),
            ("e/main.tf", "variable \"e\" {}\n"),
            ("e/terraform.tfvars", "e = 1\n"),
            ("m/main.tf", "resource \"aws_sqs_queue\" \"m\" {}\n"),
            ("m/other.yaml", "a: 1\n"),
        ]);
        let changed = project.files.find(path).expect("the file");
        let text = format!("{}\n", project.files.get(changed).text());
        project.files.replace(changed, text);
        let earlier = Some(Earlier::new(&project.terraform.roots, [changed]));
        let again =
            resolve(&project.files, &TerraformOptions { earlier, ..TerraformOptions::default() });
        let pairs = again.roots.iter().zip(&project.terraform.roots);
        let others = pairs.filter(|(a, b)| !Arc::ptr_eq(a, b));
        others.map(|(it, _)| it.folder.to_string()).collect()
    }

    #[test]
    fn a_root_is_evaluated_again_where_what_it_is_made_of_changes() {
        assert_eq!(evaluated_again("a/main.tf"), ["a"]);
        assert_eq!(evaluated_again("m/main.tf"), ["a"]);
        assert_eq!(evaluated_again("m/other.yaml"), [""; 0]);
        assert_eq!(evaluated_again("b/b.yaml"), ["b"]);
        assert_eq!(evaluated_again("c/c.tpl"), ["c"]);
        assert_eq!(evaluated_again("d/d.yaml"), ["d"]);
        assert_eq!(evaluated_again("e/terraform.tfvars"), ["a", "b", "c", "d", "e"]);
    }
}
