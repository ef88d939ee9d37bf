//! The English of this crate: titles, texts and reasons of notifications, and what mails add to them. Titles are sentences without a full
//! stop.

use std::fmt;

use promise::api::Decision;
use promise::date::utc;
use promise::ledger::Cause;
use promise::price::Money;

use crate::content::{Because, BudgetWarning, Content, Outcome, Question, RuleSource};
use crate::events::Notification;
use crate::failure::{FailureReason, MailAnswer};

/// Characters of a comment on a request that a notification quotes.
const QUOTED: usize = 280;

/// The link to the page of a notification.
pub(crate) const VIEW: &str = "View in the portal";
/// The link to the reader's settings.
pub(crate) const SETTINGS: &str = "Choose which emails you get, or turn them off";

/// Returns the title of a notification.
pub(crate) fn title(content: &Content) -> String {
    match content {
        Content::ApprovalNeeded(Question { request, .. }) => format!("{request} is waiting for approval"),
        Content::Reminder(Question { request, .. }) => format!("{request} is still waiting for approval"),
        Content::Decided { request, by, decision: Decision::Approve, .. } => format!("{by} approved {request}"),
        Content::Decided { request, by, decision: Decision::Reject, .. } => format!("{by} rejected {request}"),
        Content::Decided { request, by, decision: Decision::RequestChanges, .. } => format!("{by} requested changes to {request}"),
        Content::Decided { request, by, decision: Decision::Skip, .. } => format!("{by} skipped a step of {request}"),
        Content::Overridden { request, by, .. } => format!("{by} approved {request} with an override"),
        Content::ChangedSinceDecision { request, .. } => format!("{request} changed after your decision"),
        Content::Outcome { request, outcome } => match outcome {
            Outcome::Accepted => format!("{request} is approved and being provisioned"),
            Outcome::Expired => format!("The approval of {request} expired"),
            Outcome::Refused(_) => format!("{request} was refused"),
            Outcome::Ready => format!("{request} is ready"),
            Outcome::Failed(_) => format!("Provisioning {request} failed"),
            Outcome::Degraded(_) => format!("{request} is degraded"),
            Outcome::NotChanged(_) => format!("{request} could not be changed"),
            Outcome::Outdated => format!("{request} uses older policies"),
            Outcome::ExpiresSoon(at) => format!("{request} expires on {}", utc(at)),
            Outcome::Ended(_) => format!("{request} has expired"),
            Outcome::Deleting | Outcome::DeletedAfterExpiry => format!("{request} is being deleted"),
        },
        Content::Comment { request, by, .. } => format!("{by} commented on {request}"),
        Content::Budget(budget) => budget_title(budget),
    }
}

/// Returns the text of a notification; can be empty.
pub(crate) fn text(notification: &Notification) -> String {
    let text = content_text(&notification.content);
    match notification.because {
        Because::Delegate { .. } => {
            let note = "You decide with your own permissions: if you can't open its page, you can't decide.";
            if text.is_empty() { note.to_owned() } else { format!("{text} {note}") }
        }
        _ => text,
    }
}

fn content_text(content: &Content) -> String {
    match content {
        Content::ApprovalNeeded(question) | Content::Reminder(question) => {
            let Question { promise, workspace, requester, expires_at, .. } = question;
            let who = requester.as_deref().unwrap_or("Someone");
            let until = expires_at.as_deref().map(|at| format!(" Expires on {}.", utc(at))).unwrap_or_default();
            format!("{who} requested {promise} in {workspace}.{until}")
        }
        Content::Decided { comment, .. } | Content::Overridden { comment, .. } => {
            let comment = comment.as_deref().map(str::trim).filter(|comment| !comment.is_empty());
            comment.map(|comment| format!("“{comment}”")).unwrap_or_default()
        }
        Content::ChangedSinceDecision { why, .. } => why.clone(),
        Content::Outcome { outcome, .. } => match outcome {
            Outcome::Accepted | Outcome::Ready => String::new(),
            Outcome::Expired => "Resubmit it on its page.".to_owned(),
            Outcome::Refused(why) | Outcome::Failed(why) | Outcome::Degraded(why) | Outcome::NotChanged(why) => {
                format!("{}.", why.trim_end_matches('.'))
            }
            Outcome::Outdated => "Nothing changes until someone rolls out the update. Its page shows what would change.".to_owned(),
            Outcome::ExpiresSoon(_) => "Renew it on its page if you still need it.".to_owned(),
            Outcome::Ended(ends) => format!("Renew it on its page, or it is deleted after {}.", utc(ends)),
            Outcome::DeletedAfterExpiry => "It expired and wasn't renewed.".to_owned(),
            Outcome::Deleting => "The request disappears once everything is deleted.".to_owned(),
        },
        Content::Comment { comment, .. } => comment.as_deref().map(quoted).unwrap_or_default(),
        Content::Budget(budget) => budget_text(budget),
    }
}

/// Quotes the beginning of a text in one line.
fn quoted(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let more = if line.chars().count() > QUOTED { "…" } else { "" };
    format!("“{}{more}”", line.chars().take(QUOTED).collect::<String>())
}

/// Returns why a recipient gets a notification, as a sentence.
pub(crate) fn because(because: &Because) -> String {
    match because {
        Because::Requester { request, workspace } => format!("You requested {request} in {workspace}."),
        Because::Approver { of, workspace } => format!("You're an approver for {}, set at {workspace}.", source(of)),
        Because::ApproverOf { request, workspace } => format!("You're an approver of {request} at {workspace}."),
        Because::DecidedFor { of, workspace } => format!("You decided on it for {}, set at {workspace}.", source(of)),
        Because::Decided { request } => format!("You decided on {request}."),
        Because::Commented { request } => format!("You commented on {request} before."),
        Because::Delegate { person } => format!("You're a delegate for {person}, who is away and one of the approvers."),
        Because::Budget { own, name, workspace } => {
            let source = if *own { "promise" } else { "policy" };
            format!("The {source} {name}, set at {workspace}, notifies you about its budget.")
        }
    }
}

/// Returns what sets a rule, such as `the policy Large databases`.
fn source(of: &RuleSource) -> String {
    match of {
        RuleSource::Policy(title) => format!("the policy {title}"),
        RuleSource::Promise(title) => format!("the promise {title}"),
        RuleSource::Rule(name) => format!("the rule {name}"),
    }
}

fn budget_title(budget: &BudgetWarning) -> String {
    let name = if budget.own { format!("of {}", budget.title) } else { budget.title.clone() };
    let month = budget.month.title();
    match budget.warning.cause {
        Cause::Threshold(percent) if percent >= 100 => format!("The budget {name} is used up: {percent} % in {month}"),
        Cause::Threshold(percent) => format!("The budget {name} is filling up: {percent} % in {month}"),
        Cause::Forecast => format!("The budget {name} won't last until the end of {month}"),
    }
}

fn budget_text(budget: &BudgetWarning) -> String {
    let BudgetWarning { title, own, workspace, below, warning, .. } = budget;
    let money = |micros: i64| Money::new(micros, budget.currency.as_str()).rounded().to_string();
    let who = match (own, below) {
        (false, false) => workspace.clone(),
        (false, true) => format!("{workspace} and everything below it"),
        (true, false) => format!("{title} in {workspace}"),
        (true, true) => format!("{title} in all workspaces"),
    };
    let ahead = match warning.cause {
        Cause::Threshold(_) => String::new(),
        Cause::Forecast => format!(", and will reach {} by the end of the month at current usage", money(warning.forecast)),
    };
    format!(
        "{who} used {} of {} so far{ahead}. Requests are checked against their monthly price, not against this amount.",
        money(warning.spent),
        money(warning.most)
    )
}

/// Returns how many notifications a digest mail doesn't list.
pub(crate) fn more(count: usize) -> String {
    format!("And {count} more, listed in the portal.")
}

/// Returns the subject of a digest mail about several notifications.
pub(crate) fn digest(count: usize) -> String {
    format!("{count} notifications")
}

/// Returns who can stop mails to the address of a group.
pub(crate) fn group(group: &str) -> String {
    format!("This email goes to the address of the group {group}. The portal's operator set it up and can turn it off.")
}

impl fmt::Display for FailureReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TimedOut { seconds } => write!(out, "No response within {seconds} s."),
            Self::NoMailServer => out.write_str("No mail server is configured (--smtp-url)."),
            Self::InvalidMailAddress { address } => write!(out, "{address} isn't an email address."),
            Self::NotComposed { error } => write!(out, "The email can't be composed: {error}."),
            Self::MailRefused(answer) => write!(out, "The mail server refused the email{answer}."),
            Self::MailDeferred(answer) => write!(out, "The mail server can't accept the email right now{answer}."),
            Self::MailTimedOut => out.write_str("The mail server didn't respond in time."),
            Self::MailUnreachable { error } => write!(out, "The mail server is unreachable: {error}."),
            Self::WebhookRemoved { name } => write!(out, "The webhook {name} is no longer configured."),
            Self::Unreachable { name } => write!(out, "{name} is unreachable."),
            Self::NoHost { name } => write!(out, "The address of {name} has no host."),
            Self::InvalidAddress { name } => write!(out, "The address of {name} is invalid."),
            Self::Untrusted { name, error } => write!(out, "{name} isn't trusted or doesn't support TLS: {error}."),
            Self::Closed { name } => write!(out, "{name} closed the connection without a response."),
            Self::Responded { name, status } => write!(out, "{name} responded with {status}."),
            Self::Redirected { name, status } => {
                write!(out, "{name} responded with {status}. Redirects are not followed: configure the address that it redirects to.")
            }
            Self::Unresolved { host } => write!(out, "{host} doesn't resolve to an address."),
            Self::Private { host, address } => {
                write!(out, "{host} has the address {address}, which isn't public; set allowPrivate to send there.")
            }
        }
    }
}

/// The end of a sentence about it.
impl fmt::Display for MailAnswer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.code {
            Some(code) => write!(out, " ({code}): {}", self.error),
            None => write!(out, ": {}", self.error),
        }
    }
}

#[cfg(test)]
mod tests {
    use promise::ledger::{Month, Warning};

    use super::*;

    #[test]
    fn a_long_comment_is_quoted_in_part() {
        let long = quoted(&"x".repeat(500));
        assert_eq!((long.chars().count(), long.ends_with("x…”")), (QUOTED + 3, true));
    }

    #[test]
    fn a_budget_is_named_with_its_amounts_and_where_it_counts() {
        let warning =
            |cause: Cause| Warning { cluster: "c1".into(), cause, spent: 2_010_004_000, forecast: 2_700_000_000, most: 2_500_000_000 };
        let budget = BudgetWarning {
            title: "Spending".into(),
            own: false,
            workspace: "root:acme".into(),
            below: true,
            currency: "EUR".into(),
            month: Month::parse("2026-11").unwrap(),
            warning: warning(Cause::Threshold(80)),
        };
        assert_eq!(budget_title(&budget), "The budget Spending is filling up: 80 % in November 2026");
        let text = budget_text(&budget);
        assert!(text.starts_with("root:acme and everything below it used €2,010.00 of €2,500.00 so far."), "{text}");
        let ahead = BudgetWarning { warning: warning(Cause::Forecast), ..budget.clone() };
        assert_eq!(budget_title(&ahead), "The budget Spending won't last until the end of November 2026");
        let text = budget_text(&ahead);
        assert!(text.contains("so far, and will reach €2,700.00 by the end of the month at current usage."), "{text}");
        let shop = BudgetWarning { below: false, workspace: "root:acme:shop".into(), ..budget.clone() };
        let over = BudgetWarning { warning: warning(Cause::Threshold(100)), ..shop.clone() };
        assert!(budget_title(&over).contains("is used up: 100 %") && budget_text(&over).starts_with("root:acme:shop used"), "{over:?}");

        let redis = BudgetWarning { title: "Redis".into(), own: true, ..budget };
        assert_eq!(budget_title(&redis), "The budget of Redis is filling up: 80 % in November 2026");
        let text = budget_text(&redis);
        assert!(text.starts_with("Redis in all workspaces used €2,010.00"), "{text}");
        let text = budget_text(&BudgetWarning { title: "Redis".into(), own: true, ..shop });
        assert!(text.starts_with("Redis in root:acme:shop used €2,010.00"), "{text}");
        let reason = Because::Budget { own: true, name: "redis".into(), workspace: "root:platform".into() };
        assert_eq!(because(&reason), "The promise redis, set at root:platform, notifies you about its budget.");
    }

    #[test]
    fn a_reason_says_whether_it_names_the_workspace() {
        let (request, shop) = (|| "orders-db".to_owned(), || "root:acme:shop".to_owned());
        let of = || RuleSource::Promise("Redis".to_owned());
        for reason in [
            Because::Requester { request: request(), workspace: shop() },
            Because::Approver { of: of(), workspace: shop() },
            Because::ApproverOf { request: request(), workspace: shop() },
            Because::DecidedFor { of: of(), workspace: shop() },
            Because::Decided { request: request() },
            Because::Commented { request: request() },
            Because::Delegate { person: "olga".to_owned() },
            Because::Budget { own: true, name: "redis".to_owned(), workspace: shop() },
        ] {
            assert_eq!(reason.names_workspace(&shop()), because(&reason).contains(&shop()), "{reason:?}");
        }
        let above = Because::Approver { of: of(), workspace: shop() };
        assert!(!above.names_workspace("root:acme"), "the text names a workspace below it");
    }

    #[test]
    fn a_delegate_reads_that_no_permissions_come_with_it() {
        let question = Question {
            request: "orders-db".into(),
            promise: "postgresql".into(),
            workspace: "root:acme:shop".into(),
            requester: None,
            expires_at: None,
        };
        let notification = Notification {
            content: Content::ApprovalNeeded(question),
            because: Because::Delegate { person: "olga".into() },
            audience: crate::Audience::Person("amara".into()),
            key: String::new(),
            at: 0,
            open: true,
            ends: None,
            link: crate::Page::Settings,
        };
        let text = text(&notification);
        assert!(text.starts_with("Someone requested postgresql in root:acme:shop. You decide with your own permissions"), "{text}");
    }
}
