//! Why something is not known.

/// What was missing to know a value or to decide a question. The words are those of JSON's `needs`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// A value that only an apply or a file elsewhere knows: a variable, an output of a fetched module.
    #[default]
    Value,
    /// What only the installation of a chart knows, or whoever installs it gives.
    Installation,
    /// A value that a Secret, or a file that is encrypted, keeps.
    Secret,
    /// A file that cannot be parsed.
    Unreadable,
    /// A file that is named and is not in the repository.
    MissingFile,
    /// Which version is installed.
    Version,
    /// What a chart or add-on does that the knowledge does not describe.
    Chart,
    /// What the templates of a chart render to.
    NotRendered,
    /// Which of several candidates is meant.
    Ambiguous,
    /// What a script or a template does that mentions the subject.
    Mentioned,
}

impl Cause {
    /// All of them, in the order of the words in a summary.
    pub const ALL: [Self; 9] = [
        Self::Value,
        Self::Version,
        Self::Chart,
        Self::NotRendered,
        Self::Secret,
        Self::Unreadable,
        Self::MissingFile,
        Self::Ambiguous,
        Self::Mentioned,
    ];

    /// The word for programs.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Value | Self::Installation => "unknown-value",
            Self::Secret => "secret",
            Self::Unreadable | Self::MissingFile => "unreadable",
            Self::Version => "unknown-version",
            Self::Chart => "unknown-chart",
            Self::NotRendered => "not-rendered",
            Self::Ambiguous => "ambiguous",
            Self::Mentioned => "mentioned",
        }
    }
}
