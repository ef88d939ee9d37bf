//! Kubernetes Events about requests, for `kubectl describe` and the request page. They are written beside fulfilment, which neither waits
//! for them nor fails with them. Events that can't be written are lost: the status says everything that matters.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::{Event, EventSource, ObjectReference};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, Client, Resource, ResourceExt};
use parking_lot::Mutex;
use promise::names;
use promise::status::Milestone;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::refusals::CallFailure;
use crate::clock::Clock;
use crate::error::{is_conflict, is_denied, is_terminating};
use crate::kinds::{Export, PromiseRequest};
use crate::topology::Topology;
use crate::watch::Key;
use crate::workspaces::ClusterId;

/// Name of the reporter, in `source.component` and `reportingComponent`.
const COMPONENT: &str = "opm-controller";
/// Number of lanes. Events of one request are written one after the other, in one lane, and those of all lanes at the same time.
const LANES: usize = 4;
/// Number of requests whose milestones can wait to be written in one lane; more are dropped.
const QUEUE: usize = 1024;
/// How long repetitions are counted on the same event.
const SAME: SignedDuration = SignedDuration::from_hours(1);
/// Longest message in bytes; Kubernetes limits the notes of events to that.
const LONGEST: usize = 1024;
/// Longest wait for the control plane's answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long the rest of the queue can take at the end of a term.
const LAST: Duration = Duration::from_secs(2);

/// Milestones of one request that wait to be written.
struct QueuedEvents {
    client: Client,
    request: Key,
    subject: ObjectReference,
    milestones: Vec<Milestone>,
}

/// Accepts milestones to be written as events.
pub struct Events {
    lanes: Vec<mpsc::Sender<QueuedEvents>>,
}

/// Writes what [`Events`] accepts.
pub struct Writer {
    lanes: Vec<mpsc::Receiver<QueuedEvents>>,
    clock: Arc<dyn Clock>,
    /// Workspaces for which the log already says that they don't let us write events.
    denied: Mutex<HashSet<ClusterId>>,
}

/// Returns a queue, and the writer that empties it.
pub fn channel(clock: Arc<dyn Clock>) -> (Events, Writer) {
    let (senders, lanes) = (0..LANES).map(|_| mpsc::channel(QUEUE)).unzip();
    (Events { lanes: senders }, Writer { lanes, clock, denied: Mutex::default() })
}

/// Returns the lane of a request.
fn lane(request: &Key) -> usize {
    let mut hasher = DefaultHasher::new();
    request.hash(&mut hasher);
    usize::try_from(hasher.finish() % LANES as u64).unwrap_or_default()
}

impl Events {
    /// Queues milestones of a request, to be written through `client`. Never waits.
    pub fn send(&self, client: Client, key: &Key, request: &PromiseRequest, milestones: Vec<Milestone>) {
        if milestones.is_empty() {
            return;
        }
        let queued = QueuedEvents { client, request: key.clone(), subject: request.object_ref(&()), milestones };
        if self.lanes[lane(key)].try_send(queued).is_err() {
            tracing::warn!(request = %key, "too many events are queued, so some were dropped");
        }
    }
}

impl Writer {
    /// Writes until every [`Events`] is dropped, at most a little longer than `term`.
    pub async fn run(mut self, term: CancellationToken) {
        let lanes = std::mem::take(&mut self.lanes);
        let writing = async {
            join_all(lanes.into_iter().map(|lane| self.drain(lane))).await;
        };
        tokio::pin!(writing);
        tokio::select! {
            () = &mut writing => return,
            () = term.cancelled() => {}
        }
        if tokio::time::timeout(LAST, writing).await.is_err() {
            tracing::warn!("some events were not written before the shutdown");
        }
    }

    async fn drain(&self, mut lane: mpsc::Receiver<QueuedEvents>) {
        while let Some(queued) = lane.recv().await {
            self.write(queued).await;
        }
    }

    async fn write(&self, queued: QueuedEvents) {
        let api: Api<Event> = Api::namespaced(queued.client, &queued.request.namespace);
        for milestone in &queued.milestones {
            let event = event(&queued.subject, milestone, self.clock.now());
            match tokio::time::timeout(PATIENCE, put(&api, &event)).await {
                Ok(Ok(())) => drop(self.denied.lock().remove(&queued.request.cluster)),
                // No one reads events in a namespace or workspace that is being deleted as a whole.
                Ok(Err(error)) if is_terminating(&error) => return,
                Ok(Err(error)) if is_denied(&error) => {
                    let why = match queued.request.cluster.namespace() {
                        Some(_) => CallFailure::own(&Topology::Namespaces, Export::Requests, &error, "write events"),
                        None => CallFailure::beside(&queued.request.cluster, &error, "write events"),
                    };
                    if self.denied.lock().insert(queued.request.cluster.clone()) {
                        tracing::warn!(request = %queued.request, %why, "cannot write events for requests of this workspace");
                    }
                    return;
                }
                Ok(Err(error)) => {
                    tracing::info!(request = %queued.request, %error, reason = milestone.reason.word(), "an event was not written")
                }
                Err(_) => {
                    tracing::info!(request = %queued.request, "events were not written: no response");
                    return;
                }
            }
        }
    }
}

/// Creates an event, or counts a repetition on the one that says the same.
async fn put(api: &Api<Event>, event: &Event) -> Result<(), kube::Error> {
    let params = PostParams { field_manager: Some(names::MANAGER_FULFIL.to_owned()), ..PostParams::default() };
    match api.create(&params, event).await {
        Err(error) if is_conflict(&error) => {}
        other => return other.map(drop),
    }
    let known = api.get(&event.name_any()).await?;
    let params = PatchParams { field_manager: params.field_manager, ..PatchParams::default() };
    api.patch(&event.name_any(), &params, &Patch::Merge(&again(&known, event))).await.map(drop)
}

/// Returns the patch that counts a repetition of an event. After a while without one, its count starts over.
fn again(known: &Event, event: &Event) -> Value {
    let last = known.last_timestamp.as_ref().map(|time| time.0);
    let now = event.last_timestamp.as_ref().map(|time| time.0);
    let continues = last.zip(now).is_some_and(|(last, now)| now.duration_since(last) <= SAME);
    let (count, first) = if continues {
        (known.count.unwrap_or(1).saturating_add(1), known.first_timestamp.clone())
    } else {
        (1, event.first_timestamp.clone())
    };
    json!({
        "metadata": {"uid": known.metadata.uid, "resourceVersion": known.metadata.resource_version},
        "count": count, "firstTimestamp": first, "lastTimestamp": event.last_timestamp,
    })
}

fn event(subject: &ObjectReference, milestone: &Milestone, now: Timestamp) -> Event {
    let uid = subject.uid.as_deref().unwrap_or_default();
    let message = shortened(&milestone.message);
    let hash = hex::encode(Sha256::digest(&message));
    // Kubernetes stores whole seconds here.
    let now = Time(Timestamp::from_second(now.as_second()).unwrap_or(now));
    let mut event = Event {
        // A new version of the request is still the same subject.
        involved_object: ObjectReference { resource_version: None, ..subject.clone() },
        type_: Some(if milestone.reason.is_warning() { "Warning" } else { "Normal" }.to_owned()),
        reason: Some(milestone.reason.word().to_owned()),
        message: Some(message),
        source: Some(EventSource { component: Some(COMPONENT.to_owned()), host: None }),
        reporting_component: Some(COMPONENT.to_owned()),
        count: Some(1),
        first_timestamp: Some(now.clone()),
        last_timestamp: Some(now),
        ..Event::default()
    };
    let meta = event.meta_mut();
    meta.name = Some(format!("{uid}-{}-{}", milestone.reason.word().to_ascii_lowercase(), &hash[..16]));
    meta.namespace.clone_from(&subject.namespace);
    event
}

fn shortened(message: &str) -> String {
    if message.len() <= LONGEST {
        return message.to_owned();
    }
    let end = message.floor_char_boundary(LONGEST - '…'.len_utf8());
    format!("{}…", &message[..end])
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use http::{Request, Response};
    use http_body_util::Full;
    use jiff::Timestamp;
    use k8s_openapi::api::core::v1::{Event, ObjectReference};
    use kube::client::Body;
    use promise::status::{Milestone, MilestoneReason};
    use serde_json::json;
    use tokio::sync::Barrier;
    use tokio_util::sync::CancellationToken;

    use super::{LANES, LONGEST, again, channel, event, lane};
    use crate::endpoint::{Endpoint, Scope, Token};
    use crate::kinds::{PromiseRequestKind, object};
    use crate::watch::Key;
    use crate::workspaces::ClusterId;

    fn key(name: &str) -> Key {
        Key::new(ClusterId::root(), "default", name)
    }

    /// Returns the name of a request for each lane.
    fn one_of_each_lane() -> Vec<String> {
        let names = || (0..1_000).map(|number| format!("web-{number}"));
        (0..LANES).map(|index| names().find(|name| lane(&key(name)) == index).unwrap()).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn events_of_several_requests_are_written_at_the_same_time() {
        // No write is answered before there is one in every lane.
        let (all, answered) = (Arc::new(Barrier::new(LANES)), Arc::new(AtomicUsize::new(0)));
        let count = answered.clone();
        let service = tower::service_fn(move |_: Request<Body>| {
            let (all, count) = (all.clone(), count.clone());
            async move {
                all.wait().await;
                count.fetch_add(1, Ordering::SeqCst);
                let event = json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "a"}, "involvedObject": {}});
                Ok::<_, Infallible>(Response::new(Full::from(event.to_string())))
            }
        });
        let client = Endpoint::in_process("test", service).client(&Token::new("t"), &Scope::Root);
        let (events, writer) = channel(Arc::new(|| Timestamp::UNIX_EPOCH));
        for name in one_of_each_lane() {
            let spec = serde_json::from_value(json!({"promise": {"name": "redis"}})).unwrap();
            let request = object::<PromiseRequestKind>(&name, Some("default"), spec);
            let milestone = Milestone { reason: MilestoneReason::Refused, message: "No.".to_owned() };
            events.send(client.clone(), &key(&name), &request, vec![milestone]);
        }
        drop(events);
        writer.run(CancellationToken::new()).await;
        assert_eq!(answered.load(Ordering::SeqCst), LANES);
    }

    fn at(second: i64, message: &str) -> Event {
        let subject = ObjectReference {
            uid: Some("u-1".into()),
            namespace: Some("default".into()),
            resource_version: Some("7".into()),
            ..ObjectReference::default()
        };
        let milestone = Milestone { reason: MilestoneReason::Refused, message: message.to_owned() };
        event(&subject, &milestone, Timestamp::from_millisecond(second * 1000 + 250).unwrap())
    }

    #[test]
    fn the_same_words_about_the_same_request_are_the_same_event() {
        let first = at(0, "No.");
        assert_eq!((first.type_.as_deref(), first.reason.as_deref()), (Some("Warning"), Some("Refused")));
        assert_eq!(first.involved_object.resource_version, None);
        assert_eq!(first.metadata.name, at(5, "No.").metadata.name);
        assert_ne!(first.metadata.name, at(0, "Not so.").metadata.name);
    }

    #[test]
    fn an_event_is_counted_within_an_hour_and_then_anew() {
        let counted = |known: &Event, now: i64| -> Event {
            let mut merged = serde_json::to_value(known).unwrap();
            let patch = again(known, &at(now, "No."));
            for field in ["count", "firstTimestamp", "lastTimestamp"] {
                merged[field] = patch[field].clone();
            }
            serde_json::from_value(merged).unwrap()
        };
        let second = counted(&at(0, "No."), 3600);
        assert_eq!((second.count, second.first_timestamp.clone()), (Some(2), at(0, "").first_timestamp));
        assert_eq!(second.last_timestamp, at(3600, "").last_timestamp);
        let third = counted(&second, 3600 + 3601);
        assert_eq!((third.count, third.first_timestamp), (Some(1), at(7201, "").first_timestamp));
    }

    #[test]
    fn a_long_message_is_cut_between_letters() {
        let message = at(0, &"ü".repeat(LONGEST)).message.unwrap();
        assert!(message.len() <= LONGEST && message.ends_with("ü…"), "{} bytes", message.len());
    }
}
