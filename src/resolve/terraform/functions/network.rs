//! Functions over IPv4 networks; IPv6 is unknown.

use super::{Answer, Call, Fault, argument};
use crate::value::Value;

/// A network: its address, as it is written, and how many bits are the network's.
#[derive(Clone, Copy)]
struct Network {
    address: u64,
    bits: u32,
}

impl Network {
    /// How many addresses it has.
    fn size(self) -> u64 {
        1 << (32 - self.bits)
    }

    /// The first address.
    fn base(self) -> u64 {
        self.address & !(self.size() - 1)
    }
}

/// The network of the first argument; `None` for IPv6.
fn network(call: &Call<'_>, arguments: &[Value]) -> Result<Option<Network>, Fault> {
    let text = argument::text(call, arguments, 0)?;
    if text.contains(':') {
        return Ok(None);
    }
    match read(&text) {
        Some(network) => Ok(Some(network)),
        None => call.fault(format_args!("cannot read `{text}` as a network")),
    }
}

fn read(text: &str) -> Option<Network> {
    let (address, bits) = text.split_once('/')?;
    let parts = address.split('.').map(|it| number(it).filter(|it| *it < 256));
    let parts: Vec<u64> = parts.collect::<Option<_>>()?;
    let bits = u32::try_from(number(bits)?).ok().filter(|it| *it <= 32)?;
    let address = parts.iter().fold(0, |sum, part| sum << 8 | part);
    (parts.len() == 4).then_some(Network { address, bits })
}

fn number(digits: &str) -> Option<u64> {
    let plausible = digits.len() <= 9 && digits.bytes().all(|it| it.is_ascii_digit());
    if plausible { digits.parse().ok() } else { None }
}

fn dotted(address: u64) -> String {
    let part = |shift: u32| address >> shift & 255;
    format!("{}.{}.{}.{}", part(24), part(16), part(8), part(0))
}

/// `cidrhost`: a negative number counts from the end.
///
/// # Errors
/// When the network has no such address.
pub fn host(call: &Call<'_>, arguments: &[Value]) -> Answer {
    let index = argument::integer(call, arguments, 1)?;
    let Some(network) = network(call, arguments)? else { return Ok(call.unknown()) };
    let distance = index.unsigned_abs();
    if index >= 0 && distance < network.size() {
        Ok(call.text(dotted(network.base() + distance)))
    } else if index < 0 && distance <= network.size() {
        Ok(call.text(dotted(network.base() + network.size() - distance)))
    } else {
        call.fault(format_args!("finds no address {index} in the network"))
    }
}

/// `cidrnetmask`
///
/// # Errors
/// When the argument is no network.
pub fn netmask(call: &Call<'_>, arguments: &[Value]) -> Answer {
    match network(call, arguments)? {
        Some(network) => Ok(call.text(dotted((1 << 32) - network.size()))),
        None => call.fault("knows IPv4 networks only"),
    }
}

/// `cidrsubnet`
///
/// # Errors
/// When the network has no such part.
pub fn subnet(call: &Call<'_>, arguments: &[Value]) -> Answer {
    let more = argument::integer(call, arguments, 1)?;
    let index = argument::integer(call, arguments, 2)?;
    let Some(network) = network(call, arguments)? else { return Ok(call.unknown()) };
    let (Ok(more), Ok(index)) = (u32::try_from(more), u64::try_from(index)) else {
        return Ok(call.unknown());
    };
    let bits = network.bits.saturating_add(more);
    if bits > 32 || index >= 1_u64 << more.min(32) {
        return call.fault("finds no such part of the network");
    }
    let base = network.base() + index * Network { bits, ..network }.size();
    Ok(call.text(format!("{}/{bits}", dotted(base))))
}

/// `cidrsubnets`: parts of the given sizes, one behind the other.
///
/// # Errors
/// When the network is too small for them.
pub fn subnets(call: &Call<'_>, arguments: &[Value]) -> Answer {
    let Some(network) = network(call, arguments)? else { return Ok(call.unknown()) };
    // Terraform cannot step on from address zero.
    if network.base() == 0 {
        return Ok(call.unknown());
    }
    let mut next = network.base();
    let mut found = Vec::new();
    for index in 1..arguments.len() {
        let more = u32::try_from(argument::integer(call, arguments, index)?).unwrap_or_default();
        let bits = network.bits.saturating_add(more);
        if more < 1 || bits > 32 {
            return call.fault("needs parts that are smaller than the network");
        }
        let size = Network { bits, ..network }.size();
        let start = next.div_ceil(size) * size;
        next = start + size;
        if next > network.base() + network.size() {
            return call.fault("finds no room for all parts");
        }
        found.push(format!("{}/{bits}", dotted(start)));
    }
    Ok(call.texts(found))
}
