//! Pages and posts about decisions. What was not decided is answered with the page again, with what was typed and what stands against it.

use app::backend::{Approvals as _, Visit, Vote};
use app::pages::approvals::{self, Again};
use app::routes;
use axum::extract::Path;
use axum::response::{IntoResponse, Redirect, Response};
use promise::view::InboxQuery;
use promise::{Error, Result};
use serde::Deserialize;

use super::visit::Visiting;
use crate::error::status;
use crate::web::asked::Asked;
use crate::web::local::local;
use crate::web::pairs::{Pairs, field};

/// What an address of a decision may say besides its uid. A link may name the content that it was written about.
#[derive(Deserialize)]
pub(crate) struct Link {
    #[serde(default)]
    since: String,
    #[serde(default)]
    hash: String,
}

pub(crate) async fn inbox_page(visiting: Visiting, Asked(query): Asked<InboxQuery>) -> Response {
    visiting.answer(async |visit: &Visit| approvals::inbox(visit, &query, None).await).await
}

pub(crate) async fn light_page(visiting: Visiting, Path(uid): Path<String>, Asked(Link { since, hash }): Asked<Link>) -> Response {
    let since = if since.is_empty() { hash } else { since };
    visiting.answer(async |visit: &Visit| approvals::light(visit, &uid, &since, None).await).await
}

pub(crate) async fn alike_page(visiting: Visiting, Path(uid): Path<String>) -> Response {
    visiting.answer(async |visit: &Visit| approvals::alike(visit, &uid, None).await).await
}

fn vote(pairs: &[(String, String)]) -> Vote {
    let of = |wanted: &str| field(pairs, wanted).unwrap_or_default().to_owned();
    Vote {
        rule: of("rule"),
        hash: of("hash"),
        decision: of("decision"),
        emergency: field(pairs, "emergency") == Some("true"),
        comment: of("comment").trim().to_owned(),
        fields: pairs.iter().filter(|(name, _)| name == "field").map(|(_, value)| value.clone()).collect(),
    }
}

/// Writes a person's decision about a request.
pub(crate) async fn decide(visiting: Visiting, Path(uid): Path<String>, Pairs(pairs): Pairs) -> Response {
    let vote = vote(&pairs);
    let decided = visiting.act(async |caller| caller.decide(&uid, &vote).await).await;
    after(visiting, &uid, &pairs, vote, decided).await
}

/// Asks once more.
pub(crate) async fn ask_again(visiting: Visiting, Path(uid): Path<String>, Pairs(pairs): Pairs) -> Response {
    let done = visiting.act(async |caller| caller.ask_again(&uid).await).await;
    after(visiting, &uid, &pairs, Vote::default(), done).await
}

/// Takes back what people are asked.
pub(crate) async fn withdraw(visiting: Visiting, Path(uid): Path<String>, Pairs(pairs): Pairs) -> Response {
    let vote = vote(&pairs);
    let done = visiting.act(async |caller| caller.withdraw(&uid, &vote.hash).await).await;
    after(visiting, &uid, &pairs, vote, done).await
}

/// Remarks something.
pub(crate) async fn comment(visiting: Visiting, Path(uid): Path<String>, Pairs(pairs): Pairs) -> Response {
    let text = field(&pairs, "comment").unwrap_or_default();
    let done = visiting.act(async |caller| caller.comment(&uid, text).await).await;
    // What was typed is no decision, so it does not come back as one.
    after(visiting, &uid, &pairs, Vote::default(), done).await
}

/// The same decision about several requests of one shape.
pub(crate) async fn decide_together(visiting: Visiting, Pairs(pairs): Pairs) -> Response {
    let vote = vote(&pairs);
    let items = pairs.iter().filter(|(name, _)| name == "item").filter_map(|(_, value)| value.split_once(':'));
    let items: Vec<(String, String)> = items.map(|(uid, hash)| (uid.to_owned(), hash.to_owned())).collect();
    let decided = visiting.act(async |caller| caller.decide_together(&vote, &items).await).await;
    match decided {
        Ok(done) => {
            let done = done.to_string();
            let query = [("view", "decided"), ("together", done.as_str()), ("decision", vote.decision.as_str())];
            Redirect::to(&routes::approvals(&query)).into_response()
        }
        Err(error @ (Error::Invalid { .. } | Error::Conflict { .. })) => {
            let (again, like) = (again(vote, &error), field(&pairs, "like").unwrap_or_default().to_owned());
            visiting.answer(async |visit: &Visit| approvals::alike(visit, &like, Some(again)).await).await
        }
        Err(error) => visiting.refuse(None, &error).await,
    }
}

fn again(vote: Vote, error: &Error) -> Again {
    let (why, field) = match error {
        Error::Invalid { problems } => {
            let said: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
            (said.join(" "), problems.first().map(|problem| problem.path.clone()).unwrap_or_default())
        }
        other => (other.to_string(), String::new()),
    };
    Again { vote, why, field, status: status(error).as_u16() }
}

/// Where it goes on after something was done about a request; what was not done is said on a page about it. Another content than the one that
/// was seen is shown with what has changed since.
async fn after(visiting: Visiting, uid: &str, pairs: &[(String, String)], vote: Vote, done: Result<()>) -> Response {
    let back = local(field(pairs, "back").unwrap_or_default()).to_owned();
    match done {
        Ok(()) => {
            let inbox = back == routes::page::APPROVALS || back.starts_with(&format!("{}?", routes::page::APPROVALS));
            // Who has decided may not see the request any more, and goes on with the next one.
            let next = match (vote.rule.is_empty(), inbox, back == routes::approval(uid)) {
                (false, true, _) => routes::with_query(&back, &[("done", uid)]),
                (false, false, true) => routes::approvals(&[("done", uid)]),
                _ => back,
            };
            Redirect::to(&next).into_response()
        }
        Err(error @ (Error::Invalid { .. } | Error::Conflict { .. })) => {
            let (again, since) = (again(vote, &error), field(pairs, "hash").unwrap_or_default());
            if back.starts_with(&format!("{}?", routes::page::APPROVALS)) {
                let view = if back.contains("view=all") { "all" } else { "" };
                let query = InboxQuery { open: uid.to_owned(), since: since.to_owned(), view: view.to_owned(), ..InboxQuery::default() };
                return visiting.answer(async |visit: &Visit| approvals::inbox(visit, &query, Some(again)).await).await;
            }
            visiting.answer(async |visit: &Visit| approvals::light(visit, uid, since, Some(again)).await).await
        }
        Err(error) => visiting.refuse(None, &error).await,
    }
}
