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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditBreak {
    /// Name of the chain.
    pub chain: String,
    /// Position of the record.
    pub sequence: u64,
    /// What is wrong there.
    pub reason: BreakReason,
}

/// What is wrong with a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
}

impl fmt::Display for AuditBreak {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { chain, sequence, reason } = self;
        write!(out, "chain {chain}, record {sequence}: ")?;
        match reason {
            BreakReason::Altered => out.write_str("its content doesn't match its hash"),
            BreakReason::Unlinked => out.write_str("it doesn't follow the record before it"),
            BreakReason::Missing { expected } => write!(out, "the records from {expected} on are missing before it"),
            BreakReason::OutOfOrder => out.write_str("it comes after a later record, or a second time"),
            BreakReason::BeginsLate => out.write_str("the chain begins with it, and no record says that earlier ones were removed"),
            BreakReason::AnchorMissing => out.write_str("an anchor names it, but it is missing"),
            BreakReason::AnchorDiffers => out.write_str("an anchor names it with another hash"),
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
#[derive(Debug, Default)]
pub struct AuditVerifier {
    chains: BTreeMap<String, Chain>,
    cuts: BTreeSet<(String, u64, String)>,
    /// The anchors that no record was compared with yet, by chain.
    anchors: BTreeMap<String, BTreeMap<u64, Vec<String>>>,
}

#[derive(Debug)]
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
        for (name, chain) in self.chains.iter().filter(|(_, chain)| chain.first > 1) {
            if !self.cuts.contains(&(name.clone(), chain.first - 1, chain.before.clone())) {
                return Err(AuditBreak { chain: name.clone(), sequence: chain.first, reason: BreakReason::BeginsLate });
            }
        }
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
        let report = |chain: Chain| ChainReport { first: chain.first, head: chain.head, anchors: chain.anchors };
        Ok(AuditReport { chains: self.chains.into_values().map(report).collect() })
    }
}

#[cfg(test)]
mod tests;
