//! Pods that keep data by what they run, wherever they keep it.

use crate::model::workload::{Workload, bare_image::image_name};

/// What the names of images of databases, brokers and stores have in them.
const KEEPERS: &[&str] = &[
    "activemq",
    "cassandra",
    "clickhouse",
    "cockroach",
    "consul",
    "couch",
    "elasticsearch",
    "etcd",
    "influxdb",
    "kafka",
    "loki",
    "mariadb",
    "minio",
    "mongo",
    "mysql",
    "nats",
    "neo4j",
    "opensearch",
    "percona",
    "postgres",
    "prometheus",
    "pulsar",
    "rabbitmq",
    "redis",
    "scylla",
    "solr",
    "timescale",
    "valkey",
    "vault",
    "zookeeper",
];

impl Workload {
    /// Whether one of its containers runs a database, a broker or a store, by the name of its image.
    #[must_use]
    pub fn runs_data_image(&self) -> bool {
        let is_keeper = |it: &String| KEEPERS.iter().any(|word| image_name(it).contains(word));
        self.images.iter().any(is_keeper)
    }
}
