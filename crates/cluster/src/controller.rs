//! The controller: from published promises and requests to objects that exist, work, and are removed again.
//!
//! One [`Controller`] serves all workspaces, with an identity of its own, through the virtual workspaces of the exports. It makes no
//! decisions: it observes everything that `promise` needs to know, asks `promise` what to do, does that, and writes the result into status.
//! It keeps no state either: whatever it needs after a crash is stored on the control plane.
//!
//! Modules by subject:
//!
//! - `runtime`, `context`: workers and what they share; `lease`: leader election; `state`: the controller's own state; `digest_key`: its
//!   key for digests of secrets
//! - [`queue`]: the work queue; `likely_destinations`: where a request is probably worked on; `urgency`: how urgent a request is;
//!   `handlers`: which event enqueues what; `last_seen`: what they compare an event with
//! - `target`, `places`: where objects go; `outage`: Destinations that don't respond; `absences`: Destinations that are gone; `tombstone`:
//!   what is left there; `failure`: why something can't be done, and how long that is only retried; `refusals`: texts for it
//! - `objects`: reading and writing single objects; `revision`: writing them where an apply removes nothing; `informers`: watches on them;
//!   `object_version`: telling what these show of our own writes from news;
//!   `write`: status and finalizers of our own kinds; `events`: Kubernetes Events about requests
//! - `render`: what a release wants; `inputs`, `outputs`: Secrets that people typed, and those with outputs; `releases`: records of releases
//! - `decide`: which release a request should have; `approvals`: what approvers decided about it; `requesters`: who requested it or changed
//!   it last, also where a promise created it; `approval_status`: the status of each decision; `acceptances`: whether there is room for it
//! - `reconcile`: reconciling one request, and deleting it; `publish`, `governance`: reconciling promises, policies and Destinations;
//!   `endpoints`: reconciling Endpoints; `http_call`: calling their servers
//! - `steps`: carrying out what the steps of a workflow or action ask for; `job_result`: what a Job leaves; `step_decisions`: what approvers
//!   decided about steps; `calls`: when a step was last called, and what changed since then
//! - `action`: reconciling one run of an action; `action_index`: which runs a request has
//! - `policy_checks`: results of checking policies against promises; `uses`: how many requests use each revision; `owners`: requests by uid,
//!   and approvals by request

mod absences;
mod acceptances;
mod action;
mod action_index;
mod approval_status;
mod approvals;
mod calls;
mod changes;
mod context;
mod decide;
mod digest_key;
mod endpoints;
mod events;
mod failure;
mod governance;
mod handlers;
mod http_call;
mod informers;
mod inputs;
mod job_result;
mod last_seen;
mod lease;
mod likely_destinations;
mod object_version;
mod objects;
mod outage;
mod outputs;
mod owners;
mod places;
mod policy_checks;
mod publish;
pub mod queue;
mod reconcile;
mod refusals;
mod releases;
mod render;
mod requesters;
mod revision;
mod runtime;
mod state;
mod step_decisions;
mod steps;
mod target;
mod tombstone;
mod urgency;
mod uses;
mod write;

pub use runtime::{Controller, Options};
pub use state::ControllerState;
