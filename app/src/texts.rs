//! Every text of the pages, by the noun of the page that shows it.
//!
//! A text that is always the same is a constant; one with arguments is a function, which knows singular and plural. A text is never put
//! together from halves of sentences, so that it can be translated. How texts are written: plain English, as GitHub or Stripe write it.
//! To add one: a constant or function in the file of its noun, named after what it says.

pub(crate) mod account;
pub(crate) mod api;
pub(crate) mod approvals;
pub(crate) mod audit;
pub(crate) mod authoring;
pub(crate) mod catalog;
pub(crate) mod cost;
pub(crate) mod deliveries;
pub(crate) mod drafts;
pub(crate) mod fleet;
pub(crate) mod forms;
pub(crate) mod frame;
pub(crate) mod home;
pub(crate) mod lists;
pub(crate) mod notifications;
pub(crate) mod platform;
pub(crate) mod presets;
pub(crate) mod preview;
pub(crate) mod promises;
pub(crate) mod releases;
pub(crate) mod request;
pub(crate) mod requests;
pub(crate) mod required;
pub(crate) mod resources;
pub(crate) mod rollouts;
pub(crate) mod runs;
pub(crate) mod schedules;
pub(crate) mod search;
pub(crate) mod terms;
pub(crate) mod troubleshooting;
pub(crate) mod versions;
pub(crate) mod workflow;
pub(crate) mod workspaces;
