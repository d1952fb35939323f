//! From hcl-edit's tree to ours.

use super::{HclFile, Part};
use crate::{source::FileId, syntax::Unread};

pub fn parse(_file: FileId, _text: &str) -> HclFile {
    HclFile::default()
}

pub fn parse_template(_file: FileId, _text: &str) -> Result<Vec<Part>, Unread> {
    Ok(Vec::new())
}
