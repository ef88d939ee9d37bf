//! Arguments of the audit log: of `serve`, and of the commands that read it.

use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand};

use super::DatabaseUrl;
use crate::audit::AuditConfig;

/// Arguments of `serve` about the audit log.
#[derive(Clone, Debug, Args)]
pub struct AuditArgs {
    /// File to which the end of the audit log is appended every hour and at the end, best on a medium that no one can change. With it,
    /// `opm-portal audit verify` finds records that were removed at the end [default: only the log of the process has it].
    #[arg(long = "audit-anchor", value_name = "FILE", env = "OPM_AUDIT_ANCHOR")]
    anchor: Option<PathBuf>,
    /// Days after which records of the audit log are removed; what was removed is recorded. 0 keeps them forever.
    #[arg(long = "audit-days", value_name = "N", default_value_t = 0, env = "OPM_AUDIT_DAYS")]
    days: u32,
}

impl AuditArgs {
    pub(super) fn into_config(self) -> AuditConfig {
        AuditConfig { anchor: self.anchor, days: NonZeroU32::new(self.days) }
    }
}

/// Commands that read the audit log.
#[derive(Debug, Subcommand)]
pub enum AuditCommand {
    /// Verify the chains of the audit log, of the database or of an export. Exit code 1 if one is broken.
    #[command(after_help = "Examples:\n  opm-portal audit verify --data ./portal-data\n  \
        opm-portal audit verify --database-url postgres://portal@db.example.org/portal --anchor /var/log/opm-anchor.jsonl\n  \
        opm-portal audit verify --file audit.jsonl --anchor /var/log/opm-anchor.jsonl\n\n\
        Without --anchor, records that were removed at the end of a chain together with the note of its end can't be found.")]
    Verify(VerifyArgs),
    /// Write the audit log as JSON Lines, one record each, with the chains.
    #[command(after_help = "Example:\n  opm-portal audit export --data ./portal-data > audit.jsonl")]
    Export(ExportArgs),
}

/// Where the audit log is.
#[derive(Debug, Args)]
#[group(skip)]
#[command(group = ArgGroup::new("log").required(true).multiple(true))]
pub struct LogArgs {
    /// Data directory of a portal with an SQLite file. The portal can be running.
    #[arg(long, value_name = "DIR", group = "log")]
    pub data: Option<PathBuf>,
    /// PostgreSQL server of the portal. The other options come first.
    #[arg(long, value_name = "URL", env = "DATABASE_URL", hide_env_values = true, group = "log")]
    pub database_url: Option<DatabaseUrl>,
}

/// Arguments of `audit verify`.
#[derive(Debug, Args)]
#[group(skip)]
#[command(group = ArgGroup::new("log").required(true).multiple(true))]
pub struct VerifyArgs {
    /// Data directory of a portal with an SQLite file. The portal can be running.
    #[arg(long, value_name = "DIR", group = "log")]
    pub data: Option<PathBuf>,
    /// PostgreSQL server of the portal. The other options come first.
    #[arg(long, value_name = "URL", env = "DATABASE_URL", hide_env_values = true, group = "log")]
    pub database_url: Option<DatabaseUrl>,
    /// An export.
    #[arg(long, value_name = "FILE", group = "log")]
    pub file: Option<PathBuf>,
    /// File that `serve --audit-anchor` wrote; repeatable.
    #[arg(long = "anchor", value_name = "FILE")]
    pub anchors: Vec<PathBuf>,
}

/// Arguments of `audit export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// Where the log is.
    #[command(flatten)]
    pub log: LogArgs,
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use crate::config::{AuditCommand, Cli, Command};

    #[test]
    fn the_log_is_named_and_anchors_come_with_it() {
        let parse = |line: &str| Cli::try_parse_from(line.split_whitespace()).map(|cli| cli.command);
        let line = "opm-portal audit verify --file audit.jsonl --anchor one.jsonl --anchor other.jsonl";
        let Ok(Command::Audit(AuditCommand::Verify(args))) = parse(line) else { panic!("{line}") };
        assert_eq!((args.anchors.len(), args.file.is_some(), args.data.is_some()), (2, true, false));
        assert!(matches!(parse("opm-portal audit export --data portal-data"), Ok(Command::Audit(AuditCommand::Export(_)))));
    }
}
