//! Notifications about comments on a request, for everyone else involved: the requester, the approvers, people who decided, and earlier
//! commenters.

use cluster::kinds::PromiseRequest;
use cluster::person::{giver, requester};
use jiff::Timestamp;
use promise::api::{ApprovalState, PromiseRequestStatus};
use promise::notify::Event;
use store::News;

use super::events::{Audience, Told};
use super::recipients;
use crate::{Notify, Page};

/// Characters of a comment that a notification quotes.
const QUOTED: usize = 280;

/// A comment before it is written.
#[derive(Clone, Copy, Debug)]
pub struct Remark<'a> {
    /// Its id: the same comment notifies once.
    pub id: &'a str,
    /// The author.
    pub author: &'a str,
    /// The author's name, for texts.
    pub name: &'a str,
    /// The text.
    pub text: &'a str,
    /// People who commented on the request before.
    pub before: &'a [String],
}

/// Returns the notifications for a comment on a request in the workspace at the path.
///
/// # Errors
/// If the database fails.
pub async fn news(
    notify: &Notify,
    request: &PromiseRequest,
    workspace: &str,
    remark: &Remark<'_>,
    now: Timestamp,
) -> store::Result<Vec<News>> {
    let uid = request.metadata.uid.as_deref().unwrap_or_default();
    recipients::written(notify, uid, workspace, &told(request, workspace, remark, now), now).await
}

/// A person involved in several ways is notified once, for the first of them: all have the same key.
fn told(request: &PromiseRequest, workspace: &str, remark: &Remark<'_>, now: Timestamp) -> Vec<Told> {
    let name = request.metadata.name.as_deref().unwrap_or_default();
    let stamped = requester(request);
    let requester: &str = &stamped;
    let unknown = PromiseRequestStatus::default();
    let status = request.status.as_ref().unwrap_or(&unknown);
    let of = |audience: Audience, text: String, why: String| Told {
        event: Event::Comment,
        audience,
        key: remark.id.to_owned(),
        at: now.as_second(),
        open: true,
        ends: None,
        title: format!("{} commented on {name}", remark.name),
        text,
        why,
        link: Page::Approval { uid: request.metadata.uid.clone().unwrap_or_default() },
    };
    let person = |person: &str, text: String, why: String| {
        (!person.is_empty() && person != remark.author).then(|| of(Audience::Person(person.to_owned()), text, why))
    };
    let quoted = quoted(remark.text);
    let mut told: Vec<Told> = person(requester, quoted.clone(), format!("You requested {name} in {workspace}.")).into_iter().collect();
    for (approval, given) in status.approvals.iter().flat_map(|approval| approval.given.iter().map(move |given| (approval, given))) {
        told.extend(person(&giver(approval, given), quoted.clone(), format!("You decided on {name}.")));
    }
    for approval in status.approvals.iter().filter(|approval| approval.state == ApprovalState::Waiting) {
        let audience = Audience::Asked { approvers: approval.approvers.known(&approval.cluster), except: vec![remark.author.to_owned()] };
        told.push(of(audience, quoted.clone(), format!("You're an approver of {name} at {}.", approval.source)));
    }
    // Whether they can still see the request isn't known here, so the notification says that there is a comment, but not its text.
    told.extend(remark.before.iter().filter_map(|author| person(author, String::new(), format!("You commented on {name} before."))));
    told
}

/// Quotes the beginning of a text in one line.
fn quoted(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let more = if line.chars().count() > QUOTED { "…" } else { "" };
    format!("“{}{more}”", line.chars().take(QUOTED).collect::<String>())
}

#[cfg(test)]
mod tests {
    use cluster::kinds::{PromiseRequestKind, object};
    use promise::api::{ApprovalStatus, Approvers, GivenApproval, PromiseRequestSpec, Requester};

    use super::*;

    fn request() -> PromiseRequest {
        let requester = Requester { username: "dana".into(), groups: Vec::new(), cluster: None };
        let spec = PromiseRequestSpec { requester: Some(requester), ..PromiseRequestSpec::default() };
        let mut request = object::<PromiseRequestKind>("orders", Some("default"), spec);
        request.metadata.uid = Some("u1".into());
        let approvers = |group: &str| Approvers { groups: vec![group.into()], users: Vec::new() };
        let given = GivenApproval { by: "olga".into(), ..GivenApproval::default() };
        let open = ApprovalStatus {
            approvers: approvers("approvers"),
            state: ApprovalState::Waiting,
            given: vec![given],
            ..ApprovalStatus::default()
        };
        let queued = ApprovalStatus { approvers: approvers("owners"), state: ApprovalState::Queued, ..ApprovalStatus::default() };
        request.status = Some(PromiseRequestStatus { approvals: vec![open, queued], ..PromiseRequestStatus::default() });
        request
    }

    fn people(author: &str) -> Vec<String> {
        let before = ["wes".to_owned(), author.to_owned()];
        let remark = Remark { id: "c1", author, name: author, text: "Why  so\nlarge?", before: &before };
        let told = told(&request(), "root:acme", &remark, Timestamp::UNIX_EPOCH);
        assert!(told.iter().all(|one| one.key == "c1" && one.link == Page::Approval { uid: "u1".into() }));
        let name = |told: &Told| match &told.audience {
            Audience::Person(person) => format!("{person} {}", told.text),
            Audience::Asked { approvers, except } => format!("{} but {} {}", approvers.groups.join(","), except.join(","), told.text),
        };
        told.iter().map(name).collect()
    }

    #[test]
    fn the_others_are_told_and_nobody_of_their_own_words() {
        assert_eq!(people("amara"), ["dana “Why so large?”", "olga “Why so large?”", "approvers but amara “Why so large?”", "wes "]);
        assert_eq!(people("dana"), ["olga “Why so large?”", "approvers but dana “Why so large?”", "wes "]);
    }

    #[test]
    fn long_remarks_are_quoted_in_part() {
        let long = quoted(&"x".repeat(500));
        assert_eq!((long.chars().count(), long.ends_with("x…”")), (QUOTED + 3, true));
    }
}
