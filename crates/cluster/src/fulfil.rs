//! Fulfilment: from published promises and requests to objects that exist, work, and go away again.
//!
//! One [`Controller`] serves all workspaces, as an identity of its own, through the exports' virtual workspaces. It decides
//! nothing: it looks at everything that `promise` wants to know, asks it what to do, does that, and writes what is seen into
//! status. It remembers nothing either: whatever it needs after a crash stands on the plane. Files by subject: who is next
//! ([`queue`]) and how urgent it is (`urgency`), what wakes whom (`wakes`), who leads (`lease`), how it goes (`standing`), its key (`keys`), where things go (`target`),
//! which places do not answer (`outage`) and which are gone (`absences`), what is left there (`tombstone`), how long trouble is only tried again (`patience`), single objects (`objects`) and how they are written where an apply removes nothing (`revision`), what changed there (`eyes`), what is noted about it (`events`),
//! which release a request should have (`decide`), what people decided about it (`votes`), who asked for it or changed it last, also where a promise made it (`askers`), and what each decision says of itself (`verdicts`), whether there is room for it (`acceptances`), one request (`round`) and its end (`remove`), promises, policies and destinations (`publish`,
//! `govern`), what is known of policies and promises that meet (`fits`), and how many requests use which revision (`uses`).

mod absences;
mod acceptances;
mod askers;
mod controller;
mod core;
mod decide;
mod events;
mod eyes;
mod fits;
mod govern;
mod inputs;
mod keys;
mod known;
mod lease;
mod objects;
mod outage;
mod outputs;
mod patience;
mod publish;
pub mod queue;
mod releases;
mod remove;
mod render;
mod revision;
mod round;
mod sites;
mod standing;
mod target;
mod tombstone;
mod urgency;
mod uses;
mod verdicts;
mod votes;
mod wakes;
mod whose;
mod words;
mod write;

pub use controller::{Controller, Options};
pub use standing::Standing;
