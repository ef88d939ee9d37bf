//! Amounts of money: exact, in millionths of a currency.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::book::Basis;
use crate::api::{CostStatus, PromiseReleaseSpec};

/// Micro-units of one unit.
const UNIT: u64 = 1_000_000;
/// Most digits after the point: more cannot be kept in micro-units.
const DIGITS: usize = 6;

/// An amount in a currency. Its [`Display`](fmt::Display) is for people: `1,250.00 €`; it is kept as an exact decimal text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Kept", try_from = "Kept")]
pub struct Money {
    /// Millionths of the currency.
    pub micros: i64,
    /// ISO 4217 code.
    pub currency: String,
}

/// How an amount is kept: numbers beyond 2^53 lose digits in JSON.
#[derive(Clone, Serialize, Deserialize)]
struct Kept {
    amount: String,
    currency: String,
}

impl From<Money> for Kept {
    fn from(money: Money) -> Self {
        Self { amount: money.decimal(), currency: money.currency }
    }
}

impl TryFrom<Kept> for Money {
    type Error = &'static str;

    fn try_from(kept: Kept) -> Result<Self, Self::Error> {
        Self::parse(&kept.amount, kept.currency)
    }
}

/// Reads a decimal text such as `24.80` exactly, as micro-units.
///
/// # Errors
/// A clause that follows “it”, such as `has more than 6 digits after the point`.
pub fn decimal_micros(text: &str) -> Result<i64, &'static str> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if text.starts_with('-') && digits(whole.trim_start_matches('-')) && digits(fraction) {
        return Err("is less than nothing");
    }
    if whole.is_empty() || !digits(whole) || !digits(fraction) || text.ends_with('.') {
        return Err("is no decimal such as 24.80");
    }
    if fraction.len() > DIGITS {
        return Err("has more than 6 digits after the point");
    }
    let micros = format!("{whole}{fraction:0<DIGITS$}");
    micros.parse().map_err(|_| "is too large")
}

impl Money {
    /// An amount of micro-units.
    pub fn new(micros: i64, currency: impl Into<String>) -> Self {
        Self { micros, currency: currency.into() }
    }

    /// The amount without its currency, exact, such as `1250.00`: what releases and status keep.
    pub fn decimal(&self) -> String {
        let sign = if self.micros < 0 { "-" } else { "" };
        let (whole, fraction) = self.parts();
        format!("{sign}{whole}{fraction}")
    }

    /// Reads what [`Money::decimal`] wrote.
    ///
    /// # Errors
    /// As [`decimal_micros`].
    pub fn parse(decimal: &str, currency: impl Into<String>) -> Result<Self, &'static str> {
        let micros = match decimal.strip_prefix('-') {
            Some(amount) => -decimal_micros(amount)?,
            None => decimal_micros(decimal)?,
        };
        Ok(Self::new(micros, currency))
    }

    /// To the last digit that the currency has, half up: how sums of what accrues by the second are shown.
    #[must_use]
    pub fn rounded(&self) -> Self {
        let digits = DIGITS.saturating_sub(minor_digits(&self.currency));
        let unit = (0..digits).fold(1_i128, |unit, _| unit * 10);
        let rounded = (i128::from(self.micros) + unit / 2).div_euclid(unit) * unit;
        // The largest amounts have no digit to lose.
        Self::new(i64::try_from(rounded).unwrap_or(self.micros), self.currency.clone())
    }

    /// This amount less another of the same currency; nothing for two currencies or what cannot be counted.
    pub fn minus(&self, other: &Self) -> Option<Self> {
        (self.currency == other.currency).then_some(())?;
        Some(Self::new(self.micros.checked_sub(other.micros)?, self.currency.clone()))
    }

    /// This amount and another of the same currency; nothing for two currencies or what cannot be counted.
    pub fn plus(&self, other: &Self) -> Option<Self> {
        (self.currency == other.currency).then_some(())?;
        Some(Self::new(self.micros.checked_add(other.micros)?, self.currency.clone()))
    }

    /// Whole units, and the digits after the point with the point; as many as are needed, and no fewer than the currency has.
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
        format!("{grouped}{fraction} {}", symbol(&self.currency))
    }

    /// As a difference a month: `+93.20 €/month`, `−12.00 €/month`, `±0.00 €/month`.
    pub fn as_change(&self) -> String {
        let sign = match self.micros {
            0 => "±",
            1.. => "+",
            _ => "−",
        };
        format!("{sign}{}/month", self.amount())
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.micros < 0 { "−" } else { "" };
        write!(f, "{sign}{}", self.amount())
    }
}

/// Digits after the point that amounts of a currency always have (ISO 4217).
fn minor_digits(currency: &str) -> usize {
    match currency {
        "BIF" | "CLP" | "DJF" | "GNF" | "ISK" | "JPY" | "KMF" | "KRW" | "PYG" | "RWF" | "UGX" | "VND" | "VUV" | "XAF" | "XOF" | "XPF" => 0,
        "BHD" | "IQD" | "JOD" | "KWD" | "LYD" | "OMR" | "TND" => 3,
        _ => 2,
    }
}

/// The sign by which a currency is known without doubt, else its code.
fn symbol(currency: &str) -> &str {
    match currency {
        "EUR" => "€",
        "GBP" => "£",
        "INR" => "₹",
        "JPY" => "¥",
        "USD" => "$",
        code => code,
    }
}

/// An amount, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Amount {
    /// It is unknown, which is not 0; a sentence says why.
    Unknown(String),
    /// It is this much.
    #[serde(untagged)]
    Known(Money),
}

impl Amount {
    /// The amount, if it is known.
    pub fn money(&self) -> Option<&Money> {
        match self {
            Self::Known(money) => Some(money),
            Self::Unknown(_) => None,
        }
    }

    /// Why it is unknown.
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
    /// Label.
    pub name: String,
    /// A month.
    pub monthly: Amount,
}

/// What one month costs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Estimate {
    /// In the order of the promise.
    pub lines: Vec<CostLine>,
    /// Their sum; unknown as soon as one of them is.
    pub monthly: Amount,
    /// The price list that was used; absent where none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
}

impl Estimate {
    /// The quote that a release was made with; nothing where none was kept.
    pub fn kept(release: &PromiseReleaseSpec) -> Option<Self> {
        Self::deserialize(release.price.as_ref()?).ok()
    }

    /// The sum of that quote alone: what is counted of many releases at once.
    pub fn kept_sum(release: &PromiseReleaseSpec) -> Option<Amount> {
        Amount::deserialize(release.price.as_ref()?.get("monthly")?).ok()
    }

    /// As the status of a request says it.
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

/// A price before and after something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// Before.
    pub before: Amount,
    /// After.
    pub after: Amount,
}

impl Change {
    /// How much more it is; nothing where one of both is unknown or they are in two currencies.
    pub fn difference(&self) -> Option<Money> {
        self.after.money()?.minus(self.before.money()?)
    }

    /// Whether the price becomes another, as far as is known.
    pub fn is_none(&self) -> bool {
        match (&self.before, &self.after) {
            (Amount::Unknown(_), Amount::Unknown(_)) => true,
            (before, after) => before == after,
        }
    }
}

impl fmt::Display for Change {
    /// `+93.20 €/month`; what cannot be compared is named.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.difference(), &self.before, &self.after) {
            (Some(difference), ..) => f.write_str(&difference.as_change()),
            (None, Amount::Known(before), Amount::Known(after)) => write!(f, "{after}/month instead of {before}/month"),
            (None, _, Amount::Unknown(_)) => f.write_str("price unknown"),
            (None, Amount::Unknown(_), Amount::Known(after)) => write!(f, "{after}/month, before unknown"),
        }
    }
}
