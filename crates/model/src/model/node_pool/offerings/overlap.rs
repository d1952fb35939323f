//! Whether two pools may launch the same nodes.

use std::collections::BTreeSet;

use crate::{
    knowledge::instances::{InstanceType, LabelValue, instances},
    model::{
        node_label::{is_undeclared_there, today},
        node_pool::offerings::{LabelBound, Offerings, PoolRequirement},
    },
    resolve::{answers::all, pod::selector::LabelOperator},
};

const CAPACITY_TYPE: &str = "karpenter.sh/capacity-type";
/// What a label about the instance begins with: Karpenter's own, and those of EKS Auto Mode.
const OF_INSTANCES: &[&str] = &["karpenter.k8s.aws/instance-", "eks.amazonaws.com/instance-"];

impl Offerings {
    /// Whether there certainly are nodes that either pool may launch, by the requirements of both: an
    /// instance type that both take, and for each other label a value that both take or only one asks for.
    /// Labels of one's own that the templates give do not count, because pods need not ask for them.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        let in_doubt = |it: &Self| it.open || it.labels.is_in_doubt(CAPACITY_TYPE);
        if [self, other].iter().any(|it| in_doubt(it) || it.is_windows()) {
            return false;
        }
        let (own, others) = (self.demands(), other.demands());
        let keys: BTreeSet<&str> = own
            .iter()
            .chain(&others)
            .map(|it| today(&it.key))
            .filter(|it| !is_of_type(it))
            .collect();
        keys.into_iter().all(|key| have_in_common(key, &own, &others) == Some(true))
            && instances().types.iter().any(|it| takes(&own, it) && takes(&others, it))
    }

    /// The requirements, and the labels that limit the choice as these do: those Karpenter knows.
    fn demands(&self) -> Vec<PoolRequirement> {
        let labels = self.labels.pairs();
        let known = labels.filter(|(key, _)| is_undeclared_there(today(key)) == Some(true));
        let asked = known.map(|(key, value)| PoolRequirement {
            key: key.to_owned(),
            bound: LabelBound::Label(LabelOperator::In(vec![Some(value.to_owned())])),
        });
        self.requirements.iter().cloned().chain(asked).collect()
    }
}

/// Whether the instance type decides about a label.
fn is_of_type(key: &str) -> bool {
    matches!(key, "node.kubernetes.io/instance-type" | "kubernetes.io/arch")
        || OF_INSTANCES.iter().any(|it| key.starts_with(it))
}

/// Whether all demands certainly allow an instance type.
fn takes(demands: &[PoolRequirement], instance: &InstanceType) -> bool {
    demands.iter().all(|it| it.takes(instance) == Some(true))
}

impl PoolRequirement {
    fn takes(&self, instance: &InstanceType) -> Option<bool> {
        let key = today(&self.key);
        let label = match key {
            "node.kubernetes.io/instance-type" => LabelValue::Is(&instance.name),
            "kubernetes.io/arch" => LabelValue::Is(instance.architecture()),
            _ => match OF_INSTANCES.iter().find_map(|it| key.strip_prefix(it)) {
                Some(name) => instance.label(name),
                None => return Some(true),
            },
        };
        match label {
            LabelValue::Is(value) => self.admits(value),
            LabelValue::Absent => Some(matches!(
                self.bound,
                LabelBound::Label(LabelOperator::NotIn(_) | LabelOperator::DoesNotExist)
            )),
            LabelValue::Unknown => None,
        }
    }
}

/// Whether a label that has nothing to do with the instance type may have a value that all demands allow.
fn have_in_common(key: &str, own: &[PoolRequirement], others: &[PoolRequirement]) -> Option<bool> {
    let on_key = |list: &[PoolRequirement]| -> Vec<PoolRequirement> {
        list.iter().filter(|it| today(&it.key) == key).cloned().collect()
    };
    let (own, others) = (on_key(own), on_key(others));
    let both: Vec<&PoolRequirement> = own.iter().chain(&others).collect();
    let listed = both.iter().find_map(|it| match &it.bound {
        LabelBound::Label(LabelOperator::In(values)) => Some(values.clone()),
        _ => None,
    });
    // No pool without reservations launches anything else.
    let paid = || Some(vec![Some("spot".to_owned()), Some("on-demand".to_owned())]);
    let choices = listed.or_else(|| if key == CAPACITY_TYPE { paid() } else { None });
    if let Some(choices) = choices {
        let fits = |it: &str| all(both.iter().map(|demand| demand.admits(it))) == Some(true);
        return Some(choices.iter().flatten().any(|it| fits(it)));
    }
    let asks = |wanted: fn(&LabelOperator) -> bool| {
        both.iter().all(|it| matches!(&it.bound, LabelBound::Label(operator) if wanted(operator)))
    };
    // What two lists of exceptions leave is not known, nor whether a number lies between two bounds.
    let clear = own.is_empty()
        || others.is_empty()
        || asks(|it| matches!(it, LabelOperator::Exists))
        || asks(|it| matches!(it, LabelOperator::DoesNotExist));
    clear.then_some(true)
}

#[cfg(test)]
mod tests;
