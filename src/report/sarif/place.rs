//! Where a file is, for readers of SARIF.

use crate::report::{
    markup::percent_encoded,
    sarif::schema::{ArtifactLocation, PhysicalLocation, Region, SarifLocation},
};

/// The name of the root in addresses.
pub(super) const ROOT: &str = "%SRCROOT%";

/// The address of a path below the root; of one that has no root in common with the others, where it is.
pub(super) fn address(path: &str, index: Option<usize>) -> ArtifactLocation {
    let uri = percent_encoded(path);
    if path.starts_with('/') {
        return ArtifactLocation { uri: format!("file://{uri}"), uri_base_id: None, index };
    }
    ArtifactLocation { uri, uri_base_id: Some(ROOT), index }
}

/// A file, or a line of it.
pub(super) fn file_location(path: &str, line: Option<usize>) -> SarifLocation {
    let region = line.map(|line| Region {
        start_line: line,
        start_column: None,
        end_line: line,
        end_column: None,
        snippet: None,
    });
    SarifLocation {
        id: None,
        physical_location: PhysicalLocation {
            artifact_location: address(path, None),
            region,
            context_region: None,
        },
        logical_locations: Vec::new(),
        message: None,
    }
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn addresses_are_percent_encoded() {
        assert_eq!(address("a b/é:1.tf", None).uri, "a%20b/%C3%A9%3A1.tf");
    }
}
