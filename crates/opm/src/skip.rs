//! `opm request skip`.

use http::Method;
use promise::rest::{DecisionReceipt, SkipBody};
use serde_json::json;

use crate::commands::Called;
use crate::portal::{Portal, Way};
use crate::target::Target;
use crate::terminal::Terminal;
use crate::{Error, Outcome};

/// Arguments of `skip`.
#[derive(Debug, clap::Args)]
pub(crate) struct SkipArgs {
    /// Name of the request, or NAMESPACE/NAME.
    name: String,
    /// Id of the step; `opm request get NAME -o yaml` lists the steps.
    step: String,
    /// Why, shown to everyone who can see the request.
    #[arg(long, alias = "reason", value_name = "TEXT", required = true)]
    comment: String,
    /// Run of an action whose step is skipped, instead of one of the request's own workflow.
    #[arg(long, value_name = "NAME")]
    run: Option<String>,
    /// Namespace of the request.
    #[arg(short, long, value_name = "NAME")]
    namespace: Option<String>,
    /// Skip it only if it still has this contentHash.
    #[arg(long, value_name = "HASH")]
    content: Option<String>,
}

/// Skips a step of a workflow.
pub(crate) async fn skip(args: &SkipArgs, way: &Way, called: Called, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let portal = Portal::open(way).await?;
    let target = Target::find(&portal, &args.name, args.namespace.as_deref(), called).await?;
    let body = SkipBody { comment: args.comment.clone(), content_hash: args.content.clone() };
    let path = target.skip_path(args.run.as_deref(), &args.step);
    portal.send::<DecisionReceipt>(Method::POST, &path, &[], &json!(body)).await?;
    let of = args.run.as_ref().map_or_else(|| format!("request {}", target.name), |run| format!("run {run} of request {}", target.name));
    terminal.print(&format!("Skipped step {} of {of} in {}.\n", args.step, target.workspace))?;
    Ok(Outcome::Yes)
}
