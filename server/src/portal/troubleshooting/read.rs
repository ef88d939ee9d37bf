//! Reads from the control plane as the user, and tells what the user can't read from what failed.

use std::time::Duration;

use cluster::error::{from_plane, is_denied, is_missing, is_missing_api};
use kube::api::{Api, DynamicObject, ListParams};
use kube::core::{ApiResource, GroupVersionKind};
use promise::Error;
use promise::troubleshooting::{NotReadReason, Workload};
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use crate::portal::place::Namespaces;
use crate::portal::reads::is_object_name;

/// Most objects of a kind that are read for one workload.
pub(super) const MOST_LISTED: u32 = 100;
/// The same for Jobs, of which a namespace has many, and no label tells whose they are.
const MOST_JOBS_LISTED: u32 = 500;
/// How long the control plane can take for one response, so that others have their time.
const PATIENCE: Duration = Duration::from_secs(4);

/// Reads in one workspace.
pub(super) struct Reader<'w> {
    /// Acts with the user's token.
    pub(super) client: kube::Client,
    /// Path of the workspace.
    pub(super) workspace: &'w str,
    /// Namespaces of the workspace. Others are out of bounds, whatever an inventory says.
    pub(super) namespaces: &'w Namespaces,
    /// When the page is needed. What hasn't been read by then isn't shown.
    pub(super) deadline: Instant,
}

/// Why something wasn't read.
#[derive(Debug)]
pub(super) enum Unread {
    /// The user can't read it, there is nothing to read, or the control plane didn't return it.
    Reason(NotReadReason),
    /// Nothing can be read: the user is signed out, or the portal failed.
    Failed(Error),
}

impl Reader<'_> {
    /// Checks whether an object can be in the workspace: its names become parts of addresses.
    pub(super) fn covers(&self, namespace: &str, name: &str) -> bool {
        is_object_name(namespace) && is_object_name(name) && self.namespaces.has(namespace)
    }

    /// Reads one object.
    pub(super) async fn get(&self, kind: Workload, namespace: &str, name: &str) -> Result<Value, Unread> {
        let (api, object) = (self.api(kind, namespace), || named(kind, name));
        let found = self.in_time(api.get(name), object).await?;
        as_value(found.map_err(|error| self.unread(&error, "get", kind.resource().2, object))?)
    }

    /// Lists what a selector matches, and whether there is more.
    pub(super) async fn list(&self, kind: Workload, namespace: &str, selector: &str) -> Result<(Vec<Value>, bool), Unread> {
        let most = if kind == Workload::Job { MOST_JOBS_LISTED } else { MOST_LISTED };
        let params = ListParams::default().labels(selector).limit(most);
        let (api, plural) = (self.api(kind, namespace), kind.resource().2);
        let list = self.in_time(api.list(&params), || plural.to_owned()).await?;
        let list = list.map_err(|error| self.unread(&error, "list", plural, || plural.to_owned()))?;
        let is_cut = list.metadata.continue_.is_some_and(|token| !token.is_empty());
        Ok((list.items.into_iter().map(as_value).collect::<Result<_, _>>()?, is_cut))
    }

    fn api(&self, kind: Workload, namespace: &str) -> Api<DynamicObject> {
        let (group, kind, plural) = kind.resource();
        let resource = ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(group, "v1", kind), plural);
        Api::namespaced_with(self.client.clone(), namespace, &resource)
    }

    /// Returns what a call returns, unless it takes too long. `object` names what it is about.
    pub(super) async fn in_time<T>(&self, call: impl Future<Output = T>, object: impl FnOnce() -> String) -> Result<T, Unread> {
        let until = self.deadline.min(Instant::now() + PATIENCE);
        timeout_at(until, call).await.map_err(|_| Unread::Reason(NotReadReason::Unreachable { object: object() }))
    }

    /// Converts an error. `object` names what is missing.
    pub(super) fn unread(&self, error: &kube::Error, verb: &str, resource: &str, object: impl FnOnce() -> String) -> Unread {
        let (resource, workspace) = (resource.to_owned(), self.workspace.to_owned());
        Unread::Reason(match error {
            error if is_denied(error) => NotReadReason::Denied { verb: verb.to_owned(), resource, workspace },
            error if is_missing_api(error) => NotReadReason::NotServed { resource, workspace },
            error if is_missing(error) => NotReadReason::Missing { object: object() },
            error => match from_plane(error, &resource) {
                error @ Error::Unauthenticated => return Unread::Failed(error),
                _ => NotReadReason::Unreachable { object: object() },
            },
        })
    }
}

/// Returns kind and name, as pages show them.
pub(super) fn named(kind: Workload, name: &str) -> String {
    format!("{}/{name}", kind.resource().1)
}

/// Returns a whole object as JSON. Who wrote which field is long and no one's concern here.
fn as_value(mut object: DynamicObject) -> Result<Value, Unread> {
    object.metadata.managed_fields = None;
    serde_json::to_value(object).map_err(|_| Unread::Failed(Error::Internal))
}
