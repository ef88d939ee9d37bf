//! Decisions about requests, comments, and approvals that are requested again or withdrawn. A request is identified by its uid.

use leptos::prelude::*;
use promise::{Error, Result};

use super::{Acting, Answer, Fields, Form, Posted, needs_authentication};
use crate::backend::Vote;
use crate::routes::{self, page, safe_redirect};

/// Decides about exactly the content that the user saw, named by `hash`.
#[server(prefix = "/do", endpoint = "approvals/decide", protocol = Form, custom = Posted)]
pub async fn decide(uid: String, back: String, form: Fields) -> Answer {
    let acting = Acting::now();
    let vote = Vote::of(&form.0);
    let done = async { acting.person()?.decide(&uid, &vote).await }.await;
    let next = form.first("next").to_owned();
    acting.answer_about(&uid, done.map(|()| after_decision(&uid, &back, &next)), &back, form).await
}

/// Makes the same decision about several requests of one shape. Each `item` is a uid and a hash, separated by a colon; `like` is the
/// request that they resemble.
#[server(prefix = "/do", endpoint = "approvals/decide-together", protocol = Form, custom = Posted)]
pub async fn decide_together(item: Vec<String>, like: String, form: Fields) -> Answer {
    let acting = Acting::now();
    let vote = Vote::of(&form.0);
    let items = item.iter().filter_map(|item| item.split_once(':')).map(|(uid, hash)| (uid.to_owned(), hash.to_owned()));
    let items: Vec<(String, String)> = items.collect();
    let done = async { acting.person()?.decide_together(&vote, &items).await }.await;
    let done = done.map(|count| {
        let count = count.to_string();
        routes::approvals(&[("view", "decided"), ("together", &count), ("decision", &vote.decision)])
    });
    acting.answer_on(&routes::alike(&like), done, form).await
}

/// Comments on a request.
#[server(prefix = "/do", endpoint = "approvals/comment", protocol = Form, custom = Posted)]
pub async fn comment(uid: String, comment: String, back: String, form: Fields) -> Answer {
    let acting = Acting::now();
    let done = async { acting.person()?.comment(&uid, &comment).await }.await;
    acting.answer_about(&uid, done.map(|()| safe_redirect(&back).to_owned()), &back, form).await
}

/// Withdraws the request for approval of a content, identified by `hash`.
#[server(prefix = "/do", endpoint = "approvals/withdraw", protocol = Form, custom = Posted)]
pub async fn withdraw(uid: String, hash: String, back: String, form: Fields) -> Answer {
    let acting = Acting::now();
    let done = async { acting.person()?.withdraw(&uid, &hash).await }.await;
    acting.answer_about(&uid, done.map(|()| safe_redirect(&back).to_owned()), &back, form).await
}

/// Requests approval again after it was rejected, withdrawn, or expired.
#[server(prefix = "/do", endpoint = "approvals/ask-again", protocol = Form, custom = Posted)]
pub async fn ask_again(uid: String, back: String) -> Answer {
    let acting = Acting::now();
    let done = async { acting.person()?.ask_again(&uid).await }.await;
    acting.answer_about(&uid, done.map(|()| safe_redirect(&back).to_owned()), &back, Fields::default()).await
}

impl Acting {
    /// Redirects the browser to the result, or back to the page that showed this request: the inbox, or the request's own page. If the
    /// content is no longer the one that the user saw, that page shows what has changed since.
    async fn answer_about(&self, uid: &str, done: Result<String>, back: &str, form: Fields) -> Answer {
        let since = form.first("hash").to_owned();
        let page = if is_inbox(back) {
            routes::with_query(safe_redirect(back), &[("open", uid), ("since", &since)])
        } else {
            routes::approval_since(uid, &since)
        };
        match done {
            Err(error) if !matches!(error, Error::Invalid { .. } | Error::Conflict { .. }) && !needs_authentication(&error) => {
                self.answer(Err(error), back).await
            }
            done => self.answer_on(&page, done, form).await,
        }
    }
}

/// Returns where to go after a decision: back to the inbox, because the user might no longer have access to the request. There, the next
/// approval of the same list opens.
fn after_decision(uid: &str, back: &str, next: &str) -> String {
    let back = safe_redirect(back);
    if is_inbox(back) {
        routes::with_query(back, &[("open", next), ("done", uid)])
    } else if back == routes::approval(uid) {
        routes::approvals(&[("done", uid)])
    } else {
        back.to_owned()
    }
}

fn is_inbox(back: &str) -> bool {
    back.strip_prefix(page::APPROVALS).is_some_and(|rest| rest.is_empty() || rest.starts_with('?'))
}

#[cfg(test)]
mod tests {
    use super::after_decision;

    #[test]
    fn a_decision_leads_to_the_next_one_of_the_same_list() {
        let list = "/approvals?promise=redis&risk=high";
        assert_eq!(after_decision("u1", list, "u2"), "/approvals?promise=redis&risk=high&open=u2&done=u1");
        assert_eq!(after_decision("u1", "/approvals", ""), "/approvals?done=u1");
        assert_eq!(after_decision("u1", "/approvals/u1", ""), "/approvals?done=u1");
        assert_eq!(after_decision("u1", "/w/root/requests/default/db", "u2"), "/w/root/requests/default/db");
        assert_eq!(after_decision("u1", "https://elsewhere.example/approvals", "u2"), "/");
    }
}
