//! Which objects a virtual workspace shows, now and at a revision of the past, so that watches tell what lists tell.
//! Source: kcp `pkg/virtual/apiexport`, where labels of the objects themselves say so.

use std::sync::Arc;

use serde_json::Value;

use super::view::{Consumer, View};
use crate::ClusterId;
use crate::bindings::{self, Export};
use crate::kinds::{BINDINGS, EXPORTS};
use crate::registry::{GroupResource, Resource};
use crate::store::{Change, HistoryGap, Stored};
use crate::virtual_view::{Filter, Judge};

/// What a view shows of the objects of its consumers.
pub struct Shown {
    view: Arc<View>,
    export: Arc<Export>,
    /// Whether all consumers are looked at at once.
    wildcard: bool,
    sources: [GroupResource; 2],
}

impl Shown {
    /// What the view shows to one request.
    pub fn new(view: Arc<View>, wildcard: bool) -> Self {
        let export = Arc::new(view.export.clone());
        Self { view, export, wildcard, sources: [BINDINGS.clone(), EXPORTS.clone()] }
    }

    /// What is shown of a workspace that lets the export do this.
    fn judge(&self, consumer: Option<Arc<Consumer>>) -> Judge {
        let (export, wildcard) = (self.export.clone(), self.wildcard);
        Box::new(move |resource, _, stored| shows(&export, consumer.as_deref(), resource, stored, wildcard))
    }
}

impl Filter for Shown {
    fn now(&self, cluster: &ClusterId) -> Judge {
        self.judge(self.view.consumer(cluster))
    }

    fn at(&self, cluster: &ClusterId, revision: u64) -> Result<Judge, HistoryGap> {
        Ok(self.judge(self.view.consumer_at(cluster, revision)?))
    }

    fn sources(&self) -> &[GroupResource] {
        &self.sources
    }

    fn is_moved_by(&self, change: &Change) -> bool {
        let places: &[&str] = if change.resource == *BINDINGS {
            &[
                "/spec/reference/export",
                "/status/apiExportClusterName",
                "/status/boundResources",
                "/status/exportPermissionClaims",
                "/status/appliedPermissionClaims",
            ]
        } else if change.resource == *EXPORTS {
            &["/spec/resources", "/status/identityHash"]
        } else {
            return false;
        };
        let object = |stored: &Option<Stored>| stored.as_ref().map(Stored::object).unwrap_or_default();
        let (old, new): (Value, Value) = (object(&change.old), object(&change.new));
        places.iter().any(|place| old.pointer(place) != new.pointer(place))
    }
}

/// Whether an object is shown: exported ones all, claimed ones within the selector, bindings to this export. In a look at all
/// consumers at once the claim must also have the verbs of looking; elsewhere authorisation has asked for the verb.
fn shows(export: &Export, consumer: Option<&Consumer>, resource: &Resource, stored: &Stored, wildcard: bool) -> bool {
    let (group, plural) = (&*resource.storage.group, &*resource.storage.resource);
    // A binding says itself which export it is of; when it goes, nothing else in the workspace does any more.
    if resource.storage == *BINDINGS && bindings::export_of(&stored.object()).as_ref() == Some(export) {
        return true;
    }
    let Some(consumer) = consumer else { return false };
    if consumer.binds(group, plural) {
        return true;
    }
    let claim = consumer.claims.iter().find(|claim| {
        claim.group == group
            && claim.resource == plural
            && consumer.owns(claim, group, plural)
            && (!wildcard || ["list", "watch"].iter().any(|verb| claim.allows(group, plural, verb)))
    });
    claim.is_some_and(|claim| claim.labels.is_empty() || claim.selects(&stored.object()))
}
