//! Which of several resources without an order have to get one, so that those that wait for them have it, too.

use std::collections::HashMap;

use crate::{
    model::{Model, karpenter::KarpenterResource},
    resolve::terraform::object::GraphNode,
};

/// A resource among those of all root modules.
type Place = (usize, GraphNode);

/// Resources that wait for others of the same list.
#[derive(Debug, Default)]
pub(crate) struct OrderLeads<'m> {
    leads: HashMap<Place, &'m KarpenterResource>,
    behind: HashMap<Place, Vec<&'m KarpenterResource>>,
}

impl<'m> OrderLeads<'m> {
    /// Those among resources that nothing else makes wait.
    pub(crate) fn of(model: &Model, all: &[&'m KarpenterResource]) -> Self {
        let by_place: HashMap<Place, &KarpenterResource> =
            all.iter().map(|it| (place(it), *it)).collect();
        // What is waited for through resources of which nothing is reported stays for itself.
        let next = |it: &KarpenterResource| {
            let needs = model.terraform.roots.get(it.root)?.needs(it.node);
            needs.iter().find_map(|(node, _)| by_place.get(&(it.root, *node)).copied())
        };
        let next: HashMap<Place, &KarpenterResource> =
            all.iter().filter_map(|it| Some((place(it), next(it)?))).collect();
        let mut found = Self::default();
        for own in all {
            let mut lead = *own;
            let mut path = Vec::new();
            // Terraform refuses a circle.
            while path.len() < all.len()
                && let Some(further) = next.get(&place(lead))
            {
                path.push(place(lead));
                lead = found.leads.get(&place(lead)).unwrap_or(further);
            }
            found.leads.extend(path.into_iter().map(|it| (it, lead)));
            if place(lead) != place(own) {
                found.behind.entry(place(lead)).or_default().push(own);
            }
        }
        found
    }

    /// The resource that one waits for, and which itself waits for no other one.
    pub(crate) fn lead(&self, resource: &KarpenterResource) -> Option<&'m KarpenterResource> {
        self.leads.get(&place(resource)).copied()
    }

    /// The resources that wait for one which waits for no other one.
    pub(crate) fn behind(&self, resource: &KarpenterResource) -> &[&'m KarpenterResource] {
        self.behind.get(&place(resource)).map_or(&[], Vec::as_slice)
    }
}

fn place(resource: &KarpenterResource) -> Place {
    (resource.root, resource.node)
}
