//! Lists and amounts.

use serde::{Deserialize, Serialize};

use crate::price::Money;

/// A part of a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Page<T> {
    /// The items, in the order of the list.
    pub items: Vec<T>,
    /// Number of all items that match. Absent if it isn't known exactly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Lower bound of the number of all items that match, if the exact number isn't known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_at_least: Option<u64>,
    /// Token for the query parameter `continue`, which returns the next part. Absent on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#continue: Option<String>,
    /// Workspaces that didn't respond, so that their items are missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<String>,
    /// RFC 3339 time of the last update. Absent while the list is up to date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<String>,
}

/// An exact amount of money.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
pub struct Amount {
    /// Decimal, such as `24.80`.
    pub amount: String,
    /// ISO 4217 code.
    pub currency: String,
}

impl From<&Money> for Amount {
    fn from(money: &Money) -> Self {
        Self { amount: money.decimal(), currency: money.currency.clone() }
    }
}

impl Amount {
    /// Returns the amount for calculations and for people. `None` if it isn't a decimal.
    pub fn money(&self) -> Option<Money> {
        Money::parse(&self.amount, self.currency.clone()).ok()
    }
}
