//! Monthly sums for pages, read from the database once per posted hour, however many pages use them.
//!
//! The sums change only when hours are posted, so they stay valid until the ledger's clock advances. Every page reads that clock anyway,
//! which also works with several replicas.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use promise::ledger::Month;
use store::{DaySum, Dimension, MonthSum, Result, SpotSum, Store};
use tokio::sync::Mutex;

/// Number of cached months, each by one dimension. Pages of older months are rare.
const KEPT: usize = 12;
/// Number of previous months shown together with a month: a year in all.
const BEFORE: usize = 11;

/// Cache of monthly sums.
#[derive(Default)]
pub struct Months {
    kept: Mutex<HashMap<(i64, Dimension), Read>>,
    /// Sums of the previous months, by the first second of the month.
    before: Mutex<HashMap<i64, ReadBefore>>,
}

/// Time up to which hours were posted, and the book that was read then.
type Read = (i64, Arc<MonthBook>);
/// Time up to which hours of these months were posted, and the sums that were read then.
type ReadBefore = (i64, Arc<Vec<SpotSum>>);

/// A place with costs: a namespace of a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spot {
    /// Id of the workspace.
    pub cluster: String,
    /// Namespace.
    pub namespace: String,
}

/// Sums of a month by one dimension. Each text is stored once; lines refer to it by index.
#[derive(Debug, Default)]
pub struct MonthBook {
    /// The places.
    pub spots: Vec<Spot>,
    /// Values of the dimension and currencies.
    pub texts: Vec<String>,
    /// Sums of the month.
    pub month: Vec<MonthEntry>,
    /// Sums of its days.
    pub days: Vec<DayEntry>,
}

/// A sum of the month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MonthEntry {
    /// Index in [`MonthBook::spots`].
    pub spot: u32,
    /// Index in [`MonthBook::texts`].
    pub value: u32,
    /// Index in [`MonthBook::texts`]; that text is empty for entries without an amount.
    pub currency: u32,
    /// Number of instances.
    pub instances: i64,
    /// Seconds in which they were ready.
    pub ready: i64,
    /// Seconds in which they weren't observed.
    pub unobserved: i64,
    /// Amount in millionths of the currency.
    pub micros: i64,
}

/// A sum of a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DayEntry {
    /// First second of the day.
    pub day: i64,
    /// Index in [`MonthBook::spots`].
    pub spot: u32,
    /// Index in [`MonthBook::texts`].
    pub value: u32,
    /// Index in [`MonthBook::texts`].
    pub currency: u32,
    /// Amount in millionths of the currency.
    pub micros: i64,
}

impl Months {
    /// Returns the sums of a month after hours were posted until `posted`, and reads them from the database if they aren't cached.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn of(&self, store: &Store, posted: Option<i64>, month: Month, by: Dimension) -> Result<Arc<MonthBook>> {
        // There are no sums before the ledger starts.
        let Some(posted) = posted else { return Ok(Arc::default()) };
        // The lock is held while reading, so that the next caller finds the result in the cache.
        let mut kept = self.kept.lock().await;
        if let Some((_, book)) = kept.get(&(month.start(), by)).filter(|(until, _)| *until == posted) {
            return Ok(book.clone());
        }
        let sums = store.month_sums(month.start(), by).await?;
        let days = store.day_sums(month.start(), month.end(), by).await?;
        let book = Arc::new(MonthBook::of(sums, days));
        if kept.len() >= KEPT {
            kept.retain(|_, (until, _)| *until == posted);
        }
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert((month.start(), by), (posted, book.clone()));
        Ok(book)
    }

    /// Returns the sums of namespaces for each of the eleven previous months. They don't change any more once their last hour is posted.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn before(&self, store: &Store, posted: Option<i64>, month: Month) -> Result<Arc<Vec<SpotSum>>> {
        let Some(posted) = posted else { return Ok(Arc::default()) };
        let until = posted.min(month.start());
        let mut kept = self.before.lock().await;
        if let Some((_, sums)) = kept.get(&month.start()).filter(|(read, _)| *read == until) {
            return Ok(sums.clone());
        }
        let first = std::iter::successors(Some(month), |month| month.previous()).take(BEFORE + 1).last().unwrap_or(month);
        let sums = Arc::new(store.spot_sums(first.start(), month.start()).await?);
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(month.start(), (until, sums.clone()));
        Ok(sums)
    }

    /// After hours were posted, rereads the sums of the month that pages have used, so that no page has to wait for them.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn refresh(&self, store: &Store, month: Month) -> Result<()> {
        let asked: Vec<Dimension> = self.kept.lock().await.keys().filter(|(first, _)| *first == month.start()).map(|(_, by)| *by).collect();
        let posted = store.ledger_clock().await?.map(|clock| clock.posted);
        for by in asked {
            self.of(store, posted, month, by).await?;
        }
        Ok(())
    }
}

impl MonthBook {
    fn of(sums: Vec<MonthSum>, days: Vec<DaySum>) -> Self {
        let (mut spots, mut texts) = (Numbered::default(), Numbered::default());
        let month = sums
            .into_iter()
            .map(|sum| MonthEntry {
                spot: spots.number(Spot { cluster: sum.cluster, namespace: sum.namespace }),
                value: texts.number(sum.value),
                currency: texts.number(sum.currency),
                instances: sum.instances,
                ready: sum.ready,
                unobserved: sum.unobserved,
                micros: sum.micros,
            })
            .collect();
        let days = days
            .into_iter()
            .map(|sum| DayEntry {
                day: sum.day,
                spot: spots.number(Spot { cluster: sum.cluster, namespace: sum.namespace }),
                value: texts.number(sum.value),
                currency: texts.number(sum.currency),
                micros: sum.micros,
            })
            .collect();
        Self { spots: spots.all, texts: texts.all, month, days }
    }

    /// Returns a value or a currency.
    pub fn text(&self, number: u32) -> &str {
        usize::try_from(number).ok().and_then(|number| self.texts.get(number)).map_or("", String::as_str)
    }
}

/// Distinct values, each with a number.
struct Numbered<T> {
    all: Vec<T>,
    numbers: HashMap<T, u32>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self { all: Vec::new(), numbers: HashMap::new() }
    }
}

impl<T: Clone + Eq + Hash> Numbered<T> {
    fn number(&mut self, thing: T) -> u32 {
        if let Some(known) = self.numbers.get(&thing) {
            return *known;
        }
        let number = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        self.all.push(thing.clone());
        self.numbers.insert(thing, number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stand_once() {
        let sum = |namespace: &str, value: &str, micros| MonthSum {
            cluster: "c".into(),
            workspace: "root:c".into(),
            namespace: namespace.into(),
            value: value.into(),
            currency: "EUR".into(),
            instances: 1,
            ready: 60,
            unobserved: 0,
            micros,
        };
        let day = DaySum { day: 0, cluster: "c".into(), namespace: "b".into(), value: "x".into(), currency: "EUR".into(), micros: 3 };
        let book = MonthBook::of(vec![sum("a", "x", 1), sum("b", "y", 2)], vec![day]);
        assert_eq!((book.spots.len(), book.texts.len()), (2, 3));
        let read: Vec<_> = book.month.iter().map(|line| (book.text(line.value), book.text(line.currency), line.micros)).collect();
        assert_eq!(read, [("x", "EUR", 1), ("y", "EUR", 2)]);
        assert_eq!((book.days[0].spot, book.text(book.days[0].value)), (1, "x"));
    }
}
