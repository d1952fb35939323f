//! How the instances of a resource are told apart, and what becomes of pools when that changes.

use crate::{
    findings::silence::Silence,
    model::{Model, karpenter::KarpenterResource},
    resolve::terraform::object::{BlockInstance, Mode},
    source::Span,
    value::{Field, Kind, Symbol, Value, cause::Cause},
};

/// What tells the pools of one resource apart, and changes although they do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FleetingKey {
    /// Their place in a list.
    Position,
    /// Their text, or a digest of it.
    Text,
}

/// The key by which a resource makes pools that are replaced for another's sake, and where it is written;
/// `None` for resources without pools, and for those that make one.
pub(crate) fn fleeting_key(
    model: &Model,
    resource: &KarpenterResource,
) -> Option<Result<(FleetingKey, Span), Silence>> {
    let blocks: Vec<&BlockInstance> = model.blocks_of(resource).collect();
    let first = *blocks.first().filter(|_| resource.holds("NodePool"))?;
    let root = model.terraform.roots.get(resource.root)?;
    let around = |it: &&BlockInstance| is_inside(first, it);
    let calls = root.objects.iter().filter(around);
    let calls = calls.map(|call| root.objects.iter().filter(|it| it.node == call.node).collect());
    let mut kept = None;
    for instances in [blocks].into_iter().chain(calls) {
        match key_of(&instances) {
            Some(Err(silence)) => kept = kept.or(Some(Err(silence))),
            Some(found) => return Some(found),
            None => {}
        }
    }
    kept
}

/// Whether a block is in the module that a call brings.
fn is_inside(block: &BlockInstance, call: &BlockInstance) -> bool {
    let below = |it: &str| it.starts_with('.');
    call.mode == Mode::Module && block.address.strip_prefix(&*call.address).is_some_and(below)
}

/// What tells the instances of one block apart.
fn key_of(instances: &[&BlockInstance]) -> Option<Result<(FleetingKey, Span), Silence>> {
    let first = instances.first()?;
    if let Field::Present(count) = first.body.get("count") {
        return by_count(count);
    }
    let each = first.body.get("for_each").present()?;
    Some(by_key(each, &keys(instances)).map(|it| (it, place_in(first, each))))
}

/// Where a block has a value: what it refers to in the block, else what is written there.
fn place_in(block: &BlockInstance, value: &Value) -> Span {
    let is_inside = |it: &Span| {
        it.file == block.span.file && block.span.start <= it.start && it.end <= block.span.end
    };
    let steps = value.steps().map(|it| it.span);
    [value.span].into_iter().chain(steps).find(is_inside).unwrap_or(value.span)
}

fn by_count(count: &Value) -> Option<Result<(FleetingKey, Span), Silence>> {
    match &count.kind {
        Kind::Unknown(symbol) if !symbol.text.starts_with("length(") => None,
        // A switch.
        Kind::Number(number) if *number < 2.0 => None,
        _ => Some(Ok((FleetingKey::Position, count.span))),
    }
}

/// The keys in the addresses of instances.
fn keys<'a>(blocks: &[&'a BlockInstance]) -> Vec<&'a str> {
    let key = |it: &&'a BlockInstance| {
        let (_, key) = it.address.rsplit_once(&format!("{}.{}[\"", it.kind, it.name))?;
        key.strip_suffix("\"]")
    };
    blocks.iter().filter_map(key).collect()
}

fn by_key(each: &Value, keys: &[&str]) -> Result<FleetingKey, Silence> {
    if let Kind::Unknown(symbol) = &each.kind {
        return by_symbol(symbol);
    }
    if keys.iter().any(|it| is_text(it)) {
        return Ok(FleetingKey::Text);
    }
    let is_position = |it: &&str| it.parse::<usize>().is_ok_and(|it| it < keys.len());
    if keys.len() > 1 && keys.iter().all(is_position) {
        return Ok(FleetingKey::Position);
    }
    Err(Silence::sound("each pool has a key of its own").at(each.span, "the keys"))
}

/// `documents` of the data sources that split YAML are a list of texts; `manifests` have names.
fn by_symbol(symbol: &Symbol) -> Result<FleetingKey, Silence> {
    let text = symbol.text.trim_end_matches(')');
    if text.ends_with(".documents") && text.contains("data.kubectl_") {
        return Ok(FleetingKey::Text);
    }
    if text.ends_with(".manifests") {
        return Err(Silence::sound("each pool has its kind and name for a key"));
    }
    let words = "the keys of its instances are not known";
    let silence = Silence::undecided(Cause::Value, words);
    Err(match symbol.expression() {
        Some(expression) => silence.missing(expression),
        None => silence,
    })
}

/// Whether a key is a document, or a digest of one.
fn is_text(key: &str) -> bool {
    let is_digest =
        [32, 40, 64].contains(&key.len()) && key.bytes().all(|it| it.is_ascii_hexdigit());
    is_digest || key.contains('\n') || key.contains("apiVersion")
}

#[cfg(test)]
mod tests {
    use super::is_text;

    #[test]
    fn documents_and_digests_are_texts() {
        for (key, wanted) in [
            ("default", false),
            ("karpenter.sh/v1/NodePool/default", false),
            ("0", false),
            ("apiVersion: karpenter.sh/v1\nkind: NodePool\n", true),
            ("d41d8cd98f00b204e9800998ecf8427e", true),
            ("da39a3ee5e6b4b0d3255bfef95601890afd80709", true),
        ] {
            assert_eq!(is_text(key), wanted, "{key}");
        }
    }
}
