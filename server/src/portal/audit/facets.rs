//! The values by which the log can be narrowed, each counted beside the other filters.

use app::view::{AuditQuery, Facet};
use promise::wording::humanise;
use store::{AuditCounts, AuditSum};

use crate::portal::catalog::facets::facet_of;

/// What a facet is about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AuditFacet {
    Source,
    Outcome,
    Operation,
}

impl AuditFacet {
    const ALL: [Self; 3] = [Self::Source, Self::Outcome, Self::Operation];

    fn value(self, sum: &AuditSum) -> &str {
        match self {
            Self::Source => &sum.source,
            Self::Outcome => &sum.outcome,
            Self::Operation => &sum.operation,
        }
    }

    fn chosen(self, query: &AuditQuery) -> &str {
        match self {
            Self::Source => query.source.trim(),
            Self::Outcome => query.outcome.trim(),
            Self::Operation => query.operation.trim(),
        }
    }

    /// Returns all values of this facet, with the number of records that the others leave.
    pub(super) fn of(self, counts: &AuditCounts, query: &AuditQuery) -> Facet {
        let others = Self::ALL.into_iter().filter(|other| *other != self);
        let chosen: Vec<(Self, &str)> = others.map(|other| (other, other.chosen(query))).filter(|(_, value)| !value.is_empty()).collect();
        let left = counts.sums.iter().filter(|sum| chosen.iter().all(|(other, value)| other.value(sum) == *value));
        let values = left.map(|sum| (self.value(sum), usize::try_from(sum.records).unwrap_or(usize::MAX)));
        facet_of(values, self.chosen(query), humanise, usize::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_facet_is_counted_beside_the_others() {
        let sum = |source: &str, outcome: &str, operation: &str, records| AuditSum {
            source: source.into(),
            outcome: outcome.into(),
            operation: operation.into(),
            records,
        };
        let sums = vec![sum("portal", "done", "sign-in", 3), sum("portal", "failed", "sign-in", 1), sum("rest", "done", "decide", 2)];
        let counts = AuditCounts { sums, more: false };
        let values = |facet: AuditFacet, query: &AuditQuery| {
            let values = facet.of(&counts, query).values;
            values.into_iter().map(|value| (value.value, value.count, value.chosen)).collect::<Vec<_>>()
        };
        let query = AuditQuery { source: "portal".into(), ..AuditQuery::default() };
        assert_eq!(values(AuditFacet::Source, &query), [("portal".into(), 4, true), ("rest".into(), 2, false)]);
        assert_eq!(values(AuditFacet::Outcome, &query), [("done".into(), 3, false), ("failed".into(), 1, false)]);
        assert_eq!(values(AuditFacet::Operation, &query), [("sign-in".into(), 4, false)]);
        let both = AuditQuery { outcome: "failed".into(), operation: "decide".into(), ..AuditQuery::default() };
        assert_eq!(values(AuditFacet::Source, &both), [], "no record has both");
        assert_eq!(values(AuditFacet::Outcome, &both), [("done".into(), 2, false), ("failed".into(), 0, true)]);
    }
}
