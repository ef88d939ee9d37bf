//! Permissions of users, checked on the control plane with the user's token and cached briefly for each session.

use std::collections::HashMap;
use std::sync::Arc;

use cluster::error::from_plane;
use cluster::{ClusterId, Endpoint, Scope, Token};
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use promise::{Error, Result};
use serde_json::{Value, json};
use store::SessionKey;

use super::place::Namespaces;
use crate::clock::Clock;

/// How long an answer is valid. After that, a revoked permission is gone from every page and event stream.
const FRESH: SignedDuration = SignedDuration::from_secs(20);
/// Number of answers to keep before stale ones are dropped. A user can have hundreds of workspaces, each with a few answers.
const KEPT: usize = 32_768;

/// A permission in one workspace.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Right {
    /// To enter the workspace at all.
    Enter,
    /// To perform an action in it.
    Do(Deed),
}

/// A verb on a resource.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Deed {
    /// Such as `create`.
    pub verb: &'static str,
    /// API group, empty for core.
    pub group: &'static str,
    /// Plural.
    pub resource: &'static str,
    /// Namespace; empty for all.
    pub namespace: String,
    /// Name of the object; empty for all.
    pub name: String,
}

impl Right {
    /// Returns a verb on promise requests in a namespace. An empty namespace means all.
    pub fn requests(verb: &'static str, namespace: &str) -> Self {
        Self::request(verb, namespace, "")
    }

    /// Returns a verb on promises.
    pub fn promises(verb: &'static str) -> Self {
        Self::Do(Deed { verb, group: promise::names::GROUP, resource: "promises", namespace: String::new(), name: String::new() })
    }

    /// Returns a verb on endpoints.
    pub fn endpoints(verb: &'static str) -> Self {
        Self::Do(Deed { verb, group: promise::names::GROUP, resource: "endpoints", namespace: String::new(), name: String::new() })
    }

    /// Returns a verb on destinations.
    pub fn destinations(verb: &'static str) -> Self {
        Self::Do(Deed { verb, group: promise::names::GROUP, resource: "destinations", namespace: String::new(), name: String::new() })
    }

    /// Returns a verb on policies. An empty name means all.
    pub fn policy(verb: &'static str, name: &str) -> Self {
        Self::Do(Deed { verb, group: promise::names::GROUP, resource: "policies", namespace: String::new(), name: name.to_owned() })
    }

    /// Returns a verb on one promise request.
    pub fn request(verb: &'static str, namespace: &str, name: &str) -> Self {
        let (namespace, name) = (namespace.to_owned(), name.to_owned());
        Self::Do(Deed { verb, group: promise::names::GROUP, resource: "promiserequests", namespace, name })
    }

    /// Returns a verb on runs of actions in a namespace.
    pub fn runs(verb: &'static str, namespace: &str) -> Self {
        Self::run(verb, namespace, "")
    }

    /// Returns a verb on one run of an action.
    pub fn run(verb: &'static str, namespace: &str, name: &str) -> Self {
        let (namespace, name) = (namespace.to_owned(), name.to_owned());
        Self::Do(Deed { verb, group: promise::names::GROUP, resource: "promiseactions", namespace, name })
    }

    /// Returns a verb on one Secret.
    pub fn secret(verb: &'static str, namespace: &str, name: &str) -> Self {
        Self::Do(Deed { verb, group: "", resource: "secrets", namespace: namespace.to_owned(), name: name.to_owned() })
    }
}

/// Answer of the control plane.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    Allowed,
    Refused,
    /// A user who can't enter a workspace can't even run access reviews there.
    Outside,
}

/// Per session and not per name: two tokens of the same user can have different groups.
type Question = (SessionKey, ClusterId, Right);

/// Cached access reviews of the control plane.
pub struct Rights {
    endpoint: Endpoint,
    clock: Arc<dyn Clock>,
    answers: Mutex<HashMap<Question, (bool, Timestamp)>>,
}

impl Rights {
    /// Creates an empty cache.
    pub fn new(endpoint: Endpoint, clock: Arc<dyn Clock>) -> Self {
        Self { endpoint, clock, answers: Mutex::new(HashMap::new()) }
    }

    /// Checks whether the user in `session`, with `token`, has the permission in that workspace.
    ///
    /// # Errors
    /// If the control plane doesn't respond.
    pub async fn has(&self, session: SessionKey, token: &Token, cluster: &ClusterId, right: Right) -> Result<bool> {
        let question = (session, cluster.clone(), right);
        if let Some(known) = self.known(&question) {
            return Ok(known);
        }
        let (.., right) = question;
        let is_entry = right == Right::Enter;
        let deed = match right {
            Right::Enter => entering(cluster),
            Right::Do(deed) => deed,
        };
        let asked_at = self.clock.now();
        let answer = self.ask(token, cluster, &deed).await?;
        let may = answer == Answer::Allowed;
        self.keep((session, cluster.clone(), Right::Do(deed)), may, asked_at);
        // Where workspaces are entered, one review answers both (`kcp`: without access the review itself is refused).
        let enters = match Namespaces::of(cluster) {
            Namespaces::Any => Some(answer != Answer::Outside),
            Namespaces::One(_) | Namespaces::None => is_entry.then_some(may),
        };
        if let Some(enters) = enters {
            self.keep((session, cluster.clone(), Right::Enter), enters, asked_at);
        }
        Ok(enters.filter(|_| is_entry).unwrap_or(may))
    }

    /// Returns the last answer in `session`, however old it is. The control plane is asked only if there is none: for links, whose pages check
    /// again.
    ///
    /// # Errors
    /// If the control plane is asked and doesn't respond.
    pub async fn last_known(&self, session: SessionKey, token: &Token, cluster: &ClusterId, right: Right) -> Result<bool> {
        let question = (session, cluster.clone(), right);
        let last = self.answers.lock().get(&question).map(|(answer, _)| *answer);
        match last {
            Some(answer) => Ok(answer),
            None => self.has(session, token, cluster, question.2).await,
        }
    }

    /// Returns a recent answer of the control plane.
    fn known(&self, question: &Question) -> Option<bool> {
        let now = self.clock.now();
        self.answers.lock().get(question).filter(|(_, at)| now.duration_since(*at) < FRESH).map(|(said, _)| *said)
    }

    /// Keeps the answer to a question of that time. A delayed answer doesn't replace the answer to a later question.
    fn keep(&self, question: Question, said: bool, asked_at: Timestamp) {
        let mut answers = self.answers.lock();
        if answers.get(&question).is_some_and(|(_, known)| *known > asked_at) {
            return;
        }
        if answers.len() >= KEPT {
            let now = self.clock.now();
            answers.retain(|_, (_, at)| now.duration_since(*at) < FRESH);
        }
        if answers.len() < KEPT {
            answers.insert(question, (said, asked_at));
        }
    }

    async fn ask(&self, token: &Token, cluster: &ClusterId, deed: &Deed) -> Result<Answer> {
        let Deed { verb, group, resource, namespace, name } = deed;
        let review = json!({
            "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": {"verb": verb, "group": group, "resource": resource, "namespace": namespace, "name": name}},
        });
        let client = self.endpoint.client(token, &Scope::Cluster(cluster.clone()));
        let request = http::Request::post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews")
            .header(http::header::CONTENT_TYPE, "application/json")
            .body(review.to_string().into_bytes())
            .map_err(|_| Error::Internal)?;
        match client.request::<Value>(request).await {
            Ok(answer) if answer.pointer("/status/allowed") == Some(&Value::Bool(true)) => Ok(Answer::Allowed),
            Ok(_) => Ok(Answer::Refused),
            Err(error) => match from_plane(&error, "your permissions") {
                Error::Denied { .. } | Error::NotFound { .. } | Error::NotEnabled { .. } => Ok(Answer::Outside),
                other => Err(other),
            },
        }
    }
}

/// Returns the access review that decides whether a user can enter. On plain Kubernetes there is no separate permission to enter: users who
/// can list the requests of a namespace can enter it, and users who can list promises can enter the cluster as a whole. On kcp, any user
/// who gets an answer can enter. The review is about requests, because the page that checks this lists them next.
fn entering(cluster: &ClusterId) -> Deed {
    let (resource, namespace) = match Namespaces::of(cluster) {
        Namespaces::Any => ("promiserequests", String::new()),
        Namespaces::One(namespace) => ("promiserequests", namespace),
        Namespaces::None => ("promises", String::new()),
    };
    Deed { verb: "list", group: promise::names::GROUP, resource, namespace, name: String::new() }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::atomic::{AtomicI64, Ordering};

    use http::{Request, Response};
    use http_body_util::Full;
    use kube::client::Body;
    use tokio::sync::mpsc;
    use tokio::sync::oneshot;

    use super::*;

    /// Seconds since 1970, advanced manually.
    #[derive(Default)]
    struct Hand(AtomicI64);

    impl Clock for Hand {
        fn now(&self) -> Timestamp {
            Timestamp::from_second(self.0.load(Ordering::Relaxed)).unwrap()
        }
    }

    /// The answer of the control plane: the status of the review, or its refusal.
    type Reply = oneshot::Sender<Option<bool>>;

    /// Returns a control plane that responds only when told what to answer, and the channel of its questions.
    fn plane() -> (Rights, Arc<Hand>, mpsc::UnboundedReceiver<Reply>) {
        let (asked, questions) = mpsc::unbounded_channel::<Reply>();
        let service = tower::service_fn(move |_: Request<Body>| {
            let (reply, answer) = oneshot::channel();
            asked.send(reply).unwrap();
            async move {
                let (code, body) = match answer.await.unwrap() {
                    Some(allowed) => (201, json!({"kind": "SelfSubjectAccessReview", "status": {"allowed": allowed}})),
                    None => (403, json!({"kind": "Status", "status": "Failure", "reason": "Forbidden", "code": 403})),
                };
                Ok::<_, Infallible>(Response::builder().status(code).body(Full::from(body.to_string())).unwrap())
            }
        });
        let clock = Arc::new(Hand::default());
        (Rights::new(Endpoint::in_process("plane", service), clock.clone()), clock, questions)
    }

    async fn answered(
        rights: &Rights,
        cluster: &ClusterId,
        right: Right,
        questions: &mut mpsc::UnboundedReceiver<Reply>,
        with: Option<bool>,
    ) -> bool {
        let (session, token) = (SessionKey::of_cookie("dana"), Token::new("t"));
        let told = async { questions.recv().await.unwrap().send(with).unwrap() };
        tokio::join!(rights.has(session, &token, cluster, right), told).0.unwrap()
    }

    #[tokio::test]
    async fn one_answer_tells_who_enters_a_workspace_and_what_they_list_there() {
        let (session, token) = (SessionKey::of_cookie("dana"), Token::new("t"));
        for (reply, enters, lists) in [(Some(true), true, true), (Some(false), true, false), (None, false, false)] {
            let (rights, _, mut questions) = plane();
            let cluster = ClusterId::root();
            assert_eq!(answered(&rights, &cluster, Right::Enter, &mut questions, reply).await, enters);
            assert_eq!(rights.has(session, &token, &cluster, Right::requests("list", "")).await, Ok(lists));
            assert_eq!(rights.has(session, &token, &cluster, Right::Enter).await, Ok(enters));
            assert!(questions.try_recv().is_err(), "nothing else was asked");
        }
        // A namespace has its own permission to enter, independent of other permissions in it.
        let (rights, _, mut questions) = plane();
        let namespace = ClusterId::of_namespace("shop").unwrap();
        assert!(answered(&rights, &namespace, Right::requests("create", "shop"), &mut questions, Some(true)).await);
        assert!(!answered(&rights, &namespace, Right::Enter, &mut questions, Some(false)).await);
    }

    #[tokio::test]
    async fn the_last_known_answer_asks_nothing_and_changes_with_the_next_question() {
        let (rights, clock, mut questions) = plane();
        let (session, token, cluster) = (SessionKey::of_cookie("dana"), Token::new("t"), ClusterId::root());
        let create = || Right::requests("create", "default");
        let first = async { questions.recv().await.unwrap().send(Some(true)).unwrap() };
        assert_eq!(tokio::join!(rights.last_known(session, &token, &cluster, create()), first).0, Ok(true), "asked once");
        clock.0.store(10 * FRESH.as_secs(), Ordering::Relaxed);
        assert_eq!(rights.last_known(session, &token, &cluster, create()).await, Ok(true));
        assert!(questions.try_recv().is_err(), "nothing else was asked");
        assert!(!answered(&rights, &cluster, create(), &mut questions, Some(false)).await);
        assert_eq!(rights.last_known(session, &token, &cluster, create()).await, Ok(false));
    }

    #[tokio::test]
    async fn each_session_is_asked_about_for_itself() {
        let (rights, _, mut questions) = plane();
        let cluster = ClusterId::root();
        assert!(answered(&rights, &cluster, Right::Enter, &mut questions, Some(true)).await);
        let (other, token) = (SessionKey::of_cookie("dana, with fewer groups"), Token::new("u"));
        let told = async { questions.recv().await.unwrap().send(None).unwrap() };
        assert_eq!(tokio::join!(rights.has(other, &token, &cluster, Right::Enter), told).0, Ok(false));
    }

    #[tokio::test]
    async fn an_answer_counts_from_when_it_was_asked_for_and_replaces_none_to_a_later_question() {
        let (rights, clock, mut questions) = plane();
        let (session, token, cluster) = (SessionKey::of_cookie("dana"), Token::new("t"), ClusterId::root());
        let right = || Right::requests("list", "");
        let slow = rights.has(session, &token, &cluster, right());
        let later = async {
            let slow = questions.recv().await.unwrap();
            clock.0.store(5, Ordering::Relaxed);
            assert!(!answered(&rights, &cluster, right(), &mut questions, None).await);
            slow.send(Some(true)).unwrap();
        };
        assert_eq!(tokio::join!(slow, later).0, Ok(true));
        assert_eq!(rights.has(session, &token, &cluster, Right::Enter).await, Ok(false), "who was let in before is not let in again");
        clock.0.store(5 + FRESH.as_secs(), Ordering::Relaxed);
        assert!(answered(&rights, &cluster, Right::Enter, &mut questions, Some(false)).await, "asked again");
    }
}
