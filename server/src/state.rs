//! What all parts of the running portal share.

use std::sync::Arc;

use cluster::fulfil::Standing;
use cluster::policies::PolicyBook;
use cluster::revisions::CompiledRevisions;
use cluster::{ClusterId, Endpoint, Scope, WorkspacePath, World};
use promise::identity::PersonId;
use store::Store;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::auth::{Callers, Doors};
use crate::background::Background;
use crate::clock::Clock;
use crate::config::PlaneKind;
use crate::ledger::Months;
use crate::limits::RequestLimits;
use crate::live::Streams;
use crate::notify::Notify;
use crate::portal::approvals::docket::Docket;
use crate::portal::by_place::ByPlace;
use crate::portal::catalog::index::CatalogIndex;
use crate::portal::catalog::prices::ListPrices;
use crate::portal::register::Register;
use crate::portal::requests::cheaper::CheaperChoices;
use crate::portal::resources::Shelf;
use crate::portal::rights::Rights;
use crate::sample::Person;
use crate::web::assets::Assets;

/// The running portal.
pub struct Portal {
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub random: Arc<dyn store::Random>,
    /// Sessions and drafts.
    pub store: Store,
    /// Which plane it is.
    pub plane: PlaneKind,
    /// The plane of this process; none when it runs elsewhere.
    pub embedded: Option<devplane::Plane>,
    /// How the plane is reached.
    pub endpoint: Endpoint,
    /// Where everybody whom it knows may ask who they are.
    pub account: Scope,
    /// What the portal knows by itself.
    pub world: World,
    /// What the controller of this process does; none when it runs elsewhere.
    pub controller: Option<watch::Receiver<Standing>>,
    /// What people may do.
    pub rights: Rights,
    /// Verified callers of the last moments.
    pub callers: Callers,
    /// How people come in.
    pub doors: Doors,
    /// Homes that may offer across the tree.
    pub trusted_homes: Vec<WorkspacePath>,
    /// Host and port under which people reach the portal, when it is not where it listens.
    pub public_authority: Option<String>,
    /// Whether that address is an `https://` one.
    pub public_secure: bool,
    /// Files of the built site.
    pub assets: Assets,
    /// How the tasks beside requests are.
    pub background: Background,
    /// What one person, token or address can take.
    pub limits: RequestLimits,
    /// Revisions whose expressions were read.
    pub compiled: Arc<CompiledRevisions>,
    /// All policies, read.
    pub policies: Arc<PolicyBook>,
    /// What people are asked about, and what they decided.
    pub docket: Docket,
    /// What was made, by where its requests are.
    pub shelves: ByPlace<Shelf>,
    /// All requests, counted by where they are.
    pub register: Register,
    /// What is offered, in order and ready to be searched.
    pub catalogs: CatalogIndex,
    /// Prices in rows of catalogs.
    pub list_prices: ListPrices,
    /// What months have cost.
    pub months: Months,
    /// Choices by which instances cost less.
    pub cheaper: CheaperChoices,
    /// Telling people what happened.
    pub notify: Notify,
    /// Open event streams.
    pub streams: Streams,
    /// Ends event streams when the process is asked to end.
    pub shutdown: CancellationToken,
}

impl Portal {
    /// What pages call a person. A ServiceAccount has the path of its workspace, where that is known, instead of the id.
    pub fn called(&self, person: &PersonId) -> String {
        let cluster = person.cluster().and_then(|cluster| ClusterId::parse(cluster).ok());
        let path = cluster.and_then(|cluster| self.world.tree().path(&cluster));
        path.map_or_else(|| person.to_string(), |path| format!("{}@{path}", person.username()))
    }

    /// The person of that name among those who can be chosen on the sign-in page.
    pub fn person(&self, name: &str) -> Option<&Person> {
        self.doors.people().find(|person| person.name == name)
    }
}
