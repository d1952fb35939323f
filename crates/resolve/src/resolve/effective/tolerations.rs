//! The tolerations that pods end up with: the values over the defaults, and what the template adds.

use crate::{
    resolve::{
        effective::configuration::Configuration,
        pod::toleration::{Toleration, TolerationPart, Tolerations},
    },
    value::{Field, Kind, Value},
    version::Version,
};

impl Configuration {
    /// `None` for a version of which nothing is known.
    pub(super) fn known_tolerations(&self, version: &Version) -> Option<Tolerations> {
        let known = self.surface.version_ranges().iter().any(|it| it.contains(version));
        known.then(|| self.tolerations(version))
    }

    /// What the pods of that version tolerate.
    #[must_use]
    pub fn tolerations(&self, version: &Version) -> Tolerations {
        let version = Some(version);
        let mut all = match self.written("tolerations") {
            Field::Missing => default_of(self.surface.default("tolerations", version)),
            field => Tolerations::read(field),
        };
        match self.tolerates_everything(version) {
            Some(true) => {
                if self.surface.ignores_tolerations(version) != Some(false) {
                    all.list.clear();
                }
                all.list.insert(0, everything());
            }
            switch => {
                let appended = self.surface.appended_tolerations(version);
                all.rest_unknown |= appended.is_none() || switch.is_none();
                all.list.extend(appended.unwrap_or_default().iter().map(unwritten));
            }
        }
        all
    }

    fn tolerates_everything(&self, version: Option<&Version>) -> Option<bool> {
        if self.surface.paths("tolerate_all").is_empty() {
            return Some(false);
        }
        match self.written("tolerate_all") {
            Field::Missing => self.surface.default("tolerate_all", version)?.as_bool(),
            Field::Unknown => None,
            Field::Present(value) => match &value.kind {
                Kind::Null => Some(false),
                Kind::Bool(switch) => Some(*switch),
                // To a template every text but the empty one is true, even "false".
                Kind::String(text) => text.known().map(|it| !it.is_empty()),
                _ => None,
            },
        }
    }
}

fn default_of(value: Option<&Value>) -> Tolerations {
    let unknown = || Tolerations::read(Field::Unknown);
    value.map_or_else(unknown, |it| Tolerations {
        list: it.items().iter().map(unwritten).collect(),
        rest_unknown: false,
    })
}

fn unwritten(value: &Value) -> Toleration {
    Toleration { written: None, ..Toleration::read(value) }
}

fn everything() -> Toleration {
    let nothing = || TolerationPart::Known(String::new());
    Toleration {
        key: nothing(),
        operator: TolerationPart::Known("Exists".to_owned()),
        value: nothing(),
        effect: nothing(),
        written: None,
    }
}
