//! Archives beside the repository, among which a chart's dependencies may be: what `helm pull` left.

use std::sync::Arc;

use crate::{
    helm::{
        chart::{Chart, metadata::Dependency},
        fault::RenderError,
        semver::{Ranges, Semver},
    },
    source::Span,
};

/// Archives of charts, named as `helm pull` and `helm package` name them: `redis-18.1.0.tgz`.
#[derive(Clone, Debug, Default)]
pub struct Archives(Vec<Archive>);

#[derive(Clone, Debug)]
struct Archive {
    /// The file's name without `.tgz`.
    stem: String,
    bytes: Arc<[u8]>,
}

impl Archives {
    /// Archives by their file names. What has no archive's name is left out.
    #[must_use]
    pub fn new(files: impl IntoIterator<Item = (String, Arc<[u8]>)>) -> Self {
        let archive = |(name, bytes): (String, _)| {
            let name = name.rsplit('/').next()?;
            let stem = name.strip_suffix(".tgz").or_else(|| name.strip_suffix(".tar.gz"))?;
            Some(Archive { stem: stem.to_owned(), bytes })
        };
        Self(files.into_iter().filter_map(archive).collect())
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The chart of that name with the highest version in a range, as Helm reads ranges; everything in it is
    /// pointed at `place`. An empty range is any release.
    ///
    /// # Errors
    /// When the archive cannot be read, or holds another chart than its name says.
    #[must_use]
    pub fn find(&self, name: &str, range: &str, place: Span) -> Option<Result<Chart, RenderError>> {
        let ranges = Ranges::parse(if range.is_empty() { "*" } else { range })?;
        let fitting = self.0.iter().filter_map(|it| {
            // `loki-distributed-0.80.0` is no version of `loki`.
            let version = Semver::parse(it.stem.strip_prefix(name)?.strip_prefix('-')?)?;
            ranges.allows(&version).then_some((version, it))
        });
        let (version, found) = fitting.max_by(|(a, _), (b, _)| a.compare(b))?;
        Some(Chart::from_archive(&found.bytes, place).and_then(|chart| {
            let own = Semver::parse(&chart.metadata.version);
            let is_same = own.is_some_and(|it| it.compare(&version).is_eq());
            if chart.metadata.name == name && is_same {
                return Ok(chart);
            }
            let held = format!("{} {}", chart.metadata.name, chart.metadata.version);
            let message = format!("{}.tgz holds the chart {held}", found.stem);
            Err(super::problem(message, Some(place)))
        }))
    }
}

impl Chart {
    /// Adds the dependencies that are not here from archives, and theirs. What cannot be read is a problem of
    /// the chart.
    pub fn complete(&mut self, archives: &Archives) {
        if !archives.is_empty() {
            self.complete_at(archives, 0);
        }
    }

    fn complete_at(&mut self, archives: &Archives, depth: usize) {
        if depth >= super::DEPTH {
            return;
        }
        let missing: Vec<Dependency> = self.missing().into_iter().cloned().collect();
        for it in missing {
            // The same chart under two aliases is here after the first.
            if self.subcharts.iter().any(|chart| it.is_met_by(&chart.metadata)) {
                continue;
            }
            match archives.find(&it.name, &it.version, it.span) {
                Some(Ok(chart)) => self.subcharts.push(chart),
                Some(Err(error)) => self.problems.push(error),
                None => {}
            }
        }
        for chart in &mut self.subcharts {
            chart.complete_at(archives, depth + 1);
        }
    }
}
