//! What pages ask: one port for each noun, answered by the server on the person's behalf. Present in the server build only.
//!
//! Every method acts as one verified person; there is no way to call it as somebody else. Refusals are [`promise::Error`], rendered by the page.
//! Workspaces are named by path; whether one is absent or closed to the person makes no difference in the answer.
//!
//! What changes something is called by the server functions of [`crate::actions`].

use std::sync::Arc;

use async_trait::async_trait;
use promise::view::{
    AddsPage, AlikePage, CatalogPage, CatalogQuery, CostFile, CostPage, CostQuery, DeliveriesPage, DeliveriesQuery, EmergenciesPage,
    FormOutcome, Home, InboxPage, InboxQuery, NoticeRules, NoticesPage, NoticesQuery, ObjectKey, ObjectPage, OverviewPage, OverviewQuery,
    Person, PoliciesPage, PoliciesQuery, PolicyForm, PolicyFormOutcome, PolicyPage, PromisePage, RequestForm, RequestPage, RequestQuery,
    RequestsPage, ResourceQuery, ResourcesPage, ReviewPage, SavedList, SavedViews, StandInPage, Viewer, WorkspaceTree,
};
use promise::{Error, Result};
use serde::{Deserialize, Serialize};

/// Ordered name/value pairs of a posted form.
pub type Pairs = [(String, String)];

/// Who looks, and what waits on them.
#[async_trait]
pub trait Account: Send + Sync {
    /// The person.
    fn viewer(&self) -> Viewer;
    /// What waits on the person, and what is recent.
    async fn home(&self) -> Result<Home>;
}

/// What a workspace offers.
#[async_trait]
pub trait Catalog: Send + Sync {
    /// Offers of a workspace, narrowed.
    async fn catalog(&self, workspace: &str, query: &CatalogQuery) -> Result<CatalogPage>;
    /// One promise; of a shadowed one the home is named.
    async fn promise(&self, workspace: &str, name: &str, home: Option<&str>) -> Result<PromisePage>;
}

/// Which form of a request is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormOf<'a> {
    /// A new request of a promise.
    New {
        /// Name of the promise.
        promise: &'a str,
        /// Home of a shadowed promise.
        home: Option<&'a str>,
        /// Example or preset that it starts from, as `promise::form::starts_from` reads it.
        start: Option<&'a str>,
    },
    /// A request that is there.
    Edit {
        /// Namespace.
        namespace: &'a str,
        /// Name.
        name: &'a str,
    },
}

/// A decision, as it was posted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vote {
    /// Which rule asks for it, as [`promise::view::Asked`] names it.
    pub rule: String,
    /// The content that the person saw.
    pub hash: String,
    /// `approve`, `reject` or `requestChanges`.
    pub decision: String,
    /// Whether it is taken in the place of everybody who is asked.
    pub emergency: bool,
    /// Why; may be empty.
    pub comment: String,
    /// Paths of the values that should change.
    pub fields: Vec<String>,
}

impl Vote {
    /// Reads the fields of a form.
    pub fn of(fields: &Pairs) -> Self {
        let first = |wanted: &str| fields.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone()).unwrap_or_default();
        Self {
            rule: first("rule"),
            hash: first("hash"),
            decision: first("decision"),
            emergency: first("emergency") == "true",
            comment: first("comment").trim().to_owned(),
            fields: fields.iter().filter(|(name, _)| name == "field").map(|(_, value)| value.clone()).collect(),
        }
    }
}

/// Decisions that people have to take. A request is named by its uid; whether it is absent or closed to the person makes no difference.
#[async_trait]
pub trait Approvals: Send + Sync {
    /// How many requests wait for the person, as far as that is known; nothing for those who have no part in decisions.
    async fn waits(&self) -> Option<usize>;
    /// A page of the inbox, narrowed.
    async fn inbox(&self, query: &InboxQuery) -> Result<InboxPage>;
    /// One request with everything by which it is decided; `since` is a content since which changes are wanted, or empty.
    async fn review(&self, uid: &str, since: &str) -> Result<ReviewPage>;
    /// Writes the decision of this person, for exactly the content that was seen. A conflict means that it is another one by now.
    async fn decide(&self, uid: &str, vote: &Vote) -> Result<()>;
    /// All open requests of the same shape as one.
    async fn alike(&self, uid: &str) -> Result<AlikePage>;
    /// The same decision about several of one shape: uid and hash of each. How many were decided.
    async fn decide_together(&self, vote: &Vote, items: &[(String, String)]) -> Result<usize>;
    /// Remarks something.
    async fn comment(&self, uid: &str, text: &str) -> Result<()>;
    /// Asks once more what was turned down, taken back or has expired.
    async fn ask_again(&self, uid: &str) -> Result<()>;
    /// Takes the question about a content back.
    async fn withdraw(&self, uid: &str, hash: &str) -> Result<()>;
    /// Approvals in emergencies that the person may list, a page of them.
    async fn emergencies(&self, page: usize) -> Result<EmergenciesPage>;
}

/// Requests of a workspace.
#[async_trait]
pub trait Requests: Send + Sync {
    /// A page of the list, narrowed.
    async fn requests(&self, workspace: &str, query: &RequestQuery) -> Result<RequestsPage>;
    /// One request in full.
    async fn request(&self, workspace: &str, namespace: &str, name: &str) -> Result<RequestPage>;
    /// The form, with what a draft holds; a draft of somebody else is as good as none.
    async fn form(&self, workspace: &str, form: FormOf<'_>, draft: Option<&str>) -> Result<RequestForm>;
    /// The form of what was typed, with what would happen, kept nowhere; with `_op=rehearse` the plane is asked too.
    async fn preflight(&self, workspace: &str, form: FormOf<'_>, pairs: &Pairs) -> Result<RequestForm>;
    /// What the platform would make of what a draft holds, line by line.
    async fn adds(&self, workspace: &str, form: FormOf<'_>, draft: Option<&str>) -> Result<AddsPage>;
    /// What the platform made of a request, line by line.
    async fn added(&self, workspace: &str, namespace: &str, name: &str) -> Result<AddsPage>;
    /// Rolls out what changed rules make of a request: exactly those that the person saw, by their digest.
    async fn roll_out(&self, workspace: &str, namespace: &str, name: &str, digest: &str) -> Result<()>;
    /// A posted form: its `_op` says whether to change the form, check, review or write.
    async fn post(&self, workspace: &str, form: FormOf<'_>, pairs: &Pairs) -> Result<FormOutcome>;
    /// Deletes; the name is typed again as confirmation.
    async fn delete(&self, workspace: &str, namespace: &str, name: &str, confirmation: &str) -> Result<()>;
    /// The value of a secret output, read with the person's own rights.
    async fn reveal(&self, workspace: &str, namespace: &str, name: &str, output: &str) -> Result<String>;
}

/// What was made for requests.
#[async_trait]
pub trait Resources: Send + Sync {
    /// A page of the list of objects, narrowed.
    async fn resources(&self, workspace: &str, query: &ResourceQuery) -> Result<ResourcesPage>;
    /// All that fit, as comma-separated values.
    async fn resources_csv(&self, workspace: &str, query: &ResourceQuery) -> Result<String>;
    /// One object that was made for a request. Whether request or object is absent, or closed to the person, makes no difference.
    async fn object(&self, workspace: &str, namespace: &str, request: &str, object: &ObjectKey) -> Result<ObjectPage>;
}

/// What platform teams look after.
#[async_trait]
pub trait Platform: Send + Sync {
    /// Whether there is anything for the person to look after, so that the navigation leads there; the error says that nobody can tell.
    async fn governs(&self) -> Result<bool>;
    /// How requests go that the person may list.
    async fn overview(&self, query: &OverviewQuery) -> Result<OverviewPage>;
    /// The policies that the person may read, narrowed.
    async fn policies(&self, query: &PoliciesQuery) -> Result<PoliciesPage>;
    /// One policy. `from` is the workspace in which somebody met one of its rules: whom it concerns there may read what it says. `sample` are
    /// values to try.
    async fn policy(&self, workspace: &str, name: &str, from: &str, sample: Option<&Sample>) -> Result<PolicyPage>;
    /// The text of a policy, or the start of a new one; the text that a draft holds comes checked. A draft of somebody else is as good as none.
    async fn policy_form(&self, workspace: &str, name: Option<&str>, draft: Option<&str>) -> Result<PolicyForm>;
    /// A posted text: checked or written, as the person.
    async fn write_policy(&self, typed: &PolicyText) -> Result<PolicyFormOutcome>;
}

/// A policy as it was typed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyText {
    /// Path of the workspace.
    pub workspace: String,
    /// Name of the one that is there; absent for a new one.
    pub name: Option<String>,
    /// The text, YAML.
    pub text: String,
    /// Resource version with which it was opened; empty for a new one.
    pub version: String,
    /// Whether it is to be written, and not only checked.
    #[serde(skip)]
    pub write: bool,
    /// Id of the draft that is shown; empty without.
    #[serde(skip)]
    pub draft: String,
}

/// Sample values for a policy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// The promise, as [`promise::view::Tryout`] names it.
    pub promise: String,
    /// Path of the workspace.
    pub workspace: String,
    /// The values, YAML.
    pub text: String,
}

/// What the person is told, and how.
#[async_trait]
pub trait Notices: Send + Sync {
    /// How much is new; nothing when nobody can tell.
    async fn unread(&self) -> Option<u64>;
    /// A page of what the person was told.
    async fn notices(&self, query: &NoticesQuery) -> Result<NoticesPage>;
    /// Marks one as read, or with an empty id all that happened until `until`, an RFC 3339 time.
    async fn mark_read(&self, id: &str, until: &str) -> Result<()>;
    /// The person's notification settings; with `typed`, those of a posted form and what is wrong with them. Nothing is saved.
    async fn notice_rules(&self, typed: Option<&Pairs>) -> Result<NoticeRules>;
    /// Saves posted notification settings, as `promise::notify::Settings::parse` reads them.
    async fn save_notice_rules(&self, pairs: &Pairs) -> Result<()>;
    /// The person's delegate, and for whom the person is one; with `typed`, the fields of a posted form and what is wrong with them. Nothing is
    /// saved.
    async fn stand_in(&self, typed: Option<&Pairs>) -> Result<StandInPage>;
    /// Saves the person's delegate: fields `deputy`, `from` and `to`.
    async fn set_delegate(&self, pairs: &Pairs) -> Result<()>;
    /// Ends the delegation; there doesn't have to be one.
    async fn end_delegation(&self) -> Result<()>;
    /// Whether the person looks after the platform, so that pages lead to what could not be delivered.
    async fn delivers(&self) -> bool;
    /// Messages by how far they got, for those who look after the platform.
    async fn deliveries(&self, query: &DeliveriesQuery) -> Result<DeliveriesPage>;
    /// Sends again what was given up; with an empty id everything.
    async fn send_again(&self, id: &str) -> Result<()>;
}

/// Filters that the person has named.
#[async_trait]
pub trait Views: Send + Sync {
    /// The person's views of a list, whose filter is `filter` now. `workspace` is empty for the one list of decisions.
    async fn saved_views(&self, list: SavedList, workspace: &str, filter: Vec<(String, String)>) -> SavedViews;
    /// Keeps a posted filter under its title.
    async fn save_view(&self, pairs: &Pairs) -> Result<()>;
    /// Calls a view something else.
    async fn rename_view(&self, id: &str, title: &str) -> Result<()>;
    /// Forgets a view; it need not be there.
    async fn forget_view(&self, id: &str) -> Result<()>;
}

/// Why something that was posted was not done: kept privately for a while, so that a page can say so as often as it is opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// Why.
    pub error: Error,
    /// The page that it was posted from.
    pub back: String,
    /// What was typed, without the form token; empty where nothing is shown again. Secrets are never in it.
    pub fields: Vec<(String, String)>,
}

impl Refusal {
    /// Why, for the page that it was posted from: without the names of fields, which the page shows.
    pub fn message(&self) -> String {
        match &self.error {
            Error::Invalid { problems } => problems.iter().map(|problem| problem.message.as_str()).collect::<Vec<_>>().join(" "),
            error => error.to_string(),
        }
    }
}

/// What the person posted and was refused.
#[async_trait]
pub trait Refusals: Send + Sync {
    /// Keeps one; the answer is its id.
    async fn keep_refusal(&self, refusal: &Refusal) -> Result<String>;
    /// One of this person, as long as it is kept.
    async fn refusal(&self, id: &str) -> Result<Option<Refusal>>;
}

/// Why someone could not sign in. It is part of the address of the sign-in page: there is no person yet for whom it could be saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignInProblem {
    /// There is no such sample person.
    UnknownPerson,
    /// Sample people can be chosen on the machine of the portal alone.
    Elsewhere,
    /// What was pasted cannot be a token.
    NotAToken,
    /// The server does not accept the token.
    TokenRefused,
    /// There were too many attempts; in this many seconds there can be another.
    TooManyAttempts(u64),
    /// The server or the database does not respond.
    Unavailable,
}

impl SignInProblem {
    /// Its name in addresses.
    pub const fn word(self) -> &'static str {
        match self {
            Self::UnknownPerson => "unknown-person",
            Self::Elsewhere => "elsewhere",
            Self::NotAToken => "not-a-token",
            Self::TokenRefused => "token-refused",
            Self::TooManyAttempts(_) => "too-many-attempts",
            Self::Unavailable => "unavailable",
        }
    }

    /// Reads the name, and how long to wait where that matters.
    pub fn parse(word: &str, seconds: u64) -> Option<Self> {
        let all = [
            Self::UnknownPerson,
            Self::Elsewhere,
            Self::NotAToken,
            Self::TokenRefused,
            Self::TooManyAttempts(seconds.clamp(1, 3600)),
            Self::Unavailable,
        ];
        all.into_iter().find(|problem| problem.word() == word)
    }

    /// Status of the page that shows it.
    pub const fn status(self) -> u16 {
        match self {
            Self::UnknownPerson | Self::Elsewhere | Self::NotAToken | Self::TokenRefused => 403,
            Self::TooManyAttempts(_) => 429,
            Self::Unavailable => 503,
        }
    }
}

/// The session of the browser that acts.
#[async_trait]
pub trait Sessions: Send + Sync {
    /// Begins one of a sample person, or of the holder of a token; an earlier one ends. The cookies for the browser.
    async fn begin(&self, person: &str, token: &str) -> std::result::Result<Vec<String>, SignInProblem>;
    /// Ends it. The cookie makes the browser forget it, also where it could not be ended.
    async fn end(&self) -> (String, Result<()>);
}

/// Workspaces that the person may enter.
#[async_trait]
pub trait Workspaces: Send + Sync {
    /// The tree, narrowed by words.
    async fn workspaces(&self, query: &str) -> Result<WorkspaceTree>;
}

/// What things cost, as far as the person may list the requests that it is for.
#[async_trait]
pub trait Cost: Send + Sync {
    /// A month.
    async fn cost(&self, query: &CostQuery) -> Result<CostPage>;
    /// The same as a file for a spreadsheet.
    async fn cost_export(&self, query: &CostQuery) -> Result<CostFile>;
    /// The same with the columns of FOCUS.
    async fn cost_focus(&self, query: &CostQuery) -> Result<CostFile>;
}

/// Everything that pages ask for a signed-in person.
pub trait Backend:
    Account + Approvals + Catalog + Cost + Notices + Platform + Refusals + Requests + Resources + Views + Workspaces
{
}

impl<T> Backend for T where
    T: Account + Approvals + Catalog + Cost + Notices + Platform + Refusals + Requests + Resources + Views + Workspaces
{
}

/// What every page is given by the server, through leptos' context.
#[derive(Clone)]
pub struct Visit {
    /// The person; nobody is signed in without.
    pub backend: Option<Arc<dyn Backend>>,
    /// People who may sign in on the embedded plane; empty elsewhere, where people bring a token.
    pub people: Arc<[Person]>,
    /// The token that the form of the sign-in page carries.
    pub sign_in_token: String,
    /// Nonce of this answer's content security policy.
    pub nonce: String,
    /// Addresses of style sheet, script and wasm.
    pub assets: Arc<Assets>,
    /// `light`, `dark`, or empty for what the system says.
    pub theme: String,
    /// Whether there are policies that the person may look after.
    pub platform: bool,
    /// How many requests wait for the person's decision; nothing for those who have no part in decisions.
    pub waits: Option<usize>,
    /// How many notifications are new; nothing when nobody can tell.
    pub unread: Option<u64>,
    /// Whether the portal runs on its embedded plane, which every page says.
    pub embedded: bool,
    /// What operators call the server that the portal works on.
    pub server: String,
    /// The address of this page, path and query.
    pub address: String,
    /// Under which the log has what is said about this visit.
    pub reference: String,
    /// The time of this visit, RFC 3339, for spans such as "4 min ago".
    pub now: String,
}

impl Visit {
    /// The person's portal.
    ///
    /// # Errors
    /// No one is signed in.
    pub fn backend(&self) -> Result<Arc<dyn Backend>> {
        self.backend.clone().ok_or(Error::Unauthenticated)
    }

    /// What was refused on this page a moment ago, by the id in its address.
    pub async fn refusal(&self, id: &str) -> Option<Refusal> {
        match &self.backend {
            // Where it can't be read, the page is shown as it is.
            Some(backend) if !id.is_empty() => backend.refusal(id).await.unwrap_or_default(),
            _ => None,
        }
    }
}

/// Addresses of what the browser loads, named by content.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize)]
pub struct Assets {
    /// Style sheet.
    pub style: String,
    /// Script for copying and for what follows typing.
    #[serde(default)]
    pub page: String,
    /// Script for the keys of the inbox.
    #[serde(default)]
    pub inbox: String,
    /// Script of the live part.
    pub script: String,
    /// Its wasm.
    pub wasm: String,
}
