//! Comments on requests. The caller checks who can read or write them.

use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::notification::write;
use crate::row::row;
use crate::{News, Result, Store};

/// Longest comment, in bytes.
pub const MAX_COMMENT: usize = 4096;
/// Maximum number of comments on one request.
pub const MAX_COMMENTS: i64 = 500;

/// A stored comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Author, by their name on the plane.
    pub author: String,
    /// Text.
    pub text: String,
    /// When it was written.
    pub created: Timestamp,
}

/// A new comment.
#[derive(Clone, Copy, Debug)]
pub struct NewComment<'a> {
    /// Its id; must be unique.
    pub id: &'a str,
    /// uid of the request.
    pub request_uid: &'a str,
    /// Author.
    pub author: &'a str,
    /// Text, at most [`MAX_COMMENT`] bytes.
    pub text: &'a str,
}

row! {
    struct CommentRow {
        author: String,
        text: String,
        created: i64,
    }
}

impl Store {
    /// Saves a comment and its notifications, both or neither. Returns the people who were notified, or `None` if the request already has
    /// [`MAX_COMMENTS`] comments.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn add_comment(&self, comment: &NewComment<'_>, news: &[News], now: Timestamp) -> Result<Option<BTreeSet<String>>> {
        let mut transaction = self.pool.begin().await?;
        let (count,): (i64,) = sqlx::query_as("SELECT COUNT(*) FROM comment WHERE request = $1")
            .bind(comment.request_uid)
            .fetch_one(&mut *transaction)
            .await?;
        if count >= MAX_COMMENTS {
            return Ok(None);
        }
        sqlx::query("INSERT INTO comment (id, request, author, text, created) VALUES ($1, $2, $3, $4, $5)")
            .bind(comment.id)
            .bind(comment.request_uid)
            .bind(comment.author)
            .bind(comment.text)
            .bind(now.as_microsecond())
            .execute(&mut *transaction)
            .await?;
        let people = write(&mut transaction, news, now).await?;
        transaction.commit().await?;
        Ok(Some(people))
    }

    /// Returns the comments on the request with this uid, oldest first.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn comments(&self, request_uid: &str) -> Result<Vec<Comment>> {
        let rows: Vec<CommentRow> = sqlx::query_as("SELECT author, text, created FROM comment WHERE request = $1 ORDER BY created, id")
            .bind(request_uid)
            .fetch_all(&self.pool)
            .await?;
        let of = |row: CommentRow| Comment {
            author: row.author,
            text: row.text,
            created: Timestamp::from_microsecond(row.created).unwrap_or(Timestamp::MIN),
        };
        Ok(rows.into_iter().map(of).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::tests::every;

    const NOW: Timestamp = Timestamp::constant(1_780_000_000, 0);

    #[tokio::test]
    async fn they_stand_in_their_order_with_their_request_and_are_not_endless() {
        for (store, _) in every().await {
            let write = async |uid: &str, text: &str, micros: i64| {
                let now = Timestamp::from_microsecond(NOW.as_microsecond() + micros).unwrap();
                let id = format!("{uid}-{text}-{micros}");
                let comment = NewComment { id: &id, request_uid: uid, author: "olga", text };
                store.add_comment(&comment, &[], now).await.unwrap().is_some()
            };
            assert!(write("a", "second", 2).await && write("a", "first", 1).await && write("b", "other", 1).await);
            let texts: Vec<String> = store.comments("a").await.unwrap().into_iter().map(|comment| comment.text).collect();
            assert_eq!(texts, ["first", "second"]);
            assert_eq!(store.comments("nobody").await.unwrap(), []);
            for index in 2..MAX_COMMENTS {
                assert!(write("a", "more", index + 1).await, "{index}");
            }
            assert!(!write("a", "too many", 9_999).await);
            assert_eq!(store.comments("a").await.unwrap().len() as i64, MAX_COMMENTS);
        }
    }

    #[tokio::test]
    async fn a_comment_and_what_is_told_of_it_are_written_together() {
        for (store, _) in every().await {
            let news = |id: &str| News {
                id: id.to_owned(),
                person: "dana".to_owned(),
                event: "comment".to_owned(),
                title: "olga wrote about orders".to_owned(),
                text: String::new(),
                why: String::new(),
                names_workspace: false,
                link: "/approvals/u1".to_owned(),
                workspace: "root:acme".to_owned(),
                shown: true,
                at: NOW,
                messages: Vec::new(),
            };
            let comment = NewComment { id: "c1", request_uid: "u1", author: "olga", text: "Why?" };
            let told = store.add_comment(&comment, &[news("n1"), news("n1")], NOW).await.unwrap();
            assert_eq!(told, Some(BTreeSet::from(["dana".to_owned()])));
            assert_eq!(store.unread("dana").await.unwrap(), 1);
            // A second comment with the same id is rejected, and so are its notifications.
            assert!(store.add_comment(&comment, &[news("n2")], NOW).await.is_err());
            assert_eq!((store.unread("dana").await.unwrap(), store.comments("u1").await.unwrap().len()), (1, 1));
        }
    }
}
