//! Well-known finalizers and their owners.

use std::borrow::Cow;

use crate::names;

/// The component that removes a finalizer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinalizerOwner {
    /// Name of the component, as a subject: `Argo CD`, or `the controller of example.org`.
    pub name: Cow<'static, str>,
    /// What has to be deleted first, if that is known, as words that follow “waits for”.
    pub waits_for: Option<&'static str>,
}

/// A row of [`KNOWN`]: a finalizer or a domain, its owner, and what it waits for.
type Known = (&'static str, &'static str, Option<&'static str>);

/// The first match counts. A pattern is a whole finalizer, a whole domain (the part before the slash), or, with a dot in front, the end of
/// a domain.
const KNOWN: &[Known] = &[
    (names::FINALIZER, "the platform", Some("the resources of that request")),
    // Kubernetes.
    ("kubernetes", "Kubernetes", Some("the objects in this namespace")),
    ("kubernetes.io/pvc-protection", "Kubernetes", Some("the pods that use this claim")),
    ("kubernetes.io/pv-protection", "Kubernetes", Some("the claim of this volume")),
    ("foregroundDeletion", "Kubernetes", Some("the objects that belong to this one")),
    ("orphan", "Kubernetes", None),
    ("batch.kubernetes.io/job-tracking", "Kubernetes", Some("the Job to count this pod")),
    ("customresourcecleanup.apiextensions.k8s.io", "Kubernetes", Some("the objects of this kind")),
    ("service.kubernetes.io/load-balancer-cleanup", "the cloud provider's controller", Some("the load balancer")),
    ("external-provisioner.volume.kubernetes.io/finalizer", "the CSI driver", Some("the storage behind this volume")),
    ("external-attacher", "the CSI driver", Some("the volume to be detached")),
    ("snapshot.storage.kubernetes.io", "the snapshot controller", None),
    ("storage.k8s.io", "Kubernetes", None),
    // Clouds.
    (".k8s.aws", "the AWS controller", Some("the resource in AWS")),
    ("cnrm.cloud.google.com", "Config Connector", Some("the resource in Google Cloud")),
    (".gke.io", "Google Kubernetes Engine", None),
    ("serviceoperator.azure.com", "Azure Service Operator", Some("the resource in Azure")),
    // GitOps.
    ("resources-finalizer.argocd.argoproj.io", "Argo CD", Some("the objects of this application")),
    (".argocd.argoproj.io", "Argo CD", None),
    ("argocd.argoproj.io", "Argo CD", None),
    ("finalizers.fluxcd.io", "Flux", Some("the objects that it applied")),
    (".fluxcd.io", "Flux", None),
    // Provisioning.
    ("finalizer.managedresource.crossplane.io", "Crossplane", Some("the external resource")),
    ("finalizer.apiextensions.crossplane.io", "Crossplane", Some("the composite resource")),
    ("composite.apiextensions.crossplane.io", "Crossplane", Some("the composed resources")),
    ("in-use.crossplane.io", "Crossplane", Some("the resources that use it")),
    (".crossplane.io", "Crossplane", None),
    (".cluster.x-k8s.io", "Cluster API", Some("the infrastructure behind it")),
    ("cluster.x-k8s.io", "Cluster API", Some("the infrastructure behind it")),
    ("apis.kcp.io/apibinding-finalizer", "kcp", Some("the objects of the bound APIs")),
    (".kcp.io", "kcp", None),
    (".kratix.io", "Kratix", None),
    ("kratix.io", "Kratix", None),
    // Operators.
    (".cert-manager.io", "cert-manager", None),
    ("cert-manager.io", "cert-manager", None),
    (".cnpg.io", "CloudNativePG", None),
    ("strimzi.io", "Strimzi", None),
    (".strimzi.io", "Strimzi", None),
    (".knative.dev", "Knative", None),
    (".keda.sh", "KEDA", None),
    (".external-secrets.io", "External Secrets Operator", None),
    (".externalsecrets.io", "External Secrets Operator", None),
    ("monitoring.coreos.com", "Prometheus Operator", None),
    (".tekton.dev", "Tekton", None),
    (".istio.io", "Istio", None),
    (".velero.io", "Velero", None),
    ("longhorn.io", "Longhorn", None),
    (".longhorn.io", "Longhorn", None),
    (".rook.io", "Rook", None),
    (".cattle.io", "Rancher", None),
];

/// Returns the owner of a finalizer. If it isn't well known, the domain before the slash names it.
pub fn owner(finalizer: &str) -> FinalizerOwner {
    let domain = finalizer.split_once('/').map_or(finalizer, |(domain, _)| domain);
    let is_meant = |pattern: &str| pattern == finalizer || pattern == domain || (pattern.starts_with('.') && domain.ends_with(pattern));
    if let Some((_, name, waits_for)) = KNOWN.iter().find(|(pattern, ..)| is_meant(pattern)) {
        return FinalizerOwner { name: Cow::Borrowed(name), waits_for: *waits_for };
    }
    let name = match domain.contains('.') {
        true => Cow::Owned(format!("the controller of {domain}")),
        false => Cow::Borrowed("the controller that added it"),
    };
    FinalizerOwner { name, waits_for: None }
}
