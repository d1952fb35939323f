//! The kinds of sources that releases are written in.

/// The kind of source a release is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Surface {
    /// Terraform code: a `helm_release`, or a module that makes one.
    Terraform,
    /// An Argo CD Application or `ApplicationSet`.
    ArgoCd,
    /// A Flux `HelmRelease`.
    Flux,
    /// A release of a helmfile.
    Helmfile,
    /// `helmCharts` of a kustomization.
    Kustomize,
    /// A dependency of a chart in this repository that nothing here is seen to install.
    ChartDependency,
    /// What eksctl installs by itself.
    Eksctl,
    /// A chart of the CDK, in a template of `CloudFormation`.
    CloudFormation,
    /// A chart of a program of Pulumi in YAML, or of a stack.
    Pulumi,
    /// A command of a script: `helm upgrade --install`.
    Script,
}
