//! What a run may cost: one account of all limits, by how much they are raised or lowered, and which of them were
//! reached.
//!
//! What goes beyond a limit is not judged and reported as that; all else goes on.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
};

use crate::source::span::{FileId, Span};

/// What there may be only so much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Limit {
    /// Megabytes of a file that is read as code.
    FileMegabytes,
    /// Entries of an object in HCL.
    ObjectEntries,
    /// Steps of the evaluation of a Terraform root.
    RootSteps,
    /// Steps of the evaluation of all Terraform roots together, for each 100 kB of code.
    TerraformSteps,
    /// Module calls below a Terraform root.
    ModuleCalls,
    /// Module instances of a Terraform root.
    ModuleInstances,
    /// Blocks that `dynamic` blocks of a Terraform root make.
    DynamicBlocks,
    /// Steps of the rendering of a chart.
    ChartSteps,
    /// Steps of the rendering of all charts together.
    RenderingSteps,
    /// Megabytes that a chart prints, also in between.
    ChartMegabytes,
    /// Megabytes of one text that a chart prints.
    TextMegabytes,
    /// Charts that a chart is made of.
    ChartParts,
    /// Steps of building all kustomizations: objects copied, patches tried.
    KustomizeSteps,
    /// Pairs of `NodePools` that are compared.
    PoolPairs,
    /// Comments of a file that allow findings.
    Suppressions,
    /// Findings of a rule.
    Findings,
}

/// All limits of this process in thousandths of what they usually are.
static THOUSANDTHS: AtomicU32 = AtomicU32::new(1000);

/// Raises or lowers all limits of this process, before its first run.
pub fn scale_limits(thousandths: u32) {
    THOUSANDTHS.store(thousandths, Ordering::Relaxed);
}

impl Limit {
    /// All of them.
    pub const ALL: [Self; 16] = [
        Self::FileMegabytes,
        Self::ObjectEntries,
        Self::RootSteps,
        Self::TerraformSteps,
        Self::ModuleCalls,
        Self::ModuleInstances,
        Self::DynamicBlocks,
        Self::ChartSteps,
        Self::RenderingSteps,
        Self::ChartMegabytes,
        Self::TextMegabytes,
        Self::ChartParts,
        Self::KustomizeSteps,
        Self::PoolPairs,
        Self::Suppressions,
        Self::Findings,
    ];

    /// How much there may be: one at least.
    #[must_use]
    pub fn most(self) -> usize {
        let thousandths = self.usual() as u64 * u64::from(THOUSANDTHS.load(Ordering::Relaxed));
        usize::try_from(thousandths / 1000).unwrap_or(usize::MAX).max(1)
    }

    /// The same where nothing is raised or lowered.
    #[must_use]
    pub const fn usual(self) -> usize {
        match self {
            Self::FileMegabytes => 4,
            Self::ObjectEntries | Self::DynamicBlocks => 20_000,
            // A step may take 250 bytes: all of them 400 MB, and about a second.
            Self::RootSteps | Self::TerraformSteps => 1_500_000,
            Self::RenderingSteps => 60_000_000,
            Self::ModuleCalls | Self::Suppressions => 10_000,
            Self::ModuleInstances => 5_000,
            Self::ChartSteps => 3_000_000,
            Self::ChartMegabytes => 256,
            Self::TextMegabytes => 32,
            Self::ChartParts => 500,
            Self::KustomizeSteps => 1_000_000,
            Self::PoolPairs => 2_000_000,
            // Each takes about a kilobyte.
            Self::Findings => 50_000,
        }
    }

    /// What is counted.
    #[must_use]
    pub const fn of(self) -> &'static str {
        match self {
            Self::FileMegabytes => "MB in one file",
            Self::ObjectEntries => "entries in one object",
            Self::RootSteps => "steps to evaluate one Terraform root",
            Self::TerraformSteps => "steps for each 100 kB of Terraform",
            Self::ModuleCalls => "module calls below one Terraform root",
            Self::ModuleInstances => "module instances in one Terraform root",
            Self::DynamicBlocks => "blocks from `dynamic` blocks in one Terraform root",
            Self::ChartSteps => "steps to render one chart",
            Self::RenderingSteps => "steps to render all charts",
            Self::ChartMegabytes => "MB of output of one chart",
            Self::TextMegabytes => "MB in one text of a chart",
            Self::ChartParts => "charts that one chart is made of",
            Self::KustomizeSteps => "steps to build all kustomizations",
            Self::PoolPairs => "pairs of NodePools to compare",
            Self::Suppressions => "comments in one file that allow findings",
            Self::Findings => "findings of one rule",
        }
    }

    /// What is reported where it is reached.
    #[must_use]
    pub fn message(self) -> String {
        let (most, of) = (grouped(self.most()), self.of());
        format!("too large, not judged: more than {most} {of}; `--limits` raises this")
    }
}

/// A number with commas between its thousands.
#[must_use]
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The limits that a run reached, each with the first place in each file.
#[derive(Debug, Default)]
pub struct Account {
    reached: Mutex<BTreeMap<(FileId, Limit), Span>>,
}

impl Account {
    /// Notes that a limit was reached at a place. Of several places in a file the first is kept, so that the order
    /// of the work does not matter.
    pub fn reach(&self, limit: Limit, place: Span) {
        let mut reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        let first = reached.entry((place.file, limit)).or_insert(place);
        *first = place.min(*first);
    }

    /// What was reached since this was asked for last, in the order of the files.
    pub fn take(&self) -> Vec<(Limit, Span)> {
        let mut reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *reached).into_iter().map(|((_, limit), span)| (limit, span)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Account, Limit, grouped};
    use crate::source::span::{FileId, Span};

    #[test]
    fn numbers_are_written_in_thousands() {
        for (number, text) in [(0, "0"), (999, "999"), (20_000, "20,000"), (1_234_567, "1,234,567")]
        {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn the_first_place_of_a_file_is_kept() {
        let account = Account::default();
        let at = |start| Span::new(FileId(0), start, start + 1);
        account.reach(Limit::ChartParts, at(9));
        account.reach(Limit::ChartParts, at(3));
        account.reach(Limit::ModuleCalls, at(5));
        let taken = account.take();
        assert_eq!(taken, [(Limit::ModuleCalls, at(5)), (Limit::ChartParts, at(3))]);
        assert!(account.take().is_empty());
    }
}
