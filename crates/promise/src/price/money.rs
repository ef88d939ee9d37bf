//! Amounts of money: exact, in millionths of a currency unit.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::book::Basis;
use crate::api::{CostStatus, PromiseReleaseSpec};

/// Micro-units in one unit.
const UNIT: u64 = 1_000_000;
/// Maximum number of decimal places that micro-units can represent.
const DIGITS: usize = 6;

/// An amount in a currency. Its [`Display`](fmt::Display) is for users, as English writes it everywhere: `€1,250.00`. It is serialized as an exact decimal string.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "StoredMoney", try_from = "StoredMoney")]
pub struct Money {
    /// Amount in millionths of the currency unit.
    pub micros: i64,
    /// ISO 4217 code.
    pub currency: String,
}

/// Serialized form of an amount. JSON numbers beyond 2^53 lose digits.
#[derive(Clone, Serialize, Deserialize)]
struct StoredMoney {
    amount: String,
    currency: String,
}

impl From<Money> for StoredMoney {
    fn from(money: Money) -> Self {
        Self { amount: money.decimal(), currency: money.currency }
    }
}

impl TryFrom<StoredMoney> for Money {
    type Error = &'static str;

    fn try_from(kept: StoredMoney) -> Result<Self, Self::Error> {
        Self::parse(&kept.amount, kept.currency)
    }
}

/// Parses a decimal string such as `24.80` exactly, to micro-units.
///
/// # Errors
/// If the text is invalid, with a clause that follows “it”, such as `has more than 6 decimal places`.
pub fn decimal_micros(text: &str) -> Result<i64, &'static str> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if text.starts_with('-') && digits(whole.trim_start_matches('-')) && digits(fraction) {
        return Err("is negative");
    }
    if whole.is_empty() || !digits(whole) || !digits(fraction) || text.ends_with('.') {
        return Err("isn't a decimal such as 24.80");
    }
    if fraction.len() > DIGITS {
        return Err("has more than 6 decimal places");
    }
    let micros = format!("{whole}{fraction:0<DIGITS$}");
    micros.parse().map_err(|_| "is too large")
}

impl Money {
    /// Creates an amount from micro-units.
    pub fn new(micros: i64, currency: impl Into<String>) -> Self {
        Self { micros, currency: currency.into() }
    }

    /// Returns the exact amount without its currency, such as `1250.00`, as stored in releases and status.
    pub fn decimal(&self) -> String {
        let sign = if self.micros < 0 { "-" } else { "" };
        let (whole, fraction) = self.parts();
        format!("{sign}{whole}{fraction}")
    }

    /// Parses the result of [`Money::decimal`].
    ///
    /// # Errors
    /// See [`decimal_micros`].
    pub fn parse(decimal: &str, currency: impl Into<String>) -> Result<Self, &'static str> {
        let micros = match decimal.strip_prefix('-') {
            Some(amount) => -decimal_micros(amount)?,
            None => decimal_micros(decimal)?,
        };
        Ok(Self::new(micros, currency))
    }

    /// Rounds half up to the smallest unit of the currency, for totals that accrue by the second.
    #[must_use]
    pub fn rounded(&self) -> Self {
        let digits = DIGITS.saturating_sub(minor_digits(&self.currency));
        let unit = (0..digits).fold(1_i128, |unit, _| unit * 10);
        let rounded = (i128::from(self.micros) + unit / 2).div_euclid(unit) * unit;
        // The largest amounts have no digit to lose.
        Self::new(i64::try_from(rounded).unwrap_or(self.micros), self.currency.clone())
    }

    /// Subtracts another amount of the same currency. Returns nothing for different currencies or on overflow.
    pub fn minus(&self, other: &Self) -> Option<Self> {
        (self.currency == other.currency).then_some(())?;
        Some(Self::new(self.micros.checked_sub(other.micros)?, self.currency.clone()))
    }

    /// Adds another amount of the same currency. Returns nothing for different currencies or on overflow.
    pub fn plus(&self, other: &Self) -> Option<Self> {
        (self.currency == other.currency).then_some(())?;
        Some(Self::new(self.micros.checked_add(other.micros)?, self.currency.clone()))
    }

    /// Returns the whole units, and the decimal point with the decimal places: as many as necessary, and at least as many as the currency
    /// has.
    fn parts(&self) -> (u64, String) {
        let micros = self.micros.unsigned_abs();
        let fraction = format!("{:0>DIGITS$}", micros % UNIT);
        let shown = fraction.trim_end_matches('0').len().max(minor_digits(&self.currency));
        let fraction = if shown == 0 { String::new() } else { format!(".{}", &fraction[..shown]) };
        (micros / UNIT, fraction)
    }

    fn amount(&self) -> String {
        let (whole, fraction) = self.parts();
        let whole = whole.to_string();
        let mut grouped = String::new();
        for (at, digit) in whole.chars().enumerate() {
            if at > 0 && (whole.len() - at).is_multiple_of(3) {
                grouped.push(',');
            }
            grouped.push(digit);
        }
        match symbol(&self.currency) {
            Some(symbol) => format!("{symbol}{grouped}{fraction}"),
            None => format!("{}\u{a0}{grouped}{fraction}", self.currency),
        }
    }

    /// Formats a monthly difference: `+€93.20/month`, `−€12.00/month`, `±€0.00/month`.
    pub fn as_change(&self) -> String {
        format!("{}/month", self.signed())
    }

    /// Formats an amount with its sign, such as `+€93.20` or `−€3.90`.
    pub fn signed(&self) -> String {
        let sign = match self.micros {
            0 => "±",
            1.. => "+",
            _ => "−",
        };
        format!("{sign}{}", self.amount())
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.micros < 0 { "−" } else { "" };
        write!(f, "{sign}{}", self.amount())
    }
}

/// Returns the number of decimal places that amounts of a currency always have (ISO 4217).
fn minor_digits(currency: &str) -> usize {
    match currency {
        "BIF" | "CLP" | "DJF" | "GNF" | "ISK" | "JPY" | "KMF" | "KRW" | "PYG" | "RWF" | "UGX" | "VND" | "VUV" | "XAF" | "XOF" | "XPF" => 0,
        "BHD" | "IQD" | "JOD" | "KWD" | "LYD" | "OMR" | "TND" => 3,
        _ => 2,
    }
}

/// Returns the symbol of a currency if it is unambiguous. Other currencies are shown by their code.
fn symbol(currency: &str) -> Option<&'static str> {
    Some(match currency {
        "EUR" => "€",
        "GBP" => "£",
        "INR" => "₹",
        "JPY" => "¥",
        "USD" => "$",
        _ => return None,
    })
}

/// An amount, or the reason why it is unknown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Amount {
    /// Unknown, which is not 0, with the reason as a sentence.
    Unknown(String),
    /// A known amount.
    #[serde(untagged)]
    Known(Money),
}

impl Amount {
    /// Returns the amount if it is known.
    pub fn money(&self) -> Option<&Money> {
        match self {
            Self::Known(money) => Some(money),
            Self::Unknown(_) => None,
        }
    }

    /// Returns why it is unknown.
    pub fn why(&self) -> Option<&str> {
        match self {
            Self::Known(_) => None,
            Self::Unknown(why) => Some(why),
        }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(money) => money.fmt(f),
            Self::Unknown(_) => f.write_str("unknown"),
        }
    }
}

/// One line of an estimate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CostLine {
    /// Label of the line item.
    pub name: String,
    /// Monthly amount.
    pub monthly: Amount,
}

/// The monthly price.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Estimate {
    /// Line items, in the order of the promise.
    pub lines: Vec<CostLine>,
    /// Their sum. Unknown if one of them is.
    pub monthly: Amount,
    /// The price list used. Absent if none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
}

impl Estimate {
    /// Returns the quote that a release was created with, or nothing if none is stored.
    pub fn recorded(release: &PromiseReleaseSpec) -> Option<Self> {
        Self::deserialize(release.price.as_ref()?).ok()
    }

    /// Returns only the total of that quote, for processing many releases at once.
    pub fn recorded_sum(release: &PromiseReleaseSpec) -> Option<Amount> {
        Amount::deserialize(release.price.as_ref()?.get("monthly")?).ok()
    }

    /// Converts the estimate for the status of a request.
    pub fn status(&self) -> CostStatus {
        let money = self.monthly.money();
        CostStatus {
            monthly: money.map(Money::decimal),
            currency: money.map(|money| money.currency.clone()),
            basis: match self.monthly.why() {
                Some(why) => Some(why.to_owned()),
                None => self.basis.as_ref().map(ToString::to_string),
            },
        }
    }
}

/// A price before and after a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// The old price.
    pub before: Amount,
    /// The new price.
    pub after: Amount,
}

impl Change {
    /// Returns the increase, or nothing if one price is unknown or the currencies differ.
    pub fn difference(&self) -> Option<Money> {
        self.after.money()?.minus(self.before.money()?)
    }

    /// Whether the price stays the same, as far as known.
    pub fn is_none(&self) -> bool {
        match (&self.before, &self.after) {
            (Amount::Unknown(_), Amount::Unknown(_)) => true,
            (before, after) => before == after,
        }
    }
}

impl fmt::Display for Change {
    /// Formats as `+€93.20/month`. Prices that can't be compared are described.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.difference(), &self.before, &self.after) {
            (Some(difference), ..) => f.write_str(&difference.as_change()),
            (None, Amount::Known(before), Amount::Known(after)) => write!(f, "{after}/month instead of {before}/month"),
            (None, _, Amount::Unknown(_)) => f.write_str("price unknown"),
            (None, Amount::Unknown(_), Amount::Known(after)) => write!(f, "{after}/month, previously unknown"),
        }
    }
}
