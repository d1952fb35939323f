//! Where else a controller may be meant to run.

use crate::model::{
    Model,
    controller::{ControllerPods, Opening, Way},
    node_pool::{EC2, NodePool},
    scope::Scoped,
};

impl Model {
    /// The place in the values by which a controller may come onto nodes it makes itself, unless the pods may
    /// be meant for Fargate or for the pools of EKS Auto Mode, or none of the pools takes them.
    #[must_use]
    pub fn opening(&self, pods: &ControllerPods<'_>) -> Option<Opening> {
        let opening = pods.opening()?;
        let clusters = self.clusters_near(pods.scope());
        // Those who take the affinity away without a word may have such a cluster elsewhere.
        let unseen =
            opening.way == Way::Removed && (clusters.is_empty() || pods.may_target_other_cluster());
        let elsewhere = clusters.iter().any(|it| it.may_be_auto || pods.may_run_on_fargate(it));
        let pools: Vec<&NodePool> = self.pool_groups(pods.scope()).concat();
        let auto = pools.iter().any(|it| !it.class_group.known_to_be(EC2));
        let closed = !pools.is_empty() && pools.iter().all(|it| pods.may_run_in(it) == Some(false));
        let meant = unseen || elsewhere || pods.expects_fargate() || auto || closed;
        (!meant).then_some(opening)
    }
}
