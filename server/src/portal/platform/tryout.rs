//! Sample values checked against the rules that would apply. Nothing is written, and the user counts as the requester.

use app::backend::Sample;
use app::view::{Pick, PolicyLine, Tried, Tryout, policy_lines};
use cluster::WorkspacePath;
use cluster::watch::Key;
use promise::api::PromiseRequestSpec;
use promise::form::yaml;
use promise::wording::upper_first;
use promise::{Error, Result};
use serde_json::{Value, json};

use super::detail;
use super::promises::Promises;
use crate::portal::Caller;
use crate::portal::preflight::Existing;
use crate::portal::submit::Submission;

/// Number of workspaces that can be selected.
const PLACES: usize = 200;
/// Name of the sample request.
const NAME: &str = "sample";

/// Returns the form and the result.
pub(super) async fn of(caller: &Caller, policy: &Key, promises: &Promises, sample: Option<&Sample>) -> Result<Tryout> {
    let world = &caller.portal().world;
    let tree = world.tree();
    let place = tree.path(&policy.cluster).ok_or(Error::Internal)?;
    let Some(object) = world.policies.get(policy) else { return Ok(Tryout::default()) };
    let chosen_promise = sample.map(|sample| sample.promise.as_str()).unwrap_or_default();
    let promises = promises.concerned(caller, &place, &object.spec).into_iter().map(|(home, name)| {
        let value = format!("{home}/{name}");
        Pick { label: format!("{}, from {home}", detail::title(caller, &home, &name)), chosen: value == chosen_promise, value }
    });
    let chosen_place = sample.map(|sample| sample.workspace.as_str()).unwrap_or_default();
    let trusted = caller.portal().trusted_homes.contains(&place);
    let open = caller.open_workspaces().await?;
    let inside = open.iter().filter(|(path, _)| trusted || is_below(path, &place)).take(PLACES);
    let places = inside.map(|(path, _)| Pick { value: path.to_string(), label: path.to_string(), chosen: path.as_str() == chosen_place });
    let tried = match sample {
        Some(sample) => Some(tried(caller, policy, &place, sample).await?),
        None => None,
    };
    let text = sample.map(|sample| sample.text.clone()).unwrap_or_default();
    Ok(Tryout { promises: promises.collect(), places: places.collect(), text, tried })
}

fn is_below(path: &WorkspacePath, top: &WorkspacePath) -> bool {
    path == top || path.as_str().strip_prefix(top.as_str()).is_some_and(|rest| rest.starts_with(':'))
}

async fn tried(caller: &Caller, policy: &Key, place: &WorkspacePath, sample: &Sample) -> Result<Tried> {
    let unreadable = |why: String| Ok(Tried { unreadable: Some(why), ..Tried::default() });
    let parameters = match sample.text.trim() {
        "" => json!({}),
        text => match yaml::read(text) {
            Ok(Value::Object(fields)) => Value::Object(fields),
            Ok(_) => return unreadable("Enter fields with values, such as tier: production.".to_owned()),
            Err(error) => return unreadable(error.message),
        },
    };
    let Some((home, name)) = sample.promise.rsplit_once('/') else { return unreadable("Choose a promise.".to_owned()) };
    let asked = async {
        let workspace = caller.enter(&sample.workspace).await?;
        let offered = caller.offer(&workspace, name, Some(home)).await?;
        let submission = Submission {
            namespace: workspace.usual_namespace().to_owned(),
            name: NAME.to_owned(),
            spec: PromiseRequestSpec { parameters: Some(parameters), ..PromiseRequestSpec::default() },
            promise: offered.promise.spec.clone(),
            existing: Existing::default(),
            awaited: std::collections::BTreeSet::new(),
            secrets: std::collections::BTreeMap::new(),
        };
        caller.preflight(&workspace, &offered, &submission).await
    };
    let checked = match asked.await {
        Ok(found) => found,
        Err(error @ (Error::NotFound { .. } | Error::Busy { .. })) => return unreadable(upper_first(&format!("{error}."))),
        Err(error) => return Err(error),
    };
    let mine = |line: &PolicyLine| !line.own && line.policy == policy.name && line.source == place.as_str();
    Ok(Tried {
        unreadable: None,
        passes: checked.is_acceptable(),
        lines: policy_lines(&checked.effective, &checked.resolved.outcomes).into_iter().filter(mine).collect(),
        problems: checked.all_problems().into_iter().map(|problem| problem.message).collect(),
    })
}
