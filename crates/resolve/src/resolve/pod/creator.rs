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

impl Creator {
    /// How messages name it: "the chart `consul`".
    #[must_use]
    pub fn words(self) -> String {
        match self {
            Self::Chart(name) => format!("the chart `{name}`"),
            Self::Addon(name) => format!("the add-on `{name}`"),
            Self::Operator(name) => name.to_owned(),
        }
    }
}
