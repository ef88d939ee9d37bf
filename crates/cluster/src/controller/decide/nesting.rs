//! How many requests a request is nested in.

use kube::ResourceExt;
use promise::names;
use promise::nesting::NESTING_LIMIT;

use crate::controller::context::ControllerContext;
use crate::kinds::PromiseRequest;

/// Returns the number of requests in a row of which each created the next, up to this one. It counts no further than necessary to know that
/// there are too many. The label of each says which request it was created for.
pub(super) fn depth(ctx: &ControllerContext, request: &PromiseRequest) -> usize {
    let maker = |request: &PromiseRequest| request.labels().get(names::REQUEST_UID_LABEL).cloned();
    let mut above = maker(request);
    let mut depth = 0;
    while let Some(uid) = above {
        let Some(row) = ctx.owners.request(&uid).and_then(|key| ctx.world.requests.get(&key)) else { break };
        depth += 1;
        if depth > NESTING_LIMIT {
            break;
        }
        above = maker(&row);
    }
    depth
}
