//! What instances have cost: exact money for every second in which they were ready (`domain.md` 8).
//!
//! A month at a monthly price costs exactly that price, and any part of it its share of the month's seconds, rounded so that parts add
//! up to the whole however they are cut ([`accrued`]). What is seen of an instance now and then becomes stretches of time
//! ([`observe`]), and stretches become lines of an hour ([`hours`]). A second that nobody saw and nothing proves is *unobserved*: it
//! costs nothing and is said. Times are seconds since 1970, amounts millionths of a currency; nothing here is a float.

mod accrual;
mod figures;
mod month;
mod observe;
mod stretch;
mod threshold;

pub use accrual::{accrued, remaining};
pub use figures::{Figures, roll_up};
pub use month::{HOUR, Month};
pub use observe::{Fact, Open, PATIENCE, Step, observe};
pub use stretch::{HourLine, Seen, Stretch, hours};
pub use threshold::{Cap, Cause, Own, Spender, Spending, Warning};

#[cfg(test)]
mod tests;
