//! What a kustomization has made so far: objects, charts, variables, and what kustomize would refuse.

use crate::{
    findings::Severity,
    resolve::kustomize::{
        chart::ChartEntry, config::TransformerConfig, layout::KustomizeProject,
        resources::Resources, variable::Variable,
    },
    source::Span,
    syntax::ParseError,
    value::Value,
};

/// What a kustomization has made so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Accumulated {
    /// The objects.
    pub resources: Resources,
    /// Whether something unknown may change them.
    pub open: bool,
    /// Whether there may be further objects.
    pub unseen: bool,
    /// Whether a PDB may be among those for objects of this kustomization.
    pub unseen_pdb: bool,
    /// Helm charts to be rendered.
    pub charts: Vec<ChartEntry>,
    /// `vars`.
    pub variables: Vec<Variable>,
    /// Field specifications of the user's own.
    pub config: TransformerConfig,
    /// What kustomize would refuse.
    pub refused: Vec<ParseError>,
}

impl Accumulated {
    /// Notes that kustomize would refuse to build this.
    pub(super) fn refuse(&mut self, span: Span, message: impl Into<String>) {
        self.open = true;
        self.refuse_in_part(span, message);
    }

    /// The same for what concerns objects that are in doubt themselves, and no others.
    pub(super) fn refuse_in_part(&mut self, span: Span, message: impl Into<String>) {
        let refused = ParseError::new(span, message, Severity::Error);
        if !self.refused.contains(&refused) {
            self.refused.push(refused);
        }
    }

    /// Notes a resource that is not in the repository: often one with secrets, which is kept out of it. It
    /// changes no other object.
    pub(super) fn missing_resource(
        &mut self,
        layout: &mut KustomizeProject<'_>,
        entry: &Value,
        message: &str,
    ) {
        layout.complain(entry.span, message);
        self.refuse_in_part(entry.span, message);
        self.unseen = true;
        self.unseen_pdb |= entry.as_str().is_none_or(may_hold_pdb);
    }

    /// Notes a resource that is kept elsewhere, which has workloads of its own.
    pub(super) fn remote(&mut self, entry: &Value) {
        self.unseen = true;
        self.unseen_pdb |= entry.as_str().is_none_or(names_pdb);
    }

    /// Takes over what an inner kustomization lacks.
    pub(super) fn lacks_like(&mut self, inner: &Self) {
        self.open |= inner.open;
        self.unseen |= inner.unseen;
        self.unseen_pdb |= inner.unseen_pdb;
        let new = inner.refused.iter().filter(|it| !self.refused.contains(it));
        let new: Vec<ParseError> = new.cloned().collect();
        self.refused.extend(new);
    }

    /// Notes an entry that leads nowhere.
    pub(super) fn missing(&mut self, layout: &mut KustomizeProject<'_>, span: Span, message: &str) {
        layout.complain(span, message);
        self.refuse(span, message);
    }
}

/// Whether a missing entry may hold a PDB for objects beside it. A folder may hold anything.
fn may_hold_pdb(path: &str) -> bool {
    let is_file = [".yaml", ".yml", ".json"].iter().any(|it| path.ends_with(it));
    !is_file || names_pdb(path)
}

fn names_pdb(path: &str) -> bool {
    ["pdb", "disruption", "budget"].iter().any(|it| path.contains(it))
}
