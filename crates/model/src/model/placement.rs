//! Where pods can be placed: whether a static node group, a Fargate profile or a `NodePool` takes them.
//!
//! [`taker::Taker::takes`] is the one function that decides it, as the scheduler and Karpenter do; everything
//! else asks it or is a part of it. What is not known is never decided: it is undecided, with the reason.

pub mod decision;
pub mod demands;
mod quantity;
mod range;
pub mod requests;
mod kubelet;
mod disk;
mod offers;
mod fargate;
mod pool;
mod flexibility;
mod daemons;
mod type_room;
mod room;
mod group;
pub mod own_nodes;
pub mod named_nodes;
pub mod by_label;
pub mod reserved;
pub mod taker;
mod words;

#[cfg(test)]
mod recorded;
#[cfg(test)]
mod tests;
