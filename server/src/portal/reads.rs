//! Requests and what came of them, read as the person who looks.

use cluster::error::PlaneResult as _;
use cluster::kinds::{Export, PromiseRelease, PromiseRequest};
use cluster::watch::Freshness;
use k8s_openapi::api::core::v1::{Event, Secret};
use kube::api::{Api, ListParams};
use promise::{Error, Result, names};

use super::place::Workspace;
use crate::auth::Caller;

/// Events of one page of the plane's list.
const PAGE: u32 = 500;

impl Caller {
    /// One request. Whether it is absent or closed to this person makes no difference in the answer.
    ///
    /// # Errors
    /// There is none that the person may see, or the plane does not answer.
    pub async fn read_request(&self, workspace: &Workspace, namespace: &str, name: &str) -> Result<PromiseRequest> {
        let what = format!("request {name}");
        // Both become parts of an address of the plane; no object has another kind of name.
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

    /// Whether a kind of our name in a workspace is ours: a definition or an export of a tenant can show one just like it, with any status. A
    /// binding of our export that lost its names to such a definition is there and serves nothing.
    ///
    /// # Errors
    /// The workspace has no binding of the export that serves its kinds, its shard is not read, or it is not known yet who binds what.
    pub(super) fn genuine(&self, export: Export, workspace: &Workspace, what: String) -> Result<()> {
        let world = &self.portal().world;
        if world.standing().binding(export, &workspace.cluster).is_some_and(|row| row.bound) {
            return Ok(());
        }
        let (bindings, kinds) = match export {
            Export::Requests => (&world.request_bindings, "requests"),
            Export::Catalog => (&world.catalog_bindings, "policies"),
        };
        if bindings.freshness() == Freshness::Starting {
            return Err(Error::Busy { message: "The portal is still reading which workspaces use it. Try again in a moment.".to_owned() });
        }
        match world.unread_shards().as_slice() {
            [] => Err(Error::NotFound { what }),
            shards => Err(Error::Busy {
                message: format!(
                    "The portal does not read {kinds} of {}: they are on another shard ({}). Ask the platform team.",
                    workspace.path,
                    shards.join(", ")
                ),
            }),
        }
    }

    /// The releases of a request, newest first; none when the person may not read releases.
    ///
    /// # Errors
    /// The plane does not answer.
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

    /// What was noted about a request, newest first; nothing when the person may not read events.
    ///
    /// # Errors
    /// The plane does not answer.
    pub async fn read_events(&self, workspace: &Workspace, request: &PromiseRequest) -> Result<Option<Vec<Event>>> {
        let namespace = request.metadata.namespace.as_deref().unwrap_or_default();
        let uid = request.metadata.uid.as_deref().unwrap_or_default();
        self.read_events_of(workspace, namespace, uid).await
    }

    /// What was noted in a namespace about the object of a uid, newest first; nothing when the person may not read events.
    ///
    /// # Errors
    /// The plane does not answer.
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
        events.sort_by(|a, b| seen(b).cmp(&seen(a)));
        Ok(Some(events))
    }

    /// The value of a secret output, read with the person's own token.
    ///
    /// # Errors
    /// There is no such output, the person may not read Secrets here, or the plane does not answer.
    pub async fn read_secret_output(&self, workspace: &Workspace, namespace: &str, name: &str, output: &str) -> Result<String> {
        let request = self.read_request(workspace, namespace, name).await?;
        let not_found = || Error::NotFound { what: format!("secret output {output}") };
        let outputs = request.status.as_ref().map(|status| status.outputs.as_slice()).unwrap_or_default();
        let wanted = outputs.iter().find(|known| known.name == output).ok_or_else(not_found)?;
        let reference = wanted.secret_ref.as_ref().ok_or_else(not_found)?;
        let api: Api<Secret> = Api::namespaced(self.client(&workspace.cluster), namespace);
        let secret = match api.get(&reference.name).await.about(&format!("secret output {output}")) {
            Err(Error::Denied { .. }) => {
                return Err(Error::Denied { why: format!("You may not read Secrets in {}, so {output} stays hidden.", workspace.path) });
            }
            other => other?,
        };
        let value = secret.data.and_then(|mut data| data.remove(&reference.key)).ok_or_else(not_found)?;
        String::from_utf8(value.0).map_err(|_| Error::Conflict { message: format!("{output} is not text; read it with kubectl") })
    }
}

/// Whether a text can be the name of an object: letters, digits, hyphens and dots, and no way out of an address.
pub(super) fn is_object_name(text: &str) -> bool {
    let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'.';
    let outer = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    let bytes = text.as_bytes();
    bytes.len() <= 253 && bytes.iter().all(|b| inner(*b)) && outer(bytes.first()) && outer(bytes.last())
}

fn seen(event: &Event) -> Option<&k8s_openapi::apimachinery::pkg::apis::meta::v1::Time> {
    event.last_timestamp.as_ref().or(event.metadata.creation_timestamp.as_ref())
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
