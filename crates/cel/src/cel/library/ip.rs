//! Addresses and networks.

use std::net::IpAddr;

use crate::cel::{
    data::{Data, Operand, Outcome, network::Cidr, take},
    fault::Fault,
    native::Native,
};

/// Functions of addresses and networks.
pub(super) const FUNCTIONS: &[(&str, Native)] = &[
    ("ip", ip),
    ("isIP", |it| is(it, |text| address(text).is_ok())),
    ("ip.isCanonical", |it| {
        let [Data::String(text)] = take(it)? else { return Err(Fault::NoOverload) };
        Ok(Data::Bool(address(text)?.to_string() == **text).into())
    }),
    ("family", |it| {
        let [Data::Ip(it)] = take(it)? else { return Err(Fault::NoOverload) };
        Ok(Data::Int(if it.is_ipv4() { 4 } else { 6 }).into())
    }),
    ("isUnspecified", |it| test(it, IpAddr::is_unspecified)),
    ("isLoopback", |it| test(it, IpAddr::is_loopback)),
    ("isLinkLocalMulticast", |it| test(it, is_link_local_multicast)),
    ("isLinkLocalUnicast", |it| test(it, is_link_local_unicast)),
    ("isGlobalUnicast", |it| test(it, is_global_unicast)),
    ("cidr", |it| {
        let [Data::String(text)] = take(it)? else { return Err(Fault::NoOverload) };
        Ok(Data::Cidr(read_network(text)?).into())
    }),
    ("isCIDR", |it| is(it, |text| read_network(text).is_ok())),
    ("containsIP", contains_ip),
    ("containsCIDR", contains_network),
    ("prefixLength", |it| {
        let [Data::Cidr(it)] = take(it)? else { return Err(Fault::NoOverload) };
        Ok(Data::Int(it.length.into()).into())
    }),
    ("masked", |it| {
        let [Data::Cidr(it)] = take(it)? else { return Err(Fault::NoOverload) };
        Ok(Data::Cidr(Cidr { address: masked(it.address, it.length), ..*it }).into())
    }),
];

fn is(arguments: &[Operand], holds: fn(&str) -> bool) -> Outcome {
    let [Data::String(text)] = take(arguments)? else { return Err(Fault::NoOverload) };
    Ok(Data::Bool(holds(text)).into())
}

fn test(arguments: &[Operand], test: fn(&IpAddr) -> bool) -> Outcome {
    let [Data::Ip(it)] = take(arguments)? else { return Err(Fault::NoOverload) };
    Ok(Data::Bool(test(it)).into())
}

fn ip(arguments: &[Operand]) -> Outcome {
    match take(arguments)? {
        [Data::String(text)] => Ok(Data::Ip(address(text)?).into()),
        [Data::Cidr(it)] => Ok(Data::Ip(it.address).into()),
        _ => Err(Fault::NoOverload),
    }
}

fn address(text: &str) -> Result<IpAddr, Fault> {
    let wrong = |_| Fault::error(format!("`{text}` is not an IP address"));
    let address: IpAddr = text.parse().map_err(wrong)?;
    match address {
        IpAddr::V6(it) if it.to_ipv4_mapped().is_some() => {
            Err(Fault::error(format!("IPv4-mapped IPv6 address `{text}` is not allowed")))
        }
        _ => Ok(address),
    }
}

fn read_network(text: &str) -> Result<Cidr, Fault> {
    let wrong = || Fault::error(format!("`{text}` is not a network"));
    let (before, length) = text.rsplit_once('/').ok_or_else(wrong)?;
    let address = address(before)?;
    let is_number = length.bytes().all(|it| it.is_ascii_digit());
    let is_plain = is_number && (length == "0" || !length.starts_with('0'));
    let length: u8 = length.parse().ok().filter(|_| is_plain).ok_or_else(wrong)?;
    let most = if address.is_ipv4() { 32 } else { 128 };
    if length > most { Err(wrong()) } else { Ok(Cidr { address, length }) }
}

/// A network as it is written.
#[must_use]
pub(super) fn network(cidr: Cidr) -> String {
    format!("{}/{}", cidr.address, cidr.length)
}

/// An address with only its first bits.
fn masked(address: IpAddr, length: u8) -> IpAddr {
    let length = u32::from(length);
    match address {
        IpAddr::V4(it) => {
            let mask = u32::MAX.checked_shl(32 - length).unwrap_or(0);
            IpAddr::V4((it.to_bits() & mask).into())
        }
        IpAddr::V6(it) => {
            let mask = u128::MAX.checked_shl(128 - length).unwrap_or(0);
            IpAddr::V6((it.to_bits() & mask).into())
        }
    }
}

fn holds(cidr: Cidr, address: IpAddr) -> bool {
    cidr.address.is_ipv4() == address.is_ipv4()
        && masked(cidr.address, cidr.length) == masked(address, cidr.length)
}

fn contains_ip(arguments: &[Operand]) -> Outcome {
    let (cidr, address) = match take(arguments)? {
        [Data::Cidr(cidr), Data::String(text)] => (cidr, address(text)?),
        [Data::Cidr(cidr), Data::Ip(address)] => (cidr, *address),
        _ => return Err(Fault::NoOverload),
    };
    Ok(Data::Bool(holds(*cidr, address)).into())
}

fn contains_network(arguments: &[Operand]) -> Outcome {
    let (cidr, other) = match take(arguments)? {
        [Data::Cidr(cidr), Data::String(text)] => (cidr, read_network(text)?),
        [Data::Cidr(cidr), Data::Cidr(other)] => (cidr, *other),
        _ => return Err(Fault::NoOverload),
    };
    let contains = cidr.length <= other.length && holds(*cidr, other.address);
    Ok(Data::Bool(contains).into())
}

fn is_link_local_multicast(address: &IpAddr) -> bool {
    match address {
        IpAddr::V4(it) => it.octets()[..3] == [224, 0, 0],
        IpAddr::V6(it) => it.segments()[0] & 0xff0f == 0xff02,
    }
}

fn is_link_local_unicast(address: &IpAddr) -> bool {
    match address {
        IpAddr::V4(it) => it.is_link_local(),
        IpAddr::V6(it) => it.is_unicast_link_local(),
    }
}

fn is_global_unicast(address: &IpAddr) -> bool {
    let is_broadcast = matches!(address, IpAddr::V4(it) if it.is_broadcast());
    !is_broadcast
        && !address.is_unspecified()
        && !address.is_loopback()
        && !address.is_multicast()
        && !is_link_local_unicast(address)
}
