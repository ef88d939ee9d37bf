//! Notifications about comments on a request, for everyone else involved: the requester, the approvers, people who decided, and earlier
//! commenters.

use cluster::kinds::PromiseRequest;
use cluster::person::{giver, requester};
use jiff::Timestamp;
use promise::api::{ApprovalState, PromiseRequestStatus};
use store::News;

use super::content::{Because, Content};
use super::events::{Audience, Notification};
use super::recipients;
use crate::{Notify, Page};

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
    recipients::missing_for(notify, uid, workspace, notifications(request, workspace, remark, now), now).await
}

/// A person involved in several ways is notified once, for the first of them: all have the same key.
fn notifications(request: &PromiseRequest, workspace: &str, remark: &Remark<'_>, now: Timestamp) -> Vec<Notification> {
    let name = request.metadata.name.as_deref().unwrap_or_default();
    let stamped = requester(request);
    let requester: &str = &stamped;
    let unknown = PromiseRequestStatus::default();
    let status = request.status.as_ref().unwrap_or(&unknown);
    let request_name = || name.to_owned();
    // Whether earlier commenters can still see the request isn't known here: they learn that there is a comment, but not its text.
    let is_quoted = |because: &Because| !matches!(because, Because::Commented { .. });
    let of = |audience: Audience, because: Because| Notification {
        content: Content::Comment {
            request: request_name(),
            by: remark.name.to_owned(),
            comment: is_quoted(&because).then(|| remark.text.to_owned()),
        },
        because,
        audience,
        key: remark.id.to_owned(),
        at: now.as_second(),
        open: true,
        ends: None,
        link: Page::Approval { uid: request.metadata.uid.clone().unwrap_or_default() },
    };
    let person = |person: &str, because: Because| {
        (!person.is_empty() && person != remark.author).then(|| of(Audience::Person(person.to_owned()), because))
    };
    let of_requester = Because::Requester { request: request_name(), workspace: workspace.to_owned() };
    let mut all: Vec<Notification> = person(requester, of_requester).into_iter().collect();
    for (approval, given) in status.approvals.iter().flat_map(|approval| approval.given.iter().map(move |given| (approval, given))) {
        all.extend(person(&giver(approval, given), Because::Decided { request: request_name() }));
    }
    for approval in status.approvals.iter().filter(|approval| approval.state == ApprovalState::Waiting) {
        let audience =
            Audience::Approvers { approvers: approval.approvers.known(&approval.cluster), except: vec![remark.author.to_owned()] };
        all.push(of(audience, Because::ApproverOf { request: request_name(), workspace: approval.source.clone() }));
    }
    all.extend(remark.before.iter().filter_map(|author| person(author, Because::Commented { request: request_name() })));
    all
}

#[cfg(test)]
mod tests {
    use cluster::kinds::{PromiseRequestKind, object};
    use promise::api::{ApprovalStatus, Approvers, GivenApproval, PromiseRequestSpec, Requester};

    use super::*;
    use crate::texts;

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
        let told = notifications(&request(), "root:acme", &remark, Timestamp::UNIX_EPOCH);
        assert!(told.iter().all(|one| one.key == "c1" && one.link == Page::Approval { uid: "u1".into() }));
        let name = |told: &Notification| {
            let text = texts::text(told);
            match &told.audience {
                Audience::Person(person) => format!("{person} {text}"),
                Audience::Approvers { approvers, except } => format!("{} but {} {text}", approvers.groups.join(","), except.join(",")),
            }
        };
        told.iter().map(name).collect()
    }

    #[test]
    fn the_others_are_told_and_nobody_of_their_own_words() {
        assert_eq!(people("amara"), ["dana “Why so large?”", "olga “Why so large?”", "approvers but amara “Why so large?”", "wes "]);
        assert_eq!(people("dana"), ["olga “Why so large?”", "approvers but dana “Why so large?”", "wes "]);
    }
}
