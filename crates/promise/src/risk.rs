//! Risk of an approval decision, from facts that are known without rendering anything.
//!
//! It sorts an inbox and shows a label on a row. It decides nothing.

use serde::{Deserialize, Serialize};

use crate::price::Amount;
use crate::wording::counted;

/// Risk of a decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum Risk {
    /// Nothing stands out.
    #[default]
    Low,
    /// Something deserves a second look.
    Raised,
    /// Something would cause harm if overlooked.
    High,
}

impl Risk {
    /// All risks, the highest first.
    pub const ALL: [Self; 3] = [Self::High, Self::Raised, Self::Low];

    /// Returns the value used in URLs.
    pub fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Raised => "raised",
            Self::High => "high",
        }
    }
}

/// Known facts about a content to be approved.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts<'a> {
    /// Present price, if something is running.
    pub before: Option<&'a Amount>,
    /// New price. Absent for a promise without a price.
    pub after: Option<&'a Amount>,
    /// Number of rules that warn.
    pub warned: usize,
    /// Running version, if something is running.
    pub running: Option<&'a str>,
    /// Requested version.
    pub wanted: &'a str,
}

/// A risk with its reasons, the most serious first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Weighed {
    /// The highest risk among the reasons.
    pub risk: Risk,
    /// Reasons, a few words each.
    pub why: Vec<String>,
}

/// Assesses the risk from the facts.
pub fn weigh(facts: &Facts<'_>) -> Weighed {
    let mut reasons: Vec<(Risk, String)> = Vec::new();
    if facts.warned > 0 {
        let verb = if facts.warned == 1 { "warns" } else { "warn" };
        reasons.push((Risk::High, format!("{} {verb}", counted(facts.warned as u64, "rule"))));
    }
    if facts.running.is_some_and(|running| major(running) != major(facts.wanted)) {
        reasons.push((Risk::High, format!("New major version {}", facts.wanted)));
    }
    match (facts.before, facts.after) {
        (_, Some(Amount::Unknown(_))) => reasons.push((Risk::Raised, "Price unknown".to_owned())),
        (Some(Amount::Known(before)), Some(Amount::Known(after)))
            if before.currency == after.currency && before.micros > 0 && after.micros >= before.micros.saturating_mul(2) =>
        {
            reasons.push((Risk::Raised, "Price at least doubles".to_owned()));
        }
        _ => {}
    }
    reasons.sort_by_key(|(risk, _)| std::cmp::Reverse(*risk));
    Weighed { risk: reasons.first().map_or(Risk::Low, |(risk, _)| *risk), why: reasons.into_iter().map(|(_, why)| why).collect() }
}

fn major(version: &str) -> &str {
    version.split('.').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Facts, Risk, weigh};
    use crate::price::{Amount, Money};

    #[test]
    fn the_gravest_reason_counts_and_all_are_told() {
        let euro = |micros| Amount::Known(Money::new(micros, "EUR"));
        let (before, after, unknown) = (euro(10), euro(20), Amount::Unknown("No list.".into()));
        let calm =
            weigh(&Facts { before: Some(&before), after: Some(&before), running: Some("1.0.0"), wanted: "1.2.0", ..Facts::default() });
        assert_eq!((calm.risk, calm.why.len()), (Risk::Low, 0));
        let both = weigh(&Facts { before: Some(&before), after: Some(&after), warned: 2, running: Some("1.0.0"), wanted: "2.0.0" });
        assert_eq!(both.risk, Risk::High);
        assert_eq!(both.why, ["2 rules warn", "New major version 2.0.0", "Price at least doubles"]);
        assert_eq!(weigh(&Facts { after: Some(&unknown), wanted: "1.0.0", ..Facts::default() }).risk, Risk::Raised);
        let dollars = Amount::Known(Money::new(1000, "USD"));
        assert_eq!(weigh(&Facts { before: Some(&before), after: Some(&dollars), ..Facts::default() }).risk, Risk::Low, "never compared");
    }
}
