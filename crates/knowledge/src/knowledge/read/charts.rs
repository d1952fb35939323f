//! Reads what is known of Karpenter's own charts.

use crate::knowledge::{conversion::Conversion, publication::Publication, read::Reader};

impl Reader {
    pub(super) fn conversion(&mut self) -> Conversion {
        let value = self.document(include_str!("../conversion-webhook.yaml"));
        self.expect_keys(&value, &["bundled", "crd_chart"]);
        Conversion {
            bundled: self.facts(&value, "bundled"),
            crd_chart: self.facts(&value, "crd_chart"),
        }
    }

    pub(super) fn publication(&mut self) -> Publication {
        let value = self.document(include_str!("../chart-publication.yaml"));
        self.expect_keys(&value, &["in_registry", "tag_prefix", "released"]);
        let bad = self.document(include_str!("../known-bad-releases.yaml"));
        self.expect_keys(&bad, &["releases"]);
        Publication {
            in_registry: self.facts(&value, "in_registry"),
            tag_prefix: self.facts(&value, "tag_prefix"),
            released: self.facts(&value, "released"),
            bad: self.facts(&bad, "releases"),
        }
    }
}
