//! The hash kustomize appends to the names of what it generates, and base64.

use std::{collections::BTreeMap, fmt::Write as _, sync::Arc};

use crate::{
    resolve::kustomize::{
        accumulate::Accumulated,
        edit::{field_mut, retext, text, text_at},
        resource::Resource,
    },
    value::Value,
};

/// Appends its hash to the name of every object that wants one.
pub fn append(made: &mut Accumulated) {
    for resource in made.resources.iter_mut().filter(|it| it.hashed) {
        let Some(hash) = of_object(resource) else { continue };
        resource.remember();
        let place = resource.value.span;
        let metadata = field_mut(&mut resource.value, "metadata");
        let Some(name) = metadata.and_then(|it| field_mut(it, "name")) else { continue };
        let Some(old) = text(name) else { continue };
        retext(name, format!("{old}-{hash}"), place, "gets a hash of its content");
    }
}

fn of_object(resource: &Resource) -> Option<String> {
    let kind = resource.kind();
    let value = &resource.value;
    let mut parts: BTreeMap<&str, String> = BTreeMap::new();
    parts.insert("kind", quoted(&kind));
    // kustomize looks the name up under a key no object has.
    parts.insert("name", quoted(""));
    parts.insert("data", value.get("data").present().map_or_else(|| quoted(""), mapping));
    let (more, secret) = match &*kind {
        "ConfigMap" => ("binaryData", false),
        "Secret" => ("stringData", true),
        _ => return None,
    };
    if let Some(data) = value.get(more).present() {
        parts.insert(more, mapping(data));
    }
    if secret {
        parts.insert("type", quoted(&text_at(value, "type").unwrap_or_default()));
    }
    let json: Vec<String> =
        parts.iter().map(|(key, value)| format!("{}:{value}", quoted(key))).collect();
    let digest = sha256(format!("{{{}}}", json.join(",")).as_bytes());
    let mut hash = String::new();
    for byte in digest.iter().take(5) {
        let _ = write!(hash, "{byte:02x}");
    }
    // Without vowels and the digits that look like them, no hash spells a word.
    let letter = |it: char| match it {
        '0' => 'g',
        '1' => 'h',
        '3' => 'k',
        'a' => 'm',
        'e' => 't',
        other => other,
    };
    Some(hash.chars().map(letter).collect())
}

fn mapping(value: &Value) -> String {
    let sorted: BTreeMap<&str, Arc<str>> =
        value.entries().iter().filter_map(|it| Some((&*it.key, text(&it.value)?))).collect();
    let pairs: Vec<String> =
        sorted.iter().map(|(key, value)| format!("{}:{}", quoted(key), quoted(value))).collect();
    format!("{{{}}}", pairs.join(","))
}

/// A string as Go writes it in JSON.
fn quoted(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    json.push('"');
    for letter in text.chars() {
        match letter {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\n' => json.push_str("\\n"),
            '\r' => json.push_str("\\r"),
            '\t' => json.push_str("\\t"),
            '\u{8}' => json.push_str("\\b"),
            '\u{c}' => json.push_str("\\f"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(json, "\\u{:04x}", u32::from(letter));
            }
            it if u32::from(it) < 0x20 => {
                let _ = write!(json, "\\u{:04x}", u32::from(it));
            }
            it => json.push(it),
        }
    }
    json.push('"');
    json
}

/// Base64 as kustomize writes it: what is long is cut into lines.
#[must_use]
pub fn base64_lines(bytes: &[u8]) -> String {
    const LINE: usize = 70;
    let whole = base64(bytes);
    if whole.len() < LINE {
        return whole;
    }
    let mut lines = String::with_capacity(whole.len() + whole.len() / LINE + 1);
    let mut rest = whole.as_str();
    while !rest.is_empty() {
        let (line, later) = rest.split_at(rest.len().min(LINE));
        lines.push_str(line);
        lines.push('\n');
        rest = later;
    }
    lines
}

/// Base64 with padding.
#[must_use]
pub fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut encoded = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let part = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = part(0) << 16 | part(1) << 8 | part(2);
        for at in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * at) & 63) as usize];
            encoded.push(if at > group.len() { '=' } else { char::from(letter) });
        }
    }
    encoded
}

/// The square roots and cube roots of the first primes, as SHA-256 wants them.
const START: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
fn constants() -> [u32; 64] {
    let mut found = [0u32; 64];
    let mut candidate = 2u64;
    for slot in &mut found {
        while (2..candidate).any(|it| candidate.is_multiple_of(it)) {
            candidate += 1;
        }
        *slot = cube_root_fraction(candidate);
        candidate += 1;
    }
    found
}

/// Whole numbers only: the cube root of `n · 2^96`, without the root's whole part.
fn cube_root_fraction(n: u64) -> u32 {
    let target = u128::from(n) << 96;
    let (mut low, mut high) = (0u128, 1u128 << 36);
    while high - low > 1 {
        let middle = u128::midpoint(low, high);
        if middle * middle * middle <= target { low = middle } else { high = middle }
    }
    u32::try_from(low & 0xffff_ffff).unwrap_or(0)
}

fn sha256(message: &[u8]) -> [u8; 32] {
    let constants = constants();
    let mut state = START;
    let mut padded = message.to_vec();
    padded.push(0x80);
    padded.resize((padded.len() + 8).next_multiple_of(64) - 8, 0);
    padded.extend_from_slice(&(message.len() as u64 * 8).to_be_bytes());
    for block in padded.chunks_exact(64) {
        compress(&mut state, block, &constants);
    }
    let mut digest = [0; 32];
    for (slot, word) in digest.chunks_exact_mut(4).zip(state) {
        slot.copy_from_slice(&word.to_be_bytes());
    }
    digest
}

#[allow(clippy::many_single_char_names, reason = "the names of the standard")]
fn compress(state: &mut [u32; 8], block: &[u8], constants: &[u32; 64]) {
    let mut words = [0u32; 64];
    for (slot, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
        *slot = bytes.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
    }
    for at in 16..64 {
        let (a, b) = (words[at - 15], words[at - 2]);
        let first = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
        let second = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
        words[at] =
            words[at - 16].wrapping_add(first).wrapping_add(words[at - 7]).wrapping_add(second);
    }
    let mut turn = *state;
    for (word, constant) in words.iter().zip(constants) {
        let [a, b, c, d, e, f, g, h] = turn;
        let turned = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let first =
            h.wrapping_add(turned).wrapping_add(choice).wrapping_add(*constant).wrapping_add(*word);
        let turned = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let last = first.wrapping_add(turned.wrapping_add(majority));
        turn = [last, a, b, c, d.wrapping_add(first), e, f, g];
    }
    for (slot, word) in state.iter_mut().zip(turn) {
        *slot = slot.wrapping_add(word);
    }
}

#[cfg(test)]
mod tests {
    use super::{base64, quoted, sha256};

    #[test]
    fn the_digest_is_that_of_the_standard() {
        let hex = |text: &str| {
            sha256(text.as_bytes()).iter().fold(String::new(), |hex, it| format!("{hex}{it:02x}"))
        };
        let cases = [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(hex(text), expected, "{text}");
        }
    }

    #[test]
    fn base64_pads() {
        for (text, expected) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
        {
            assert_eq!(base64(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn json_is_escaped_as_go_does() {
        assert_eq!(quoted("a<b>&\"\n\u{1}"), "\"a\\u003cb\\u003e\\u0026\\\"\\n\\u0001\"");
    }
}
