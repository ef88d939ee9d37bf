//! The crate against a real plane in this process: installed, bound, asked, fulfilled, taken away again.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where something is not as it should be")]

mod accounts;
mod action;
mod approvals;
mod conflict;
mod contested;
mod credential;
mod destination;
mod endpoint;
mod events;
mod expiry;
mod hostile;
mod installed;
mod kept;
mod leaders;
mod leaving;
mod lifecycle;
mod lost;
mod merging;
mod moved;
mod namespaces;
mod orphans;
mod outage;
mod outdated;
mod own_rights;
mod patience;
mod requirements;
mod restart;
mod revisions;
mod rights;
mod room;
mod running;
mod schedule;
mod secrets;
mod shards;
mod tls;
mod trust;
mod unbound;
mod unclaimed;
mod wakes;
mod watches;
mod windows;
mod workflow;
mod world;
