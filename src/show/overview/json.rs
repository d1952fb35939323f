//! The overview as one JSON object. Its form is stable: see `schema_version`.

use serde::{Serialize, Serializer, ser::SerializeMap};

use crate::{
    inventory::Item,
    project::Project,
    report::json::JsonLocation,
    show::{data::Data, overview::ClusterView},
};

/// Raised when a field changes its meaning or is removed; new fields do not raise it.
const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct OverviewObject<'a> {
    schema_version: u32,
    clusters: Vec<ClusterObject<'a>>,
}

struct ClusterObject<'a> {
    cluster: &'a ClusterView<'a>,
    shown: &'a dyn Fn(&Project, &str) -> String,
}

struct ItemObject<'a> {
    item: &'a Item,
    location: JsonLocation,
}

impl ClusterObject<'_> {
    fn item<'b>(&self, item: &'b Item) -> ItemObject<'b> {
        let project = self.cluster.project;
        let file = project.files.get(item.span.file);
        let path = (self.shown)(project, file.path());
        ItemObject { item, location: JsonLocation::of(file, path, item.span) }
    }
}

impl Serialize for ClusterObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let it = self.cluster;
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("name", &Data(&it.name))?;
        object.serialize_entry("folder", &(self.shown)(it.project, &it.folder))?;
        object.serialize_entry("kubernetes_version", &Data(&it.kubernetes_version))?;
        object.serialize_entry("karpenter", &it.karpenter.as_ref().map(|item| self.item(item)))?;
        for (kind, list) in &it.lists {
            let items: Vec<ItemObject> = list.iter().map(|item| self.item(item)).collect();
            object.serialize_entry(kind.key(), &items)?;
        }
        object.end()
    }
}

impl Serialize for ItemObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        for (key, value) in &self.item.fields {
            object.serialize_entry(key, &Data(value))?;
        }
        object.serialize_entry("location", &self.location)?;
        object.end()
    }
}

/// The overview as JSON.
#[must_use]
pub(crate) fn text(
    clusters: &[ClusterView<'_>],
    shown: &dyn Fn(&Project, &str) -> String,
) -> String {
    let clusters = clusters.iter().map(|cluster| ClusterObject { cluster, shown }).collect();
    let object = OverviewObject { schema_version: SCHEMA_VERSION, clusters };
    serde_json::to_string_pretty(&object).unwrap_or_default() + "\n"
}
