//! Whether Karpenter insists on `minValues`.

use crate::{model::Model, resolve::scope::Scope, value::Field};

/// Since when a setting may make Karpenter do with fewer values.
/// <https://github.com/aws/karpenter-provider-aws/blob/v1.6.0/charts/karpenter/values.yaml>
const RELAXABLE: (u64, u64) = (1, 6);

impl Model {
    /// Whether the controller of a scope launches nothing where the instance types have fewer values than
    /// `minValues` asks for.
    #[must_use]
    pub fn insists_on_min_values(&self, scope: &Scope) -> Option<bool> {
        let (version, installation) = self.karpenter_near(scope);
        if version.is_some_and(|it| it.line() < RELAXABLE) {
            return Some(true);
        }
        let release = self.releases.get(installation?.release?)?;
        if !release.values.at("controller.env").is_missing() {
            return None;
        }
        match release.values.at("settings.minValuesPolicy") {
            Field::Missing => Some(true),
            Field::Present(policy) => match policy.as_str()? {
                "Strict" => Some(true),
                "BestEffort" => Some(false),
                _ => None,
            },
            Field::Unknown => None,
        }
    }
}
