//! Chains of records: where one ends, and how it is verified.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{AuditCut, AuditRecord};

/// The end of a chain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainHead {
    /// Name of the chain.
    pub chain: String,
    /// Position of the last record; 0 if there is none.
    pub sequence: u64,
    /// Its hash.
    pub hash: String,
}

/// The end of a chain at one time, as it was written outside of the database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditAnchor {
    /// When.
    pub at: Timestamp,
    /// The end.
    #[serde(flatten)]
    pub head: ChainHead,
}

/// Where a chain is broken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditBreak {
    /// Name of the chain.
    pub chain: String,
    /// Position of the record.
    pub sequence: u64,
    /// What is wrong there.
    pub reason: BreakReason,
}

/// What is wrong with a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum BreakReason {
    /// Its content doesn't match its hash.
    Altered,
    /// It doesn't follow the record before.
    Unlinked,
    /// The records between this one and the one before are missing.
    Missing {
        /// The position that was expected.
        expected: u64,
    },
    /// It is there twice, or after a later one.
    OutOfOrder,
    /// The records before it are missing, and no record says that they were removed.
    BeginsLate,
    /// It was the end of the chain once, and isn't there any more.
    AnchorMissing,
    /// An anchor has another hash for it.
    AnchorDiffers,
    /// It was verified before, and has another hash now.
    Rewritten,
    /// The database names it as the end of the chain, or it was verified before, but it isn't there.
    EndMissing,
    /// The database names it as the end of the chain, with another hash.
    EndDiffers,
}

impl fmt::Display for AuditBreak {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { chain, sequence, reason } = self;
        write!(out, "chain {chain}, record {sequence}: {reason}")
    }
}

impl fmt::Display for BreakReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Altered => out.write_str("its content doesn't match its hash"),
            Self::Unlinked => out.write_str("it doesn't follow the record before it"),
            Self::Missing { expected } => write!(out, "the records from {expected} on are missing before it"),
            Self::OutOfOrder => out.write_str("it comes after a later record, or a second time"),
            Self::BeginsLate => out.write_str("the chain begins with it, and no record says that earlier ones were removed"),
            Self::AnchorMissing => out.write_str("an anchor names it, but it is missing"),
            Self::AnchorDiffers => out.write_str("an anchor names it with another hash"),
            Self::Rewritten => out.write_str("it had another hash when it was verified before"),
            Self::EndMissing => out.write_str("it was the end of the chain, but it is missing"),
            Self::EndDiffers => out.write_str("the end of the chain was noted with another hash"),
        }
    }
}

/// One chain that was verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainReport {
    /// Position of the first record.
    pub first: u64,
    /// Its end.
    pub head: ChainHead,
    /// Number of anchors that its records match.
    pub anchors: usize,
}

/// The chains that were verified, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditReport {
    /// The chains.
    pub chains: Vec<ChainReport>,
}

impl AuditReport {
    /// Returns the number of records.
    pub fn records(&self) -> u64 {
        self.chains.iter().map(|chain| chain.head.sequence + 1 - chain.first).sum()
    }
}

/// Verifies records one by one. Those of one chain come in order; chains can alternate.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct AuditVerifier {
    chains: BTreeMap<String, Chain>,
    cuts: BTreeSet<(String, u64, String)>,
    /// The anchors that no record was compared with yet, by chain.
    anchors: BTreeMap<String, BTreeMap<u64, Vec<String>>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Chain {
    first: u64,
    /// What the first record says about the one before.
    before: String,
    head: ChainHead,
    anchors: usize,
}

impl AuditVerifier {
    /// Begins with the ends that chains had at some time.
    pub fn new(anchors: impl IntoIterator<Item = ChainHead>) -> Self {
        let mut verifier = Self::default();
        for ChainHead { chain, sequence, hash } in anchors.into_iter().filter(|head| head.sequence > 0) {
            verifier.anchors.entry(chain).or_default().entry(sequence).or_default().push(hash);
        }
        verifier
    }

    /// Verifies the next record.
    ///
    /// # Errors
    /// The break, if there is one at this record.
    pub fn add(&mut self, record: &AuditRecord) -> Result<(), AuditBreak> {
        let broken = |reason| AuditBreak { chain: record.chain.clone(), sequence: record.sequence, reason };
        if record.computed_hash().as_ref() != Ok(&record.hash) {
            return Err(broken(BreakReason::Altered));
        }
        let anchored = self.anchors.get_mut(&record.chain).and_then(|of| of.remove(&record.sequence)).unwrap_or_default();
        if anchored.iter().any(|hash| *hash != record.hash) {
            return Err(broken(BreakReason::AnchorDiffers));
        }
        match self.chains.get_mut(&record.chain) {
            None => {
                let begun = record.sequence == 1 && record.previous.is_empty();
                if record.sequence <= 1 && !begun {
                    return Err(broken(BreakReason::Unlinked));
                }
                let chain = Chain { first: record.sequence, before: record.previous.clone(), head: record.head(), anchors: anchored.len() };
                self.chains.insert(record.chain.clone(), chain);
            }
            Some(chain) => {
                let expected = chain.head.sequence + 1;
                if record.sequence < expected {
                    return Err(broken(BreakReason::OutOfOrder));
                }
                if record.sequence > expected {
                    return Err(broken(BreakReason::Missing { expected }));
                }
                if record.previous != chain.head.hash {
                    return Err(broken(BreakReason::Unlinked));
                }
                chain.head = record.head();
                chain.anchors += anchored.len();
            }
        }
        if let Some(cut) = AuditCut::of(&record.entry) {
            self.cuts.insert((cut.chain, cut.through, cut.hash));
        }
        Ok(())
    }

    /// Checks what can be known only at the end: whether what is missing before the first records was removed, and whether all anchors are
    /// there.
    ///
    /// # Errors
    /// The first break.
    pub fn finish(self) -> Result<AuditReport, AuditBreak> {
        self.begins_late().map_or(Ok(()), Err)?;
        for (name, sequences) in &self.anchors {
            for (sequence, hashes) in sequences {
                let broken = |reason| AuditBreak { chain: name.clone(), sequence: *sequence, reason };
                let removed = self.cuts.iter().filter(|(chain, _, _)| chain == name);
                let removed: Vec<(u64, &str)> = removed.map(|(_, through, hash)| (*through, hash.as_str())).collect();
                if removed.iter().any(|(through, hash)| through == sequence && hashes.iter().any(|known| known != hash)) {
                    return Err(broken(BreakReason::AnchorDiffers));
                }
                if !removed.iter().any(|(through, _)| through >= sequence) {
                    return Err(broken(BreakReason::AnchorMissing));
                }
            }
        }
        Ok(self.report())
    }

    /// Returns what was verified so far.
    pub(super) fn report(&self) -> AuditReport {
        let report = |chain: &Chain| ChainReport { first: chain.first, head: chain.head.clone(), anchors: chain.anchors };
        AuditReport { chains: self.chains.values().map(report).collect() }
    }

    /// Returns where a chain was verified to.
    pub(super) fn head(&self, chain: &str) -> Option<&ChainHead> {
        self.chains.get(chain).map(|chain| &chain.head)
    }

    /// Forgets what was verified of a chain; its next record is the first one.
    pub(super) fn forget(&mut self, chain: &str) {
        self.chains.remove(chain);
    }

    /// Forgets removals before later ones of the same chain.
    pub(super) fn forget_old_cuts(&mut self) {
        let latest: BTreeMap<String, u64> = self.cuts.iter().map(|(chain, through, _)| (chain.clone(), *through)).collect();
        self.cuts.retain(|(chain, through, _)| latest.get(chain) == Some(through));
    }

    /// Returns a chain whose first records are missing although no record says that they were removed.
    pub(super) fn begins_late(&self) -> Option<AuditBreak> {
        let missing = |(name, chain): &(&String, &Chain)| {
            chain.first > 1 && !self.cuts.contains(&((*name).clone(), chain.first - 1, chain.before.clone()))
        };
        let (name, chain) = self.chains.iter().find(missing)?;
        Some(AuditBreak { chain: name.clone(), sequence: chain.first, reason: BreakReason::BeginsLate })
    }
}

#[cfg(test)]
mod tests;
