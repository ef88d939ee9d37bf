//! Arguments of `seed`.

use std::path::PathBuf;

use clap::Args;

use super::DatabaseUrl;

/// Arguments of `seed`.
#[derive(Debug, Args)]
pub struct SeedArgs {
    /// Data directory; created if missing.
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// Number of instances.
    #[arg(long, default_value_t = 10_000)]
    pub instances: usize,
    /// Number of workspaces.
    #[arg(long, default_value_t = 200)]
    pub workspaces: usize,
    /// Random seed for kinds, names, projects and ages: the same number gives the same instances.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Age of the oldest instance, in days.
    #[arg(long, default_value_t = 60)]
    pub days: u32,
    /// How many days back the cost ledger starts. It has one row per instance and hour.
    #[arg(long, default_value_t = 30)]
    pub ledger_days: u32,
    /// PostgreSQL server for the ledger, as for `serve` [default: an SQLite file in the data directory].
    #[arg(long, value_name = "URL", env = "DATABASE_URL", hide_env_values = true)]
    pub database_url: Option<DatabaseUrl>,
}
