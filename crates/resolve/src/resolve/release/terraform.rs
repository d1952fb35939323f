//! Releases in Terraform: `helm_release`, EKS Blueprints, and third-party wrapper modules.

mod spelling;
mod values;

use std::{collections::HashMap, sync::Arc};

use crate::{
    findings::subject::InstanceKey,
    knowledge::{self, component::Component},
    resolve::{
        gitops::{chart, repository::Repository},
        release::{
            Installer, Means, Release, ReleaseCode, address, chart_archive,
            chart_version::{ChartVersion, Pin},
            crd_switch::CrdSwitch,
            first_values::{FirstValues, ValuesForm},
            missing_chart::MissingChart,
            terraform::spelling::Spelling,
        },
        scope::Scope,
        setting::Setting,
        terraform::{
            inputs::Inputs,
            module_source::ModuleSource,
            object::{BlockInstance, Mode},
            root::Root,
        },
    },
    source::{Files, Span},
    value::{Entry, Field, Kind, Value, step::Step},
    version::constraint::Constraint,
};

/// The releases of a root module.
#[must_use]
pub(super) fn releases(files: &Files, inputs: &Inputs, index: usize, root: &Root) -> Vec<Release> {
    let mut found = Vec::new();
    let reader = ReleaseReader { files, inputs, index, root };
    for object in root.of(Mode::Resource, "helm_release") {
        found.extend(reader.release(
            object,
            &object.body,
            &Spelling::helm_release(),
            object.header,
        ));
    }
    for object in root.of(Mode::Module, "module") {
        let source = ModuleSource::of(object);
        if source.is(ModuleSource::BLUEPRINTS_ADDONS) {
            reader.blueprints(object, &mut found);
        } else if source.is(ModuleSource::BLUEPRINTS_ADDON) {
            found.extend(reader.release(
                object,
                &object.body,
                &Spelling::blueprint(),
                object.header,
            ));
        } else if let Some(spelling) = Spelling::of_module(object, source) {
            found.extend(reader.release(object, &object.body, &spelling, object.header));
        } else if !source.is_local() && !object.entered {
            found.extend(reader.release(object, &object.body, &Spelling::wrapper(), object.header));
        }
    }
    found.retain(|it| !it.is_of_other_cloud());
    let repository = Repository::new(files);
    let dependencies: Vec<Release> =
        found.iter().flat_map(|it| chart::dependencies(&repository, it)).collect();
    found.extend(dependencies);
    count_instances(&mut found);
    found
}

/// Adds its instance to each release of a block that makes several.
fn count_instances(releases: &mut [Release]) {
    let key = |it: &Release| (it.code().map(|it| it.node), it.chart.clone());
    let mut counts: HashMap<_, usize> = HashMap::new();
    for release in &*releases {
        *counts.entry(key(release)).or_default() += 1;
    }
    for release in releases {
        let of = counts.get(&key(release)).copied().unwrap_or(1);
        if let Some(subject) = release.subject.as_mut().filter(|_| of > 1) {
            let address = subject.block.as_ref().map(|it| Arc::clone(&it.address));
            subject.instance = address.map(|address| InstanceKey { address, of });
        }
    }
}

struct ReleaseReader<'a> {
    files: &'a Files,
    inputs: &'a Inputs,
    index: usize,
    root: &'a Root,
}

impl ReleaseReader<'_> {
    /// The releases behind `enable_…` and `helm_releases` of eks-blueprints-addons.
    fn blueprints(&self, object: &BlockInstance, found: &mut Vec<Release>) {
        // Without this the module makes only the AWS side: roles, queues.
        if !is_on(object.body.get("create_kubernetes_resources")) {
            return;
        }
        for input in object.body.entries() {
            let Some(name) = input.key.strip_prefix("enable_") else { continue };
            // A switch that depends on a variable hides nothing, whatever the default is.
            let decided = !object.variable_arguments.contains(&input.key);
            if decided && input.value.as_flag() == Some(false) {
                continue;
            }
            let Some(component) = knowledge::component::of_blueprint(name) else { continue };
            let map = object.body.as_map().and_then(|it| it.entry(name));
            found.extend(self.blueprint(object, input, map, component));
        }
        let more = object.body.get("helm_releases").present().map_or(&[][..], Value::entries);
        for entry in more {
            found.extend(self.release(
                object,
                &entry.value,
                &Spelling::blueprint(),
                entry.key_span,
            ));
        }
    }

    fn blueprint(
        &self,
        object: &BlockInstance,
        input: &Entry,
        map: Option<&Entry>,
        component: &Component,
    ) -> Option<Release> {
        let nothing = Value::map(Vec::new(), input.key_span);
        let body = map.map_or(&nothing, |it| &it.value);
        let report_span = map.unwrap_or(input).key_span;
        let module = object.body.get("version").present().and_then(Value::as_str);
        let module = module.and_then(Constraint::parse);
        let mut release = self.build(
            object,
            body,
            &Spelling::blueprint(),
            component.charts.first()?,
            report_span,
        )?;
        let own = component.blueprint.as_ref().and_then(|it| it.repository.as_ref());
        let publisher = component.repositories.first().or(own).map(|it| it.as_str().into());
        release.repository = release.repository.or(publisher);
        let name = input.key.trim_start_matches("enable_");
        release.first_values =
            Some(FirstValues::new(&object.body, &[name, "values"], ValuesForm::Document));
        release.is_optional |= input.value.as_flag() == Some(false);
        // The module sets the names of the cluster and of the queue by itself.
        release.has_external_values = true;
        release.name = release.name.or_else(|| Some(release.chart.clone()));
        let blueprint = component.blueprint.as_ref()?;
        if let Some(default) =
            blueprint.namespace.as_ref().filter(|_| body.get("namespace").is_missing())
        {
            release.namespace = Setting::default(default.clone(), report_span);
        }
        // `try(var.karpenter.chart_version, …)` of the module keeps a `null` that is written: the newest chart.
        if body.as_map().is_none_or(|it| it.entry("chart_version").is_none()) {
            let default = blueprint.newest_chart_version(module.as_ref());
            release.version =
                ChartVersion::of_module(default.map(|it| it.to_string()), report_span);
        }
        Some(release)
    }

    /// A release whose body names its chart; `None` when that is not known.
    fn release(
        &self,
        object: &BlockInstance,
        body: &Value,
        spelling: &Spelling,
        report_span: Span,
    ) -> Option<Release> {
        let (chart, _) = chart_name(named_chart(body, spelling)?)?;
        self.build(object, body, spelling, &chart, report_span)
    }

    fn build(
        &self,
        object: &BlockInstance,
        body: &Value,
        spelling: &Spelling,
        chart: &str,
        report_span: Span,
    ) -> Option<Release> {
        let made = spelling.made.iter().all(|it| is_on(body.at(it)));
        if !made {
            return None;
        }
        let named = first(body, &spelling.chart).present();
        let archive = named.and_then(|it| Some((it, chart_archive::named(it.as_str()?)?)));
        let named_here = named.filter(|_| archive.is_none());
        let local_chart = named_here.and_then(chart_name).and_then(|it| it.1);
        let local_chart = local_chart.or_else(|| self.bare_path(body, named_here?, spelling));
        let chart = match archive {
            Some((_, (chart, _))) => chart,
            None if local_chart.is_some() => "",
            None => chart,
        };
        let skip_crds = Self::switch(body, &spelling.skip, spelling, report_span);
        let own = format!("{}.{}", object.kind, object.name);
        // A module may call one of its own name.
        let module = object.address.rfind(&own).map_or("", |at| &object.address[..at]);
        let values = values::merged(body, &spelling.adds);
        let repository = body.get("repository").present();
        let version = match archive {
            Some((path, (_, version))) => ChartVersion::of_archive(path, version),
            None => self.version(body, spelling, report_span),
        };
        let means = Means::Terraform(Box::new(ReleaseCode {
            node: object.node,
            address: own,
            module: module.to_owned(),
            object: object.clone(),
        }));
        let scope = Scope::new(Some(self.index), &self.root.folder).in_cluster(object.cluster);
        Some(Release {
            name: first(body, &spelling.name).present().and_then(Value::as_str).map(Into::into),
            chart: chart.into(),
            repository: address(repository, named),
            repository_span: repository.or(named).map(|it| it.span),
            installer: if self.root.reusable { Installer::Anybody } else { Installer::Here },
            missing_chart: local_chart.as_ref().and_then(|it| self.missing(object, body, it)),
            local_chart: local_chart.and_then(|it| self.folder_of(object, &it)),
            block: object.header,
            version,
            namespace: Setting::text(body.at(spelling.namespace).present(), report_span),
            first_values: Some(FirstValues::new(body, &["values"], ValuesForm::Document)),
            crd_switch: self.crd_switch(body, &skip_crds, spelling),
            skip_crds,
            upgrade_crds: Setting::default(false, report_span),
            force_update: Self::switch(body, &spelling.force, spelling, report_span),
            values: values.value,
            parse_errors: values.parse_errors,
            subject: Some(object.subject(self.index)),
            is_optional: self.root.is_off(object),
            reusable: self.root.reusable || self.root.incomplete,
            has_external_values: !spelling.closed || !body.get("postrender").is_missing(),
            ..Release::new(means, scope, report_span)
        })
    }

    /// A switch that is off by default. It is missing from the map it belongs to, else from the block.
    fn switch(body: &Value, paths: &[&str], spelling: &Spelling, block: Span) -> Setting<bool> {
        let is_open = paths.iter().any(|it| spelling.open.contains(it));
        let off = (spelling.closed && !is_open).then_some(false);
        let outer = paths.first().and_then(|it| entry_at(body, parts(it).0?));
        Setting::of(first(body, paths), off, outer.map_or(block, |it| it.key_span), Value::as_flag)
    }

    /// The version. That of a module for any caller is not known where it is the default of its variable.
    fn version(&self, body: &Value, spelling: &Spelling, report_span: Span) -> ChartVersion {
        let written = first(body, &spelling.version).present();
        let entry = spelling.version.iter().find_map(|it| entry_at(body, it));
        let version = ChartVersion::new(written, self.pin(body, spelling), report_span)
            .with_null(entry.map(|it| &it.value));
        let own = |it: &Step| {
            let folder = self.files.get(it.span.file).folder();
            it.kind.variable().is_some() && folder == &*self.root.folder
        };
        let for_callers = self.root.reusable && written.is_some_and(|it| it.steps().any(own));
        if for_callers { version.of_callers() } else { version }
    }

    /// What fixes the version.
    fn pin(&self, body: &Value, spelling: &Spelling) -> Pin {
        let null = || spelling.version.iter().find_map(|it| entry_at(body, it));
        let given = || null().is_some_and(|it| self.inputs.may_replace(&it.value));
        let chart = first(body, &spelling.chart).present().and_then(Value::as_str);
        match first(body, &spelling.version) {
            // Without a repository it is a folder or an archive, whatever version is written.
            _ if spelling.closed
                && body.get("repository").is_missing()
                && chart.is_some_and(|it| !it.contains('/')) =>
            {
                Pin::Elsewhere
            }
            Field::Present(_) => Pin::Written,
            Field::Missing if spelling.closed && !given() => Pin::Newest,
            Field::Missing | Field::Unknown => Pin::Elsewhere,
        }
    }

    /// The folder of a local chart, relative to the project's root.
    fn folder_of(&self, object: &BlockInstance, chart: &str) -> Option<String> {
        let from = [&*self.root.folder, &object.folder, ""];
        let candidates = from.iter().filter_map(|folder| crate::source::join(folder, chart));
        candidates.into_iter().find(|it| self.files.find(&format!("{it}/Chart.yaml")).is_some())
    }

    /// The path of a local chart that looks like a name: `charts/karpenter`, what `path.module` makes of a module below.
    /// Helm looks for a folder first.
    fn bare_path(&self, body: &Value, named: &Value, spelling: &Spelling) -> Option<String> {
        let path = named.as_str()?.trim_end_matches('/');
        let may_be = spelling.closed && body.get("repository").is_missing();
        let folder = crate::source::join(&self.root.folder, path).filter(|_| may_be)?;
        self.files.find(&format!("{folder}/Chart.yaml")).map(|_| path.to_owned())
    }

    /// The local chart that is not here.
    fn missing(&self, object: &BlockInstance, body: &Value, chart: &str) -> Option<MissingChart> {
        let is_ours = body.get("repository").is_missing() && !chart.starts_with('/');
        if !is_ours || self.folder_of(object, chart).is_some() {
            return None;
        }
        let path = crate::source::join(&self.root.folder, chart);
        Some(MissingChart { path: path.as_deref().unwrap_or(chart).into(), source: None })
    }

    /// What decides whether the bundled CRDs are installed; none where that is computed.
    fn crd_switch(
        &self,
        body: &Value,
        skip: &Setting<bool>,
        spelling: &Spelling,
    ) -> Option<CrdSwitch> {
        if let Some(false) = skip.written_value() {
            // Terraform converts the text.
            let is_literal = matches!(self.files.text(skip.span()), "false" | "\"false\"");
            return is_literal.then(|| CrdSwitch::Literal(skip.span()));
        }
        let (outer, key) = parts(spelling.skip.first()?);
        let mapping = outer.map_or(Some(body), |it| body.at(it).present())?.clone();
        let beside = [&*spelling.version, &*spelling.chart, &*spelling.name].concat();
        let follows = beside.into_iter().map(|it| parts(it).1).collect();
        (!skip.is_written()).then_some(CrdSwitch::Key { mapping, path: key, follows })
    }
}

/// The first of several spellings that is written.
fn first<'a>(body: &'a Value, keys: &[&str]) -> Field<'a> {
    let written = keys.iter().map(|key| body.at(key)).find(|it| !it.is_missing());
    written.unwrap_or(Field::Missing)
}

/// What names the chart. The provider joins the address of a registry and the chart: without a name of its own, the
/// chart is the last part of the address.
fn named_chart<'a>(body: &'a Value, spelling: &Spelling) -> Option<&'a Value> {
    let chart = first(body, &spelling.chart).present()?;
    let is_nameless = chart.as_str() == Some("");
    let address = body.get("repository").present().filter(|_| is_nameless);
    let is_registry = |it: &&Value| it.as_str().is_some_and(|it| it.starts_with("oci://"));
    Some(address.filter(is_registry).unwrap_or(chart))
}

/// The path of the mapping that holds a key, and the key.
fn parts(path: &str) -> (Option<&str>, &str) {
    match path.rsplit_once('.') {
        Some((outer, key)) => (Some(outer), key),
        None => (None, path),
    }
}

/// The entry at a path, also one that is null.
fn entry_at<'a>(body: &'a Value, path: &str) -> Option<&'a Entry> {
    let (outer, key) = parts(path);
    outer.map_or(Some(body), |it| body.at(it).present())?.as_map()?.entry(key)
}

/// Whether a switch that is on by default is not known to be, or may be, off.
///
/// A module's map of text makes the text `1` of a number before the number becomes true.
fn is_on(field: Field<'_>) -> bool {
    match field {
        Field::Missing => true,
        Field::Present(value) => match &value.kind {
            Kind::Number(number) => number.to_string() == "1",
            _ => value.as_flag() == Some(true),
        },
        Field::Unknown => false,
    }
}

/// A chart's name without its repository, and its path if it lies in this repository.
fn chart_name(value: &Value) -> Option<(String, Option<String>)> {
    let Kind::String(text) = &value.kind else { return None };
    let text = text.text.trim_end_matches('/');
    let name = text.rsplit('/').next().unwrap_or(text);
    if name.contains(crate::value::HOLE_START) {
        return None;
    }
    let scheme = text.contains("://");
    let path = !scheme && (text.starts_with('.') || text.matches('/').count() > 1);
    Some((name.to_owned(), path.then(|| text.to_owned())))
}
