//! Releases of `GitOps` tools.

use std::sync::Arc;

use crate::{
    resolve::{
        gitops::GitOps,
        release::{
            Installer, Means, Release, address,
            crd_switch::CrdSwitch,
            described::{ChartRelease, Switch},
            first_values::{FirstValues, ValuesForm},
            literal,
            pin::{ChartSource, Pin},
            surface::Surface,
        },
        scope::Scope,
        setting::Setting,
    },
    source::{Files, SourceFile},
    value::Value,
};

/// All of them, in the order `resolve` gives.
pub(super) fn releases(files: &Files, gitops: &GitOps) -> Vec<Release> {
    let of_chart = |it: &ChartRelease| it.surface == Surface::ChartDependency;
    // Argo CD applies a chart's CRDs at each sync, and its Applications may be in templates.
    let argo = gitops.releases.iter().any(of_chart) && shows_argo(files);
    let all = gitops.releases.iter().enumerate();
    all.filter_map(|(index, it)| release(files, it, index, argo)).collect()
}

/// Whether any file that was read names Argo CD's API.
fn shows_argo(files: &Files) -> bool {
    let names =
        |it: &SourceFile| memchr::memmem::find(it.text().as_bytes(), b"argoproj.io/").is_some();
    files.iter().any(|(_, it)| it.is_loaded() && names(it))
}

fn release(files: &Files, from: &ChartRelease, index: usize, argo: bool) -> Option<Release> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let written = |value: &Option<Value>| match value {
        Some(value) => Setting::written(value, text),
        None => Setting::unknown(from.report_span),
    };
    let chart: Arc<str> = match &from.chart {
        Some(chart) => chart.as_str()?.into(),
        None => "".into(),
    };
    let repository = from.repository.as_ref().and_then(Value::as_str).unwrap_or_default();
    if repository.contains("mcr.microsoft.com") {
        return None;
    }
    let version = from.resolved.as_ref().or(from.version.as_ref());
    Some(Release {
        name: name(from),
        chart,
        repository: address(from.repository.as_ref(), from.body.get("chart").present()),
        local_chart: from.local_chart.as_deref().map(str::to_owned),
        values_key: values_key(from),
        installer: installer(files, from),
        scope: Scope::new(from.root.map(|(root, _)| root), &from.folder),
        report_span: from.report_span,
        block: from.report_span,
        version: version
            .map_or_else(|| Setting::unknown(from.report_span), |it| Setting::written(it, text)),
        // What a lock holds does not change with it.
        version_literal: from
            .version
            .as_ref()
            .filter(|_| from.resolved.is_none())
            .and_then(literal),
        source: source(files, from),
        namespace: written(&from.namespace),
        skip_crds: match from.surface {
            // The CRDs of a dependency cannot be skipped, and eksctl handles its own.
            Surface::ChartDependency => Setting::default(false, from.report_span),
            Surface::Eksctl => Setting::unknown(from.report_span),
            _ => switch(from.crds.skip),
        },
        upgrade_crds: match from.surface {
            Surface::ChartDependency if argo => Setting::unknown(from.report_span),
            Surface::ChartDependency => Setting::default(false, from.report_span),
            _ => switch(from.crds.upgrade),
        },
        force_update: Setting::unknown(from.report_span),
        values: from.values.clone(),
        parse_errors: from.parse_errors.clone(),
        reusable: false,
        has_external_values: false,
        may_target_other_cluster: from.may_target_other_cluster,
        first_values: first_values(from),
        crd_switch: crd_switch(from),
        subject: Some(from.subject.clone()),
        means: Means::GitOps(from.surface, index, from.unit),
    })
}

fn source(files: &Files, from: &ChartRelease) -> ChartSource {
    let (version, repository) = (from.version.as_ref(), from.repository.as_ref());
    if from.wrapped {
        return ChartSource::of_dependency(repository, version, from.resolved.as_ref());
    }
    let pin = match (from.surface, version) {
        // The `semver` of an OCIRepository.
        (Surface::Flux, Some(version)) if files.text(version.name) == "semver" => Pin::Matching,
        (_, Some(_)) => Pin::Written,
        // eksctl wants one.
        (Surface::Eksctl, None) => Pin::Elsewhere,
        (_, None) => Pin::Newest,
    };
    ChartSource::new(repository, pin)
}

/// The name Helm gives the release, where the tool does not make one up.
fn name(from: &ChartRelease) -> Option<Arc<str>> {
    let text = |path: &str| from.body.at(path).present().and_then(Value::as_str).map(Arc::from);
    let own = || Some(from.name.clone()).filter(|it| !it.is_empty());
    // A dependency is part of the release that installs it, under a name of its own in the labels.
    if from.wrapped {
        return None;
    }
    let unless = |path: &str| if from.body.at(path).is_missing() { own() } else { text(path) };
    match from.surface {
        Surface::ArgoCd => unless("helm.releaseName"),
        Surface::Flux if from.body.at("targetNamespace").is_missing() => unless("releaseName"),
        Surface::Flux => text("releaseName"),
        Surface::Helmfile => own(),
        Surface::Terraform | Surface::Kustomize | Surface::ChartDependency | Surface::Eksctl => {
            None
        }
    }
}

/// The key of its values in those of the chart that depends on it.
fn values_key(from: &ChartRelease) -> Option<Arc<str>> {
    let text = |key: &str| from.body.get(key).present().and_then(Value::as_str);
    text("alias").or_else(|| text("name")).filter(|_| from.wrapped).map(Arc::from)
}

fn installer(files: &Files, from: &ChartRelease) -> Installer {
    let templates = format!("{}/templates/", from.folder);
    let templates = templates.trim_start_matches('/');
    let has_templates = || files.iter().any(|(_, it)| it.path().starts_with(templates));
    if from.surface == Surface::ChartDependency && has_templates() {
        Installer::Anybody
    } else {
        Installer::Here
    }
}

/// Where its tool takes values from.
fn first_values(from: &ChartRelease) -> Option<FirstValues> {
    let helm = from.body.get("helm");
    match from.surface {
        _ if from.wrapped => None,
        // An object of values hides a text of them.
        Surface::ArgoCd => (helm.get("values").is_missing() && !helm.is_unknown())
            .then(|| FirstValues::new(&from.body, &["helm", "valuesObject"], ValuesForm::Mapping)),
        Surface::Flux => {
            Some(FirstValues::new(&from.whole, &["spec", "values"], ValuesForm::Mapping))
        }
        Surface::Helmfile => Some(FirstValues::new(&from.body, &["values"], ValuesForm::Item)),
        Surface::Terraform | Surface::Kustomize | Surface::ChartDependency | Surface::Eksctl => {
            None
        }
    }
}

/// What decides whether the bundled CRDs are installed; none where its tool has no switch for it.
fn crd_switch(from: &ChartRelease) -> Option<CrdSwitch> {
    let (mapping, path) = match from.surface {
        Surface::ArgoCd => (&from.body, "helm.skipCrds"),
        Surface::Flux => (&from.body, "install.crds"),
        Surface::Helmfile => (&from.whole, "helmDefaults.skipCRDs"),
        Surface::Terraform | Surface::Kustomize | Surface::ChartDependency | Surface::Eksctl => {
            return None;
        }
    };
    Some(CrdSwitch::key(mapping, path))
}

fn switch(from: Switch) -> Setting<bool> {
    match from.on {
        Some(on) => Setting::default(on, from.span),
        None => Setting::unknown(from.span),
    }
}
