//! `opm-portal audit`: verifies and exports the audit log.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write};
use std::path::Path;

use anyhow::{Context as _, bail};
use promise::audit::{AuditRecord, AuditReport, AuditVerifier, ChainHead};
use store::{SealKeys, Store};

use crate::audit::anchor;
use crate::clock::System;
use crate::config::{DatabaseUrl, ExportArgs, VerifyArgs};

/// Records that are read at once.
const AT_ONCE: u32 = 500;
/// Name of the database in a data directory.
const DATABASE: &str = "portal.sqlite";

/// Verifies the log and returns what was verified, for people.
///
/// # Errors
/// If the log can't be read, or a chain is broken.
pub async fn verify(args: &VerifyArgs) -> anyhow::Result<String> {
    let mut anchors: Vec<ChainHead> = Vec::new();
    for path in &args.anchors {
        let read = anchor::read(path).with_context(|| format!("the anchor file {} can't be read", path.display()))?;
        anchors.extend(read.into_iter().map(|anchor| anchor.head));
    }
    // A restart can write the same end a second time.
    anchors.sort_by(|one, other| (&one.chain, one.sequence, &one.hash).cmp(&(&other.chain, other.sequence, &other.hash)));
    anchors.dedup();
    match &args.file {
        Some(file) => Ok(said(&of_file(file, anchors)?, 0)),
        // The database itself says where each chain ends; only what is outside of it is an anchor.
        None => Ok(said(&of_database(&open(args.data.as_deref(), args.database_url.as_ref()).await?, anchors).await?, 1)),
    }
}

/// Writes the log as JSON Lines.
///
/// # Errors
/// If the log can't be read, or the output can't be written.
pub async fn export(args: &ExportArgs, out: &mut impl Write) -> anyhow::Result<()> {
    let store = open(args.log.data.as_deref(), args.log.database_url.as_ref()).await?;
    let mut at = ChainHead::default();
    loop {
        let records = store.audit_after(&at.chain, at.sequence, AT_ONCE).await?;
        let Some(last) = records.last() else { break };
        at = last.head();
        for record in &records {
            writeln!(out, "{}", record.to_line()?).context("the export can't be written")?;
        }
    }
    out.flush().context("the export can't be written")
}

/// Opens the database of a portal. It must exist: an empty one would be verified without a word.
async fn open(data: Option<&Path>, server: Option<&DatabaseUrl>) -> anyhow::Result<Store> {
    // Nothing that is sealed is read.
    let keys = SealKeys::ephemeral(&System);
    match (data, server) {
        (Some(folder), _) => {
            let path = folder.join(DATABASE);
            if !path.is_file() {
                bail!("there is no {DATABASE} in {}; choose the data directory of a portal", folder.display());
            }
            Ok(Store::open_existing(&path, keys).await?)
        }
        (None, Some(server)) => Ok(Store::connect_existing(server.reveal(), keys).await?),
        (None, None) => bail!("say where the audit log is: --data, --database-url or --file"),
    }
}

fn of_file(path: &Path, anchors: Vec<ChainHead>) -> anyhow::Result<AuditReport> {
    let file = File::open(path).with_context(|| format!("{} can't be read", path.display()))?;
    let mut verifier = AuditVerifier::new(anchors);
    for (index, line) in BufReader::new(file).lines().enumerate() {
        let (number, line) = (index + 1, line.with_context(|| format!("{} can't be read", path.display()))?);
        let record = AuditRecord::of_line(&line).with_context(|| format!("{}, line {number}: not a record", path.display()))?;
        if let Err(broken) = verifier.add(&record) {
            bail!("{}, line {number}: {broken}", path.display());
        }
    }
    verifier.finish().map_err(|broken| anyhow::anyhow!("{broken}"))
}

async fn of_database(store: &Store, mut anchors: Vec<ChainHead>) -> anyhow::Result<AuditReport> {
    // Read before the records: what a running portal appends meanwhile comes after it.
    anchors.extend(store.audit_heads().await?);
    let mut verifier = AuditVerifier::new(anchors);
    let mut at = ChainHead::default();
    loop {
        let records = store.audit_after(&at.chain, at.sequence, AT_ONCE).await?;
        let Some(last) = records.last() else { break };
        at = last.head();
        for record in &records {
            verifier.add(record).map_err(|broken| anyhow::anyhow!("{broken}"))?;
        }
    }
    verifier.finish().map_err(|broken| anyhow::anyhow!("{broken}"))
}

/// Describes what was verified.
fn said(report: &AuditReport, own: usize) -> String {
    let mut text = String::new();
    for chain in &report.chains {
        let anchors = match chain.anchors.saturating_sub(own) {
            0 => "no anchor".to_owned(),
            1 => "1 anchor".to_owned(),
            anchors => format!("{anchors} anchors"),
        };
        text.push_str(&format!("{}: records {} to {}, {anchors}\n", chain.head.chain, chain.first, chain.head.sequence));
    }
    let (records, chains) = (report.records(), report.chains.len());
    let (records_word, chains_word) = (if records == 1 { "record" } else { "records" }, if chains == 1 { "chain" } else { "chains" });
    text.push_str(&format!("verified: {records} {records_word} of {chains} {chains_word}\n"));
    text
}
