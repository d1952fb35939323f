//! The defaults of charts: what their `values.yaml` says, against the data of the component.

use karplint_core::{value::Value, version::Version};
use karplint_knowledge::knowledge::{
    component::{self, Component, Pod},
    packaging::Packaging,
};

use crate::{
    crds::upstream::json,
    ours::{Difference, data, line_of},
    tree::{Tree, document},
};

/// The defaults that differ, of every chart that is known.
pub(crate) fn differences(tree: &Tree, release: &Version) -> Vec<Difference> {
    tree.charts().flat_map(|(folder, chart)| of_chart(tree, folder, chart, release)).collect()
}

/// A chart and what is known of it.
struct KnownChart<'a> {
    component: &'static Component,
    /// Our file.
    ours: &'static str,
    /// Its defaults, in which file and as text.
    values: Value,
    file: &'a str,
    text: &'a str,
    /// The version whose facts are compared: its own, or the newest that is known.
    version: Version,
}

fn of_chart(tree: &Tree, folder: &str, about: &str, release: &Version) -> Vec<Difference> {
    let about = document(about);
    let word = |key: &str| about.as_ref()?.get(key).present()?.as_str().map(str::to_owned);
    let (Some(name), Some(version)) = (word("name"), word("version")) else { return Vec::new() };
    let version =
        if name == "karpenter" { Some(release.clone()) } else { Version::parse(&version) };
    let Some((component, version)) = component::of_chart(&name, Some(folder)).zip(version) else {
        return Vec::new();
    };
    let Some((file, text)) = tree.file(folder, "values.yaml") else { return Vec::new() };
    let Some((verified, values)) = component.verified_chart().zip(document(text)) else {
        return Vec::new();
    };
    let is_newer = version > verified.newest;
    let reference = if is_newer { verified.newest.clone() } else { version.clone() };
    let ours = component.file();
    let chart = KnownChart { component, ours, values, file, text, version: reference };
    let mut found = chart.differences();
    if is_newer {
        let what = format!("the chart {name} is {version}, compared up to {}", verified.newest);
        found.push(Difference::in_line(ours, chart.line(&["verified:"]), what));
    }
    found
}

impl KnownChart<'_> {
    fn differences(&self) -> Vec<Difference> {
        let pods = self.component.pods.iter();
        let pods = pods.filter(|it| it.exists_in(Some(&self.version)) == Some(true));
        let packaged = pods.filter_map(|it| Some((it, it.chart.as_ref()?)));
        packaged.flat_map(|(pod, packaging)| self.of_pod(pod, packaging)).collect()
    }

    fn of_pod(&self, pod: &Pod, packaging: &Packaging) -> Vec<Difference> {
        let mut found = Vec::new();
        for setting in packaging.settings() {
            let Some(ours) = packaging.default(setting, Some(&self.version)) else { continue };
            let theirs = packaging.written(setting, &self.values).present();
            // A template may have the default of what is null.
            let theirs = theirs.filter(|it| !it.is_null());
            let is_same = match theirs {
                Some(theirs) => {
                    theirs.same_as(ours) == Some(true)
                        || says_nothing(theirs, ours)
                        || renders_alike(theirs, ours)
                }
                // A template may have the default instead; what is nowhere else is gone.
                None => true,
            };
            let paths = packaging.paths(setting).join(", ");
            let name = format!("name: {}\n", pod.name);
            let line = self.line(&[&name, "defaults:", &format!(" {setting}:")]);
            if let (false, Some(theirs)) = (is_same, theirs) {
                let (now, not) = (json(theirs), json(ours));
                let what =
                    format!("{}: the default of `{paths}` is now {now}, not {not}", pod.title);
                let at = Difference::in_line(self.ours, line, what);
                found.push(at.found(self.file, line_of(self.text, theirs.span.start as usize)));
            } else if theirs.is_none() && !packaging.paths(setting).iter().any(|it| self.has(it)) {
                let what = format!("{}: `{paths}` is no value of the chart", pod.title);
                found.push(Difference::in_line(self.ours, line, what));
            }
        }
        found
    }

    /// Whether the last key of a path is in the file, be it as a comment.
    fn has(&self, path: &str) -> bool {
        let key = path.rsplit('.').next().unwrap_or(path);
        self.text.contains(&format!("{key}:"))
    }

    /// The line in our file that one comes to by looking for one text after the other, from the component on.
    fn line(&self, keys: &[&str]) -> usize {
        let text = data(self.ours);
        let component = format!("component: {}\n", self.component.name);
        let keys = [component.as_str()].into_iter().chain(keys.iter().copied());
        let at = keys.fold(0, |from, key| {
            let found = text.get(from..).and_then(|it| it.find(key));
            found.map_or(from, |it| from + it)
        });
        line_of(&text, at)
    }
}

/// Whether neither says anything: null, an empty text, list or mapping.
fn says_nothing(theirs: &Value, ours: &Value) -> bool {
    let nothing = |it: &Value| it.is_empty() || it.as_str() == Some("");
    nothing(theirs) && nothing(ours)
}

/// Whether a template that prints them prints the same: `"0"` and `0`.
fn renders_alike(theirs: &Value, ours: &Value) -> bool {
    json(theirs).trim_matches('"') == json(ours).trim_matches('"')
}

#[cfg(test)]
mod tests {
    use karplint_core::version::Version;

    use super::differences;
    use crate::tree::Tree;

    fn compare(version: &str, values: &str) -> Vec<String> {
        let about = format!("name: metrics-server\nversion: {version}\n");
        let tree = Tree::of(&[
            ("charts/metrics-server/Chart.yaml", &about),
            ("charts/metrics-server/values.yaml", values),
        ]);
        let found = differences(&tree, &Version::new(1, 14, 1));
        assert!(found.iter().all(|it| it.file == "metrics-server.yaml" && it.line > 1));
        found.into_iter().map(|it| it.what).collect()
    }

    #[test]
    fn defaults_are_compared_and_new_versions_named() {
        let values = "replicas: 1\ntolerations: []\npodDisruptionBudget:\n  enabled: false\n";
        assert_eq!(compare("3.13.1", values), [""; 0]);
        assert_eq!(
            compare("99.0.0", values),
            ["the chart metrics-server is 99.0.0, compared up to 3.13.1"]
        );
        assert_eq!(
            compare("3.13.1", &values.replace("replicas: 1", "replicas: 2")),
            ["metrics-server: the default of `replicas` is now 2, not 1"]
        );
        assert_eq!(
            compare("3.13.1", &values.replace("replicas: 1", "count: 1")),
            ["metrics-server: `replicas` is no value of the chart"]
        );
    }
}
