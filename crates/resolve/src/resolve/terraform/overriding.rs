//! Override files: their blocks are merged over the blocks of the same address.

use std::sync::Arc;

use crate::hash::{HashMap, HashSet};

use crate::syntax::hcl::{Block, Body};

type BlockAddress = (Arc<str>, Vec<Arc<str>>);

/// Merges the blocks of an override file over those read before.
pub(super) fn merge(blocks: &mut Vec<Block>, over: Vec<Block>) {
    let mut places: HashMap<BlockAddress, usize> = HashMap::default();
    let mut locals: HashMap<Arc<str>, (usize, usize)> = HashMap::default();
    for (index, block) in blocks.iter().enumerate() {
        places.entry(address(block)).or_insert(index);
        if &*block.kind == "locals" {
            let named = block.body.attributes.iter().enumerate();
            locals.extend(named.map(|(at, it)| (Arc::clone(&it.name), (index, at))));
        }
    }
    for mut block in over {
        match &*block.kind {
            // Each value for itself, whichever block it is in.
            "locals" => block.body.attributes.retain(|it| {
                let place = locals.get(&it.name);
                let earlier = place
                    .and_then(|(index, at)| blocks.get_mut(*index)?.body.attributes.get_mut(*at));
                earlier.map(|earlier| *earlier = it.clone()).is_none()
            }),
            "terraform" | "provider" | "moved" | "import" | "removed" | "check" => {}
            _ => {
                let earlier = places.get(&address(&block)).and_then(|it| blocks.get_mut(*it));
                if let Some(earlier) = earlier {
                    merge_body(&mut earlier.body, block.body);
                    continue;
                }
            }
        }
        blocks.push(block);
    }
}

fn address(block: &Block) -> BlockAddress {
    let labels = block.labels.iter().map(|(text, _)| Arc::clone(text));
    (Arc::clone(&block.kind), labels.collect())
}

/// Arguments replace arguments; blocks of a type replace all blocks of that type, except that
/// `lifecycle` is merged argument by argument.
fn merge_body(body: &mut Body, over: Body) {
    // A nested block may be written as an argument in one file and as a block in the other.
    let names: HashSet<Arc<str>> = over
        .attributes
        .iter()
        .map(|it| Arc::clone(&it.name))
        .chain(over.blocks.iter().filter_map(replaced))
        .collect();
    body.attributes.retain(|it| !names.contains(&it.name));
    body.blocks.retain(|it| replaced(it).is_none_or(|it| !names.contains(&it)));
    body.attributes.extend(over.attributes);
    for block in over.blocks {
        let earlier = body.blocks.iter_mut().find(|it| &*it.kind == "lifecycle");
        match earlier {
            Some(earlier) if &*block.kind == "lifecycle" => {
                merge_body(&mut earlier.body, block.body);
            }
            _ => body.blocks.push(block),
        }
    }
}

/// The type of the blocks that a block stands for.
fn replaced(block: &Block) -> Option<Arc<str>> {
    match &*block.kind {
        "lifecycle" => None,
        "dynamic" => block.labels.first().map(|(label, _)| Arc::clone(label)),
        _ => Some(Arc::clone(&block.kind)),
    }
}
