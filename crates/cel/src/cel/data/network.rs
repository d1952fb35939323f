//! Networks and URLs.

use std::net::IpAddr;

/// A network: an address and how many of its bits count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cidr {
    /// The address as it was written, host bits included.
    pub address: IpAddr,
    /// How many bits count.
    pub length: u8,
}

/// The parts of a URL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Url {
    /// `https`
    pub scheme: String,
    /// `user:password`
    pub user: String,
    /// `example.com:80`
    pub host: String,
    /// The path, unescaped.
    pub path: String,
    /// The path as it was written.
    pub raw_path: String,
    /// What follows the question mark.
    pub query: String,
    /// What follows the hash sign.
    pub fragment: String,
}
