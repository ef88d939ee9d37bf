//! Texts of the ticket system.

use super::board::Status;

pub(super) const TITLE: &str = "Ticket system (simulated)";
pub(super) const ABOUT: &str =
    "This ticket system is part of the sample world. It has no people: tickets are resolved by themselves after a while, or by you.";
pub(super) const OUTAGE_ON: &str = "An outage is simulated: workflows can't create or read tickets.";
pub(super) const OUTAGE_OFF: &str = "Workflows can create and read tickets.";
pub(super) const BEGIN_OUTAGE: &str = "Simulate an outage";
pub(super) const END_OUTAGE: &str = "End the outage";
pub(super) const TICKETS: &str = "Tickets";
pub(super) const NO_TICKETS: &str = "There are no tickets yet. A workflow with a step for the endpoint tickets creates them.";
pub(super) const NUMBER: &str = "Number";
pub(super) const TICKET: &str = "Ticket";
pub(super) const STATUS: &str = "Status";
pub(super) const DECIDE: &str = "Decide";
pub(super) const RESOLVE: &str = "Resolve";
pub(super) const REJECT: &str = "Reject";

pub(super) const RESOLVED_BY_ITSELF: &str = "Resolved by the simulated team.";
pub(super) const RESOLVED: &str = "Resolved on the page of the ticket system.";
pub(super) const REJECTED: &str = "Rejected on the page of the ticket system.";

pub(super) const WRONG_HOST: &str = "The ticket system is served on loopback only.";
pub(super) const OTHER_SITE: &str = "The form was sent from another site.";
pub(super) const NO_TOKEN: &str = "A valid bearer token is required.";
pub(super) const OUTAGE: &str = "The ticket system is out of service. This outage is simulated.";
pub(super) const UNREADABLE: &str = "The body can't be read, or is larger than 64 KiB.";
pub(super) const KEY_REUSED: &str = "The idempotency key belongs to another ticket.";
pub(super) const NO_TICKET: &str = "There is no ticket with this ID.";
pub(super) const EMPTY_TITLE: &str = "Enter a title.";
pub(super) const TOO_LONG: &str = "Shorten the ticket: at most 200 characters of title, 10,000 of text, and 20 labels of 63 characters.";

/// Returns the name of a status.
pub(super) fn status(status: Status) -> &'static str {
    match status {
        Status::Open => "Open",
        Status::InProgress => "In progress",
        Status::Resolved => "Resolved",
        Status::Rejected => "Rejected",
    }
}

/// Returns the accessible name of a button of a ticket.
pub(super) fn of_ticket(action: &str, number: u64) -> String {
    format!("{action} ticket {number}")
}

/// Returns how many older tickets aren't shown.
pub(super) fn older(count: usize) -> String {
    if count == 1 { "1 older ticket isn't shown.".to_owned() } else { format!("{count} older tickets aren't shown.") }
}
