//! Reports what is missing on a control plane or differs from what this build installs, and how to fix it.

use std::collections::BTreeSet;

use kube::api::{DynamicObject, ListParams, Patch, PatchParams};
use kube::core::{ApiResource, GroupVersionKind};
use kube::{Api, Client, ResourceExt};
use promise::names;
use serde_json::Value;

use super::apply::{InstallError, MANAGER, Options, api, bindings, describe, is_closed, tenancy};
use super::bootstrap::{self, has_mutating_policies, is_established};
use super::consumer::Provider;
use super::{FULFILLER, apply, binding, fulfiller_command, kubernetes};
use crate::endpoint::{Credential, Endpoint, Scope};
use crate::error::{from_plane, is_missing, is_missing_api};
use crate::kinds::{Kind, PromiseRequestKind};
use crate::topology::Topology;
use crate::workspaces::WorkspacePath;

/// The command that installs everything again.
pub(super) const BOOTSTRAP: &str = "opm-portal bootstrap";

/// Something that is missing or different.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What and where: a sentence.
    pub what: String,
    /// The command that fixes it, or what a person has to do.
    pub remedy: String,
}

/// Compares a control plane with what [`bootstrap::bootstrap`] would make of it, and writes nothing.
///
/// Each object is compared by a dry-run apply: what that would change is different. What others added next to ours is left alone.
///
/// # Errors
/// If the control plane can't be asked: what it answered instead.
pub async fn doctor(
    endpoint: &Endpoint,
    credential: &Credential,
    topology: &Topology,
    options: &Options,
) -> Result<Vec<Finding>, InstallError> {
    match topology {
        Topology::Workspaces { provider } => {
            let at = |path: &WorkspacePath| endpoint.client_at(credential, topology, &Scope::Workspace(path.clone()));
            workspaces(&at, provider, options).await
        }
        Topology::Namespaces => namespaces(&endpoint.client_at(credential, topology, &Scope::Root), options).await,
    }
}

fn finding(what: String, remedy: &str) -> Finding {
    Finding { what, remedy: remedy.to_owned() }
}

async fn namespaces(client: &Client, options: &Options) -> Result<Vec<Finding>, InstallError> {
    if !has_mutating_policies(client).await? {
        let what = "The server has no MutatingAdmissionPolicy of admissionregistration.k8s.io/v1, which records the requester.".to_owned();
        return Ok(vec![finding(what, "use Kubernetes 1.36 or newer")]);
    }
    let mut findings = Vec::new();
    for object in kubernetes::objects(&options.identities(&Topology::Namespaces)) {
        findings.extend(compared(client, "", &object).await?);
        if object["kind"] == "CustomResourceDefinition"
            && let Some(known) = get(client, &object).await?
            && !is_established(&known)
        {
            findings.push(finding(format!("{} isn't served: it isn't Established.", describe(&object)), "kubectl describe crd"));
        }
    }
    findings.extend(unserved(client, options).await?);
    if let Some(impersonation) = &options.impersonation {
        findings.extend(impersonation.missing(client, &options.identities(&Topology::Namespaces)).await?);
    }
    Ok(findings)
}

/// Returns the namespaces with requests, and those that were asked for, in which nothing can be created.
async fn unserved(client: &Client, options: &Options) -> Result<Vec<Finding>, InstallError> {
    let kind = ApiResource::from_gvk_with_plural(
        &GroupVersionKind::gvk(names::GROUP, names::VERSION, PromiseRequestKind::KIND),
        PromiseRequestKind::PLURAL,
    );
    let requests: Api<DynamicObject> = Api::all_with(client.clone(), &kind);
    let mut asked: BTreeSet<String> = options.namespaces.iter().cloned().collect();
    match requests.list_metadata(&ListParams::default()).await {
        Ok(list) => asked.extend(list.items.iter().filter_map(ResourceExt::namespace)),
        // Without its definition there are no requests; that was already reported.
        Err(error) if is_missing_api(&error) || is_missing(&error) => {}
        Err(error) => return Err(InstallError::Refused { object: "the list of requests".into(), error: from_plane(&error, "requests") }),
    }
    let mut findings = Vec::new();
    for namespace in asked {
        for object in kubernetes::served(&namespace) {
            if get(client, &object).await?.is_none() {
                let kind = object["kind"].as_str().unwrap_or_default();
                let what = format!("Requests in the namespace {namespace} can't be fulfilled: there is no {kind} {FULFILLER}.");
                findings.push(finding(what, &fulfiller_command(&namespace)));
                break;
            }
        }
    }
    Ok(findings)
}

async fn workspaces(
    at: &impl Fn(&WorkspacePath) -> Client,
    provider: &WorkspacePath,
    options: &Options,
) -> Result<Vec<Finding>, InstallError> {
    let client = at(provider);
    let installed = match tenancy(&client).await {
        Ok(installed) => installed,
        // A server answers 404, a front-proxy 403.
        Err(InstallError::Refused { error, .. }) if is_closed(&error) => {
            return Ok(vec![finding(format!("There is no workspace {provider} that you can access."), BOOTSTRAP)]);
        }
        Err(error) => return Err(error),
    };
    let mut findings = Vec::new();
    let place = format!(" in {provider}");
    for object in apply::provider_objects(&options.identities(&Topology::Workspaces { provider: provider.clone() }), &installed) {
        findings.extend(compared(&client, &place, &object).await?);
    }
    for (path, export) in bootstrap::bindings(&options.homes) {
        let found = bindings(&at(&path)).await;
        let found = match found {
            Ok(found) => found,
            Err(InstallError::Refused { error, .. }) if is_closed(&error) => {
                findings.push(finding(format!("The bindings of {path} can't be read."), BOOTSTRAP));
                continue;
            }
            Err(error) => return Err(error),
        };
        let ours = |object: &&DynamicObject| {
            (Provider { installed: &installed, path: provider }).exports(export, object)
                && object.data.pointer("/status/phase").is_some_and(|phase| phase == "Bound")
        };
        match found.iter().find(ours) {
            None => findings.push(finding(format!("{path} doesn't bind {}.", export.name()), BOOTSTRAP)),
            Some(bound) => {
                let missing = binding::missing_claims(export, &bound.data);
                if !missing.is_empty() {
                    let what = format!("{path} doesn't grant {} to {}.", missing.join(", "), export.name());
                    findings.push(finding(what, BOOTSTRAP));
                }
            }
        }
    }
    Ok(findings)
}

/// Checks whether an object exists as it should be.
async fn compared(client: &Client, place: &str, object: &Value) -> Result<Option<Finding>, InstallError> {
    let name = describe(object);
    let Some(known) = get(client, object).await? else {
        return Ok(Some(finding(format!("{name} is missing{place}."), BOOTSTRAP)));
    };
    let (api, id) = api(client, object);
    let rehearsal = PatchParams { dry_run: true, ..PatchParams::apply(MANAGER).force() };
    let wanted = match api.patch(&id, &rehearsal, &Patch::Apply(object)).await {
        Ok(wanted) => serde_json::to_value(wanted).unwrap_or_default(),
        Err(error) => {
            let why = from_plane(&error, &name);
            return Ok(Some(finding(format!("{name}{place} can't be compared: {why}."), BOOTSTRAP)));
        }
    };
    let same = content(known) == content(wanted);
    Ok((!same).then(|| finding(format!("{name}{place} differs from what this build installs."), BOOTSTRAP)))
}

/// Returns an object without the fields that the server maintains.
fn content(mut object: Value) -> Value {
    if let Some(object) = object.as_object_mut() {
        object.remove("status");
    }
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.retain(|field, _| matches!(field.as_str(), "name" | "namespace" | "labels" | "annotations"));
    }
    object
}

async fn get(client: &Client, object: &Value) -> Result<Option<Value>, InstallError> {
    let (api, name) = api(client, object);
    match api.get(&name).await {
        Ok(found) => Ok(Some(serde_json::to_value(found).unwrap_or_default())),
        Err(error) if is_missing(&error) || is_missing_api(&error) => Ok(None),
        Err(error) => Err(InstallError::Refused { object: describe(object), error: from_plane(&error, &describe(object)) }),
    }
}
