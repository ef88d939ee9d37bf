//! `opm request releases` and `opm request rollback`: the recorded releases of a request, and the way back to one.

use clap::Args;
use http::{Method, header};
use promise::rest::{Page, ReleaseItem, ReleaseItemState, RequestDetail};
use serde_json::json;

use crate::commands::Called;
use crate::edit::before;
use crate::output::{Output, Table, age, data, monthly};
use crate::portal::{Portal, Way};
use crate::target::Target;
use crate::terminal::Terminal;
use crate::write::{check, follow_hint, shown};
use crate::{Error, Outcome, preflight};

/// Arguments of `releases`.
#[derive(Debug, Args)]
pub(crate) struct ReleasesArgs {
    /// Name of the request, or NAMESPACE/NAME.
    name: String,
    /// Namespace of the request.
    #[arg(short, long, value_name = "NAME")]
    namespace: Option<String>,
    /// Output format.
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
}

/// Arguments of `rollback`.
#[derive(Debug, Args)]
pub(crate) struct RollbackArgs {
    /// Name of the request, or NAMESPACE/NAME.
    name: String,
    /// Namespace of the request.
    #[arg(short, long, value_name = "NAME")]
    namespace: Option<String>,
    /// Release to go back to, as `opm request releases` names it.
    #[arg(long, value_name = "RELEASE")]
    to: String,
    /// Show what would happen, and change nothing.
    #[arg(long)]
    dry_run: bool,
    /// Output format.
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
}

async fn read(portal: &Portal, target: &Target) -> Result<Page<ReleaseItem>, Error> {
    Ok(portal.get::<Page<ReleaseItem>>(&format!("{}/releases", target.path()), &[]).await?.body)
}

/// Lists the releases of a request.
pub(crate) async fn list(args: &ReleasesArgs, way: &Way, called: Called, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let portal = Portal::open(way).await?;
    let target = Target::find(&portal, &args.name, args.namespace.as_deref(), called).await?;
    let page = read(&portal, &target).await?;
    match data(args.output, &page) {
        Some(text) => terminal.print(&text)?,
        None if args.output == Output::Name => {
            terminal.print(&page.items.iter().map(|release| format!("{}\n", release.name)).collect::<String>())?
        }
        None if page.items.is_empty() => terminal.note(&format!("No releases of {} that you can read.", args.name))?,
        None => {
            let mut table = Table::new(args.output, &["NAME", "VERSION", "STATE", "COST", "CHANGED BY", "AGE"]);
            for release in &page.items {
                table.row(vec![
                    release.name.clone().into(),
                    release.version.clone().unwrap_or_else(|| "–".to_owned()).into(),
                    word(release.state).into(),
                    monthly(release.cost.as_ref()).into(),
                    release.changed_by.clone().into(),
                    age(&release.created, (terminal.now)()).into(),
                ]);
            }
            terminal.print(&table.render())?;
        }
    }
    Ok(Outcome::Yes)
}

fn word(state: ReleaseItemState) -> &'static str {
    match state {
        ReleaseItemState::Running => "Running",
        ReleaseItemState::Candidate => "Next",
        ReleaseItemState::Former => "Former",
    }
}

/// Changes a request to the version, values and terms of a release.
pub(crate) async fn roll_back(args: &RollbackArgs, way: &Way, called: Called, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let portal = Portal::open(way).await?;
    let target = Target::find(&portal, &args.name, args.namespace.as_deref(), called).await?;
    let read_request = portal.get::<RequestDetail>(&target.path(), &[]).await?;
    let releases = read(&portal, &target).await?.items;
    let Some(release) = releases.iter().find(|release| release.name == args.to) else {
        let list = format!("{} request releases {}", called.name(), args.name);
        return Err(Error::Usage(format!("--to {}: there is no such release; `{list}` shows them", args.to)));
    };
    let Some(constraint) = &release.constraint else {
        return Err(Error::Usage(format!("--to {}: the version of this release is no longer published", args.to)));
    };
    let former = read_request.body;
    let mut manifest = before(&former);
    let spec = &mut manifest["spec"];
    spec["promise"]["version"] = constraint.as_str().into();
    spec["parameters"] = release.parameters.clone();
    spec["deletionPolicy"] = json!(release.deletion_policy);
    spec["upgrade"] = json!(release.upgrade);
    if !release.changed_secrets.is_empty() {
        let labels = promise::wording::all_of(&release.changed_secrets);
        terminal.note(&format!("Releases don't contain secrets, so the present values stay: {labels}."))?;
    }
    if args.dry_run {
        let answer = check(&portal, &manifest).await?;
        match data(args.output, &manifest) {
            Some(text) => terminal.print(&text)?,
            None => terminal.print(&preflight::text(&answer))?,
        }
        return Ok(preflight::is_yes(&answer).into());
    }
    let key = terminal.key();
    let version = read_request.etag.unwrap_or_else(|| format!("\"{}\"", former.edition()));
    let fields = [(header::IF_MATCH, version.as_str()), (header::HeaderName::from_static("idempotency-key"), key.as_str())];
    let changed = portal.send::<RequestDetail>(Method::PUT, &target.path(), &fields, &manifest).await?.body;
    shown(&changed, args.output, "changed", terminal)?;
    follow_hint(&changed, args.output, called, terminal)?;
    Ok(Outcome::Yes)
}
