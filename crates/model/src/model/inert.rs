//! What Karpenter has nothing to do with, as far as the repository shows: what is in a cluster without it, and what
//! another file, which is applied, has replaced.

mod accounts;
mod autoscaler;
mod beside;
mod clusters;
mod environments;
mod lessons;
mod off_by_default;
mod own_clusters;
mod releases;
mod samples;
mod superseded;
mod switched_off;
mod unseen_clusters;

use std::collections::{HashMap, HashSet};

use crate::{
    findings::{
        Finding,
        subject::{Inert, Subject},
    },
    model::{
        Model, karpenter,
        left_out::{
            LeftOut,
            unread::{FormerKinds, Written},
        },
        pdb::Pdb,
        workload::Workload,
    },
    resolve::{
        charts::Charts,
        gitops::GitOps,
        kustomize::Kustomize,
        release::{Release, surface::Surface},
        terraform::Terraform,
    },
    source::{Files, Span, is_below, is_distribution},
};

impl Model {
    /// Whether all that a finding is about is something that Karpenter has nothing to do with.
    #[must_use]
    pub fn is_about_inert(&self, files: &Files, finding: &Finding) -> bool {
        let mut subjects = finding.subjects.iter().peekable();
        let inert = subjects.peek().is_some() && subjects.all(|it| it.inert.is_some());
        let is_reusable = finding.subjects.iter().any(Subject::is_reusable);
        inert
            || is_reusable && self.is_of_idle_chart(files, finding.span)
            || self.is_without_karpenter(files, finding.span)
    }

    /// Whether all that a finding is about is in a cluster without Karpenter.
    #[must_use]
    pub fn is_of_other_cluster(&self, files: &Files, finding: &Finding) -> bool {
        let is_without = |it: &Subject| matches!(it.inert, Some(Inert::NoKarpenter));
        let mut subjects = finding.subjects.iter();
        self.is_without_karpenter(files, finding.span)
            || !finding.subjects.is_empty() && subjects.all(is_without)
    }

    /// Whether a place is in a chart that nothing here installs, although it installs others.
    fn is_of_idle_chart(&self, files: &Files, place: Span) -> bool {
        let path = files.get(place.file).path();
        let Some(chart) = self.rendered_charts.iter().find(|it| is_below(path, it)) else {
            return false;
        };
        if is_distribution(path) {
            return true;
        }
        let is_whole = |it: &&Release| !it.is_wrapped() && it.surface() != Surface::ChartDependency;
        let whole = self.releases.iter().filter(is_whole);
        let installed: Vec<&String> = whole.filter_map(|it| it.local_chart.as_ref()).collect();
        !installed.is_empty() && !installed.contains(&chart)
    }

    /// Whether a place is in a folder for a cluster without Karpenter.
    fn is_without_karpenter(&self, files: &Files, place: Span) -> bool {
        let path = files.get(place.file).path();
        self.folders_without_karpenter.iter().any(|it| is_below(path, it))
    }

    /// Finds what kustomizations leave out, and marks the releases that nothing applies. Without Karpenter it makes no
    /// difference, and no file is looked through.
    pub(super) fn find_left_out(
        &mut self,
        files: &Files,
        kustomize: &Kustomize,
        (gitops, terraform): (&GitOps, &Terraform),
        written: &Written<'_>,
    ) {
        let is_seen = written.mentions_karpenter
            || self.assumed.karpenter_version.is_some()
            || self.releases.iter().any(Release::is_of_karpenter)
            || karpenter::is_mentioned(files);
        if !is_seen {
            return;
        }
        let former = FormerKinds::of(self.releases.iter().filter(|it| it.is_controller()));
        let left_out = LeftOut::find(files, kustomize, gitops, (written, former));
        let mut left_out = left_out.and_idle_modules(files, terraform);
        for it in &mut self.releases {
            left_out.mark(files, &mut it.scope, it.report_span.file);
        }
        left_out.add_charts(&self.releases);
        self.left_out = left_out;
    }

    /// Marks what releases in clusters without Karpenter make, given with what their charts make.
    pub(super) fn mark_releases_without_karpenter(&mut self, files: &Files, charts: &mut Charts) {
        for index in releases::without_karpenter(files, &self.releases) {
            for object in charts.objects_of_mut(index) {
                object.holder.inert = Some(Inert::NoKarpenter);
            }
            if let Some(subject) = &mut self.releases[index].subject {
                subject.inert = Some(Inert::NoKarpenter);
            }
        }
    }

    /// Finds the folders for clusters without Karpenter, and the workloads that it has nothing to do with.
    pub(super) fn find_inert(&mut self, files: &Files) {
        self.folders_without_karpenter = clusters::without_karpenter(files, self);
        self.folders_without_karpenter.extend(beside::without_karpenter(files, self));
        self.folders_without_karpenter.extend(lessons::without_karpenter(files, self));
        self.foreign_folders = accounts::without_karpenter(files, self);
        self.foreign_folders.extend(unseen_clusters::without_karpenter(files, self));
        self.roots_without_karpenter = switched_off::roots_without_karpenter(files, self);
        self.clusters_without_karpenter = own_clusters::roots_without_karpenter(self);
        self.only_autoscaler = autoscaler::only_autoscaler(files, self);
        // Without Karpenter all that speaks of it is a note already, and no file has to be looked through.
        let (superseded, samples) = if self.uses_karpenter {
            (superseded::workloads(files, self), samples::workloads(files, self))
        } else {
            (HashMap::new(), HashSet::new())
        };
        // What an unpacked release of others shows beside its charts.
        let is_shown = |it: &Workload| {
            let path = files.get(it.report_span.file).path();
            is_distribution(path) && samples::sample_path(path).is_some()
        };
        let elsewhere = environments::without_karpenter(files, self);
        let why = |(index, it): (usize, &Workload)| {
            let subject = it.subject.as_ref();
            let is_idle = || {
                subject.is_some_and(Subject::is_reusable)
                    && self.is_of_idle_chart(files, it.report_span)
            };
            if self.is_without_karpenter(files, it.report_span)
                || elsewhere.contains(&*it.scope.folder)
            {
                Some(Inert::NoKarpenter)
            } else if let Some(by) = superseded.get(&index) {
                Some(Inert::Superseded(*by))
            } else if samples.contains(&index) || is_shown(it) {
                Some(Inert::Sample)
            } else {
                is_idle().then_some(Inert::Uninstalled)
            }
        };
        let why_pdb = |it: &Pdb| {
            let is_idle = || self.is_idle(files, it).then_some(Inert::Uninstalled);
            let is_elsewhere = elsewhere.contains(&*it.scope.folder);
            is_elsewhere.then_some(Inert::NoKarpenter).or_else(is_idle)
        };
        let pdbs: Vec<Option<Inert>> = self.pdbs.iter().map(why_pdb).collect();
        let found: Vec<Option<Inert>> = self.workloads.iter().enumerate().map(why).collect();
        for (workload, inert) in self.workloads.iter_mut().zip(found) {
            if inert.is_some() {
                workload.subject.get_or_insert_default().inert = inert;
            }
        }
        for (pdb, inert) in self.pdbs.iter_mut().zip(pdbs) {
            pdb.subject.inert = inert.or(pdb.subject.inert);
        }
    }

    /// Whether a PDB is that of a chart that nothing installs, while other charts are installed.
    fn is_idle(&self, files: &Files, pdb: &Pdb) -> bool {
        pdb.subject.is_reusable() && self.is_of_idle_chart(files, pdb.report_span)
    }
}
