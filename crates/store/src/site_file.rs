//! Files of the site, of every version that ran lately. During a rollout, the replicas that share a database are of two versions, and a page
//! of one can ask a replica of the other for its files; after an update, an open page of the former version still loads what it needs.

use jiff::{SignedDuration, Timestamp};

use crate::random::Random;
use crate::row::row;
use crate::{Error, Result, Store};

/// How long the files of a version are kept after its last replica was seen.
pub const VERSIONS_KEPT: SignedDuration = SignedDuration::from_hours(7 * 24);

/// A file under an address that contains the hash of its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteFile {
    /// Its path.
    pub address: String,
    /// Its media type.
    pub kind: String,
    /// Its content.
    pub content: Vec<u8>,
}

row! {
    struct FileRow {
        kind: String,
        content: Vec<u8>,
    }
}

impl Store {
    /// Keeps the files of this version for replicas of others, and removes those of versions that ran too long ago.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn keep_site_files(&self, files: &[SiteFile], now: Timestamp, random: &dyn Random) -> Result<()> {
        for file in files {
            let known = sqlx::query("UPDATE site_file SET used = $2 WHERE address = $1").bind(file.address.as_str()).bind(now.as_second());
            // With another key, what is kept there could be opened by no one.
            if known.execute(&self.pool).await?.rows_affected() > 0 && self.opens(&file.address).await? {
                continue;
            }
            let sealed = self.keys.seal(&file.content, row_of(&file.address, &file.kind).as_bytes(), random)?;
            sqlx::query(
                "INSERT INTO site_file (address, kind, content, used) VALUES ($1, $2, $3, $4) \
                 ON CONFLICT (address) DO UPDATE SET kind = excluded.kind, content = excluded.content, used = excluded.used",
            )
            .bind(file.address.as_str())
            .bind(file.kind.as_str())
            .bind(sealed)
            .bind(now.as_second())
            .execute(&self.pool)
            .await?;
        }
        let oldest = now.saturating_sub(VERSIONS_KEPT).unwrap_or(Timestamp::MIN);
        sqlx::query("DELETE FROM site_file WHERE used < $1").bind(oldest.as_second()).execute(&self.pool).await?;
        Ok(())
    }

    /// Returns a file of any version that ran lately. One that was sealed with a key that this process doesn't have isn't there.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn site_file(&self, address: &str) -> Result<Option<SiteFile>> {
        let row: Option<FileRow> =
            sqlx::query_as("SELECT kind, content FROM site_file WHERE address = $1").bind(address).fetch_optional(&self.pool).await?;
        let Some(row) = row else { return Ok(None) };
        match self.keys.unseal(&row.content, row_of(address, &row.kind).as_bytes()) {
            Ok(content) => Ok(Some(SiteFile { address: address.to_owned(), kind: row.kind, content })),
            Err(Error::Unsealable) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn opens(&self, address: &str) -> Result<bool> {
        Ok(self.site_file(address).await?.is_some())
    }
}

/// Names the row of a file, so that nothing else that is sealed with the same key can take its place.
fn row_of(address: &str, kind: &str) -> String {
    format!("site file {address} {kind}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::tests::every;

    const NOW: Timestamp = Timestamp::constant(1_780_000_000, 0);

    fn file(address: &str, content: &str) -> SiteFile {
        SiteFile { address: address.into(), kind: "text/javascript; charset=utf-8".into(), content: content.into() }
    }

    #[tokio::test]
    async fn files_of_former_versions_are_there_until_none_of_them_ran_for_a_while() {
        for (store, random) in every().await {
            let (former, present) = (file("/pkg/portal.11111111.js", "former"), file("/pkg/portal.22222222.js", "present"));
            store.keep_site_files(std::slice::from_ref(&former), NOW, &random).await.unwrap();
            let later = NOW.checked_add(VERSIONS_KEPT).unwrap();
            store.keep_site_files(std::slice::from_ref(&present), later, &random).await.unwrap();
            assert_eq!(store.site_file(&former.address).await.unwrap(), Some(former.clone()));
            assert_eq!(store.site_file(&present.address).await.unwrap(), Some(present.clone()));
            assert_eq!(store.site_file("/pkg/portal.33333333.js").await.unwrap(), None);
            let after = later.checked_add(SignedDuration::from_secs(1)).unwrap();
            store.keep_site_files(std::slice::from_ref(&present), after, &random).await.unwrap();
            assert_eq!(store.site_file(&former.address).await.unwrap(), None);
            assert_eq!(store.site_file(&present.address).await.unwrap(), Some(present));
        }
    }

    #[tokio::test]
    async fn what_was_put_there_without_the_key_is_not_served() {
        for (store, random) in every().await {
            let (one, other) = (file("/pkg/portal.11111111.js", "one"), file("/pkg/portal.22222222.js", "other"));
            store.keep_site_files(&[one.clone(), other.clone()], NOW, &random).await.unwrap();
            sqlx::query("UPDATE site_file SET content = (SELECT content FROM site_file WHERE address = $1) WHERE address = $2")
                .bind(other.address.as_str())
                .bind(one.address.as_str())
                .execute(&store.pool)
                .await
                .unwrap();
            assert_eq!(store.site_file(&one.address).await.unwrap(), None, "it belongs to another address");
            store.keep_site_files(std::slice::from_ref(&one), NOW, &random).await.unwrap();
            assert_eq!(store.site_file(&one.address).await.unwrap(), Some(one), "the version that has the file puts it right");
        }
    }
}
