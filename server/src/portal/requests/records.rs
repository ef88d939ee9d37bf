//! Requests as data, for programs: the same as pages show, without sentences in place of reasons.

use app::view::RequestQuery;
use cluster::ClusterId;
use cluster::kinds::PromiseRequest;
use promise::api::{InventoryItem, OutputStatus, PromiseSpec, WaitingKind};
use promise::rest::{Amount, Page, RequestDetail, RequestOutput, RequestResource, RequestSummary, RunningRelease};
use promise::state::{ChangeState, RequestState};
use promise::{Error, Problem, Result, connection, names};
use serde_json::Value;

use super::index::labels;
use super::{decisions, list, rows, workflow};
use crate::portal::Caller;
use crate::portal::approvals::step::about_step;
use crate::portal::place::Workspace;
use crate::portal::slices::Slice;

impl Caller {
    /// Returns a part of the requests of a workspace that match, in the order of namespaces and names; with `below`, those of its child
    /// workspaces as well, in the order of paths.
    ///
    /// # Errors
    /// If the workspace isn't open to the user, the user can't list requests there, no state has that name, or the control plane doesn't
    /// respond.
    pub(crate) async fn list_requests(&self, workspace: &str, query: &RequestQuery, slice: &Slice) -> Result<Page<RequestSummary>> {
        let workspace = self.enter(workspace).await?;
        let query = RequestQuery { phase: state(&query.phase)?.to_owned(), ..query.clone() };
        list::part(self, &workspace, &query, slice).await
    }

    /// Returns one request, read with the user's token.
    ///
    /// # Errors
    /// If there is none that the user can read, or the control plane doesn't respond.
    pub(crate) async fn request_detail(&self, workspace: &str, namespace: &str, name: &str) -> Result<RequestDetail> {
        let workspace = self.enter(workspace).await?;
        let request = self.read_request(&workspace, namespace, name).await?;
        self.detail_of(&workspace, &request).await
    }

    /// Retries the failed steps of a request, and returns it.
    ///
    /// # Errors
    /// If no step failed, or the user can't change the request.
    pub(crate) async fn retry_request(&self, workspace: &str, namespace: &str, name: &str) -> Result<RequestDetail> {
        let workspace = self.enter(workspace).await?;
        workflow::retry(self, &workspace, namespace, name, None).await?;
        let request = self.read_request(&workspace, namespace, name).await?;
        self.detail_of(&workspace, &request).await
    }

    /// Cancels the steps of a request that run, and returns it.
    ///
    /// # Errors
    /// If no step runs, or the user can't change the request.
    pub(crate) async fn cancel_request(&self, workspace: &str, namespace: &str, name: &str) -> Result<RequestDetail> {
        let workspace = self.enter(workspace).await?;
        workflow::cancel(self, &workspace, namespace, name, None).await?;
        let request = self.read_request(&workspace, namespace, name).await?;
        self.detail_of(&workspace, &request).await
    }

    /// Returns a request that was read.
    ///
    /// # Errors
    /// If the control plane doesn't say what the user can decide.
    pub(in crate::portal) async fn detail_of(&self, workspace: &Workspace, request: &PromiseRequest) -> Result<RequestDetail> {
        let known = self.spec_of(&workspace.cluster, request);
        let status = request.status.clone().unwrap_or_default();
        let sentence = rows::status_sentence(request);
        let step = about_step(request);
        let in_question = step.as_ref().unwrap_or(request);
        let running = status.current.as_ref().map(|current| RunningRelease {
            release: current.release.clone(),
            version: current.version.clone(),
            since: current.since.clone(),
            expires_at: current.expires_at.clone(),
        });
        Ok(RequestDetail {
            summary: summary(self, workspace.path.as_str(), &workspace.cluster, request),
            generation: request.metadata.generation.unwrap_or_default(),
            observed_generation: status.observed_generation,
            resource_version: request.metadata.resource_version.clone().unwrap_or_default(),
            spec: request.spec.clone(),
            next: sentence.next,
            content_hash: in_question.status.as_ref().and_then(decisions::hash),
            approvals: self.request_approvals(in_question).await?,
            running,
            workflow: status.workflow,
            steps: status.steps,
            schedules: status.schedules,
            resources: status.inventory.iter().map(resource).collect(),
            outputs: outputs(&status.outputs, known.as_deref()),
            waiting_on: status.waiting_on.filter(|waiting| waiting.kind != WaitingKind::Nothing),
            conditions: status.conditions,
            policies: status.policies,
            outdated: status.outdated,
        })
    }
}

/// Returns the word by which a list filters for a state, from how programs write it.
fn state(name: &str) -> Result<&'static str> {
    if name.is_empty() {
        return Ok("");
    }
    let words = RequestState::ALL.into_iter().map(RequestState::word).chain(ChangeState::ALL.into_iter().map(ChangeState::word));
    words.clone().find(|word| word.eq_ignore_ascii_case(name)).ok_or_else(|| {
        let mut all: Vec<&str> = words.collect();
        all.dedup();
        let message = format!("Choose another state than {name:?}: {}.", all.join(", "));
        Error::Invalid { problems: vec![Problem { path: String::new(), message }] }
    })
}

/// Returns a request as an item of a list.
pub(super) fn summary(caller: &Caller, path: &str, cluster: &ClusterId, request: &PromiseRequest) -> RequestSummary {
    let states = rows::states(request);
    let sentence = rows::sentence_for_people(caller, cluster, request);
    let waiting = request.status.as_ref().and_then(|status| status.waiting_on.as_ref());
    let waiting = waiting.filter(|waiting| waiting.kind != WaitingKind::Nothing && states.state != RequestState::Deleting);
    let own = |text: &Option<String>| text.clone().unwrap_or_default();
    let pairs = labels(request);
    RequestSummary {
        workspace: path.to_owned(),
        namespace: own(&request.metadata.namespace),
        name: own(&request.metadata.name),
        uid: own(&request.metadata.uid),
        promise: request.spec.promise.name.clone(),
        home: request.spec.promise.workspace.clone().filter(|home| !home.is_empty()),
        version: rows::version(request),
        state: states.state,
        change: states.change,
        reason: waiting.map(|waiting| waiting.reason),
        actor: sentence.who,
        message: sentence.what,
        since: sentence.since,
        owner: rows::requester(request),
        project: request.metadata.labels.as_ref().and_then(|labels| labels.get(names::PROJECT_LABEL)).cloned(),
        labels: pairs.iter().filter_map(|pair| pair.split_once('=')).map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
        cost: ledger::price(request).as_ref().map(Amount::from),
        created: request.metadata.creation_timestamp.as_ref().map(|time| time.0.to_string()).unwrap_or_default(),
    }
}

fn resource(item: &InventoryItem) -> RequestResource {
    RequestResource {
        id: item.id.clone(),
        kind: item.kind.clone(),
        api_version: if item.group.is_empty() { item.version.clone() } else { format!("{}/{}", item.group, item.version) },
        namespace: item.namespace.clone(),
        name: item.name.clone(),
        destination: item.destination.clone(),
        applied: item.applied,
        health: item.health,
        message: item.message.clone().filter(|message| !message.is_empty()),
    }
}

/// Returns the outputs that the promise declares. The value of a secret is never among them: not even of one that the status contains.
fn outputs(known: &[OutputStatus], spec: Option<&PromiseSpec>) -> Vec<RequestOutput> {
    let promised = spec.map(|spec| spec.outputs.as_slice()).unwrap_or_default();
    let of = |name: &str| known.iter().find(|status| status.name == name);
    let plain = |name: &str| of(name).and_then(|status| status.value.as_ref()).map(promise::wording::value);
    let is_there = |name: &str| of(name).is_some_and(|status| status.value.is_some() || status.secret_ref.is_some());
    let output = |output: &promise::api::OutputSpec| {
        let secret = connection::is_secret(promised, output);
        let status = of(&output.name);
        let (value, available) = match connection::template_of(output) {
            Some(template) => (template.fill(plain).map(Value::from), template.names().all(is_there)),
            None => (status.and_then(|status| status.value.clone()), is_there(&output.name)),
        };
        RequestOutput {
            name: output.name.clone(),
            description: output.description.clone(),
            secret,
            available,
            value: value.filter(|_| !secret),
            secret_ref: status.and_then(|status| status.secret_ref.clone()),
            format: output.format,
        }
    };
    promised.iter().map(output).collect()
}

#[cfg(test)]
mod tests {
    use promise::api::{OutputSpec, SecretKeyRef, SecretOutput};
    use serde_json::json;

    use super::*;

    #[test]
    fn states_are_found_however_programs_write_them() {
        for (name, word) in [("", ""), ("ready", "Ready"), ("awaitingApproval", "AwaitingApproval"), ("changeRejected", "ChangeRejected")] {
            assert_eq!(state(name).unwrap(), word);
        }
        assert!(state("done").unwrap_err().to_string().contains("Choose another state than \"done\": Pending, "));
    }

    #[test]
    fn secrets_are_named_and_never_told() {
        let spec = PromiseSpec {
            outputs: vec![
                OutputSpec { name: "host".into(), value: Some("x".into()), ..OutputSpec::default() },
                OutputSpec { name: "password".into(), secret_ref: Some(SecretOutput::default()), ..OutputSpec::default() },
                OutputSpec { name: "url".into(), template: Some("db://{host}:{password}".into()), ..OutputSpec::default() },
            ],
            ..PromiseSpec::default()
        };
        let reference = SecretKeyRef { name: "orders".into(), key: "password".into() };
        let known = [
            OutputStatus { name: "host".into(), value: Some(json!("orders.example")), ..OutputStatus::default() },
            OutputStatus { name: "password".into(), value: Some(json!("hunter2")), secret_ref: Some(reference.clone()) },
        ];
        let told = outputs(&known, Some(&spec));
        let short: Vec<(&str, bool, Option<&Value>)> = told.iter().map(|one| (one.name.as_str(), one.secret, one.value.as_ref())).collect();
        assert_eq!(short, [("host", false, Some(&json!("orders.example"))), ("password", true, None), ("url", true, None)]);
        assert_eq!(told[1].secret_ref, Some(reference));
        assert!(!serde_json::to_string(&told).unwrap().contains("hunter2"));
    }
}
