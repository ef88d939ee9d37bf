//! The cost of instances: exact amounts for every second in which they were ready (`domain.md` 8).
//!
//! A month at a monthly price costs exactly that price, and any part of it costs its share of the month's seconds, rounded so that parts
//! add up to the whole however they are cut ([`accrued`]). Periodic observations of an instance become stretches of time ([`observe`]), and
//! stretches become hourly lines ([`hours`]). A second without an observation or proof is *unobserved*: it costs nothing and is reported as
//! such. Times are seconds since 1970, amounts are millionths of a currency unit. No floats are used.

mod accrual;
mod comparison;
mod figures;
mod month;
mod observe;
mod stretch;
mod threshold;

pub use accrual::{accrued, remaining};
pub use comparison::{comparable_days, shortfall};
pub use figures::{Figures, roll_up};
pub use month::{HOUR, Month};
pub use observe::{Fact, Open, PATIENCE, Step, observe};
pub use stretch::{HourLine, Seen, Stretch, hours};
pub use threshold::{Cap, Cause, Own, Spender, Spending, Warning};

#[cfg(test)]
mod tests;
