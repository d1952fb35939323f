//! Versions of Karpenter in the commands that documents show: they install nothing here, but say what somebody does.

use std::sync::Arc;

use crate::resolve::setting::Setting;

/// A version of the controller that a document names.
#[derive(Clone, Debug)]
pub struct DocumentedVersion {
    /// The version, where the document has it.
    pub version: Setting<String>,
    /// The folder of the document.
    pub folder: Arc<str>,
}
