//! How a block of Terraform is made to wait for others: a second `depends_on` is refused.

use crate::resolve::terraform::{
    object::{BlockInstance, GraphNode, Mode},
    root::Root,
};

/// What to write so that a block waits for what has these addresses; `place` says whose `depends_on` it is where that
/// is not clear.
pub(crate) fn depend_on<T: AsRef<str>>(
    addresses: &[T],
    block: Option<&BlockInstance>,
    place: &str,
) -> String {
    let addresses: Vec<&str> = addresses.iter().map(AsRef::as_ref).collect();
    if block.is_none_or(|it| it.depends_on.is_none()) {
        let place = if place.is_empty() { place.to_owned() } else { format!(" to {place}") };
        return format!("Add `depends_on = [{}]`{place}", addresses.join(", "));
    }
    let place = if place.is_empty() { place.to_owned() } else { format!(" of {place}") };
    format!("Add `{}` to the `depends_on`{place}", addresses.join("`, `"))
}

/// The call of a module, by its address without keys.
pub(crate) fn call<'m>(root: &'m Root, address: &str) -> Option<&'m BlockInstance> {
    let is_it = |it: &&BlockInstance| {
        let rest = it.address.strip_prefix(address);
        rest.is_some_and(|it| it.is_empty() || (it.starts_with('[') && it.ends_with(']')))
    };
    root.of(Mode::Module, "module").find(is_it)
}

/// Whether something of the part that is to come first already waits for something of the one that is to wait: all
/// of it cannot wait, then.
pub(crate) fn is_needed(root: &Root, waiting: &str, first: &str) -> bool {
    let nodes = |part: &str| -> Vec<GraphNode> {
        let is_inside = |it: &&BlockInstance| {
            let rest = it.address.strip_prefix(part);
            rest.is_some_and(|it| it.is_empty() || it.starts_with(['.', '[']))
        };
        root.objects.iter().filter(is_inside).map(|it| it.node).collect()
    };
    let waiting = nodes(waiting);
    nodes(first).iter().any(|one| waiting.iter().any(|it| root.waits_for(*one, *it)))
}

/// Of these addresses in the module of a block, those of what waits for the block itself as written.
pub(crate) fn waiting_for<'n>(
    root: &Root,
    block: &BlockInstance,
    addresses: &'n [String],
) -> Vec<&'n str> {
    let local = format!("{}.{}", block.kind, block.name);
    let module = block.address.rfind(&*local).and_then(|it| block.address.get(..it));
    let module = module.unwrap_or_default();
    let waits = |it: &&str| is_needed(root, &block.address, &format!("{module}{it}"));
    addresses.iter().map(String::as_str).filter(waits).collect()
}

/// What to do before a block can wait for what waits for the block itself, which would close a cycle; empty where
/// nothing does.
pub(crate) fn untangle(waiting: &[&str]) -> String {
    let (names, verb) = match waiting {
        [] => return String::new(),
        [only] => ((*only).to_owned(), "waits"),
        _ => (waiting.join("` and `"), "wait"),
    };
    format!(
        "As written `{names}` {verb} for this: undo that first, for Terraform refuses a cycle. "
    )
}
