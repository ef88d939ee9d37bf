//! A check of the whole log in small steps, which continues where it stopped.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{AuditBreak, AuditRecord, AuditVerifier, BreakReason, ChainHead};

/// What was verified of the log so far. Chains are read one after the other, and each from the last record that was verified, so that a
/// later step costs only what was appended since.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditCheck {
    verifier: AuditVerifier,
    /// When the last step ended.
    pub at: Timestamp,
    /// Whether the last step reached the end of each chain.
    pub is_complete: bool,
    /// The first break that was found.
    pub broken: Option<AuditBreak>,
}

impl AuditCheck {
    /// Returns the last verified position of a chain: the next step reads from it on, with the record itself. 0 if there is none.
    pub fn verified(&self, chain: &str) -> u64 {
        self.verifier.head(chain).map_or(0, |head| head.sequence)
    }

    /// Returns the number of records that were verified.
    pub fn records(&self) -> u64 {
        self.verifier.report().records()
    }

    /// Returns the verified end of each chain.
    pub fn heads(&self) -> Vec<ChainHead> {
        self.verifier.report().chains.into_iter().map(|chain| chain.head).collect()
    }

    /// Checks whether a chain ends where it was verified.
    pub fn is_at(&self, head: &ChainHead) -> bool {
        self.verifier.head(&head.chain) == Some(head)
    }

    /// Continues a chain with the first record that is left of it from [`AuditCheck::verified`] on.
    ///
    /// # Errors
    /// If it is not the record that was verified.
    pub fn resume(&mut self, first: &AuditRecord) -> Result<(), AuditBreak> {
        let broken = |reason| AuditBreak { chain: first.chain.clone(), sequence: first.sequence, reason };
        let Some(head) = self.verifier.head(&first.chain) else { return self.add(first) };
        if first.sequence != head.sequence {
            // Old records were removed meanwhile. What is left begins a chain, and the end of the check looks for the note of it.
            self.verifier.forget(&first.chain);
            return self.add(first);
        }
        if first.computed_hash().as_ref() != Ok(&first.hash) {
            return Err(broken(BreakReason::Altered));
        }
        if first.hash == head.hash { Ok(()) } else { Err(broken(BreakReason::Rewritten)) }
    }

    /// Verifies the next record of a chain.
    ///
    /// # Errors
    /// The break, if there is one at this record.
    pub fn add(&mut self, record: &AuditRecord) -> Result<(), AuditBreak> {
        self.verifier.add(record)
    }

    /// Checks what can be known only once each chain was read to its end. `heads` is where the chains ended before they were read.
    ///
    /// # Errors
    /// The first break.
    pub fn finish(&mut self, heads: &[ChainHead]) -> Result<(), AuditBreak> {
        self.verifier.begins_late().map_or(Ok(()), Err)?;
        let noted: BTreeMap<&str, &ChainHead> = heads.iter().map(|head| (head.chain.as_str(), head)).collect();
        let known = self.heads();
        let names: BTreeSet<&str> = known.iter().map(|head| head.chain.as_str()).chain(noted.keys().copied()).collect();
        for chain in names {
            let verified = known.iter().find(|head| head.chain == chain);
            let broken = |sequence, reason| Err(AuditBreak { chain: chain.to_owned(), sequence, reason });
            match (noted.get(chain), verified) {
                (None, Some(verified)) => return broken(verified.sequence, BreakReason::EndMissing),
                (Some(end), verified) if verified.is_none_or(|verified| verified.sequence < end.sequence) => {
                    return broken(end.sequence, BreakReason::EndMissing);
                }
                (Some(end), Some(verified)) if verified.sequence == end.sequence && verified.hash != end.hash => {
                    return broken(end.sequence, BreakReason::EndDiffers);
                }
                _ => {}
            }
        }
        self.verifier.forget_old_cuts();
        Ok(())
    }
}

#[cfg(test)]
mod tests;
