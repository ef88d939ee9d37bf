//! The requests that a request is nested in.

use kube::ResourceExt;
use promise::names;
use promise::nesting::{Creator, NESTING_LIMIT};

use crate::controller::context::ControllerContext;
use crate::kinds::PromiseRequest;
use crate::usage::in_force;
use crate::watch::Key;

/// Returns the requests in a row of which each created the next, up to this one, nearest first; no more than necessary to know that there are
/// too many. The label of each says which request it was created for.
pub(super) fn creators(ctx: &ControllerContext, request: &PromiseRequest) -> Vec<Creator> {
    let creator = |request: &PromiseRequest| request.labels().get(names::REQUEST_UID_LABEL).cloned();
    let mut above = creator(request);
    let mut creators = Vec::new();
    while let Some(uid) = above {
        let Some(key) = ctx.owners.request(&uid) else { break };
        let Some(row) = ctx.world.requests.get(&key) else { break };
        creators.push(Creator { promise: row.spec.promise.name.clone(), home: home(ctx, &key, &row) });
        if creators.len() > NESTING_LIMIT {
            break;
        }
        above = creator(&row);
    }
    creators
}

/// Returns the home of the promise that a request has.
fn home(ctx: &ControllerContext, key: &Key, request: &PromiseRequest) -> Option<String> {
    let release = ctx.world.releases.get(&key.beside(in_force(request)?.to_owned()))?;
    Some(release.revision.cluster.clone())
}
