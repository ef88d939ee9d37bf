//! The portal's memory: sessions, drafts, saved views, the cost ledger, remarks, and what people were told, in SQLite or PostgreSQL. The
//! only crate with SQL.
//!
//! It holds only what the plane cannot hold. Losing it signs people out and forgets half-filled forms, saved views, remarks and what was
//! counted; it never loses an instance.
//! It must never know Kubernetes, HTTP or pages, and never read the clock or draw random bytes by itself: both come in as arguments.
//!
//! To add a table: a new file of the same name in `migrations/sqlite` and `migrations/postgres`, and a file here named after the noun with its row
//! type and its methods on [`Store`]. One text of SQL serves both, and tests run on both; those that
//! open one file again run on SQLite alone.

mod acquaintance;
mod comment;
mod database;
mod delivery;
mod draft;
mod error;
mod ledger;
mod migrations;
mod notification;
mod observation;
mod random;
mod row;
mod saved_view;
mod seal;
mod session;
mod stand_in;

pub use acquaintance::Acquaintance;
pub use comment::{Comment, MAX_COMMENT, MAX_COMMENTS, NewComment};
pub use database::Store;
pub use delivery::{Delivery, DeliveryState, Listed, Unwanted};
pub use draft::{Draft, DraftId, MAX_DRAFT_BYTES, MAX_DRAFTS_PER_PERSON, MAX_REFUSALS_PER_PERSON, REFUSAL};
pub use error::{Error, Result};
pub use ledger::{DaySum, Dimension, LedgerLine, LedgerSum, MonthLine, MonthSum, PromiseSum, SpotSum};
pub use notification::{Message, News, Notification, Notifications};
pub use observation::{LedgerClock, Observation, Rate, Seen, Subject};
pub use random::Random;
pub use saved_view::{Kept, MAX_SAVED_VIEWS, SavedView};
pub use seal::SealKeys;
pub use session::{Cookie, Session, SessionKey};
pub use stand_in::StandIn;
