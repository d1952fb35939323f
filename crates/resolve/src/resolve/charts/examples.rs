//! What a chart that nobody installs makes with the examples that it brings along.

use std::collections::BTreeSet;

use crate::{
    engine::{cluster::Assumptions, templates::Templates},
    findings::subject::{InstanceKey, Rendered},
    resolve::{
        charts::{folders::ChartFolder, made::Made, uses::Use},
        kubernetes::Located,
    },
    source::FileId,
};

impl Made {
    /// Adds what objects of Karpenter's API a chart that nobody installs makes with its examples, as what is there
    /// only where somebody installs it so.
    pub(super) fn and_examples<'a>(
        &mut self,
        (templates, chart): (&Templates<'a>, &'a ChartFolder),
        usage: &Use,
        assumptions: &Assumptions,
    ) {
        for example in &chart.examples {
            // The chart's own values are one more instance.
            let of = chart.examples.len() + 1;
            let instance = Some(InstanceKey { address: example.path.as_str().into(), of });
            let values = example.values.clone();
            let rendered = Rendered::SwitchedOn;
            let usage = Use { is_off: true, values, instance, rendered, ..usage.clone() };
            let rendering =
                templates.render(&chart.chart, &usage.values, &usage.release, assumptions);
            let further = Self::of(chart, rendering.files, &usage, &[]);
            if let Some(it) = further.failures.first() {
                let reason = format!("its chart does not render with it: {}", it.error.message);
                self.remarks.push((example.file, reason));
            }
            let new: Vec<Located> =
                further.objects.into_iter().filter(|it| self.lacks_pool(it)).collect();
            let seen: BTreeSet<FileId> = new.iter().map(|it| it.object.value.span.file).collect();
            self.closed.retain(|(file, _)| !seen.contains(file));
            self.of_examples.extend(new);
        }
    }

    /// Whether an object is of Karpenter's API, and not there already as it is.
    fn lacks_pool(&self, it: &Located) -> bool {
        let is_same = |other: &Located| {
            other.object.kind == it.object.kind
                && other.object.value.same_as(&it.object.value) == Some(true)
        };
        it.object.is_of_karpenter() && !self.objects.iter().chain(&self.of_examples).any(is_same)
    }
}
