//! Fulfilment: from published promises and requests to objects that exist, work, and are removed again.
//!
//! One [`Controller`] serves all workspaces, with an identity of its own, through the virtual workspaces of the exports. It makes no
//! decisions: it observes everything that `promise` needs to know, asks `promise` what to do, does that, and writes the result into status.
//! It keeps no state either: whatever it needs after a crash is stored on the control plane.
//!
//! Modules by subject:
//!
//! - `controller`, `core`: workers and what they share; `lease`: leader election; `standing`: the controller's own state; `keys`: its
//!   digest key
//! - [`queue`]: the order of work; `urgency`: how urgent a request is; `wakes`: which change enqueues what
//! - `target`: where objects go; `outage`: Destinations that don't respond; `absences`: Destinations that are gone; `tombstone`: what is
//!   left there; `patience`: how long problems are only retried
//! - `objects`: reading and writing single objects; `revision`: writing them where an apply removes nothing; `eyes`: watches on them;
//!   `events`: Kubernetes Events about requests
//! - `decide`: which release a request should have; `votes`: what approvers decided about it; `askers`: who requested it or changed it
//!   last, also where a promise created it; `verdicts`: the status of each decision; `acceptances`: whether there is room for it
//! - `round`: reconciling one request; `remove`: deleting it; `publish`, `govern`: reconciling promises, policies and destinations
//! - `fits`: results of checking policies against promises; `uses`: how many requests use each revision

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
