//! Tolerations of Karpenter's taints.

pub mod drain_taint;
pub mod match_taint;
pub mod drain_toleration_list;
