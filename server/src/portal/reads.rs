//! Requests and their results, read with the user's token.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use cluster::error::PlaneResult as _;
use cluster::kinds::{Export, PromiseRelease, PromiseRequest};
use cluster::watch::Freshness;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Event, Secret};
use kube::api::{Api, ListParams};
use promise::api::OutputStatus;
use promise::connection::{self, ConnectionTemplate};
use promise::{BusyReason, ConflictReason, DeniedReason, Error, Result, names, wording};

use super::place::Workspace;
use crate::portal::Caller;

/// Number of events per page of the control plane's list.
const PAGE: u32 = 500;

impl Caller {
    /// Returns one request. The result is the same whether the request doesn't exist or this user can't read it.
    ///
    /// # Errors
    /// If there is none that the user can read, or the control plane doesn't respond.
    pub async fn read_request(&self, workspace: &Workspace, namespace: &str, name: &str) -> Result<PromiseRequest> {
        let what = format!("request {name}");
        // Both become part of an address of the control plane. No object has any other kind of name.
        if !is_object_name(namespace) || !is_object_name(name) || !workspace.namespaces.has(namespace) {
            return Err(Error::NotFound { what });
        }
        let api: Api<PromiseRequest> = Api::namespaced(self.client(&workspace.cluster), namespace);
        match api.get(name).await.about(&what) {
            Err(Error::Denied { .. } | Error::NotFound { .. } | Error::NotEnabled { .. }) => Err(Error::NotFound { what }),
            Ok(request) => self.genuine(Export::Requests, workspace, what).map(|()| request),
            Err(error) => Err(error),
        }
    }

    /// Checks whether a kind with the portal's name in a workspace is really the portal's: a definition or an export of a tenant can
    /// provide an identical one, with any status. A binding of the portal's export that lost its names to such a definition exists but
    /// serves nothing.
    ///
    /// # Errors
    /// If the workspace has no binding of the export that serves its kinds, its shard isn't read, or the bindings aren't known yet.
    pub(super) fn genuine(&self, export: Export, workspace: &Workspace, what: String) -> Result<()> {
        let world = &self.portal().world;
        if world.standing().binding(export, &workspace.cluster).is_some_and(|row| row.bound) {
            return Ok(());
        }
        let bindings = match export {
            Export::Requests => &world.request_bindings,
            Export::Catalog => &world.catalog_bindings,
        };
        if bindings.freshness() == Freshness::Starting {
            return Err(BusyReason::LoadingWorkspaces.into());
        }
        match world.unread_shards.servers().as_slice() {
            [] => Err(Error::NotFound { what }),
            shards => {
                let workspace = workspace.path.to_string();
                Err(BusyReason::UnreadShard { policies: export == Export::Catalog, workspace, shards: shards.to_vec() }.into())
            }
        }
    }

    /// Returns the releases of a request, newest first. Empty if the user can't read releases.
    ///
    /// # Errors
    /// If the control plane doesn't respond.
    pub async fn read_releases(&self, workspace: &Workspace, request: &PromiseRequest) -> Result<Vec<PromiseRelease>> {
        let namespace = request.metadata.namespace.as_deref().unwrap_or_default();
        let Some(uid) = request.metadata.uid.as_deref() else { return Ok(Vec::new()) };
        let api: Api<PromiseRelease> = Api::namespaced(self.client(&workspace.cluster), namespace);
        let of_request = ListParams::default().labels(&format!("{}={uid}", names::REQUEST_UID_LABEL));
        let list = match api.list(&of_request).await.about("releases") {
            Ok(list) => list.items,
            Err(Error::Denied { .. } | Error::NotFound { .. } | Error::NotEnabled { .. }) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut releases: Vec<PromiseRelease> = list.into_iter().filter(|release| release.spec.request_uid == uid).collect();
        releases.sort_by(|a, b| b.metadata.creation_timestamp.cmp(&a.metadata.creation_timestamp));
        Ok(releases)
    }

    /// Returns the events of a request, newest first. `None` if the user can't read events.
    ///
    /// # Errors
    /// If the control plane doesn't respond.
    pub async fn read_events(&self, workspace: &Workspace, request: &PromiseRequest) -> Result<Option<Vec<Event>>> {
        let namespace = request.metadata.namespace.as_deref().unwrap_or_default();
        let uid = request.metadata.uid.as_deref().unwrap_or_default();
        self.read_events_of(workspace, namespace, uid).await
    }

    /// Returns the events of the object with a uid in a namespace, newest first. `None` if the user can't read events.
    ///
    /// # Errors
    /// If the control plane doesn't respond.
    pub async fn read_events_of(&self, workspace: &Workspace, namespace: &str, uid: &str) -> Result<Option<Vec<Event>>> {
        let api: Api<Event> = Api::namespaced(self.client(&workspace.cluster), namespace);
        let mut params = ListParams::default().fields(&format!("involvedObject.uid={uid}")).limit(PAGE);
        let mut events = Vec::new();
        loop {
            let page = match api.list(&params).await.about("events") {
                Ok(page) => page,
                Err(Error::Denied { .. } | Error::NotFound { .. } | Error::NotEnabled { .. }) => return Ok(None),
                Err(error) => return Err(error),
            };
            events.extend(page.items);
            match page.metadata.continue_.filter(|token| !token.is_empty()) {
                Some(token) => params.continue_token = Some(token),
                None => break,
            }
        }
        events.sort_by_key(|event| Reverse(last_seen(event)));
        Ok(Some(events))
    }

    /// Returns the value of a secret output, read with the user's own token, and the uid of its request.
    ///
    /// # Errors
    /// If there is no such output, the user can't read Secrets here, or the control plane doesn't respond.
    pub async fn read_secret_output(&self, workspace: &Workspace, namespace: &str, name: &str, output: &str) -> Result<(String, String)> {
        let request = self.read_request(workspace, namespace, name).await?;
        let known = self.spec_of(&workspace.cluster, &request);
        let declared = known.as_deref().and_then(|spec| spec.outputs.iter().find(|known| known.name == output));
        let outputs = request.status.as_ref().map(|status| status.outputs.as_slice()).unwrap_or_default();
        let value = match declared.and_then(connection::template_of) {
            Some(template) => self.connection_string(workspace, namespace, outputs, output, &template).await?,
            None => self.secret_value(workspace, namespace, outputs, output).await?,
        };
        Ok((value, request.metadata.uid.unwrap_or_default()))
    }

    /// Puts together a connection string for this user.
    async fn connection_string(
        &self,
        workspace: &Workspace,
        namespace: &str,
        outputs: &[OutputStatus],
        output: &str,
        template: &ConnectionTemplate,
    ) -> Result<String> {
        let mut values = BTreeMap::new();
        for name in template.names() {
            let plain = outputs.iter().find(|known| known.name == name).and_then(|known| known.value.as_ref());
            let value = match plain {
                Some(value) => wording::value(value),
                None => self.secret_value(workspace, namespace, outputs, name).await?,
            };
            values.insert(name, value);
        }
        template.fill(|name| values.get(name).cloned()).ok_or_else(|| Error::NotFound { what: format!("secret output {output}") })
    }

    /// Reads a value from its Secret.
    async fn secret_value(&self, workspace: &Workspace, namespace: &str, outputs: &[OutputStatus], output: &str) -> Result<String> {
        let not_found = || Error::NotFound { what: format!("secret output {output}") };
        let wanted = outputs.iter().find(|known| known.name == output).ok_or_else(not_found)?;
        let reference = wanted.secret_ref.as_ref().ok_or_else(not_found)?;
        let api: Api<Secret> = Api::namespaced(self.client(&workspace.cluster), namespace);
        let secret = match api.get(&reference.name).await.about(&format!("secret output {output}")) {
            Err(Error::Denied { .. }) => {
                return Err(DeniedReason::ReadSecret { workspace: workspace.path.to_string(), output: output.to_owned() }.into());
            }
            other => other?,
        };
        let value = secret.data.and_then(|mut data| data.remove(&reference.key)).ok_or_else(not_found)?;
        let value = String::from_utf8(value.0);
        value.map_err(|_| ConflictReason::NotText { output: output.to_owned() }.into())
    }
}

/// Checks whether a text is a valid object name: letters, digits, hyphens and dots, and nothing that could change the address.
pub(super) fn is_object_name(text: &str) -> bool {
    let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'.';
    let outer = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    let bytes = text.as_bytes();
    bytes.len() <= 253 && bytes.iter().all(|b| inner(*b)) && outer(bytes.first()) && outer(bytes.last())
}

/// Returns when an event last happened. Which field says so depends on the API with which it was reported.
pub(super) fn last_seen(event: &Event) -> Option<Timestamp> {
    let series = event.series.as_ref().and_then(|series| series.last_observed_time.as_ref()).map(|time| time.0);
    let last = event.last_timestamp.as_ref().map(|time| time.0);
    let at = event.event_time.as_ref().map(|time| time.0);
    series.or(last).or(at).or_else(|| event.metadata.creation_timestamp.as_ref().map(|time| time.0))
}

#[cfg(test)]
mod tests {
    use super::is_object_name;

    #[test]
    fn nothing_that_leads_elsewhere_is_a_name() {
        for name in ["a", "orders-db", "a.b", "0"] {
            assert!(is_object_name(name), "{name}");
        }
        for other in ["", ".", "..", "a/b", "../secrets", "a%2fb", "A", "a?b", "a b", "a\0", &"a".repeat(254)] {
            assert!(!is_object_name(other), "{other}");
        }
    }
}
