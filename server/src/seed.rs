//! `opm-portal seed`: a world with many finished instances, for measuring and for looking at.
//!
//! One instance of each kind is fulfilled by the controller ([`pattern`]); all others are copies of these under names, uids and digests of
//! their own ([`form`], [`copy`]), written into the plane's file in batches. So everything is as the controller leaves it, and one that starts
//! on it finds nothing to do. What they have cost is written by the ledger's own steps ([`history`]).

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
use serde::{Deserialize, Serialize};

use crate::clock::{Clock as _, System};
use crate::config::{Config, DatabaseUrl, NotifyConfig, PlaneConfig, Storage};
use crate::limits::LimitsConfig;
use crate::plane::folder::{Folder, write_private};
use crate::plane::identity;
use crate::sample::load::Loader;
use crate::serve::{Edges, Running};

pub use error::SeedError;

/// How long anything may take to come to rest.
const PATIENCE: Duration = Duration::from_secs(120);
/// File of the data directory that says what was seeded.
const MARK: &str = "seeded.json";
/// Most workspaces.
const WORKSPACES: usize = 10_000;

/// What is to be seeded.
#[derive(Clone, Debug)]
pub struct Seed {
    /// Data directory of an embedded plane.
    pub data: PathBuf,
    /// The database server in which the ledger is kept; a file of the data directory where there is none.
    pub database: Option<DatabaseUrl>,
    /// How many instances.
    pub instances: usize,
    /// In how many workspaces of teams.
    pub workspaces: usize,
    /// Chooses kinds, projects and ages.
    pub seed: u64,
    /// Age of the oldest instance, in days.
    pub days: u32,
    /// How many days back the cost ledger begins.
    pub ledger_days: u32,
}

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seeded {
    /// Objects that were written; 0 where the world was there already.
    pub objects: usize,
    /// Requests that the plane holds, with those that people made.
    pub requests: usize,
}

#[derive(PartialEq, Eq, Serialize, Deserialize)]
struct Mark {
    instances: usize,
    workspaces: usize,
    seed: u64,
}

/// Seeds a world, unless it is there, and its ledger, unless it has begun. No portal may run on the directory. To be called outside of a
/// runtime: each step has one of its own, with which everything ends that was open on the plane's file.
///
/// # Errors
/// See [`SeedError`]; what was written until then stays, and the next run goes on.
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

/// Makes workspaces and patterns, then the copies.
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
    let missing = || SeedError::Pattern { name: identity::ADMIN.to_owned(), why: "the plane does not know it".to_owned() };
    let sandbox = running.sandbox.as_ref().ok_or_else(missing)?;
    let admin = sandbox.identities.token(identity::ADMIN).ok_or_else(missing)?;
    let loader = Loader { endpoint: &running.portal.endpoint, admin };
    places::build(loader, &sandbox.world.provider, teams, seed.instances.div_ceil(teams.len())).await?;
    pattern::order(running, sandbox, loader, teams).await
}

/// Opens plane and database without pages; with the controller where something is to be fulfilled.
async fn open(seed: &Seed, controller: bool) -> Result<Running, SeedError> {
    let config = Config {
        plane: PlaneConfig::Embedded { listen: ([127, 0, 0, 1], 0).into(), examples: None },
        storage: Storage::Directory(seed.data.clone()),
        database: seed.database.clone(),
        listen: ([127, 0, 0, 1], 0).into(),
        web: false,
        controller,
        public_url: None,
        notify: NotifyConfig::default(),
        limits: LimitsConfig::default(),
    };
    Ok(Running::open(&config, Edges { pace: Pace::faster(50.0), ..Edges::default() }).await?)
}

/// Runs something to its end in a runtime that ends with it.
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

/// Asks again and again until there is an answer; none when there is none in time.
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
