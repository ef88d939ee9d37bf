//! The portal's database: sessions, drafts, presets, saved views, the cost ledger, comments, activity, changes of policies, notifications, and
//! the audit log, in SQLite or PostgreSQL. The only crate with SQL.
//!
//! It stores only what the plane can't store. Losing it signs users out and loses half-filled forms, saved views, comments and metered
//! costs; it never loses an instance.
//! It must never know Kubernetes, HTTP or pages, and never read the clock or generate random bytes itself: both are passed in as arguments.
//!
//! To add a table: a new file of the same name in `migrations/sqlite` and `migrations/postgres`, and a file here named after the noun with
//! its row type and its methods on [`Store`]. The same SQL works for both databases, and tests run on both; tests that reopen a file run
//! only on SQLite.

mod acquaintance;
mod activity;
mod attempt;
mod audit;
mod by_id;
mod comment;
mod database;
mod delivery;
mod dismissal;
mod draft;
mod error;
mod favourite;
mod idempotency;
mod ledger;
mod migrations;
mod notice;
mod notification;
mod observation;
mod policy_change;
mod posted;
mod preset;
mod random;
mod rollout;
mod rollout_member;
mod row;
mod saved_view;
mod seal;
mod session;
mod session_provider;
mod site_file;
mod stand_in;
mod subscription;

pub use acquaintance::Acquaintance;
pub use activity::{Activity, ActivityKind, ActivityTarget};
pub use attempt::Attempt;
pub use audit::{AuditCounts, AuditFilter, AuditStep, AuditStepOutcome, AuditSum, AuditTarget, ObjectChange};
pub use comment::{Comment, MAX_COMMENT, MAX_COMMENTS, NewComment};
pub use database::Store;
pub use delivery::{Delivery, DeliveryState, Listed, Unwanted};
pub use draft::{
    Draft, DraftId, ListedDraft, MAX_DRAFT_BYTES, MAX_DRAFTS_PER_FORM, MAX_DRAFTS_PER_PERSON, MAX_REFUSALS_PER_PERSON, NewDraft, REFUSAL,
};
pub use error::{Error, Result};
pub use favourite::MAX_FAVOURITES;
pub use idempotency::{ANSWER_LIFETIME, CALL_LEASE, KeyedCall, MAX_ANSWER, MAX_KEYS_PER_PERSON};
pub use ledger::{DaySum, Dimension, LedgerLine, LedgerSum, MonthLine, MonthSum, PromiseSum, SpotSum};
pub use notice::{Notice, Notices};
pub use notification::{Message, News, Notification, Notifications};
pub use observation::{LedgerClock, Observation, Rate, Seen, Subject};
pub use policy_change::{PolicyChangeEntry, PolicyChangeKind};
pub use posted::POSTED;
pub use preset::{MAX_PRESETS, NewPreset, Preset};
pub use random::Random;
pub use rollout::{NewRollout, ROLLOUTS_KEPT, StoredRollout};
pub use rollout_member::{MemberAnswer, MemberChange, NewMember, StoredMember};
pub use saved_view::{MAX_SAVED_VIEWS, SaveOutcome, SavedView};
pub use seal::SealKeys;
pub use session::{AtProvider, Cookie, ListedSession, NewSession, Session, SessionKey};
pub use site_file::{SiteFile, VERSIONS_KEPT};
pub use stand_in::StandIn;
