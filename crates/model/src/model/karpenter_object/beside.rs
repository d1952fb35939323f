//! Resources beside others of the same group in another version of the API.

use std::collections::{HashMap, HashSet};

use crate::{
    knowledge::schema,
    model::{Model, karpenter_object::KarpenterObject},
    resolve::scope::Scope,
    version::Range,
};

impl Model {
    /// Finds for each resource the releases that serve another version of the API, in which something of the same
    /// group beside it is written. Resources of one scope and version have the same answer, and each kind is asked
    /// about once.
    pub(crate) fn find_served_beside(&mut self) {
        let mut seen = HashSet::new();
        let mut of_folder: HashMap<&str, Vec<&KarpenterObject>> = HashMap::new();
        for it in self.karpenter_objects.iter().filter(|it| !it.is_of_auto_mode()) {
            if seen.insert((&it.scope, &it.object.api_version, &it.object.kind)) {
                of_folder.entry(&it.scope.folder).or_default().push(it);
            }
        }
        let mut known: HashMap<(&Scope, &str), Option<&'static [Range]>> = HashMap::new();
        let answers = self.karpenter_objects.iter().map(|object| {
            *known.entry((&object.scope, &object.object.api_version)).or_insert_with(|| {
                let near = of_folder.get(&*object.scope.folder).map_or(&[][..], Vec::as_slice);
                near.iter().filter(|it| self.is_in_other_version(it, object)).find_map(|it| {
                    Some(schema::of(&it.object.api_version, &it.object.kind)?.served.as_slice())
                })
            })
        });
        let answers: Vec<_> = answers.collect();
        self.one_of_each_api = self.find_one_of_each_api();
        for (object, answer) in self.karpenter_objects.iter_mut().zip(answers) {
            object.served_beside = answer;
        }
    }

    /// The first resource of each API version and kind, as an index; none of EKS Auto Mode.
    fn find_one_of_each_api(&self) -> Vec<usize> {
        let mut seen = HashSet::new();
        let all = self.karpenter_objects.iter().enumerate();
        let own = all.filter(|(_, it)| !it.is_of_auto_mode());
        let firsts = own.filter(|(_, it)| seen.insert((&it.object.api_version, &it.object.kind)));
        firsts.map(|(index, _)| index).collect()
    }

    fn is_in_other_version(&self, beside: &KarpenterObject, object: &KarpenterObject) -> bool {
        beside.object.group() == object.object.group()
            && beside.object.api_version != object.object.api_version
            && self.may_meet(&beside.scope, &object.scope)
    }
}
