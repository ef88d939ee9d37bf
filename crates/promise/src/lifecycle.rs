//! The life of a request: which release it should have, and what its status says. The only owner of `current`, `candidate`, `question` and
//! of decisions that still stand.
//!
//! Nothing here reads, writes, or asks for the time. The controller gathers facts and passes them in, in this order:
//!
//! 1. [`Choice::recalled`]: the releases that the status names, as they were recorded.
//! 2. [`Choice::stays`]: an unedited request keeps what it has, unless someone rolls out the current rules.
//! 3. [`Choice::weigh`]: the result of the current rules for the request. Content that wasn't accepted before is a [`Chosen`] release.
//! 4. [`Choice::asks`] and [`Choice::answered`]: whether approvers have to be asked about it, and what their answers lead to.
//! 5. [`Choice::opens`]: whether a change has to wait for the windows of policies.
//! 6. [`Choice::accept`] or [`Choice::refuse`]: whether limits and budgets have room for it.
//! 7. [`Choice::ends`]: whether the request has expired for good.
//! 8. [`Choice::promote`], [`Choice::roll_back`] or [`Choice::take_back`]: what became of the accepted release.
//! 9. [`status`]: what the request says about all of that.
//!
//! To let something else decide whether a release is accepted, add it between 3 and 4, with a test in `lifecycle/tests.rs`.

mod choice;
mod chosen;
mod request;
mod status;
mod upheld;
mod windows;

pub use choice::{Choice, Held, RolledBack};
pub use chosen::Chosen;
pub use request::{Heard, Request, RequesterUnknown};
pub use status::{Observed, status};
pub use upheld::Upheld;

#[cfg(test)]
mod tests;
