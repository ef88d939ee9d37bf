//! State shared by all parts of the running portal.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use cluster::controller::ControllerState;
use cluster::policies::PolicyBook;
use cluster::revisions::CompiledRevisions;
use cluster::{ClusterId, Endpoint, Scope, Token, WorkspacePath, World};
use jiff::Timestamp;
use ledger::{Ledger, Months};
use notify::{Notify, People};
use promise::identity::PersonId;
use store::Store;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::approvals::approval_index::ApprovalIndex;
use super::by_place::ByPlace;
use super::caller::{Callers, Renewals};
use super::catalog::index::CatalogIndex;
use super::catalog::prices::ListPrices;
use super::cost::shortfalls::Shortfalls;
use super::fleet::Rollouts;
use super::navigation::Navigations;
use super::register::Register;
use super::requests::cheaper::CheaperChoices;
use super::requests::index::RequestIndex;
use super::requests::references::References;
use super::resources::Shelf;
use super::rights::Rights;
use super::runs::index::RunIndex;
use super::search::SearchIndex;
use crate::audit::AuditLog;
use crate::auth::SignIn;
use crate::background::Background;
use crate::clock::Clock;
use crate::config::PlaneKind;
use crate::limits::{RequestLimits, Streams};
use crate::sample::Person;
use crate::web::assets::Assets;
use crate::web::response_cache::ResponseCache;

/// The running portal.
pub struct Portal {
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The random source.
    pub random: Arc<dyn store::Random>,
    /// The database, with sessions and drafts.
    pub store: Store,
    /// Kind of plane.
    pub plane: PlaneKind,
    /// The plane of this process; `None` when it runs elsewhere.
    pub embedded: Option<devplane::Plane>,
    /// Endpoint of the plane.
    pub endpoint: Endpoint,
    /// Token of the portal's own identity there, with which it impersonates people whose identity provider the plane doesn't trust.
    pub token: Token,
    /// Scope in which all users of the plane can ask who they are.
    pub account: Scope,
    /// Caches that the portal watches as itself, if it does.
    pub world: World,
    /// Whether they are filled. A process that is a controller alone reads only from them which shards its controller doesn't read.
    pub keeps_caches: bool,
    /// State of this process's controller; `None` when it runs elsewhere.
    pub controller: Option<watch::Receiver<ControllerState>>,
    /// Access checks for people.
    pub rights: Rights,
    /// Recently verified callers.
    pub callers: Callers,
    /// Turns to replace the tokens of sessions.
    pub renewals: Renewals,
    /// Names of the people who signed in.
    pub people: Arc<People>,
    /// How people sign in.
    pub sign_in: SignIn,
    /// Homes that can offer promises to the whole workspace tree.
    pub trusted_homes: Vec<WorkspacePath>,
    /// Host and port under which people reach the portal, if they differ from the listen address.
    pub public_authority: Option<String>,
    /// The same with its scheme.
    pub public_url: Option<String>,
    /// Whether that address is an `https://` one.
    pub public_secure: bool,
    /// Files of the built site.
    pub assets: Assets,
    /// The audit log.
    pub audit: AuditLog,
    /// State of the background tasks.
    pub background: Background,
    /// Limits per person, token and address.
    pub limits: RequestLimits,
    /// Revisions with compiled expressions.
    pub compiled: Arc<CompiledRevisions>,
    /// All policies, parsed.
    pub policies: Arc<PolicyBook>,
    /// Open approvals and past decisions.
    pub approval_index: ApprovalIndex,
    /// Provisioned resources, by the place of their requests.
    pub shelves: ByPlace<Shelf>,
    /// All requests, with the values that lists filter and sort by.
    pub request_index: RequestIndex,
    /// Counts of all requests, by place.
    pub register: Register,
    /// What the navigation of each session counts.
    pub navigations: Navigations,
    /// Responses of the last moment.
    pub responses: ResponseCache,
    /// Number of changes that people made through this process.
    pub writes: AtomicU64,
    /// Everything that can be found by words.
    pub search: SearchIndex,
    /// Offered promises, sorted and indexed for search.
    pub catalogs: CatalogIndex,
    /// Prices shown in catalog rows.
    pub list_prices: ListPrices,
    /// Monthly costs.
    pub months: Months,
    /// Differences between costs and estimates.
    pub shortfalls: Shortfalls,
    /// Choices that make instances cheaper.
    pub cheaper: CheaperChoices,
    /// Names that forms suggested a moment ago.
    pub references: References,
    /// Notifications.
    pub notify: Notify,
    /// What wakes rollouts, and who follows them.
    pub(crate) rollouts: Rollouts,
    /// Runs of actions, by request.
    pub runs: RunIndex,
    /// Open event streams.
    pub streams: Streams,
    /// Cancelled when the process shuts down; ends event streams.
    pub shutdown: CancellationToken,
}

impl Portal {
    /// Returns the name that pages show for a person. For a ServiceAccount it contains the path of the workspace, if known, instead of the
    /// id.
    pub fn called(&self, person: &PersonId) -> String {
        let cluster = person.cluster().and_then(|cluster| ClusterId::parse(cluster).ok());
        let path = cluster.and_then(|cluster| self.world.tree().path(&cluster));
        path.map_or_else(|| person.to_string(), |path| format!("{}@{path}", person.username()))
    }

    /// Returns until when a session that is used at `now` can rest.
    pub fn rests(&self, now: Timestamp) -> Timestamp {
        now.saturating_add(self.sign_in.lifetime.idle).unwrap_or(now)
    }

    /// Returns the cost ledger.
    pub fn ledger(&self) -> Ledger<'_> {
        let Self { store, world, notify, months, trusted_homes, .. } = self;
        Ledger { store, world, notify, months, trusted_homes }
    }

    /// Returns the name of a person by their id: the one from their last sign-in, or else the username as in [`Portal::called`].
    pub fn named(&self, person: &PersonId) -> String {
        let names = self.people.names();
        let name = names.of(person);
        if name == person.username() { self.called(person) } else { name.to_owned() }
    }

    /// Returns the person with this name among those of the sample world.
    pub fn person(&self, name: &str) -> Option<&Person> {
        self.sign_in.people().find(|person| person.name == name)
    }
}
