//! A form compared with what is running, and with what someone else changed meanwhile.

use app::view::{ChangeView, MergeLine, MergeView, PolicyLine, PriceStep};
use cluster::kinds::PromiseRequest;
use cluster::person;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use promise::api::{PromiseSpec, WaitingReason};
use promise::change::{self, Contended, contended};
use promise::form::put;
use promise::identity::PersonId;
use promise::names;
use promise::outline::breadcrumb;
use promise::path::Path;
use promise::price::{Estimate, Money};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::form::{Opened, Typed};
use super::{preflight_panel, rows, terms};
use crate::portal::Caller;
use crate::portal::approvals::{review, versions};
use crate::portal::place::Workspace;
use crate::portal::preflight::Examined;

/// What stands for the reason among the paths of parameters, which begin with a dot or a bracket.
const REASON: &str = "~reason";
/// Annotation of `kubectl apply` and tools like it, with what they applied last.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// What someone else changed while the form was open.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Merge {
    /// Who made the last change, by username, or empty.
    pub(super) by: String,
    /// When, or empty.
    pub(super) at: String,
    /// The values to choose between.
    pub(super) lines: Vec<Contended>,
}

/// Returns what the entered values change in what is running. If nothing is, or the user can't read it: what they change in the request.
/// `None` for a new request.
pub(super) fn change(caller: &Caller, opened: &Opened, typed: &Typed, examined: &Examined, policies: &[PolicyLine]) -> Option<ChangeView> {
    typed.version.as_ref()?;
    let (former, checked) = (opened.request.former.as_ref(), &examined.preflight);
    let requested = || opened.existing.parameters.as_ref().unwrap_or(&Value::Null);
    let before = former.map_or_else(requested, review::parameters);
    let after = if former.is_some() { &checked.resolved.parameters } else { &typed.draft.parameters };
    let mut values = review::between(&opened.spec, &checked.resolved.outcomes, policies, before, after);
    if let Some(former) = former {
        versions::relabel(caller, &mut values, former);
    }
    let changes = terms::changes(opened, &opened.submission(typed).spec).into_iter().chain(values).collect();
    let now = former.and_then(Estimate::recorded).and_then(|before| before.monthly.money().map(Money::to_string));
    let view = preflight_panel::price(checked.estimate.as_ref());
    let step = match &checked.change {
        Some(change) if change.is_none() => Some("no change".to_owned()),
        Some(change) => Some(change.to_string()),
        None => None,
    };
    let price = PriceStep {
        now,
        after: view.monthly,
        change: step,
        unknown: view.unknown.unwrap_or_default(),
        lines: view.lines,
        basis: view.basis,
    };
    // Without objects, nothing is known about them.
    let touched = examined.touched.filter(|_| !examined.added.is_empty());
    let effects = former.map(|_| review::effects(touched, true)).into_iter().collect();
    Some(ChangeView { changes, price, effects })
}

/// Compares the entered values with the request as it is now.
pub(super) fn merge(opened: &Opened, typed: &Typed) -> Merge {
    let theirs = opened.existing.parameters.clone().unwrap_or_else(|| json!({}));
    Merge {
        by: opened.changed.by.clone(),
        at: opened.changed.at.clone(),
        lines: reason(opened, typed)
            .into_iter()
            .chain(contended(&opened.spec, typed.original.as_ref(), &theirs, &typed.draft.parameters))
            .collect(),
    }
}

/// Returns the reason, if someone else changed it to something other than what the user entered.
fn reason(opened: &Opened, typed: &Typed) -> Option<Contended> {
    let (theirs, mine) = (opened.existing.reason.clone().unwrap_or_default(), typed.reason.trim().to_owned());
    let before = typed.original_reason.clone();
    let is_contended = theirs != mine && before.as_ref() != Some(&theirs);
    let value = |text: String| Some(Value::from(text)).filter(|text| text != "");
    let untouched = before.as_ref() == Some(&mine);
    is_contended.then(|| Contended {
        path: REASON.to_owned(),
        before: before.and_then(value),
        theirs: value(theirs),
        mine: value(mine),
        untouched,
    })
}

/// Takes over the values of others that the user chose. Each choice is the pair of a path and whether theirs is kept.
pub(super) fn choose(merge: &Merge, typed: &mut Typed, choices: &[(String, bool)]) {
    for line in &merge.lines {
        let theirs = choices.iter().any(|(path, theirs)| *path == line.path && *theirs);
        if line.path == REASON {
            if theirs {
                typed.reason = line.theirs.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
            }
        } else if let (true, Ok(path)) = (theirs, Path::parse(&line.path)) {
            put(&mut typed.draft, &path, line.theirs.clone());
        }
    }
}

/// Returns what others changed as a page shows it to `user`. `parameters` are the entered ones.
pub(super) fn view(spec: &PromiseSpec, merge: &Merge, parameters: &Value, user: &PersonId) -> Option<MergeView> {
    let line = |line: &Contended| {
        let text = |value: &Option<Value>| value.as_ref().and_then(Value::as_str).map(str::to_owned);
        if line.path == REASON {
            let (before, theirs, mine) = (text(&line.before), text(&line.theirs), text(&line.mine));
            let label = terms::REASON.to_owned();
            return Some(MergeLine { label, before, theirs, mine, keeps_theirs: line.untouched, path: line.path.clone() });
        }
        let path = Path::parse(&line.path).ok()?;
        let words = |value: &Option<Value>| value.as_ref().map(|value| change::in_words(spec, &path, value));
        Some(MergeLine {
            label: breadcrumb(spec, parameters, &path).to_string(),
            before: words(&line.before),
            theirs: words(&line.theirs),
            mine: words(&line.mine),
            keeps_theirs: line.untouched,
            path: line.path.clone(),
        })
    };
    let lines: Vec<MergeLine> = merge.lines.iter().filter_map(line).collect();
    (!lines.is_empty()).then(|| MergeView { by: merge.by.clone(), own: merge.by == user.username(), at: merge.at.clone(), lines })
}

/// Returns what an approver requested to change, if that is what the request waits for.
pub(super) fn objection(caller: &Caller, workspace: &Workspace, request: &PromiseRequest) -> Option<String> {
    let waiting = request.status.as_ref()?.waiting_on.as_ref()?;
    (waiting.reason == WaitingReason::ChangesRequested).then(|| rows::sentence_for_people(caller, &workspace.cluster, request).what)
}

/// Who last changed the spec of a request, and when.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct LastChange {
    /// By username, or empty.
    pub(super) by: String,
    /// RFC 3339 time, or empty.
    pub(super) at: String,
}

/// Returns what wrote parts of the spec. The controller owns the status, which is no change of the request.
fn writers_of_spec(request: &PromiseRequest) -> impl Iterator<Item = &ManagedFieldsEntry> {
    let entries = request.metadata.managed_fields.iter().flatten();
    let entries = entries.filter(|entry| entry.subresource.as_deref().is_none_or(str::is_empty));
    entries.filter(|entry| entry.fields_v1.as_ref().is_some_and(|fields| fields.0.get("f:spec").is_some()))
}

/// Returns the tool that applies a request from a file and so can undo what the portal changes, by its name as a field manager.
pub(super) fn applied_by(request: &PromiseRequest) -> Option<String> {
    let by_client = request.metadata.annotations.as_ref().is_some_and(|annotations| annotations.contains_key(LAST_APPLIED));
    let manager = |entry: &ManagedFieldsEntry| entry.manager.clone().filter(|manager| manager != names::MANAGER_PORTAL);
    let applies = |entry: &&ManagedFieldsEntry| entry.operation.as_deref() == Some("Apply");
    let by_server = writers_of_spec(request).filter(applies).find_map(manager);
    by_server.or_else(|| by_client.then(|| "kubectl".to_owned()))
}

impl LastChange {
    /// Reads it from the request.
    pub(super) fn of(request: &PromiseRequest) -> Self {
        let by = person::changed_by(request).unwrap_or_else(|| person::requester(request));
        let at = writers_of_spec(request).filter_map(|entry| entry.time.as_ref().map(|time| time.0)).max();
        Self { by: by.username().to_owned(), at: at.map(|at| at.to_string()).unwrap_or_default() }
    }
}

#[cfg(test)]
mod tests {
    use cluster::kinds::PromiseRequest;
    use serde_json::{Value, json};

    use super::applied_by;

    #[test]
    fn only_who_applies_a_file_can_undo_an_edit() {
        let entry = |manager: &str, operation: &str, of: &str| json!({"manager": manager, "operation": operation, "fieldsV1": {of: {}}, "fieldsType": "FieldsV1", "apiVersion": "v1"});
        let told = |fields: Value, annotations: Value| {
            let metadata = json!({"name": "a", "managedFields": fields, "annotations": annotations});
            let request = json!({"apiVersion": promise::names::API_VERSION, "kind": "PromiseRequest", "metadata": metadata, "spec": {"promise": {"name": "redis"}}});
            applied_by(&serde_json::from_value::<PromiseRequest>(request).unwrap())
        };
        let none = json!({});
        assert_eq!(told(json!([entry("kubectl-create", "Update", "f:spec")]), none.clone()), None);
        assert_eq!(told(json!([entry("opm-portal", "Apply", "f:spec"), entry("labeller", "Apply", "f:metadata")]), none.clone()), None);
        assert_eq!(told(json!([entry("argocd", "Apply", "f:spec")]), none), Some("argocd".to_owned()));
        let applied = json!({super::LAST_APPLIED: "{}"});
        assert_eq!(told(json!([entry("kubectl-client-side-apply", "Update", "f:spec")]), applied), Some("kubectl".to_owned()));
    }
}
