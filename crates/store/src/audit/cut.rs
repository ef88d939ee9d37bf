//! Removing what is too old, so that it is known what was removed.

use std::collections::BTreeMap;

use jiff::Timestamp;
use promise::audit::AuditCut;
use sqlx::AnyConnection;

use super::ChainWriter;
use crate::row::row;
use crate::{Result, Store};

row! {
    struct PlaceRow {
        chain: String,
        sequence: i64,
    }
}

row! {
    struct FirstRow {
        chain: String,
        sequence: i64,
        previous: String,
    }
}

impl Store {
    /// Removes the records from before a time, of each chain those up to the first that is younger; its last record stays. A record in `chain`
    /// says for each chain what was removed. Returns the number of removed records.
    ///
    /// # Errors
    /// If the database fails; then nothing is removed.
    pub async fn cut_audit(&self, chain: &str, before: Timestamp, now: Timestamp) -> Result<u64> {
        let mut transaction = self.pool.begin().await?;
        let mut writer = ChainWriter::lock(&mut transaction, chain).await?;
        let young: BTreeMap<String, i64> =
            young(writer.connection, before).await?.into_iter().map(|row| (row.chain, row.sequence)).collect();
        let mut removed = 0;
        for PlaceRow { chain, sequence } in ends(writer.connection).await? {
            let through = young.get(&chain).map_or(sequence, |first| sequence.min(*first)) - 1;
            let gone = sqlx::query("DELETE FROM audit_record WHERE chain = $1 AND sequence <= $2")
                .bind(chain.as_str())
                .bind(through)
                .execute(&mut *writer.connection)
                .await?;
            removed += gone.rows_affected();
        }
        if removed > 0 {
            // Also about chains that lost nothing now: the record that said what they lost might have been removed.
            for FirstRow { chain, sequence, previous } in beginnings(writer.connection).await? {
                let through = u64::try_from(sequence - 1).unwrap_or_default();
                writer.append(AuditCut { chain, through, hash: previous }.entry(now)).await?;
            }
        }
        writer.finish().await?;
        transaction.commit().await?;
        Ok(removed)
    }
}

/// Returns the first record of each chain that isn't too old.
async fn young(connection: &mut AnyConnection, before: Timestamp) -> Result<Vec<PlaceRow>> {
    let select = "SELECT chain, CAST(MIN(sequence) AS BIGINT) AS sequence FROM audit_record WHERE at >= $1 GROUP BY chain";
    Ok(sqlx::query_as(select).bind(before.as_microsecond()).fetch_all(connection).await?)
}

/// Returns the last record of each chain.
async fn ends(connection: &mut AnyConnection) -> Result<Vec<PlaceRow>> {
    Ok(sqlx::query_as("SELECT chain, sequence FROM audit_chain ORDER BY chain").fetch_all(connection).await?)
}

/// Returns the first records of the chains that don't begin with record 1.
async fn beginnings(connection: &mut AnyConnection) -> Result<Vec<FirstRow>> {
    let select = "SELECT r.chain, r.sequence, r.previous FROM audit_record r \
        WHERE r.sequence > 1 AND r.sequence = (SELECT MIN(e.sequence) FROM audit_record e WHERE e.chain = r.chain) ORDER BY r.chain";
    Ok(sqlx::query_as(select).fetch_all(connection).await?)
}
