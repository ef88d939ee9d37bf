//! Ports that pages call: one for each noun, implemented by the server on the user's behalf. Present in the server build only.
//!
//! Every method acts as one verified user; there is no way to call it as someone else. Errors are [`promise::Error`], rendered by the page.
//! Workspaces are identified by path; the answer is the same whether a workspace doesn't exist or the user has no access to it.
//! Methods that change something are called by the server functions of [`crate::actions`].

mod assets;
mod audit;
mod authoring;
mod form_of;
mod policy_text;
mod presets;
mod preview_text;
mod promise_text;
mod runs;
mod sign_in_problem;
mod steps;
mod troubleshooting;

use std::sync::Arc;

use crate::ui::Reading;
use crate::view::{
    AddsPage, AlikePage, CatalogPage, CatalogQuery, CostFile, CostPage, CostQuery, DeliveriesPage, DeliveriesQuery, DraftLine,
    EmergenciesPage, FormOutcome, GoneView, Home, InboxPage, InboxQuery, InstancesPage, NoticeRules, NoticesPage, NoticesQuery, ObjectKey,
    ObjectPage, OverviewPage, OverviewQuery, Person, PoliciesPage, PoliciesQuery, PolicyForm, PolicyFormOutcome, PolicyPage, PromiseKey,
    PromisePage, PromisePreview, PromisesPage, PromisesQuery, ReleasesPage, RequestForm, RequestPage, RequestPart, RequestQuery,
    RequestsPage, ResourceQuery, ResourcesPage, ReviewPage, SavedList, SavedViews, SearchPage, SearchQuery, Selection, SessionLine,
    SignInProvider, StandInPage, Viewer, WorkspacePage, WorkspaceTree,
};
use async_trait::async_trait;
use promise::date::{DateStyle, Zone};
use promise::people::PeopleNames;
use promise::{Error, Result};
use serde::{Deserialize, Serialize};

pub use assets::Assets;
pub use audit::Audit;
pub use authoring::{Authoring, Fleet};
pub use form_of::FormOf;
pub use policy_text::{PolicyText, Sample};
pub use presets::{PresetOf, Presets};
pub use preview_text::PreviewText;
pub use promise_text::PromiseText;
pub use runs::{ActionOf, RunOf, Runs};
pub use sign_in_problem::SignInProblem;
pub use steps::{StepOf, Steps};
pub use troubleshooting::{LogQuery, Troubleshooting};

/// Ordered name/value pairs of a posted form.
pub type Pairs = [(String, String)];

/// The signed-in user, and what needs their attention.
#[async_trait]
pub trait Account: Send + Sync {
    /// Returns the user.
    fn viewer(&self) -> Viewer;
    /// Returns what is waiting for the user, and what is recent.
    async fn home(&self) -> Result<Home>;
    /// Hides what newcomers can try first.
    async fn dismiss_tour(&self) -> Result<()>;
    /// Returns the user's sessions, the one that was used last first.
    async fn sessions(&self) -> Result<Vec<SessionLine>>;
    /// Ends one of the user's other sessions, or all of them with the id [`crate::actions::OTHERS`].
    async fn end_session(&self, id: &str) -> Result<()>;
}

/// The catalog of a workspace.
#[async_trait]
pub trait Catalog: Send + Sync {
    /// Returns the offers of a workspace, filtered.
    async fn catalog(&self, workspace: &str, query: &CatalogQuery) -> Result<CatalogPage>;
    /// Returns one promise; `home` is the home of a shadowed promise.
    async fn promise(&self, workspace: &str, name: &str, home: Option<&str>) -> Result<PromisePage>;
    /// Returns a page of the instances of a promise that the user can list, in every workspace.
    async fn instances(&self, workspace: &str, name: &str, home: Option<&str>, page: usize) -> Result<InstancesPage>;
    /// Adds a promise to the user's favourites, or removes it. Only promises that the workspace shows to the user can be added.
    async fn set_favourite_promise(&self, workspace: &str, key: &PromiseKey, favourite: bool) -> Result<()>;
}

/// A decision, as it was posted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vote {
    /// The approval rule that the decision is for, as [`crate::view::Asked`] names it.
    pub rule: String,
    /// The content that the user saw.
    pub hash: String,
    /// `approve`, `reject` or `requestChanges`.
    pub decision: String,
    /// Whether it overrides all other approvers.
    pub emergency: bool,
    /// Why; can be empty.
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

/// Decisions about requests. A request is identified by its uid; the answer is the same whether it doesn't exist or the user has no access
/// to it.
#[async_trait]
pub trait Approvals: Send + Sync {
    /// Returns how many requests are waiting for the user, as far as known; `None` for users who take no part in decisions.
    async fn waits(&self) -> Option<usize>;
    /// Returns a page of the inbox, filtered.
    async fn inbox(&self, query: &InboxQuery) -> Result<InboxPage>;
    /// Returns one request with everything needed to decide on it; `since` is the content since which changes are shown, or empty.
    async fn review(&self, uid: &str, since: &str) -> Result<ReviewPage>;
    /// Saves the user's decision for exactly the content that they saw. A conflict means that the content has changed since.
    async fn decide(&self, uid: &str, vote: &Vote) -> Result<()>;
    /// Returns all open requests of the same shape as this one.
    async fn alike(&self, uid: &str) -> Result<AlikePage>;
    /// Makes the same decision about several requests of one shape, each given by uid and hash. Returns how many were decided.
    async fn decide_together(&self, vote: &Vote, items: &[(String, String)]) -> Result<usize>;
    /// Adds a comment.
    async fn comment(&self, uid: &str, text: &str) -> Result<()>;
    /// Requests approval again after it was rejected, withdrawn, or expired.
    async fn ask_again(&self, uid: &str) -> Result<()>;
    /// Withdraws the request for approval of a content.
    async fn withdraw(&self, uid: &str, hash: &str) -> Result<()>;
    /// Returns a page of the emergency approvals that the user can list.
    async fn emergencies(&self, page: usize) -> Result<EmergenciesPage>;
}

/// Requests of a workspace.
#[async_trait]
pub trait Requests: Send + Sync {
    /// Returns a page of the list, filtered; an empty path stands for all workspaces.
    async fn requests(&self, workspace: &str, query: &RequestQuery) -> Result<RequestsPage>;
    /// Returns all matching requests as comma-separated values; an empty path stands for all workspaces.
    async fn requests_csv(&self, workspace: &str, query: &RequestQuery) -> Result<String>;
    /// Returns one request, with what a part of its page shows.
    async fn request(&self, workspace: &str, namespace: &str, name: &str, part: RequestPart) -> Result<RequestPage>;
    /// Returns the form with the values of a draft; a draft of another user counts as none, unless it is shared with people who can submit
    /// the form.
    async fn form(&self, workspace: &str, form: FormOf<'_>, draft: Option<&str>) -> Result<RequestForm>;
    /// Returns the form with the posted values and the preflight of them, and saves them as a draft of users who can submit it; with
    /// `_op=rehearse` the plane is asked too.
    async fn preflight(&self, workspace: &str, form: FormOf<'_>, pairs: &Pairs) -> Result<RequestForm>;
    /// Returns what the platform would create from the values of a draft, line by line.
    async fn adds(&self, workspace: &str, form: FormOf<'_>, draft: Option<&str>) -> Result<AddsPage>;
    /// Returns what the platform created for a request, line by line.
    async fn added(&self, workspace: &str, namespace: &str, name: &str) -> Result<AddsPage>;
    /// Returns the releases of a request, and what differs between two of them; empty names compare nothing.
    async fn releases(&self, workspace: &str, namespace: &str, name: &str, compared: (&str, &str)) -> Result<ReleasesPage>;
    /// Rolls out what changed policies change in a request: exactly the changes that the user saw, identified by their digest.
    async fn roll_out(&self, workspace: &str, namespace: &str, name: &str, digest: &str) -> Result<()>;
    /// Retries the steps of a workflow whose attempt of this number failed.
    async fn retry_workflow(&self, workspace: &str, namespace: &str, name: &str, attempt: u32) -> Result<()>;
    /// Cancels the attempt of this number of a workflow.
    async fn cancel_workflow(&self, workspace: &str, namespace: &str, name: &str, attempt: u32) -> Result<()>;
    /// Handles a posted form: its `_op` says whether to change the form, check, review or save.
    async fn post(&self, workspace: &str, form: FormOf<'_>, pairs: &Pairs) -> Result<FormOutcome>;
    /// Deletes a request; `confirmation` is its name, typed again.
    async fn delete(&self, workspace: &str, namespace: &str, name: &str, confirmation: &str) -> Result<()>;
    /// Returns who last deleted a request of this name, for users who can list requests there. `None` if no one did through the portal.
    async fn gone(&self, workspace: &str, namespace: &str, name: &str) -> Result<Option<GoneView>>;
    /// Notes that the user reveals a secret output that they can read, and returns a grant with which this session sees it for a moment.
    async fn reveal(&self, workspace: &str, namespace: &str, name: &str, output: &str) -> Result<String>;
    /// Returns the value of a secret output, read as the user. `None` without a grant that still lasts.
    async fn revealed(&self, workspace: &str, namespace: &str, name: &str, output: &str, grant: &str) -> Result<Option<String>>;
}

/// The user's drafts of request forms.
#[async_trait]
pub trait Drafts: Send + Sync {
    /// Returns the drafts, newest first; only those of a workspace, if one is given.
    async fn drafts(&self, workspace: Option<&str>) -> Result<Vec<DraftLine>>;
    /// Shares a draft with the people who can submit its form, or stops sharing it.
    async fn share_draft(&self, id: &str, shared: bool) -> Result<()>;
    /// Deletes a draft with the other steps of its form; it doesn't have to exist.
    async fn discard_draft(&self, id: &str) -> Result<()>;
}

/// Objects that were created for requests.
#[async_trait]
pub trait Resources: Send + Sync {
    /// Returns a page of the list of objects, filtered.
    async fn resources(&self, workspace: &str, query: &ResourceQuery) -> Result<ResourcesPage>;
    /// Returns all matching objects as comma-separated values.
    async fn resources_csv(&self, workspace: &str, query: &ResourceQuery) -> Result<String>;
    /// Returns one object that was created for a request. The answer is the same whether the request or object doesn't exist or the user
    /// has no access to it.
    async fn object(&self, workspace: &str, namespace: &str, request: &str, object: &ObjectKey) -> Result<ObjectPage>;
}

/// What platform teams manage.
#[async_trait]
pub trait Platform: Send + Sync {
    /// Returns whether the user manages anything, so that the navigation links to it. An error means that this can't be determined.
    async fn governs(&self) -> Result<bool>;
    /// Returns an overview of the requests that the user can list.
    async fn overview(&self, query: &OverviewQuery) -> Result<OverviewPage>;
    /// Returns the promises in workspaces where the user can list them, filtered.
    async fn promises(&self, query: &PromisesQuery) -> Result<PromisesPage>;
    /// Returns the preview of a draft's document, of a promise that the user can read (its workspace and name), or of nothing yet.
    async fn promise_preview(&self, draft: Option<&str>, of: Option<(&str, &str)>) -> Result<PromisePreview>;
    /// Saves what was typed into the preview. Returns the draft's id.
    async fn preview_promise(&self, typed: &PreviewText) -> Result<String>;
    /// Returns the policies that the user can read, filtered.
    async fn policies(&self, query: &PoliciesQuery) -> Result<PoliciesPage>;
    /// Returns one policy. `from` is the workspace in which the user found one of its rules: users whom the rule affects there can read
    /// what it says. `sample` are values to try.
    async fn policy(&self, workspace: &str, name: &str, from: &str, sample: Option<&Sample>) -> Result<PolicyPage>;
    /// Returns the text of a policy, or the start of a new one; the text of a draft comes with the results of its check. A draft of another
    /// user counts as none.
    /// `rule` is the position of the rule that the form shows; `None` shows the YAML.
    async fn policy_form(&self, workspace: &str, name: Option<&str>, draft: Option<&str>, rule: Option<usize>) -> Result<PolicyForm>;
    /// Returns the form with what was just typed and its effect, and saves it as a draft.
    async fn policy_preflight(&self, typed: &PolicyText) -> Result<PolicyForm>;
    /// Checks or saves a posted text, as the user.
    async fn write_policy(&self, typed: &PolicyText) -> Result<PolicyFormOutcome>;
    /// Disables or enables a policy, as the user.
    async fn switch_policy(&self, workspace: &str, name: &str, disabled: bool) -> Result<()>;
    /// Deletes a policy, as the user; `confirmation` is its name, typed again.
    async fn delete_policy(&self, workspace: &str, name: &str, confirmation: &str) -> Result<()>;
}

/// The user's notifications and notification settings.
#[async_trait]
pub trait Notices: Send + Sync {
    /// Returns how many notifications are new; `None` if that is unknown.
    async fn unread(&self) -> Option<u64>;
    /// Returns a page of the user's notifications.
    async fn notices(&self, query: &NoticesQuery) -> Result<NoticesPage>;
    /// Marks notifications as read; with all selected, those that arrived up to `until`, an RFC 3339 time.
    async fn mark_read(&self, which: &Selection, until: &str) -> Result<()>;
    /// Returns the user's notification settings; with `typed`, those of a posted form and what is wrong with them. Nothing is saved.
    async fn notice_rules(&self, typed: Option<&Pairs>) -> Result<NoticeRules>;
    /// Saves posted notification settings, as `promise::notify::Settings::parse` reads them.
    async fn save_notice_rules(&self, pairs: &Pairs) -> Result<()>;
    /// Returns the user's delegate, and the users that the user is a delegate for; with `typed`, the fields of a posted form and what is
    /// wrong with them. Nothing is saved.
    async fn stand_in(&self, typed: Option<&Pairs>) -> Result<StandInPage>;
    /// Saves the user's delegate: fields `deputy`, `from` and `to`.
    async fn set_delegate(&self, pairs: &Pairs) -> Result<()>;
    /// Ends the delegation; there doesn't have to be one.
    async fn end_delegation(&self) -> Result<()>;
    /// Returns whether the user manages the platform, so that pages link to failed deliveries.
    async fn delivers(&self) -> bool;
    /// Returns messages by delivery state, for users who manage the platform.
    async fn deliveries(&self, query: &DeliveriesQuery) -> Result<DeliveriesPage>;
    /// Resends messages whose delivery was given up.
    async fn send_again(&self, which: &Selection) -> Result<()>;
}

/// Saved views: filters that the user has named.
#[async_trait]
pub trait Views: Send + Sync {
    /// Returns the user's views of a list whose current filter is `filter`. `workspace` is empty for lists of which there is only one, and
    /// for the requests of all workspaces.
    async fn saved_views(&self, list: SavedList, workspace: &str, filter: Vec<(String, String)>) -> SavedViews;
    /// Saves a posted filter under its title.
    async fn save_view(&self, pairs: &Pairs) -> Result<()>;
    /// Renames a view.
    async fn rename_view(&self, id: &str, title: &str) -> Result<()>;
    /// Deletes a view; it doesn't have to exist.
    async fn forget_view(&self, id: &str) -> Result<()>;
}

/// Why a post was refused: saved privately for a while, so that a page can show it each time it is opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// Why.
    pub error: Error,
    /// The page that it was posted from.
    pub back: String,
    /// What was typed, without the form token; empty if it isn't shown again. Secrets are never in it.
    pub fields: Vec<(String, String)>,
}

impl Refusal {
    /// Returns what was typed in a field; empty if it isn't shown again.
    pub fn typed(&self, field: &str) -> &str {
        self.fields.iter().find(|(name, _)| name == field).map(|(_, value)| value.as_str()).unwrap_or_default()
    }

    /// Returns the reason for the page that the form was posted from: without field names, because that page shows the fields.
    pub fn message(&self) -> String {
        match &self.error {
            Error::Invalid { problems } => problems.iter().map(|problem| problem.message.as_str()).collect::<Vec<_>>().join(" "),
            error => error.to_string(),
        }
    }
}

/// Refused posts of the user.
#[async_trait]
pub trait Refusals: Send + Sync {
    /// Saves a refusal and returns its id.
    async fn keep_refusal(&self, refusal: &Refusal) -> Result<String>;
    /// Returns a refusal of this user, as long as it is saved.
    async fn refusal(&self, id: &str) -> Result<Option<Refusal>>;
}

/// The browser's session.
#[async_trait]
pub trait Sessions: Send + Sync {
    /// Starts a session for a sample user, or for the holder of a token, and ends an earlier one. Returns the cookies for the browser.
    async fn begin(&self, person: &str, token: &str) -> std::result::Result<Vec<String>, SignInProblem>;
    /// Ends the session. The cookies make the browser forget it, even if it couldn't be ended. Returns the name of the identity provider where
    /// it began.
    async fn end(&self) -> (Vec<String>, Result<Option<String>>);
}

/// Workspaces that the user can enter.
#[async_trait]
pub trait Workspaces: Send + Sync {
    /// Returns the tree, filtered by words.
    async fn workspaces(&self, query: &str) -> Result<WorkspaceTree>;
    /// Returns one workspace: what is in it, what applies to it, and who can do what there.
    async fn workspace(&self, path: &str) -> Result<WorkspacePage>;
    /// Adds a workspace to the user's favourites, or removes it. Only workspaces that the user can enter can be added.
    async fn set_favourite(&self, workspace: &str, favourite: bool) -> Result<()>;
}

/// Search over everything that the user can list.
#[async_trait]
pub trait Search: Send + Sync {
    /// Returns a page of results: promises that the workspace offers, and the requests, resources, workspaces and policies that the user can
    /// list.
    async fn search(&self, query: &SearchQuery) -> Result<SearchPage>;
}

/// Cost of the requests that the user can list.
#[async_trait]
pub trait Cost: Send + Sync {
    /// Returns the cost of a month.
    async fn cost(&self, query: &CostQuery) -> Result<CostPage>;
    /// Returns the same as a file for a spreadsheet.
    async fn cost_export(&self, query: &CostQuery) -> Result<CostFile>;
    /// Returns the same with the columns of FOCUS.
    async fn cost_focus(&self, query: &CostQuery) -> Result<CostFile>;
}

/// Every port that pages call, for a signed-in user.
pub trait Backend:
    Account
    + Approvals
    + Audit
    + Authoring
    + Catalog
    + Cost
    + Drafts
    + Fleet
    + Notices
    + Platform
    + Presets
    + Refusals
    + Requests
    + Resources
    + Runs
    + Search
    + Steps
    + Troubleshooting
    + Views
    + Workspaces
{
}

impl<T> Backend for T where
    T: Account
        + Approvals
        + Audit
        + Authoring
        + Catalog
        + Cost
        + Drafts
        + Fleet
        + Notices
        + Platform
        + Presets
        + Refusals
        + Requests
        + Resources
        + Runs
        + Search
        + Steps
        + Troubleshooting
        + Views
        + Workspaces
{
}

/// What the server provides to every page, through Leptos context.
#[derive(Clone)]
pub struct Visit {
    /// Backend of the signed-in user; `None` if no one is signed in.
    pub backend: Option<Arc<dyn Backend>>,
    /// People of the embedded plane who can be chosen at the sign-in.
    pub people: Arc<[Person]>,
    /// Identity providers with which users can sign in.
    pub providers: Vec<SignInProvider>,
    /// Whether users can sign in with a bearer token.
    pub takes_tokens: bool,
    /// Token in the form of the sign-in page.
    pub sign_in_token: String,
    /// Nonce of this answer's content security policy.
    pub nonce: String,
    /// Addresses of style sheet, script and wasm.
    pub assets: Arc<Assets>,
    /// `light`, `dark`, or empty for the system's theme.
    pub theme: String,
    /// Paths of the workspaces that this browser had open, latest first.
    pub recent: Vec<String>,
    /// Path of the workspace where the user works, if this browser had none open yet.
    pub works_in: Option<String>,
    /// Paths of the user's favourite workspaces.
    pub favourites: Vec<String>,
    /// Paths of the workspaces above the one in the address that the user can enter.
    pub above: Vec<String>,
    /// Path of the workspace in the address, if the user can create requests there, as far as it is known.
    pub creates_in: Option<String>,
    /// The user's favourite promises.
    pub favourite_promises: Vec<PromiseKey>,
    /// Whether there are policies that the user can manage.
    pub platform: bool,
    /// Number of requests waiting for the user's decision; `None` for users who take no part in decisions.
    pub waits: Option<usize>,
    /// Number of new notifications; `None` if that is unknown.
    pub unread: Option<u64>,
    /// Whether the portal runs on its embedded plane, which every page mentions.
    pub embedded: bool,
    /// Whether this browser has dismissed the note that says so.
    pub demo_dismissed: bool,
    /// Name that operators gave the server that the portal works on.
    pub server: String,
    /// Address of this page: path and query.
    pub address: String,
    /// Reference of this visit in the log.
    pub reference: String,
    /// The time of this visit, RFC 3339, for spans such as "4 min ago".
    pub now: String,
    /// Names of people.
    pub names: PeopleNames,
    /// How the reader writes dates.
    pub dates: DateStyle,
    /// The reader's time zone; UTC if it isn't known.
    pub zone: Zone,
}

impl Visit {
    /// Returns the backend of the signed-in user.
    ///
    /// # Errors
    /// If no one is signed in.
    pub fn backend(&self) -> Result<Arc<dyn Backend>> {
        self.backend.clone().ok_or(Error::Unauthenticated)
    }

    /// Returns the workspace that pages of no workspace lead to: the last one that was open, or else where the user works.
    pub fn workspace(&self) -> Option<&str> {
        self.recent.first().or(self.works_in.as_ref()).map(String::as_str)
    }

    /// Returns what the parts of the page need to know about the visit.
    pub fn reading(&self) -> Reading {
        Reading { names: self.names.clone(), dates: self.dates, zone: self.zone.clone(), now: self.now.as_str().into() }
    }

    /// Returns the recent refusal of a form on this page, by the id in the page's address.
    pub async fn refusal(&self, id: &str) -> Option<Refusal> {
        match &self.backend {
            // If it can't be read, the page is shown without it.
            Some(backend) if !id.is_empty() => backend.refusal(id).await.unwrap_or_default(),
            _ => None,
        }
    }
}
