//! What charts make of their values, as upstream's templates render them.

use std::sync::Arc;

use crate::{
    model::{
        component,
        workload::{Workload, managed::workloads, storage::MountedClaims},
    },
    resolve::{
        pod::pdb::{Bounds, OwnPdb},
        release::{
            Means, Release,
            chart_version::{ChartVersion, Pin},
            surface::Surface,
            unit::Unit,
        },
        scope::Scope,
        setting::Setting,
    },
    source::{FileId, Span},
    syntax::yaml,
    value::Value,
};

const SPAN: Span = Span { file: FileId(0), start: 0, end: 1 };
const BITNAMI: &str = "https://charts.bitnami.com/bitnami";
const HASHICORP: &str = "https://helm.releases.hashicorp.com";
const ELASTIC: &str = "https://helm.elastic.co";
const OPENSEARCH: &str = "https://opensearch-project.github.io/helm-charts/";
const COMMUNITY: &str = "https://prometheus-community.github.io/helm-charts";
const NATS: &str = "https://nats-io.github.io/k8s/helm/charts/";
const STACK: &str = "{prometheus: {prometheusSpec: {replicas: 2}, podDisruptionBudget: {enabled: true}}, alertmanager: {enabled: false}}";

fn pods(repository: &str, chart: &str, version: &str, values: &str) -> Vec<Workload> {
    let mut documents = yaml::parse_file(FileId(0), values).values;
    let version = Value::computed(version, SPAN);
    let unit = Unit::new(Surface::ArgoCd, Value::map(Vec::new(), SPAN));
    let means = Means::Tool(Arc::new(unit));
    let release = Release {
        name: Some("orders".into()),
        chart: chart.into(),
        repository: (!repository.is_empty()).then(|| repository.into()),
        version: ChartVersion::new(Some(&version), Pin::Elsewhere, SPAN),
        values: documents.pop().unwrap_or_else(|| Value::map(Vec::new(), SPAN)),
        ..Release::new(means, Scope::new(None, &"".into()), SPAN)
    };
    workloads(&component::usages(&[], &[release], &[]), &MountedClaims::default())
}

fn bounds(bounds: &Bounds) -> String {
    let said = |name, it: &Option<Setting<_>>| {
        it.as_ref().map(|it: &Setting<crate::resolve::pod::pdb::Bound>| {
            format!("{name} {}", it.known().map_or("?".to_owned(), |it| it.word()))
        })
    };
    let both = [said("min", &bounds.min_available), said("max", &bounds.max_unavailable)];
    both.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// "Redis master: max 1; Redis replicas: none".
fn pdbs(found: &[Workload]) -> String {
    let one = |it: &Workload| {
        let name = &it.title;
        let pdb = match &it.own_pdb {
            OwnPdb::Nothing => "none".to_owned(),
            OwnPdb::Unknown(..) => "?".to_owned(),
            OwnPdb::Created(made) => bounds(&made.bounds),
        };
        format!("{name}: {pdb}")
    };
    found.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// Charts of Bitnami: chart, version, values, pdbs.
const OF_BITNAMI: &[(&str, &str, &str, &str)] = &[
    ("postgresql", "15.4.2", "", "PostgreSQL primary: none"),
    ("postgresql", "15.5.0", "", "PostgreSQL primary: max 1"),
    ("postgresql", "10.16.2", "", ""),
    ("postgresql", "16.0.0", "{primary: {pdb: {create: false}}}", "PostgreSQL primary: none"),
    ("postgresql", "16.0.0", "{primary: {pdb: {minAvailable: 1}}}", "PostgreSQL primary: min 1"),
    // `0 | default 1` is one.
    ("postgresql", "16.0.0", "{primary: {pdb: {maxUnavailable: 0}}}", "PostgreSQL primary: max 1"),
    (
        "postgresql",
        "16.0.0",
        "{primary: {pdb: {maxUnavailable: 0%}}}",
        "PostgreSQL primary: max 0%",
    ),
    (
        "postgresql",
        "15.0.0",
        "{architecture: replication}",
        "PostgreSQL primary: none; PostgreSQL read replicas: none",
    ),
    ("postgresql", "~15.0", "", "PostgreSQL primary: none"),
    ("postgresql", "^15.0.0", "", "PostgreSQL primary: ?"),
    ("postgresql", "~16.0", "", "PostgreSQL primary: max 1"),
    ("postgresql", "16.0.0", "{primary: {pdb: {create: \"{{ x }}\"}}}", "PostgreSQL primary: ?"),
    ("redis", "18.0.0", "", "Redis master: none; Redis replicas: none"),
    ("redis", "18.0.0", "{pdb: {create: true}}", "Redis master: max ?; Redis replicas: max ?"),
    ("redis", "20.0.0", "", "Redis master: max 1; Redis replicas: max 1"),
    ("redis", "20.0.0", "{architecture: standalone}", "Redis master: max 1"),
    ("redis", "20.0.0", "{sentinel: {enabled: true}}", "Redis nodes: max 1"),
    ("redis", "19.5.1", "{sentinel: {enabled: true}}", "Redis nodes: none"),
    ("redis-cluster", "9.0.0", "", "Redis Cluster nodes: none"),
    (
        "redis-cluster",
        "9.0.0",
        "{podDisruptionBudget: {minAvailable: 4}}",
        "Redis Cluster nodes: min 4",
    ),
    ("redis-cluster", "11.0.0", "", "Redis Cluster nodes: max 1"),
    ("kafka", "28.0.0", "", "Kafka controllers: none; Kafka brokers: none"),
    ("kafka", "32.4.3", "", "Kafka controllers: max 1; Kafka brokers: max 1"),
    ("kafka", "28.0.0", "{kraft: {enabled: false}}", "Kafka brokers: none"),
    ("zookeeper", "12.0.0", "{pdb: {create: true}}", "ZooKeeper nodes: none"),
    ("zookeeper", "12.0.0", "{pdb: {create: true}, replicaCount: 3}", "ZooKeeper nodes: max 1"),
    ("rabbitmq", "12.0.0", "{pdb: {create: true}}", "RabbitMQ nodes: min 1"),
    (
        "rabbitmq",
        "12.0.0",
        "{pdb: {create: true, maxUnavailable: 1}}",
        "RabbitMQ nodes: min 1, max 1",
    ),
    ("etcd", "12.0.0", "", "etcd members: min 51%"),
    ("etcd", "8.0.0", "", ""),
    ("minio", "13.0.0", "", "MinIO: none"),
    ("minio", "17.0.0", "", "MinIO: max 1"),
    ("mongodb", "15.0.0", "{architecture: replicaset}", "MongoDB replica set: none"),
    (
        "mongodb-sharded",
        "8.0.0",
        "{configsvr: {external: {host: db}}}",
        "MongoDB shards: none; mongos: none",
    ),
    ("clickhouse", "6.1.0", "", "ClickHouse servers: none"),
    ("clickhouse", "9.0.0", "{keeper: {enabled: false}}", "ClickHouse servers: max 1"),
];

#[test]
fn bitnami_charts_make_the_pdbs_they_make() {
    for (chart, version, values, wanted) in OF_BITNAMI {
        let found = pods(BITNAMI, chart, version, values);
        assert_eq!(pdbs(&found), *wanted, "{chart} {version} {values}");
    }
}

/// Charts of others: repository, chart, version, values, pdbs.
const OF_OTHERS: &[(&str, &str, &str, &str, &str)] = &[
    (HASHICORP, "vault", "0.28.0", "{injector: {enabled: false}}", "Vault server: none"),
    (
        HASHICORP,
        "vault",
        "0.28.0",
        "{server: {ha: {enabled: true, raft: {enabled: true}, replicas: 1}}}",
        "Vault servers: max 0; Vault injector: none",
    ),
    (
        HASHICORP,
        "vault",
        "0.28.0",
        "{server: {ha: {enabled: true, raft: {enabled: true}, replicas: 2}}}",
        "Vault servers: max 0; Vault injector: none",
    ),
    (
        HASHICORP,
        "vault",
        "0.28.0",
        "{server: {ha: {enabled: true, raft: {enabled: true}, replicas: 3}}}",
        "Vault servers: max 1; Vault injector: none",
    ),
    (
        HASHICORP,
        "vault",
        "0.28.0",
        "{server: {ha: {enabled: true, raft: {enabled: true}, replicas: 5}}}",
        "Vault servers: max 2; Vault injector: none",
    ),
    (HASHICORP, "consul", "1.6.0", "", "Consul servers: max 0; Consul injector: max 0"),
    (
        HASHICORP,
        "consul",
        "1.6.0",
        "{server: {replicas: 2}, connectInject: {replicas: 2}}",
        "Consul servers: max 1; Consul injector: max 0",
    ),
    (
        HASHICORP,
        "consul",
        "1.6.0",
        "{server: {replicas: 3}, connectInject: {replicas: 3}}",
        "Consul servers: max 1; Consul injector: max 1",
    ),
    (
        HASHICORP,
        "consul",
        "1.6.0",
        "{server: {replicas: 5}, connectInject: {replicas: 4}}",
        "Consul servers: max 1; Consul injector: max 1",
    ),
    (
        HASHICORP,
        "consul",
        "1.3.0",
        "{server: {replicas: 5}, connectInject: {replicas: 4}}",
        "Consul servers: max 1; Consul injector: max 1",
    ),
    (
        HASHICORP,
        "consul",
        "1.3.0",
        "{server: {replicas: 2}, connectInject: {replicas: 1}}",
        "Consul servers: max 0; Consul injector: max 0",
    ),
    (HASHICORP, "consul", "0.49.0", "", "Consul servers: max 1"),
    (ELASTIC, "elasticsearch", "8.5.1", "", "Elasticsearch nodes: max 1"),
    (ELASTIC, "elasticsearch", "8.5.1", "{maxUnavailable: 0}", "Elasticsearch nodes: none"),
    (OPENSEARCH, "opensearch", "2.0.0", "{maxUnavailable: \"\"}", "OpenSearch nodes: none"),
    ("", "kube-prometheus-stack", "60.0.0", STACK, "Prometheus: min 1; Grafana: none"),
    (COMMUNITY, "prometheus", "25.0.0", "", "Prometheus server: none; Alertmanager: none"),
    (
        COMMUNITY,
        "prometheus",
        "29.0.0",
        "{server: {podDisruptionBudget: {enabled: true}}, alertmanager: {enabled: false}}",
        "Prometheus server: max 1",
    ),
    (NATS, "nats", "1.2.0", "{config: {jetstream: {enabled: true}}}", "NATS server: max 1"),
    (NATS, "nats", "1.2.0", "", ""),
    ("", "loki", "6.30.0", "{deploymentMode: SingleBinary}", "Loki: none"),
    ("", "loki", "6.30.0", "", "Loki writers: max 1; Loki backends: max 1"),
    ("", "loki", "6.x", "{deploymentMode: SingleBinary}", "Loki: none"),
    ("", "loki", "6.x", "{deploymentMode: Monolith}", ""),
    ("", "loki", "~> 6.0", "", "Loki writers: max 1; Loki backends: max 1"),
    ("", "loki", "6.30.0", "{write: {replicas: 1}}", "Loki writers: none; Loki backends: max 1"),
    ("", "ingress-nginx", "4.11.0", "", "ingress-nginx controller: none"),
    (
        "",
        "ingress-nginx",
        "4.11.0",
        "{controller: {replicaCount: 2}}",
        "ingress-nginx controller: min 1",
    ),
    (
        "",
        "ingress-nginx",
        "4.11.0",
        "{controller: {autoscaling: {enabled: true, minReplicas: 2}}}",
        "ingress-nginx controller: ?",
    ),
    ("", "cluster-autoscaler", "9.50.0", "", "Cluster Autoscaler: max 1"),
    ("", "aws-ebs-csi-driver", "2.30.0", "", "EBS CSI controller: max 1"),
    (
        "",
        "aws-ebs-csi-driver",
        "2.50.0",
        "{controller: {replicaCount: 3}}",
        "EBS CSI controller: min 2",
    ),
    ("", "karpenter", "1.5.0", "", "Karpenter: max 1"),
    ("", "karpenter", "{{ x }}", "", "Karpenter: max 1"),
    ("", "aws-ebs-csi-driver", "{{ x }}", "", "EBS CSI controller: max 1"),
    (
        "",
        "cert-manager",
        "1.10.0",
        "",
        "cert-manager: none; cert-manager webhook: none; cert-manager CA injector: none",
    ),
    (
        "",
        "external-secrets",
        "0.10.0",
        "{podDisruptionBudget: {enabled: true}}",
        "external-secrets: min 1; external-secrets webhook: none; external-secrets certificate controller: none",
    ),
    (
        "",
        "metrics-server",
        "3.12.0",
        "{podDisruptionBudget: {enabled: true, minAvailable: 1}}",
        "metrics-server: min 1",
    ),
    (
        "",
        "aws-load-balancer-controller",
        "1.8.0",
        "{podDisruptionBudget: {maxUnavailable: 1}, replicaCount: 1}",
        "Load Balancer Controller: none",
    ),
];

#[test]
fn other_charts_make_the_pdbs_they_make() {
    for (repository, chart, version, values, wanted) in OF_OTHERS {
        let found = pods(repository, chart, version, values);
        assert_eq!(pdbs(&found), *wanted, "{chart} {version} {values}");
    }
}

#[test]
fn the_publisher_decides_whose_chart_it_is() {
    for (repository, chart, version, wanted) in [
        (BITNAMI, "vault", "1.4.0", "Vault servers: max 1"),
        ("oci://registry-1.docker.io/bitnamicharts", "consul", "11.4.0", "Consul servers: max 1"),
        (HASHICORP, "postgresql", "11.4.0", ""),
        ("", "postgresql", "11.4.0", ""),
        ("https://charts.example.com", "redis", "17.0.0", ""),
        ("https://helm.elastic.co", "elasticsearch", "8.5.1", "Elasticsearch nodes: max 1"),
    ] {
        let found = pods(repository, chart, version, "");
        assert_eq!(pdbs(&found), wanted, "{repository} {chart}");
    }
}

#[test]
fn nothing_is_known_of_versions_the_facts_were_not_checked_for() {
    for (repository, chart, version, known) in [
        (BITNAMI, "vault", "1.9.0", true),
        (BITNAMI, "vault", "1.9.1", false),
        (BITNAMI, "vault", "11.4.0", false),
        (BITNAMI, "vault", "0.2.9", false),
        (BITNAMI, "vault", ">= 1.0", true),
        (BITNAMI, "vault", ">= 2.0", false),
    ] {
        let found = pods(repository, chart, version, "");
        assert_eq!(!found.is_empty(), known, "{chart} {version}");
    }
}

#[test]
fn pods_keep_data_only_where_the_values_say_so() {
    let claims = "{prometheus: {prometheusSpec: {storageSpec: {volumeClaimTemplate: {spec: {}}}}}}";
    for (repository, chart, version, values, wanted) in [
        (BITNAMI, "rabbitmq", "12.0.0", "", [true].as_slice()),
        (BITNAMI, "rabbitmq", "12.0.0", "{persistence: {enabled: false}}", &[false]),
        (BITNAMI, "rabbitmq", "12.0.0", "{persistence: {enabled: \"{{ x }}\"}}", &[false]),
        (BITNAMI, "mongodb", "15.0.0", "", &[true]),
        (BITNAMI, "nats", "8.0.0", "", &[false]),
        (BITNAMI, "keycloak", "21.0.0", "", &[false]),
        ("", "kube-prometheus-stack", "60.0.0", "", &[false, false, false]),
        ("", "kube-prometheus-stack", "60.0.0", claims, &[true, false, false]),
        (HASHICORP, "vault", "0.28.0", "{server: {dev: {enabled: true}}}", &[false]),
        (HASHICORP, "vault", "0.28.0", "{server: {ha: {enabled: true}}}", &[false, false]),
    ] {
        let found: Vec<bool> =
            pods(repository, chart, version, values).iter().map(Workload::mounts_claim).collect();
        assert_eq!(found, wanted, "{chart} {values}");
    }
}
