//! How a block of Terraform is made to wait for others: a second `depends_on` is refused.

use crate::resolve::terraform::{
    object::{BlockInstance, Mode},
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
