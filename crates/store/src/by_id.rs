//! Statements about rows with given ids: many ids take several statements, because a database limits the values of one.

use sqlx::{AnyPool, AssertSqlSafe};

use crate::Result;

/// Maximum number of ids in one statement.
pub(crate) const TOGETHER: usize = 100;

/// Returns the placeholders of a statement for a list of `count` values, such as `$3, $4`.
pub(crate) fn places(first: usize, count: usize) -> String {
    (first..first + count).map(|number| format!("${number}")).collect::<Vec<_>>().join(", ")
}

/// A value of a statement.
#[derive(Clone, Copy)]
pub(crate) enum Bound<'a> {
    Text(&'a str),
    Number(i64),
}

/// Runs an update for the rows with these ids that match its condition, for all of them or for none. `statement` ends with its condition,
/// and `values` are its values. Returns the number of rows.
pub(crate) async fn update<T: AsRef<str> + Sync>(pool: &AnyPool, statement: &str, values: &[Bound<'_>], ids: &[T]) -> Result<u64> {
    let mut transaction = pool.begin().await?;
    let mut updated = 0;
    for part in ids.chunks(TOGETHER) {
        let text = format!("{statement} AND id IN ({})", places(values.len() + 1, part.len()));
        let mut query = sqlx::query(AssertSqlSafe(text));
        for value in values {
            query = match value {
                Bound::Text(text) => query.bind(*text),
                Bound::Number(number) => query.bind(*number),
            };
        }
        for id in part {
            query = query.bind(id.as_ref());
        }
        updated += query.execute(&mut *transaction).await?.rows_affected();
    }
    transaction.commit().await?;
    Ok(updated)
}
