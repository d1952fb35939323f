//! Functions over IPv4 and IPv6 networks.

use std::net::Ipv6Addr;

use crate::{
    resolve::terraform::functions::{
        argument,
        call::{Call, CallResult, EvaluationError},
    },
    value::Value,
};

/// A network: its address, as it is written, and how many bits are the network's.
#[derive(Clone, Copy)]
struct Network {
    address: u128,
    bits: u32,
    /// How many bits an address has.
    width: u32,
}

impl Network {
    /// The greatest distance between two of its addresses.
    fn span(self) -> u128 {
        u128::MAX.checked_shr(128 - (self.width - self.bits)).unwrap_or_default()
    }

    /// The first address.
    fn base(self) -> u128 {
        self.address & !self.span()
    }

    /// An address as text.
    fn written(self, address: u128) -> String {
        let part = |shift: u32| address >> shift & 255;
        match self.width {
            32 => format!("{}.{}.{}.{}", part(24), part(16), part(8), part(0)),
            _ => Ipv6Addr::from_bits(address).to_string(),
        }
    }
}

/// The network of the first argument.
fn network(call: &Call<'_>, arguments: &[Value]) -> Result<Network, EvaluationError> {
    let text = argument::text(call, arguments, 0)?;
    match read(&text) {
        Some(network) => Ok(network),
        None => call.fault(format_args!("cannot read `{text}` as a network")),
    }
}

fn read(text: &str) -> Option<Network> {
    let (address, bits) = text.split_once('/')?;
    let (address, width) = if address.contains(':') {
        (address.parse::<Ipv6Addr>().ok()?.to_bits(), 128)
    } else {
        let parts = address.split('.').map(|it| number(it).filter(|it| *it < 256));
        let parts: Vec<u32> = parts.collect::<Option<_>>()?;
        let address = parts.iter().fold(0, |sum, part| sum << 8 | u128::from(*part));
        (parts.len() == 4).then_some((address, 32))?
    };
    let bits = number(bits).filter(|it| *it <= width)?;
    // IPv4 in the disguise of IPv6 loses it.
    if width == 128 && address >> 32 == 0xffff && bits >= 96 {
        return Some(Network { address: address & 0xffff_ffff, bits: bits - 96, width: 32 });
    }
    Some(Network { address, bits, width })
}

fn number(digits: &str) -> Option<u32> {
    let plausible = digits.len() <= 9 && digits.bytes().all(|it| it.is_ascii_digit());
    if plausible { digits.parse().ok() } else { None }
}

/// `cidrhost`: a negative number counts from the end.
///
/// # Errors
/// When the network has no such address.
pub(super) fn host(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let index = argument::integer(call, arguments, 1)?;
    let network = network(call, arguments)?;
    let distance = u128::from(index.unsigned_abs());
    if index >= 0 && distance <= network.span() {
        Ok(call.text(network.written(network.base() + distance)))
    } else if index < 0 && distance - 1 <= network.span() {
        Ok(call.text(network.written(network.base() + (network.span() - (distance - 1)))))
    } else {
        call.fault(format_args!("finds no address {index} in the network"))
    }
}

/// `cidrnetmask`
///
/// # Errors
/// When the argument is no network.
pub(super) fn netmask(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let network = network(call, arguments)?;
    if network.width != 32 {
        return call.fault("knows IPv4 networks only");
    }
    let all = Network { bits: 0, ..network }.span();
    Ok(call.text(network.written(all & !network.span())))
}

/// `cidrsubnet`
///
/// # Errors
/// When the network has no such part.
pub(super) fn subnet(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let more = argument::integer(call, arguments, 1)?;
    let index = argument::integer(call, arguments, 2)?;
    let network = network(call, arguments)?;
    let (Ok(more), Ok(index)) = (u32::try_from(more), u128::try_from(index)) else {
        return Ok(call.unknown());
    };
    let bits = network.bits.saturating_add(more);
    if bits > network.width || 1_u128.checked_shl(more).is_some_and(|it| index >= it) {
        return call.fault("finds no such part of the network");
    }
    let part = Network { bits, ..network };
    let offset = if index == 0 { 0 } else { index << (network.width - bits) };
    Ok(call.text(format!("{}/{bits}", part.written(network.base() + offset))))
}

/// `cidrsubnets`: parts of the given sizes, one behind the other.
///
/// # Errors
/// When the network is too small for them.
pub(super) fn subnets(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let network = network(call, arguments)?;
    // Terraform cannot step on from address zero.
    if network.base() == 0 {
        return Ok(call.unknown());
    }
    let mut next = network.base();
    let mut found = Vec::new();
    for index in 1..arguments.len() {
        let more = u32::try_from(argument::integer(call, arguments, index)?).unwrap_or_default();
        let bits = network.bits.saturating_add(more);
        if more < 1 || bits > network.width {
            return call.fault("needs parts that are smaller than the network");
        }
        let part = Network { bits, ..network };
        let size = part.span() + 1;
        let last = network.base() + network.span();
        let start = next.div_ceil(size).checked_mul(size);
        let end = start.and_then(|it| it.checked_add(part.span())).filter(|it| *it <= last);
        let (Some(start), Some(end)) = (start, end) else {
            return call.fault("finds no room for all parts");
        };
        next = end.saturating_add(1);
        found.push(format!("{}/{bits}", part.written(start)));
    }
    Ok(call.texts(found))
}
