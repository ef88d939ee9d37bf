//! Promises of authors, as programs write them: with the author's own permissions, by server-side apply, so that other tools can manage other
//! fields. Whether the control plane publishes what is written is for the controller to say.

use cluster::error::PlaneResult as _;
use cluster::kinds::Promise;
use kube::api::{Api, ApiResource, DynamicObject};
use promise::rest::{PromiseManifest, PromiseMetadata, PromisePublication};
use promise::{DeniedReason, Error, Problem, Result, names};
use serde_json::{Value, json};

use super::manifest::read_object;
use super::place::Workspace;
use super::reads::is_object_name;
use super::rights::Right;
use super::write::{WriteOperation, WriteTarget, rehearse_apply};
use crate::portal::Caller;

/// How a promise is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Publishing {
    /// Nothing is written; the answer is what would be.
    pub(crate) dry_run: bool,
    /// Fields that other tools manage are taken over.
    pub(crate) force: bool,
}

impl Caller {
    /// Returns a promise of a workspace as its authors see it.
    ///
    /// # Errors
    /// If the workspace isn't open to the user, there is no such promise that the user can read, or the control plane doesn't respond.
    pub(crate) async fn publication(&self, workspace: &str, name: &str) -> Result<PromisePublication> {
        let workspace = self.enter(workspace).await?;
        match self.read_own(&workspace, name).await? {
            Some(found) => publication(&workspace, &found, None),
            None => Err(Error::NotFound { what: format!("promise {name}") }),
        }
    }

    /// Writes a promise in a workspace.
    ///
    /// # Errors
    /// If the workspace isn't open to the user, the user can't write promises there, the text is no such Promise, other tools manage fields
    /// of it, or the control plane refuses it or doesn't respond.
    pub(crate) async fn publish_promise(&self, workspace: &str, name: &str, text: &[u8], how: Publishing) -> Result<PromisePublication> {
        let workspace = self.enter(workspace).await?;
        if !self.may(&workspace.cluster, Right::promises("patch")).await? {
            return Err(DeniedReason::PublishPromises { workspace: workspace.path.to_string() }.into());
        }
        let object = read(text, name)?;
        let former = self.read_own(&workspace, name).await?;
        let api = self.own_promises(&workspace);
        let written = if how.dry_run {
            rehearse_apply(&api, name, &object, how.force).await
        } else {
            let target = WriteTarget::in_workspace("Promise", &workspace.cluster, name);
            self.write(WriteOperation::PublishPromise, target).apply(&api, name, &object, how.force).await
        };
        publication(&workspace, &written.about(&format!("promise {name}"))?, former)
    }

    /// Reads a promise with the user's token. `None` if there is none that the user can read.
    pub(super) async fn read_own(&self, workspace: &Workspace, name: &str) -> Result<Option<DynamicObject>> {
        let what = format!("promise {name}");
        // It becomes part of an address of the control plane. No object has any other kind of name.
        if !is_object_name(name) {
            return Err(Error::NotFound { what });
        }
        match self.own_promises(workspace).get(name).await.about(&what) {
            Ok(found) => Ok(Some(found)),
            Err(Error::Denied { .. } | Error::NotFound { .. } | Error::NotEnabled { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Promises with fields that this version doesn't know.
    pub(super) fn own_promises(&self, workspace: &Workspace) -> Api<DynamicObject> {
        Api::all_with(self.client(&workspace.cluster), &ApiResource::erase::<Promise>(&()))
    }
}

/// Parses a Promise, and returns what of it is written.
fn read(text: &[u8], name: &str) -> Result<Value> {
    let mut value = read_object(text, "Promise")?;
    let metadata: PromiseMetadata = serde_json::from_value(value["metadata"].take())
        .map_err(|_| invalid(".metadata", "Enter a name; labels and annotations are texts.".to_owned()))?;
    if metadata.name != name {
        return Err(invalid(".metadata.name", format!("Enter {name}, the name in the address.")));
    }
    if !value["spec"].is_object() {
        return Err(invalid(".spec", "Enter the spec of the promise.".to_owned()));
    }
    let kind = "Promise".to_owned();
    Ok(json!(PromiseManifest { api_version: names::API_VERSION.to_owned(), kind, metadata, spec: value["spec"].take() }))
}

fn invalid(path: &str, message: String) -> Error {
    Error::Invalid { problems: vec![Problem { path: path.to_owned(), message }] }
}

fn publication(workspace: &Workspace, object: &DynamicObject, former: Option<DynamicObject>) -> Result<PromisePublication> {
    let status = &object.data["status"];
    let of = |value: &Value| if value.is_null() { json!([]) } else { value.clone() };
    Ok(PromisePublication {
        workspace: workspace.path.to_string(),
        name: object.metadata.name.clone().unwrap_or_default(),
        version: object.data["spec"]["version"].as_str().unwrap_or_default().to_owned(),
        generation: object.metadata.generation.unwrap_or_default(),
        observed_generation: status["observedGeneration"].as_i64().unwrap_or_default(),
        revision: status["revision"].as_str().map(str::to_owned),
        conditions: serde_json::from_value(of(&status["conditions"])).map_err(|error| {
            tracing::error!(%error, "the conditions of a promise can't be read");
            Error::Internal
        })?,
        spec: object.data["spec"].clone(),
        former: former.map(|former| former.data["spec"].clone()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_authors_write_is_applied_and_nothing_that_the_plane_manages() {
        let text = "apiVersion: platform.opmodel.dev/v1alpha1\nkind: Promise\nmetadata: {name: cache, uid: x, resourceVersion: '1', labels: {a: b}}\n\
            spec: {version: 1.0.0}\nstatus: {revision: forged}\n";
        let object = read(text.as_bytes(), "cache").unwrap();
        assert_eq!(object["metadata"], json!({"name": "cache", "labels": {"a": "b"}}));
        assert!(object.get("status").is_none() && object["spec"] == json!({"version": "1.0.0"}));
        let path = |text: &str| match read(text.as_bytes(), "cache") {
            Err(Error::Invalid { problems }) => problems[0].path.clone(),
            other => format!("{other:?}"),
        };
        for (from, to, wrong) in [
            ("cache", "other", ".metadata.name"),
            ("kind: Promise", "kind: Secret", ".kind"),
            ("v1alpha1", "v2", ".apiVersion"),
            ("{a: b}", "{a: 1}", ".metadata"),
            ("spec: {version: 1.0.0}", "spec: 1", ".spec"),
        ] {
            assert_eq!(path(&text.replace(from, to)), wrong);
        }
        assert_eq!(path("a: ["), "");
    }
}
