//! Reads which values Karpenter's charts read.

use crate::{
    knowledge::{Fact, Facts, chart_values::ChartValues, read::Reader},
    value::{Entry, Kind, Value},
    version::{Range, Version},
};

/// The charts, and what could not be read of them.
pub fn all() -> (Vec<ChartValues>, Vec<String>) {
    let mut reader = Reader::default();
    let mut charts = Vec::new();
    for document in reader.documents(include_str!("../chart-values.yaml")) {
        reader.expect_keys(&document, &["source", "checked", "oldest", "newest", "charts"]);
        reader.source = reader.optional_text(&document, "source");
        reader.checked = reader.optional_text(&document, "checked");
        let [oldest, newest] = ["oldest", "newest"].map(|it| {
            let version = reader.version(&document, it);
            version.unwrap_or_else(|| Version::new(0, 0, 0))
        });
        let entries = document.get("charts").present().map_or(&[][..], Value::entries);
        charts.extend(entries.iter().map(|it| reader.chart(it, &oldest, &newest)));
    }
    (charts, reader.problems)
}

impl Reader {
    fn chart(&mut self, entry: &Entry, oldest: &Version, newest: &Version) -> ChartValues {
        let value = &entry.value;
        self.expect_keys(value, &["always", "read", "names"]);
        let always = self.texts(value, "always").into_iter().map(|it| (it, vec![Range::default()]));
        let sometimes = value.get("read").present().map_or(&[][..], Value::entries);
        let sometimes = sometimes.iter().map(|it| (it.key.to_string(), self.ranges(&it.value)));
        let paths: Vec<(String, Vec<Range>)> = sometimes.collect();
        let paths = always.chain(paths).map(|(path, ranges)| (path, self.during(value, ranges)));
        ChartValues {
            chart: entry.key.to_string(),
            oldest: oldest.clone(),
            newest: newest.clone(),
            paths: paths.collect(),
            names: {
                let groups = self.items(value, "names");
                let text = |it: &Value| it.as_str().map(str::to_owned);
                groups.iter().map(|it| it.items().iter().filter_map(text).collect()).collect()
            },
        }
    }

    /// `0.19.0..0.33.0, 1.1.0..`: from the first version, before the second.
    fn ranges(&mut self, value: &Value) -> Vec<Range> {
        let text = value.as_str().unwrap_or_default();
        let mut ranges = Vec::new();
        for part in text.split(", ") {
            let (since, until) = part.split_once("..").unwrap_or_default();
            let range = Range { since: Version::parse(since), until: Version::parse(until) };
            let misread = |text: &str, it: &Option<Version>| it.is_none() && !text.is_empty();
            if range == Range::default()
                || misread(since, &range.since)
                || misread(until, &range.until)
            {
                self.complain(value, &format!("`{part}` is no range of versions"));
            }
            ranges.push(range);
        }
        ranges
    }

    /// The fact that something is the case, for each range.
    fn during(&self, at: &Value, ranges: Vec<Range>) -> Facts {
        let fact = |range| Fact {
            value: Value::new(Kind::Bool(true), at.span),
            range,
            source: self.source.clone().unwrap_or_default(),
            checked: self.checked.clone().unwrap_or_default(),
        };
        Facts { list: ranges.into_iter().map(fact).collect() }
    }
}
