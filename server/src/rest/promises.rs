//! Promises.

use app::view::{CatalogQuery, FleetQuery, Sort};
use axum::body::Bytes;
use axum::extract::{Extension, Path};
use http::HeaderMap;

use super::answer::{self, Answer};
use super::parameters::Parameters;
use crate::portal::publish::Publishing;
use crate::sign_in::Visitor;

pub(crate) async fn list(
    Extension(visitor): Extension<Visitor>,
    Path(workspace): Path<String>,
    headers: HeaderMap,
    parameters: Parameters,
) -> Answer {
    let (slice, fields) = (parameters.slice()?, parameters.fields()?);
    let query = CatalogQuery {
        q: parameters.text("q"),
        category: parameters.text("category"),
        tag: parameters.text("tag"),
        owner: parameters.text("team"),
        lifecycle: parameters.text("lifecycle"),
        sort: Sort::Usual,
        page: 0,
    };
    let page = visitor.caller()?.list_promises(&workspace, &query, &slice).await?;
    answer::page(&headers, &fields, page)
}

pub(crate) async fn get(
    Extension(visitor): Extension<Visitor>,
    Path((workspace, name)): Path<(String, String)>,
    headers: HeaderMap,
    parameters: Parameters,
) -> Answer {
    let fields = parameters.fields()?;
    let detail = visitor.caller()?.promise_detail(&workspace, &name, parameters.get("home")).await?;
    answer::value(&headers, &fields, &detail)
}

pub(crate) async fn publication(
    Extension(visitor): Extension<Visitor>,
    Path((workspace, name)): Path<(String, String)>,
    headers: HeaderMap,
    parameters: Parameters,
) -> Answer {
    let fields = parameters.fields()?;
    let found = visitor.caller()?.publication(&workspace, &name).await?;
    answer::value(&headers, &fields, &found)
}

pub(crate) async fn fleet(
    Extension(visitor): Extension<Visitor>,
    Path((workspace, name)): Path<(String, String)>,
    headers: HeaderMap,
    parameters: Parameters,
) -> Answer {
    let (slice, fields) = (parameters.slice()?, parameters.fields()?);
    let query =
        FleetQuery { q: parameters.text("q"), version: parameters.text("version"), to: parameters.text("to"), ..FleetQuery::default() };
    let page = visitor.caller()?.list_fleet(&workspace, &name, &query, &slice).await?;
    answer::page(&headers, &fields, page)
}

/// Path of a rollout: workspace and name of the promise, and the id.
type OfRollout = Path<(String, String, String)>;

pub(crate) async fn rollouts(
    Extension(visitor): Extension<Visitor>,
    Path((workspace, name)): Path<(String, String)>,
    headers: HeaderMap,
    parameters: Parameters,
) -> Answer {
    let fields = parameters.fields()?;
    let page = visitor.caller()?.list_rollouts(&workspace, &name).await?;
    answer::page(&headers, &fields, page)
}

pub(crate) async fn rollout(
    Extension(visitor): Extension<Visitor>,
    Path((workspace, name, rollout)): OfRollout,
    headers: HeaderMap,
    parameters: Parameters,
) -> Answer {
    let (slice, fields) = (parameters.slice()?, parameters.fields()?);
    let detail = visitor.caller()?.rollout_detail(&workspace, &name, &rollout, &slice).await?;
    answer::value(&headers, &fields, &detail)
}

pub(crate) async fn stop_rollout(
    Extension(visitor): Extension<Visitor>,
    Path((workspace, name, rollout)): OfRollout,
    parameters: Parameters,
) -> Answer {
    let fields = parameters.fields()?;
    let detail = visitor.caller()?.stop_rollout(&workspace, &name, &rollout).await?;
    answer::value(&HeaderMap::new(), &fields, &detail)
}

pub(crate) async fn publish(
    Extension(visitor): Extension<Visitor>,
    Path((workspace, name)): Path<(String, String)>,
    parameters: Parameters,
    body: Bytes,
) -> Answer {
    let fields = parameters.fields()?;
    let how = Publishing { dry_run: parameters.flag("dryRun")?, force: parameters.flag("force")? };
    let written = visitor.caller()?.publish_promise(&workspace, &name, &body, how).await?;
    answer::value(&HeaderMap::new(), &fields, &written)
}
