//! Arguments of `seed`.

use std::path::PathBuf;

use clap::Args;

use super::DatabaseUrl;
use crate::seed::Seed;

/// Arguments of `seed`.
#[derive(Debug, Args)]
pub struct SeedArgs {
    /// Data directory; created if missing.
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Number of instances.
    #[arg(long, default_value_t = 10_000)]
    instances: usize,
    /// Number of workspaces.
    #[arg(long, default_value_t = 200)]
    workspaces: usize,
    /// Random seed for kinds, names, projects and ages: the same number gives the same instances.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Age of the oldest instance, in days.
    #[arg(long, default_value_t = 60)]
    days: u32,
    /// How many days back the cost ledger starts. It has one row per instance and hour.
    #[arg(long, default_value_t = 30)]
    ledger_days: u32,
    /// PostgreSQL server for the ledger, as for `serve` [default: an SQLite file in the data directory].
    #[arg(long, value_name = "URL", env = "DATABASE_URL", hide_env_values = true)]
    database_url: Option<DatabaseUrl>,
}

impl SeedArgs {
    /// Converts the arguments into what is seeded.
    pub fn into_seed(self) -> Seed {
        Seed {
            data: self.data,
            database: self.database_url,
            instances: self.instances,
            workspaces: self.workspaces,
            seed: self.seed,
            days: self.days,
            ledger_days: self.ledger_days,
        }
    }
}
