//! Cost of instances: hours that are written once, and their sums, which pages read.

use std::collections::BTreeMap;

use sqlx::AssertSqlSafe;

use crate::observation::Subject;
use crate::row::{TOGETHER, placeholders, row};
use crate::{Result, Store};

/// Cost of one hour of an instance in one currency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerLine {
    /// First second of the hour.
    pub hour: i64,
    /// First second of its day.
    pub day: i64,
    /// First second of its month.
    pub month: i64,
    /// ISO 4217; empty for seconds at an unknown price, and unobserved seconds.
    pub currency: String,
    /// Seconds and cost of the hour.
    pub sum: LedgerSum,
    /// Source of the price.
    pub basis: String,
}

/// Seconds and money.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LedgerSum {
    /// Seconds in which the instance was ready.
    pub ready: i64,
    /// Seconds in which the instance was not observed.
    pub unobserved: i64,
    /// Millionths of the currency.
    pub micros: i64,
}

impl std::ops::AddAssign for LedgerSum {
    fn add_assign(&mut self, other: Self) {
        self.ready += other.ready;
        self.unobserved += other.unobserved;
        self.micros = self.micros.saturating_add(other.micros);
    }
}

/// What costs are summed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dimension {
    /// By promise, from any home.
    Promise,
    /// By project label.
    Project,
    /// By requester.
    Owner,
}

impl Dimension {
    fn column(self) -> &'static str {
        match self {
            Self::Promise => "promise",
            Self::Project => "project",
            Self::Owner => "owner",
        }
    }
}

row! {
    /// Sum of a month, for one value of a dimension in one namespace.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct MonthSum {
        /// Id of the workspace.
        pub cluster: String,
        /// Path of the workspace.
        pub workspace: String,
        /// Namespace.
        pub namespace: String,
        /// Value of the dimension; can be empty.
        pub value: String,
        /// ISO 4217; empty if there is no amount.
        pub currency: String,
        /// Number of instances.
        pub instances: i64,
        /// Ready seconds.
        pub ready: i64,
        /// Unobserved seconds.
        pub unobserved: i64,
        /// Millionths of the currency.
        pub micros: i64,
    }
}

row! {
    /// Cost of the requests of one promise in a month, in one workspace and currency.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct PromiseSum {
        /// Id of the workspace.
        pub cluster: String,
        /// Path of the workspace.
        pub workspace: String,
        /// Path of the promise's home; empty if requests name none.
        pub home: String,
        /// Name of the promise.
        pub promise: String,
        /// ISO 4217.
        pub currency: String,
        /// Millionths of the currency.
        pub micros: i64,
    }
}

row! {
    /// Cost of a namespace in a month, in one currency.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct SpotSum {
        /// First second of the month.
        pub month: i64,
        /// Id of the workspace.
        pub cluster: String,
        /// Namespace.
        pub namespace: String,
        /// ISO 4217.
        pub currency: String,
        /// Millionths of the currency.
        pub micros: i64,
    }
}

row! {
    /// Sum of a day, for one value of a dimension in one namespace.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct DaySum {
        /// First second of the day.
        pub day: i64,
        /// Id of the workspace.
        pub cluster: String,
        /// Namespace.
        pub namespace: String,
        /// Value of the dimension; can be empty.
        pub value: String,
        /// ISO 4217; empty if there is no amount.
        pub currency: String,
        /// Millionths of the currency.
        pub micros: i64,
    }
}

row! {
    /// Cost of an instance in a month, in one currency.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct MonthLine {
        /// Uid of the request.
        pub uid: String,
        /// Id of the workspace.
        pub cluster: String,
        /// Path of the workspace.
        pub workspace: String,
        /// Namespace.
        pub namespace: String,
        /// Name.
        pub name: String,
        /// Path of the promise's home.
        pub home: String,
        /// Name of the promise.
        pub promise: String,
        /// Last version that ran.
        pub version: String,
        /// Project; can be empty.
        pub project: String,
        /// Requester.
        pub owner: String,
        /// Source of the price.
        pub basis: String,
        /// ISO 4217; empty if there is no amount.
        pub currency: String,
        /// Ready seconds.
        pub ready: i64,
        /// Unobserved seconds.
        pub unobserved: i64,
        /// Millionths of the currency.
        pub micros: i64,
    }
}

impl Store {
    /// Writes complete hours from `posted` to `until` and adds them to the sums. Returns `false` without writing anything if another
    /// process did so. Hours before `keep` are only added to the sums.
    ///
    /// # Errors
    /// If the database fails; then nothing is written.
    pub async fn post(&self, posted: i64, until: i64, lines: &[(Subject, Vec<LedgerLine>)], keep: i64) -> Result<bool> {
        let mut transaction = self.pool.begin().await?;
        let moved = sqlx::query("UPDATE ledger_clock SET posted = $1 WHERE id = 1 AND posted = $2 AND seen >= $1")
            .bind(until)
            .bind(posted)
            .execute(&mut *transaction)
            .await?;
        if moved.rows_affected() != 1 {
            transaction.rollback().await?;
            return Ok(false);
        }
        let mut days: BTreeMap<(i64, [&str; 7]), LedgerSum> = BTreeMap::new();
        let mut months: BTreeMap<(i64, &Subject, &str), (LedgerSum, &str)> = BTreeMap::new();
        let mut hours: BTreeMap<(&str, i64, &str), (LedgerSum, &str)> = BTreeMap::new();
        for (subject, line) in lines.iter().flat_map(|(subject, lines)| lines.iter().map(move |line| (subject, line))) {
            let of =
                [&subject.cluster, &subject.namespace, &subject.home, &subject.promise, &subject.project, &subject.owner, &line.currency];
            *days.entry((line.day, of.map(String::as_str))).or_default() += line.sum;
            let month = months.entry((line.month, subject, &line.currency)).or_default();
            month.0 += line.sum;
            month.1 = &line.basis;
            if line.hour >= keep {
                let hour = hours.entry((&subject.uid, line.hour, &line.currency)).or_default();
                hour.0 += line.sum;
                hour.1 = &line.basis;
            }
        }
        let hours: Vec<_> = hours.into_iter().collect();
        for chunk in hours.chunks(TOGETHER) {
            let sql = format!(
                "INSERT INTO ledger_hour (uid, hour, currency, ready, unobserved, micros, basis) VALUES {} \
                 ON CONFLICT (uid, hour, currency) DO NOTHING",
                placeholders(chunk.len(), 7)
            );
            let mut query = sqlx::query(AssertSqlSafe(sql));
            for ((uid, hour, currency), (sum, basis)) in chunk {
                query = query.bind(*uid).bind(*hour).bind(*currency).bind(sum.ready).bind(sum.unobserved).bind(sum.micros).bind(*basis);
            }
            query.execute(&mut *transaction).await?;
        }
        let days: Vec<_> = days.into_iter().collect();
        for chunk in days.chunks(TOGETHER) {
            let sql = format!(
                "INSERT INTO ledger_day (day, cluster, namespace, home, promise, project, owner, currency, ready, unobserved, micros) \
                 VALUES {} ON CONFLICT (day, cluster, namespace, home, promise, project, owner, currency) DO UPDATE SET \
                 ready = ledger_day.ready + excluded.ready, unobserved = ledger_day.unobserved + excluded.unobserved, \
                 micros = ledger_day.micros + excluded.micros",
                placeholders(chunk.len(), 11)
            );
            let mut query = sqlx::query(AssertSqlSafe(sql));
            for ((day, of), sum) in chunk {
                query = query.bind(*day);
                for text in of {
                    query = query.bind(*text);
                }
                query = query.bind(sum.ready).bind(sum.unobserved).bind(sum.micros);
            }
            query.execute(&mut *transaction).await?;
        }
        let months: Vec<_> = months_once(months).into_iter().collect();
        for chunk in months.chunks(TOGETHER) {
            let sql = format!(
                "INSERT INTO ledger_month (month, cluster, uid, project, currency, workspace, namespace, name, home, promise, version, \
                 owner, basis, ready, unobserved, micros) VALUES {} ON CONFLICT (month, cluster, uid, project, currency) DO UPDATE SET \
                 workspace = excluded.workspace, home = excluded.home, promise = excluded.promise, version = excluded.version, \
                 basis = excluded.basis, ready = ledger_month.ready + excluded.ready, \
                 unobserved = ledger_month.unobserved + excluded.unobserved, micros = ledger_month.micros + excluded.micros",
                placeholders(chunk.len(), 16)
            );
            let mut query = sqlx::query(AssertSqlSafe(sql));
            for ((month, _, _, currency), (subject, sum, basis)) in chunk {
                query = query.bind(*month).bind(&subject.cluster).bind(&subject.uid).bind(&subject.project).bind(*currency);
                query = query.bind(&subject.workspace).bind(&subject.namespace).bind(&subject.name).bind(&subject.home);
                query = query.bind(&subject.promise).bind(&subject.version).bind(&subject.owner).bind(*basis);
                query = query.bind(sum.ready).bind(sum.unobserved).bind(sum.micros);
            }
            query.execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(true)
    }

    /// Removes single hours before `keep`, and observations that ended before it: their sums stay. Returns the number of removed rows.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn forget_hours(&self, keep: i64) -> Result<u64> {
        let hours = sqlx::query("DELETE FROM ledger_hour WHERE hour < $1").bind(keep).execute(&self.pool).await?.rows_affected();
        let stretches = sqlx::query("DELETE FROM observation WHERE until <= $1").bind(keep).execute(&self.pool).await?.rows_affected();
        Ok(hours + stretches)
    }

    /// Returns the first second of the first month with a sum; `None` if there is no such month yet.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn first_month(&self) -> Result<Option<i64>> {
        let row: Option<(i64,)> =
            sqlx::query_as("SELECT month FROM ledger_month ORDER BY month LIMIT 1").fetch_optional(&self.pool).await?;
        Ok(row.map(|(month,)| month))
    }

    /// Returns the sums of a month, given by its first second.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn month_sums(&self, month: i64, by: Dimension) -> Result<Vec<MonthSum>> {
        let column = by.column();
        let sql = format!(
            "SELECT cluster, MAX(workspace) AS workspace, namespace, {column} AS value, currency, COUNT(DISTINCT uid) AS instances, \
             CAST(SUM(ready) AS BIGINT) AS ready, CAST(SUM(unobserved) AS BIGINT) AS unobserved, CAST(SUM(micros) AS BIGINT) AS micros FROM ledger_month WHERE month = $1 \
             GROUP BY cluster, namespace, {column}, currency ORDER BY cluster, namespace, {column}, currency"
        );
        Ok(sqlx::query_as(AssertSqlSafe(sql)).bind(month).fetch_all(&self.pool).await?)
    }

    /// Returns the cost of promises in a month, given by its first second; promises with the same name are distinguished by their homes.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn promise_sums(&self, month: i64) -> Result<Vec<PromiseSum>> {
        Ok(sqlx::query_as(
            "SELECT cluster, MAX(workspace) AS workspace, home, promise, currency, CAST(SUM(micros) AS BIGINT) AS micros FROM ledger_month \
             WHERE month = $1 AND currency <> '' GROUP BY cluster, home, promise, currency ORDER BY cluster, home, promise, currency",
        )
        .bind(month)
        .fetch_all(&self.pool)
        .await?)
    }

    /// Returns the cost of namespaces in each of the months that start between two points in time.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn spot_sums(&self, from: i64, to: i64) -> Result<Vec<SpotSum>> {
        Ok(sqlx::query_as(
            "SELECT month, cluster, namespace, currency, CAST(SUM(micros) AS BIGINT) AS micros FROM ledger_month \
             WHERE month >= $1 AND month < $2 AND currency <> '' GROUP BY month, cluster, namespace, currency \
             ORDER BY month, cluster, namespace, currency",
        )
        .bind(from)
        .bind(to)
        .fetch_all(&self.pool)
        .await?)
    }

    /// Returns the sums of the days between two points in time.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn day_sums(&self, from: i64, to: i64, by: Dimension) -> Result<Vec<DaySum>> {
        let column = by.column();
        let sql = format!(
            "SELECT day, cluster, namespace, {column} AS value, currency, CAST(SUM(micros) AS BIGINT) AS micros FROM ledger_day \
             WHERE day >= $1 AND day < $2 GROUP BY day, cluster, namespace, {column}, currency"
        );
        Ok(sqlx::query_as(AssertSqlSafe(sql)).bind(from).bind(to).fetch_all(&self.pool).await?)
    }

    /// Returns the cost of the instances of a workspace in a month, given by its first second.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn month_lines(&self, month: i64, cluster: &str) -> Result<Vec<MonthLine>> {
        Ok(sqlx::query_as(
            "SELECT uid, cluster, workspace, namespace, name, home, promise, version, project, owner, basis, currency, ready, unobserved, \
             micros FROM ledger_month WHERE month = $1 AND cluster = $2 ORDER BY namespace, name, uid, project, currency",
        )
        .bind(month)
        .bind(cluster)
        .fetch_all(&self.pool)
        .await?)
    }

    /// Returns the seconds of a month, given by its first second, that are settled for each instance: uid, and the seconds in which it was
    /// ready or not observed.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn settled_seconds(&self, month: i64) -> Result<Vec<(String, i64)>> {
        let sql = "SELECT uid, CAST(SUM(ready + unobserved) AS BIGINT) FROM ledger_month WHERE month = $1 GROUP BY uid";
        Ok(sqlx::query_as(sql).bind(month).fetch_all(&self.pool).await?)
    }

    /// Returns the cost of an instance in a month, given by its first second: currency and millionths of it.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn instance_sums(&self, month: i64, cluster: &str, uid: &str) -> Result<Vec<(String, i64)>> {
        Ok(sqlx::query_as(
            "SELECT currency, CAST(SUM(micros) AS BIGINT) AS micros FROM ledger_month \
             WHERE month = $1 AND cluster = $2 AND uid = $3 AND currency <> '' GROUP BY currency ORDER BY currency",
        )
        .bind(month)
        .bind(cluster)
        .bind(uid)
        .fetch_all(&self.pool)
        .await?)
    }

    /// Returns the stored hours of an instance: first second, currency, and sum.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn ledger_hours(&self, uid: &str) -> Result<Vec<(i64, String, LedgerSum)>> {
        let rows: Vec<(i64, String, i64, i64, i64)> =
            sqlx::query_as("SELECT hour, currency, ready, unobserved, micros FROM ledger_hour WHERE uid = $1 ORDER BY hour, currency")
                .bind(uid)
                .fetch_all(&self.pool)
                .await?;
        Ok(rows
            .into_iter()
            .map(|(hour, currency, ready, unobserved, micros)| (hour, currency, LedgerSum { ready, unobserved, micros }))
            .collect())
    }
}

type MonthKey<'a> = (i64, &'a str, &'a str, &'a str);

/// Returns one row for each instance, project and currency: a statement must not touch a row twice, and other attributes of an instance
/// might have changed within these hours.
fn months_once<'a>(
    months: BTreeMap<(i64, &'a Subject, &'a str), (LedgerSum, &'a str)>,
) -> BTreeMap<MonthKey<'a>, (&'a Subject, LedgerSum, &'a str)> {
    let mut once: BTreeMap<MonthKey<'a>, (&'a Subject, LedgerSum, &'a str)> = BTreeMap::new();
    for ((month, subject, currency), (sum, basis)) in months {
        let row = once.entry((month, &subject.uid, &subject.project, currency)).or_insert((subject, LedgerSum::default(), basis));
        row.1 += sum;
        (row.0, row.2) = (subject, basis);
    }
    once
}

#[cfg(test)]
mod tests {
    use crate::database::tests::every;

    #[tokio::test]
    async fn an_instance_costs_what_it_did_in_that_month() {
        for (store, _) in every().await {
            for (month, uid, project, currency, micros) in [
                (100, "a", "", "EUR", 5),
                (100, "a", "shop", "EUR", 7),
                (100, "a", "", "USD", 1),
                (100, "a", "", "", 0),
                (200, "a", "", "EUR", 9),
                (100, "b", "", "EUR", 11),
            ] {
                sqlx::query(
                    "INSERT INTO ledger_month (month, cluster, uid, project, currency, workspace, namespace, name, home, promise, version, \
                     owner, basis, ready, unobserved, micros) VALUES ($1, 'c', $2, $3, $4, '', '', '', '', '', '', '', '', 0, 0, $5)",
                )
                .bind(month)
                .bind(uid)
                .bind(project)
                .bind(currency)
                .bind(micros)
                .execute(&store.pool)
                .await
                .unwrap();
            }
            let sums = store.instance_sums(100, "c", "a").await.unwrap();
            assert_eq!(sums, [("EUR".to_owned(), 12), ("USD".to_owned(), 1)]);
            assert!(store.instance_sums(100, "other", "a").await.unwrap().is_empty());
        }
    }
}
