//! Why nothing seems to apply a path.

use crate::source::FileId;

/// Why nothing seems to apply a path.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unapplied {
    /// This kustomization leaves it out.
    LeftOut(FileId),
    /// This Terraform does not read it.
    Unread(FileId),
    /// These commands apply others like it beside it, one by one.
    BesideApplied(FileId),
    /// This file applies a folder beside it.
    BesideFolders(FileId),
    /// This file beside it has what took the place of what it holds.
    Replaced(FileId),
    /// This Terraform applies what it holds, by the same names, from another text.
    Twin(FileId),
    /// Only a comment of this Terraform reads it.
    CommentedOut(FileId),
    /// It lies in the folder of this chart, which does not render it.
    NotRendered(FileId),
    /// Only this file applies it, which is put aside.
    ByAside(FileId),
    /// Only this file applies it, which nothing applies.
    ByLeftOut(FileId),
    /// This file applies the folder around it without it.
    Excluded(FileId),
    /// This file applies others like it, as it finds them in git, and not this.
    NotFound(FileId),
    /// Its name says that it is not in use.
    NamedAside(FileId),
    /// It is a sample.
    Sample,
}

impl Unapplied {
    /// Whether something may read the path by itself, or the whole folder around it.
    pub(super) fn may_be_read_alone(self) -> bool {
        matches!(
            self,
            Self::Unread(_)
                | Self::BesideApplied(_)
                | Self::Replaced(_)
                | Self::Twin(_)
                | Self::CommentedOut(_)
                | Self::NotRendered(_)
        )
    }
}
