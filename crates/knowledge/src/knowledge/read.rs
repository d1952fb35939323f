//! Reads the facts from their YAML files.

mod charts;
mod chart_values;
mod classes;
mod component;
pub(super) mod identity;
mod operators;

use std::{num::NonZero, thread};

use crate::{
    knowledge::{
        Component, Fact, Facts, Knowledge, chart_values::ChartValues, karpenter::Releases,
        startup::StartupTaint,
    },
    source::{FileId, Span},
    syntax::yaml,
    value::{Text, Value},
    version::{Range, Version},
};

const COMPONENTS: &[&str] = &[
    include_str!("karpenter.yaml"),
    include_str!("amazon-cloudwatch-observability.yaml"),
    include_str!("aws-ebs-csi-driver.yaml"),
    include_str!("aws-efs-csi-driver.yaml"),
    include_str!("aws-fsx-csi-driver.yaml"),
    include_str!("aws-load-balancer-controller.yaml"),
    include_str!("aws-mountpoint-s3-csi-driver.yaml"),
    include_str!("calico-node.yaml"),
    include_str!("cert-manager.yaml"),
    include_str!("cilium.yaml"),
    include_str!("coredns.yaml"),
    include_str!("eks-pod-identity-agent.yaml"),
    include_str!("external-dns.yaml"),
    include_str!("external-secrets.yaml"),
    include_str!("kube-proxy.yaml"),
    include_str!("metrics-server.yaml"),
    include_str!("node-local-dns.yaml"),
    include_str!("snapshot-controller.yaml"),
    include_str!("tetragon.yaml"),
    include_str!("tigera-operator.yaml"),
    include_str!("vpc-cni.yaml"),
    include_str!("charts/bitnami-sql.yaml"),
    include_str!("charts/bitnami-stores.yaml"),
    include_str!("charts/bitnami-documents.yaml"),
    include_str!("charts/bitnami-queues.yaml"),
    include_str!("charts/bitnami-services.yaml"),
    include_str!("charts/controllers.yaml"),
    include_str!("charts/hashicorp.yaml"),
    include_str!("charts/nats.yaml"),
    include_str!("charts/observability.yaml"),
    include_str!("charts/search.yaml"),
];

/// Every component, and what could not be read. Each thread reads a part of the files: this is the longest
/// wait of a run over a small repository.
pub(super) fn components() -> (Vec<Component>, Vec<String>) {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let parts: Vec<Part> = thread::scope(|scope| {
        let chunks = COMPONENTS.chunks(COMPONENTS.len().div_ceil(threads));
        let spawned: Vec<_> = chunks.map(|it| scope.spawn(|| part(it))).collect();
        spawned.into_iter().filter_map(|it| it.join().ok()).collect()
    });
    parts.into_iter().fold(Part::default(), |mut all, part| {
        all.0.extend(part.0);
        all.1.extend(part.1);
        all
    })
}

/// Components, and what could not be read of them.
type Part = (Vec<Component>, Vec<String>);

fn part(texts: &[&'static str]) -> Part {
    let mut reader = Reader::default();
    let mut components = Vec::new();
    for text in texts {
        let documents = reader.documents(text);
        components.extend(documents.iter().map(|it| reader.component(it)));
    }
    (components, reader.problems)
}

/// What Karpenter's charts read of their values, and what could not be read of that.
pub(super) fn chart_values() -> (Vec<ChartValues>, Vec<String>) {
    chart_values::all()
}

/// Everything else there is to know.
pub(super) fn all() -> Knowledge {
    let mut reader = Reader::default();
    let mut operators = Vec::new();
    for document in reader.documents(include_str!("operators.yaml")) {
        let list = reader.items(&document, "operators");
        operators.extend(list.iter().map(|it| reader.operator(it)));
    }
    let mut releases = Releases::default();
    for document in reader.documents(include_str!("karpenter-releases.yaml")) {
        releases = reader.releases(&document);
    }
    let mut startup_taints = Vec::new();
    for document in reader.documents(include_str!("startup-taints.yaml")) {
        let list = reader.items(&document, "taints");
        startup_taints.extend(list.iter().map(|it| reader.startup_taint(it)));
    }
    let (conversion, publication) = (reader.conversion(), reader.publication());
    let (families, tagging) = (reader.families(), reader.tagging());
    let problems = reader.problems;
    Knowledge {
        operators,
        startup_taints,
        families,
        tagging,
        releases,
        conversion,
        publication,
        problems,
    }
}

#[derive(Default)]
pub(super) struct Reader {
    pub(super) problems: Vec<String>,
    /// Where the facts of the component at hand are written unless they say otherwise, and the day
    /// somebody looked.
    source: Option<String>,
    checked: Option<String>,
}

impl Reader {
    pub(super) fn documents(&mut self, text: &'static str) -> Vec<Value> {
        let whole = Span::new(FileId(u32::MAX), 0, text.len());
        let documents = yaml::parse(&Text::verbatim(text, whole), whole);
        let first = text.lines().next().unwrap_or_default();
        for parse_errors in documents.parse_errors {
            let at = parse_errors.span.start;
            self.problems.push(format!("after `{first}`, byte {at}: {}", parse_errors.message));
        }
        if documents.values.is_empty() {
            self.problems.push(format!("nothing after `{first}`"));
        }
        documents.values
    }

    /// The one document of a file.
    pub(super) fn document(&mut self, text: &'static str) -> Value {
        let nothing = || Value::map(Vec::new(), Span::new(FileId(u32::MAX), 0, 0));
        self.documents(text).into_iter().next().unwrap_or_else(nothing)
    }

    fn releases(&mut self, value: &Value) -> Releases {
        let keys = [
            "crd_chart",
            "disruption_taint",
            "node_labels",
            "eks_module_max_size",
            "node_limits",
            "al2_images",
        ];
        self.expect_keys(value, &keys);
        Releases {
            crd_chart: self.facts(value, "crd_chart"),
            disruption_taint: self.facts(value, "disruption_taint"),
            node_labels: self.facts(value, "node_labels"),
            eks_module_max_size: self.facts(value, "eks_module_max_size"),
            node_limits: self.facts(value, "node_limits"),
            al2_images: self.facts(value, "al2_images"),
        }
    }

    /// A list of facts, or one value that holds for all versions.
    fn facts(&mut self, value: &Value, key: &str) -> Facts {
        let always = value.get(key).present().filter(|it| it.as_list().is_none()).cloned();
        if let Some(value) = always {
            let source = self.source.clone().unwrap_or_default();
            let checked = self.checked.clone().unwrap_or_default();
            let fact = Fact { value, range: Range::default(), source, checked };
            return Facts { list: vec![fact] };
        }
        let list = self.items(value, key);
        Facts { list: list.iter().map(|it| self.fact(it)).collect() }
    }

    fn fact(&mut self, value: &Value) -> Fact {
        self.expect_keys(value, &["value", "since", "until", "source", "checked"]);
        let entry = value.entries().iter().find(|it| &*it.key == "value");
        if entry.is_none() {
            self.complain(value, "a fact without value");
        }
        let range =
            Range { since: self.version(value, "since"), until: self.version(value, "until") };
        Fact {
            value: entry.map_or_else(|| value.clone(), |it| it.value.clone()),
            range,
            source: self.text_or(value, "source", self.source.clone()),
            checked: self.text_or(value, "checked", self.checked.clone()),
        }
    }

    fn text_or(&mut self, value: &Value, key: &str, otherwise: Option<String>) -> String {
        match (self.optional_text(value, key), otherwise) {
            (Some(text), _) | (None, Some(text)) => text,
            (None, None) => self.text(value, key),
        }
    }

    fn startup_taint(&mut self, value: &Value) -> StartupTaint {
        self.expect_keys(value, &["key", "agent", "source", "checked"]);
        StartupTaint {
            key: self.text(value, "key"),
            agent: self.text(value, "agent"),
            source: self.text(value, "source"),
            checked: self.text(value, "checked"),
        }
    }

    pub(super) fn count(&mut self, value: &Value, key: &str) -> Option<u32> {
        let number = value.get(key).present()?;
        let count = number.as_number().map(|it| it.to_string()).and_then(|it| it.parse().ok());
        if count.is_none() {
            self.complain(value, &format!("`{key}` is no whole number"));
        }
        count
    }

    pub(super) fn version(&mut self, value: &Value, key: &str) -> Option<Version> {
        let text = self.optional_text(value, key)?;
        let version = Version::parse(&text);
        if version.is_none() {
            self.complain(value, &format!("`{text}` is no version"));
        }
        version
    }

    pub(super) fn text(&mut self, value: &Value, key: &str) -> String {
        let text = self.optional_text(value, key);
        if text.is_none() {
            self.complain(value, &format!("`{key}` is missing"));
        }
        text.unwrap_or_default()
    }

    pub(super) fn optional_text(&mut self, value: &Value, key: &str) -> Option<String> {
        let text = value.get(key).present()?;
        if text.as_str().is_none() {
            self.complain(value, &format!("`{key}` is not text"));
        }
        text.as_str().map(str::to_owned)
    }

    pub(super) fn texts(&mut self, value: &Value, key: &str) -> Vec<String> {
        let items = self.items(value, key);
        items.iter().filter_map(|it| it.as_str().map(str::to_owned)).collect()
    }

    pub(super) fn items(&mut self, value: &Value, key: &str) -> Vec<Value> {
        let Some(list) = value.get(key).present() else { return Vec::new() };
        if list.as_list().is_none() {
            self.complain(value, &format!("`{key}` is not a list"));
        }
        list.items().to_vec()
    }

    /// A misspelt key would be a fact that nobody finds.
    pub(super) fn expect_keys(&mut self, value: &Value, keys: &[&str]) {
        for entry in value.entries() {
            if !keys.contains(&&*entry.key) {
                self.complain(value, &format!("`{}` means nothing here", entry.key));
            }
        }
    }

    pub(super) fn complain(&mut self, value: &Value, what: &str) {
        self.problems.push(format!("byte {}: {what}", value.span.start));
    }
}
