//! `opm-portal seed`: creates a world with many finished instances, for benchmarks and demos.
//!
//! The controller fulfils one instance of each kind ([`pattern`]); all others are copies with their own names, uids and digests ([`form`],
//! [`copy`]), written into the plane's file in batches. So everything is in the state in which the controller leaves it, and a controller
//! that starts on it finds nothing to do. Costs are written by the ledger's own steps ([`history`]).

mod copy;
mod draw;
mod error;
mod form;
mod history;
mod kinds;
mod pattern;
mod places;
mod template;

use std::path::{Path, PathBuf};
use std::time::Duration;

use devplane::sandbox::Pace;
use notify::NotifyConfig;
use serde::{Deserialize, Serialize};

use crate::audit::AuditConfig;
use crate::clock::{Clock as _, System};
use crate::config::{Config, DatabaseUrl, PlaneConfig, SeedArgs, SignInConfig, Storage};
use crate::limits::LimitsConfig;
use crate::plane::folder::{Folder, write_private};
use crate::plane::identity;
use crate::sample::load::Loader;
use crate::serve::{Edges, Running};

pub use error::SeedError;

/// How long anything can take to settle.
const PATIENCE: Duration = Duration::from_secs(120);
/// File in the data directory that records what was seeded.
const MARK: &str = "seeded.json";
/// Maximum number of workspaces.
const WORKSPACES: usize = 10_000;

/// What to seed.
#[derive(Clone, Debug)]
pub struct Seed {
    /// Data directory of an embedded plane.
    pub data: PathBuf,
    /// The database server of the ledger; a file in the data directory if absent.
    pub database: Option<DatabaseUrl>,
    /// Number of instances.
    pub instances: usize,
    /// Number of team workspaces.
    pub workspaces: usize,
    /// Random seed for kinds, projects and ages.
    pub seed: u64,
    /// Age of the oldest instance, in days.
    pub days: u32,
    /// How many days back the cost ledger starts.
    pub ledger_days: u32,
}

impl From<SeedArgs> for Seed {
    fn from(args: SeedArgs) -> Self {
        Self {
            data: args.data,
            database: args.database_url,
            instances: args.instances,
            workspaces: args.workspaces,
            seed: args.seed,
            days: args.days,
            ledger_days: args.ledger_days,
        }
    }
}

/// Result of seeding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seeded {
    /// Number of written objects; 0 if the world already existed.
    pub objects: usize,
    /// Number of requests on the plane, including those that people created.
    pub requests: usize,
}

#[derive(PartialEq, Eq, Serialize, Deserialize)]
struct Mark {
    instances: usize,
    workspaces: usize,
    seed: u64,
}

/// Seeds a world unless it exists, and its ledger unless it has started. No portal must run on the directory at the same time. Call it
/// outside of a runtime: each step has its own, which closes everything opened on the plane's file when it ends.
///
/// # Errors
/// See [`SeedError`]; what was already written stays, and the next run continues.
pub fn run(seed: &Seed) -> Result<Seeded, SeedError> {
    let teams = places::Team::all(seed.workspaces);
    let least = kinds::KINDS.len() * places::ORGANISATIONS.len().min(teams.len());
    if teams.is_empty() || seed.workspaces > WORKSPACES {
        return Err(SeedError::Workspaces(seed.workspaces));
    }
    if seed.instances < least {
        return Err(SeedError::Instances { instances: seed.instances, least });
    }
    let wanted = Mark { instances: seed.instances, workspaces: seed.workspaces, seed: seed.seed };
    let mut seeded = Seeded::default();
    match marked(&seed.data)? {
        Some(mark) if mark == wanted => {}
        Some(Mark { instances, workspaces, seed: other }) => {
            return Err(SeedError::Other { data: seed.data.clone(), instances, workspaces, seed: other });
        }
        None => {
            seeded.objects = fill(seed, &teams)?;
            let text = serde_json::to_string(&wanted).unwrap_or_default();
            write_private(&seed.data.join(MARK), &text).map_err(|error| SeedError::Folder(seed.data.clone(), error))?;
        }
    }
    seeded.requests = alone(async {
        let running = open(seed, false).await?;
        let written = history::write(&running, seed.ledger_days).await;
        running.close().await;
        written
    })?;
    Ok(seeded)
}

/// Creates workspaces and patterns, then the copies.
fn fill(seed: &Seed, teams: &[places::Team]) -> Result<usize, SeedError> {
    let ordered = alone(async {
        let running = open(seed, true).await?;
        let ordered = order(&running, seed, teams).await;
        running.close().await;
        ordered
    })?;
    let folder = Folder::open(&Storage::Directory(seed.data.clone())).map_err(|error| SeedError::Folder(seed.data.clone(), error))?;
    let extent = copy::Extent { instances: seed.instances, seed: seed.seed, days: u64::from(seed.days), now: System.now() };
    alone(copy::write(&folder.plane(), &ordered, teams, extent))
}

async fn order(running: &Running, seed: &Seed, teams: &[places::Team]) -> Result<pattern::Ordered, SeedError> {
    let missing = || SeedError::Pattern { name: identity::ADMIN.to_owned(), why: "the control plane doesn't know it".to_owned() };
    let sandbox = running.sandbox.as_ref().ok_or_else(missing)?;
    let admin = sandbox.identities.token(identity::ADMIN).ok_or_else(missing)?;
    let loader = Loader { endpoint: &running.portal.endpoint, admin };
    places::build(loader, &sandbox.world.provider, teams, seed.instances.div_ceil(teams.len())).await?;
    pattern::order(running, sandbox, loader, teams).await
}

/// Opens plane and database without pages, and with the controller if something needs to be fulfilled.
async fn open(seed: &Seed, controller: bool) -> Result<Running, SeedError> {
    let config = Config {
        plane: PlaneConfig::Embedded { listen: ([127, 0, 0, 1], 0).into(), examples: None, history: false, authentication: None },
        storage: Storage::Directory(seed.data.clone()),
        database: seed.database.clone(),
        listen: ([127, 0, 0, 1], 0).into(),
        web: false,
        controller,
        session_key_file: None,
        metrics: None,
        public_url: None,
        notify: NotifyConfig::default(),
        limits: LimitsConfig::default(),
        sign_in: SignInConfig::default(),
        audit: AuditConfig::default(),
    };
    Ok(Running::open(&config, Edges { pace: Pace::faster(50.0), ..Edges::default() }).await?)
}

/// Runs a future to its end in a runtime of its own.
fn alone<T>(work: impl Future<Output = Result<T, SeedError>>) -> Result<T, SeedError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().map_err(SeedError::Runtime)?;
    runtime.block_on(work)
}

fn marked(data: &Path) -> Result<Option<Mark>, SeedError> {
    match std::fs::read_to_string(data.join(MARK)) {
        Ok(text) => Ok(serde_json::from_str(&text).ok()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(SeedError::Folder(data.to_owned(), error)),
    }
}

/// Polls until there is a result; `None` if there is none in time.
async fn until<T>(ask: impl AsyncFn() -> Option<T>) -> Option<T> {
    let asking = async {
        loop {
            if let Some(answer) = ask().await {
                return answer;
            }
            tokio::time::sleep(pattern::PAUSE).await;
        }
    };
    tokio::time::timeout(PATIENCE, asking).await.ok()
}
