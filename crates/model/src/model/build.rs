//! The model is built once from what `resolve` gives: facts first, then the indexes over them.

use std::collections::HashSet;

use crate::{
    knowledge::publication,
    model::{
        Assumed, Model, Resolved, absent, addon,
        allowance::ObjectAllowance,
        applied::{self, AppliedObject},
        chart_value,
        class_name::ClassNames,
        cluster::{self, profiles::Profiles},
        crds,
        deployed::{Deployed, Sources},
        discovery,
        documented::Documented,
        environment::Environments,
        installation::{Installation, agreed_version},
        karpenter,
        karpenter_object::{self, KarpenterObject, near::ObjectsNear},
        left_out::unread::Written,
        made_elsewhere::MadeElsewhere,
        node_pool::{self, NodePool, class},
        object_facts::ObjectReader,
        overlay, pairing,
        pdb::{candidates::Candidates, selections::Selections},
        placement::{by_label::PoolsByLabel, reserved},
        plainly, scaler,
        scope::{ScopeIndex, Scoped},
        toleration::{
            drain_taint::{DrainTaints, PoolApi},
            drain_toleration_list::drain_toleration_lists,
        },
        unpacked, unseen_manifest,
        workload::{made_volume::MadeVolumes, storage::MountedClaims, volume_class::VolumeClasses},
    },
    resolve::{
        charts::{Charts, crds::BundledCrds},
        cloudformation,
        gitops::{GitOps, patched::Patched},
        kubernetes::{
            Located,
            held::{Held, from_terraform, written_files},
            manifests::Manifests,
            typed,
        },
        kustomize::Kustomize,
        pulumi,
        release::{Release, collect, fetched_crds, values_file},
        scope::Scope,
        setting::Setting,
        terraform::{Terraform, inputs::Inputs},
    },
    source::{Files, SourceFile},
};

impl Model {
    /// The kinds of Terraform resources the model reads.
    #[must_use]
    pub fn kinds() -> Vec<String> {
        let own = [
            "helm_release",
            "aws_eks_addon",
            "aws_eks_cluster",
            "aws_eks_node_group",
            "aws_eks_fargate_profile",
            "aws_autoscaling_group",
            "aws_launch_template",
            "aws_eks_pod_identity_association",
            "aws_iam_policy",
            "aws_iam_policy_attachment",
            "aws_iam_policy_document",
            "aws_iam_role",
            "aws_iam_role_policy",
            "aws_iam_role_policy_attachment",
            "aws_sqs_queue",
            "kubernetes_service_account",
            "kubernetes_service_account_v1",
            "null_resource",
            "terraform_data",
        ];
        own.iter()
            .chain(discovery::KINDS)
            .chain(fetched_crds::KINDS)
            .copied()
            .chain(typed::terraform_kinds())
            .map(str::to_owned)
            .collect()
    }

    /// Kinds of large resources of which the model reads only some fields, with those.
    pub const FIELDS: &[(&str, &[&str])] =
        &[cluster::read::LAUNCH_TEMPLATE, cluster::read::SCALING_GROUP];

    /// Builds the model.
    #[must_use]
    pub fn new(files: &Files, resolved: Resolved, assumed: Assumed) -> Self {
        let Resolved { terraform, mut manifests, mut kustomize, charts: folders } = resolved;
        manifests.leave_out(|it| folders.hold_template(it));
        let mut model = Self { assumed, inputs: Inputs::find(files), ..Self::default() };
        let answered = model.pass_over(files, &mut manifests, &mut kustomize, &terraform);
        model.kustomizations = applied::roots(&kustomize);
        model.clusters = cluster::read::of_roots(files, &model.inputs, &terraform);
        let mut of_code = collect::of_code(files, &model.inputs, &terraform);
        model.in_scripts = of_code.held.objects.iter().map(|it| it.header.file).collect();
        let Held { objects: held, parse_errors: of_held } =
            held(files, &terraform, &manifests, std::mem::take(&mut of_code.held));
        model.applied_templates.extend(of_code.templates.drain(..));
        let sources = Sources {
            files,
            terraform: &terraform,
            manifests: &manifests,
            kustomize: &kustomize,
            charts: &folders,
            clusters: &model.clusters,
            assumed: &model.assumed,
        };
        let Deployed { releases, applied_crds, gitops, of_tools, mut charts, bundled_crds } =
            sources.deployed(&of_code, &held);
        folders.mark_printed(files, &releases, &mut manifests.objects);
        (model.releases, model.applied_crds) = (releases, applied_crds);
        let mentions_karpenter = manifests.mentions_karpenter || charts.mentions_karpenter;
        let written = Written { manifests: &manifests.objects, held: &held, mentions_karpenter };
        model.find_left_out(files, &kustomize, (&gitops, &terraform), &written);
        model.keep_rendered(files, &mut charts);
        model.allowances.extend(of_tools.iter().flat_map(|it| ObjectAllowance::of(&it.object)));
        model.clusters.extend(gitops.clusters.iter().map(cluster::eksctl::of_eksctl));
        model.complete_releases(files);
        model.karpenter_resources =
            karpenter::resources(files, &terraform, &held, (&model.releases, &charts));
        manifests.leave_out(|it| bundled_crds.skipped.contains(&it));
        let all = around(held, manifests.objects, charts.objects);
        let class_names = ClassNames::of_plain(&all, &kustomize.listed);
        model.unlisted_pools = applied::unlisted_pools(files, &all, &kustomize);
        let objects = applied::objects(files, all, &kustomize, |_| false);
        let (patched, elsewhere) = (Patched::of(&of_tools), MadeElsewhere::find(files, &gitops));
        let passed_over = |it: &Scope| applied::passed_over(it, &terraform, &elsewhere);
        model.add_objects(files, (&objects, &answered), &patched, &passed_over);
        model.give_namespaces(files, &gitops);
        of_tools.iter().flat_map(scaler::ignored_replicas).for_each(|it| model.scalers.add(it));
        overlay::name_overlays(files, &mut model);
        model.find_installations(files, &terraform);
        node_pool::find_optional(&mut model.node_pools, &terraform);
        model.relate_releases(files);
        model.addons = addon::addons(&terraform, &gitops);
        model.add_components(&passed_over);
        model.find_crds((files, &terraform), &objects, &bundled_crds);
        model.uses_karpenter = model.shows_karpenter(files, &terraform, mentions_karpenter);
        let read = (manifests.parse_errors, manifests.with_workloads, manifests.sound);
        model.find_errors(files, (&terraform, &gitops), read, (kustomize.unreadable, of_held));
        model.class_names = class_names.and_applied(&objects);
        model.keep_sources(files, terraform, gitops);
        model.prepare(files);
        model.find_drain_tolerations(files, &objects, &patched);
        model.filled_in = applied::filled_in(&objects);
        rayon::spawn(move || drop(objects)); // There may be many, and nobody waits until they are freed.
        model
    }

    /// Settles which files are sources of a cluster: not examples of modules that are called elsewhere, not what a
    /// cluster answered, and not what Terraform writes; but what kustomizations of other environments borrow. The
    /// objects of the answers still say what the cluster has.
    fn pass_over(
        &mut self,
        files: &Files,
        manifests: &mut Manifests,
        kustomize: &mut Kustomize,
        terraform: &Terraform,
    ) -> Vec<Located> {
        let lent = applied::lent(files, kustomize);
        kustomize.listed.retain(|it| !lent.contains(it));
        plainly::leave_out_dead(files, kustomize);
        plainly::leave_to_commands(files, kustomize);
        let is_code = |it: &SourceFile| matches!(it.ending(), "tf" | "tofu");
        let code = files.iter().filter(|(_, it)| is_code(it) && terraform.is_example(it.folder()));
        self.passed_over.extend(code.map(|(id, _)| (id, applied::EXAMPLE)));
        let (answers, held) = manifests.leave_out_answers(|it| !kustomize.listed.contains(&it));
        let pool = |it: &Located| NodePool::read(&it.object, &it.scope(None), it.node);
        self.answered_pools = held.iter().filter_map(pool).collect();
        self.passed_over.extend(answers.into_iter().map(|it| (it, "what a cluster answered")));
        let written = written_files(files, terraform);
        manifests.leave_out(|it| written.contains(&it));
        self.passed_over.extend(written.into_iter().map(|it| (it, "what Terraform writes")));
        held
    }

    /// Takes what is known of the charts themselves, beside what they make.
    fn keep_rendered(&mut self, files: &Files, charts: &mut Charts) {
        self.mark_releases_without_karpenter(files, charts);
        self.chart_failures = std::mem::take(&mut charts.failures);
        self.rendered_charts = std::mem::take(&mut charts.rendered);
        self.chart_remarks = std::mem::take(&mut charts.remarks);
        self.unseen_templates = std::mem::take(&mut charts.unseen);
        self.closed_templates = std::mem::take(&mut charts.closed);
        self.left_out_keys = std::mem::take(&mut charts.left_out_keys);
    }

    /// Keeps what code and tools apply, and what of it is not here.
    fn keep_sources(&mut self, files: &Files, terraform: Terraform, gitops: GitOps) {
        self.absent = absent::find(files, &terraform, (&gitops, &self.releases));
        self.unseen_manifests = unseen_manifest::all(&terraform, &self.karpenter_resources);
        (self.terraform, self.gitops) = (terraform, gitops);
    }

    /// Adds what somebody installs by hand, and takes the versions that are assumed for those that are open, the last
    /// one of a repository that is frozen, and those that are supposed for those that are written.
    fn complete_releases(&mut self, files: &Files) {
        self.values_files = values_file::releases(files, &self.releases);
        self.assumed.complete(&mut self.releases);
        if let Some(last) = publication::newest_in_retired_repository() {
            let inputs = &self.inputs;
            // Files of variables that name the same one, or none, change nothing.
            let is_same = |text: &str| text.is_empty() || text == last;
            let is_last = |it: &&mut Release| {
                it.is_controller()
                    && it.takes_newest_of_retired()
                    && !inputs.set_others(files, &it.version, &is_same)
            };
            for release in self.releases.iter_mut().filter(is_last) {
                release.version = release.version.clone().or_newest_of(last);
            }
        }
        self.assumed.complete(&mut self.values_files);
        let supposed = &self.assumed.supposed;
        supposed.put_on_releases(&mut self.releases, &mut self.applied_crds);
        supposed.put_on_clusters(&mut self.clusters);
    }

    /// Finds the controllers, and what Karpenter's resources are applied by.
    fn find_installations(&mut self, files: &Files, terraform: &Terraform) {
        let own = std::mem::take(&mut self.karpenter_objects);
        let own = karpenter_object::with_those_of_releases(files, own, &self.releases, terraform);
        self.installations = Installation::all(files, &self.releases, &self.workloads);
        self.assumed.supposed.put_on_installations(&mut self.installations);
        self.karpenter_objects = karpenter_object::with_controllers(own, &self.installations);
    }

    /// Finds what gives Karpenter's CRDs.
    fn find_crds(
        &mut self,
        (files, terraform): (&Files, &Terraform),
        objects: &[AppliedObject],
        bundled: &BundledCrds,
    ) {
        self.crds_in_copies = crds::in_copies(files, bundled);
        let manifests = crds::are_manifests(objects, bundled);
        self.crds_are_seen = crds::are_seen(&self.releases, &self.applied_crds) || manifests;
        self.served_kinds = crds::served(objects, bundled, &self.installations);
        self.find_local_runs(files, terraform, manifests);
        let crds = self.releases.iter().filter(|it| it.is_crds());
        let mut versions = crds.map(|it| it.version.known());
        // A release of an unknown version says nothing of it.
        self.shows_version = versions.any(|it| it.is_some())
            || self.installations.iter().any(|it| it.version.known().is_some())
            || !self.applied_crds.is_empty()
            || manifests;
    }

    /// Finds the taints by which Karpenter drains, and the tolerations that name them.
    fn find_drain_tolerations(
        &mut self,
        files: &Files,
        objects: &[AppliedObject],
        patched: &Patched,
    ) {
        let pool_apis: Vec<PoolApi> = objects.iter().filter_map(PoolApi::of).collect();
        let assumed = self.assumed.karpenter_version.clone();
        self.drain_taints = DrainTaints::new(&self.releases, &pool_apis, assumed);
        self.drain_toleration_lists =
            drain_toleration_lists(files, (objects, patched), &self.releases, &self.addons);
    }

    /// Finds what belongs together among the releases, and how their values are written.
    fn relate_releases(&mut self, files: &Files) {
        self.crd_pairs = pairing::crd_pairs(&self.releases);
        self.applied_pairs = pairing::applied_pairs(&self.releases, &self.applied_crds);
        pairing::doubt_mixed_states(&self.crd_pairs, &mut self.releases);
        self.path_keys = chart_value::path_keys(files, &self.releases);
        self.template_references = chart_value::template_references(files, &self.releases);
        self.shared_keys = chart_value::keys_of_local_charts(files, &self.releases);
    }

    /// Adds what the objects say, each for itself.
    fn add_objects(
        &mut self,
        files: &Files,
        (objects, answered): (&[AppliedObject], &[Located]),
        patched: &Patched,
        passed_over: &(dyn Fn(&Scope) -> Option<&'static str> + Sync),
    ) {
        let (left_out, kustomizations) = (&self.left_out, &self.kustomizations[..]);
        let samples = unpacked::samples(files, objects);
        let reader =
            ObjectReader { files, left_out, kustomizations, patched, passed_over, samples };
        let facts = reader.read(objects);
        let claims = MountedClaims::of(objects.iter().map(|it| &it.located));
        let pods = facts.workloads.iter();
        let pods = pods.filter_map(|it| Some((&*it.name, &it.namespace, it.pod_spec.as_ref()?)));
        let claims = claims.and_mounted(pods);
        add(&mut self.workloads, facts.workloads);
        let known = objects.iter().map(|it| (&it.located, it.build));
        let known = known.chain(answered.iter().map(|it| (it, None)));
        let (classes, made) = (VolumeClasses::of(known.clone()), MadeVolumes::of(known));
        self.workloads.iter_mut().for_each(|it| it.note_volumes(&claims, &classes, &made));
        self.claims = claims;
        add(&mut self.pdbs, facts.pdbs);
        facts.scalers.into_iter().for_each(|it| self.scalers.add(it));
        facts.lone_charts.into_iter().for_each(|it| self.scalers.lone_charts.insert(it));
        self.annotations.extend(facts.annotations);
        self.node_pools.extend(facts.node_pools);
        self.node_classes.extend(facts.node_classes);
        self.karpenter_objects.extend(facts.karpenter_objects);
        self.allowances.extend(facts.allowances);
        // One annotation, however many overlays build its object.
        let mut seen = HashSet::new();
        self.allowances.retain(|it| seen.insert(it.span));
        self.passed_over.extend(facts.passed_over);
    }

    /// Files what rules ask for again and again.
    fn prepare(&mut self, files: &Files) {
        self.find_first_targets(files);
        self.find_teardown_scripts(files);
        self.keep_versions_apart();
        self.find_inert(files);
        reserved::find_variants(&mut self.node_pools);
        let of_pools = self.node_pools.iter().map(|it| it.report_span.file);
        let applied = of_pools.filter(|it| self.gitops.applies(files.get(*it).path()));
        self.pools_of_gitops = applied.collect();
        self.pools_by_label = PoolsByLabel::new(&self.node_pools);
        let settings = self.releases.iter().flat_map(|it| [&it.version, &it.namespace]);
        let varying = settings.filter(|it| self.inputs.vary(files, it));
        self.varying = varying.map(Setting::span).collect();
        self.pdb_candidates = Candidates::new(&self.pdbs);
        let may_meet = |one: &Scope, other: &Scope| self.may_meet(one, other);
        self.pdb_selections =
            Selections::new(&self.pdbs, &self.workloads, &self.pdb_candidates, &may_meet);
        for (index, release) in self.releases.iter().enumerate().filter(|it| it.1.is_controller()) {
            if let Some(root) = release.scope.root {
                self.controllers_inside.entry(root).or_default().push(index);
            }
        }
        self.installations_near = ScopeIndex::new(
            &self.installations,
            |_| true,
            |near| agreed_version(&self.installations, near),
        );
        let mut seen = self.installations.iter().filter(|it| it.is_seen_outside()).peekable();
        let asks = self.karpenter_objects.iter().any(KarpenterObject::is_of_former_api);
        let is_open = seen.peek().is_none() || asks && seen.all(|it| it.allowed().is_none());
        if self.uses_karpenter && self.assumed.karpenter_version.is_none() && is_open {
            let documented = Documented::of(files);
            self.documented = if asks { documented.and_stated(files) } else { documented };
        }
        self.installed_near = ScopeIndex::new(&self.installations, |_| true, <[usize]>::to_vec);
        cluster::adding::find_added(&mut self.clusters);
        self.profiles = Profiles::of(&self.clusters);
        self.objects_near = ObjectsNear::new(&self.karpenter_objects);
        self.clusters_near = ScopeIndex::new(&self.clusters, |_| true, <[usize]>::to_vec);
        self.find_cluster_sides();
        let folders = self.node_pools.iter().map(|it| Environments::of_name(&it.scope.folder));
        self.pool_environments = folders.fold(Environments::default(), Environments::and);
        self.pools_near = ScopeIndex::new(&self.node_pools, |_| true, |it| self.grouped(it));
        self.classes_near = class::near_by_name(&self.node_classes);
        self.find_pools_of_classes();
        self.mark_objects_of_others();
        self.find_served_beside();
    }
}

/// Adds to a list, which takes the other one's place where it is empty.
fn add<T>(all: &mut Vec<T>, more: Vec<T>) {
    if all.is_empty() {
        *all = more;
    } else {
        all.extend(more);
    }
}

/// All of three lists, of which the second may be long: it stays where it is.
fn around<T>(before: Vec<T>, mut long: Vec<T>, after: Vec<T>) -> Vec<T> {
    drop(long.splice(..0, before));
    long.extend(after);
    long
}

/// The objects in texts of Terraform, of scripts and of CloudFormation.
fn held(files: &Files, terraform: &Terraform, manifests: &Manifests, of_code: Held) -> Held {
    let mut held = from_terraform(terraform);
    held.objects.extend(of_code.objects);
    held.parse_errors.extend(of_code.parse_errors);
    held.objects.extend(cloudformation::applied(files, &manifests.of_tools));
    held.objects.extend(pulumi::applied(&manifests.of_tools));
    held
}
