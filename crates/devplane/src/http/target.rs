//! Where a path leads: the sandbox, a workspace, or the virtual workspace of an export.
//! Source: kcp `pkg/server/filters`, `pkg/virtual/framework`.

use super::path::Prefix;
use crate::{
    ClusterId, State, exports,
    request::{ExportTarget, Target},
    status::ApiError,
    workspaces,
};

/// The target of a prefix; `path` is the whole path of the request, for refusals.
pub fn locate(state: &State, prefix: &Prefix, path: &str) -> Result<Target, ApiError> {
    match prefix {
        Prefix::Sandbox => Ok(Target { cluster: ClusterId::sandbox(), export: None }),
        Prefix::Workspace(segment) => Ok(Target { cluster: workspaces::resolve(state, segment)?, export: None }),
        Prefix::Export { provider, export, consumer } => {
            // Only ids lead here: paths are refused, as the reference server does. What is not there is for authorisation to refuse.
            let provider = ClusterId::parse(provider).ok_or_else(|| exports::view::missing(export, path))?;
            let wildcard = consumer == "*";
            let cluster = if wildcard { None } else { ClusterId::parse(consumer) };
            let unresolved = !wildcard && cluster.is_none();
            // All consumers at once are no cluster: what needs one finds nothing.
            let cluster = cluster.unwrap_or_else(ClusterId::nowhere);
            Ok(Target {
                cluster,
                export: Some(ExportTarget { provider, export: export.clone(), wildcard, unresolved: unresolved.then(|| path.to_owned()) }),
            })
        }
        Prefix::UnknownService => Err(ApiError::page_not_found()),
    }
}
