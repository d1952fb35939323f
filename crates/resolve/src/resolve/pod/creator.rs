//! What creates pods and PDBs whose text is not in the repository.

/// What creates them, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Creator {
    /// A Helm chart.
    Chart(&'static str),
    /// An add-on of EKS.
    Addon(&'static str),
    /// An operator.
    Operator(&'static str),
}
