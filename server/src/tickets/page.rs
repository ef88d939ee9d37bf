//! The page of the ticket system. It works without scripts, and looks like nothing of the portal: it isn't part of it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderValue;
use jiff::Timestamp;
use promise::invisible::revealed;
use sha2::{Digest as _, Sha256};

use super::board::{Board, Ticket};
use super::texts;

/// Tickets on the page.
const SHOWN: usize = 50;

const STYLE: &str = "\
:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
.outage { border-left: 0.25rem solid #c2410c; padding-left: 0.75rem; }
table { width: 100%; border-collapse: collapse; }
th, td { text-align: start; vertical-align: top; padding: 0.5rem 0.75rem 0.5rem 0; border-bottom: 1px solid #8888; }
td p { margin: 0; overflow-wrap: anywhere; white-space: pre-line; }
form { display: inline; }
button { font: inherit; padding: 0.25rem 0.75rem; }
";

/// Returns the policy for the page: no scripts, no content from elsewhere, and this style alone.
pub(super) fn content_security_policy() -> HeaderValue {
    let digest = STANDARD.encode(Sha256::digest(STYLE));
    let policy = format!("default-src 'none'; style-src 'sha256-{digest}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'");
    HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("default-src 'none'"))
}

/// Returns the page.
pub(super) fn render(board: &Board, now: Timestamp) -> String {
    let title = texts::TITLE;
    let (class, state, change, on) = match board.outage {
        true => (" class=\"outage\"", texts::OUTAGE_ON, texts::END_OUTAGE, false),
        false => ("", texts::OUTAGE_OFF, texts::BEGIN_OUTAGE, true),
    };
    let all = board.all(now);
    let older = all.len().saturating_sub(SHOWN);
    let rows: String = all.take(SHOWN).map(|ticket| row(&ticket)).collect();
    let tickets = if rows.is_empty() {
        format!("<p>{}</p>", texts::NO_TICKETS)
    } else {
        let heads = [texts::NUMBER, texts::TICKET, texts::STATUS, texts::DECIDE].map(|head| format!("<th scope=\"col\">{head}</th>"));
        format!("<table><thead><tr>{}</tr></thead><tbody>{rows}</tbody></table>", heads.concat())
    };
    let older = if older > 0 { format!("<p>{}</p>", texts::older(older)) } else { String::new() };
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>{title}</title><style>{STYLE}</style></head><body><main><h1>{title}</h1><p>{}</p><p{class} role=\"status\">{state}</p>\
         <form method=\"post\" action=\"/outage\"><button name=\"on\" value=\"{on}\">{change}</button></form>\
         <h2>{}</h2>{tickets}{older}</main></body></html>",
        texts::ABOUT,
        texts::TICKETS,
    )
}

fn row(ticket: &Ticket) -> String {
    let Ticket { id, number, title, text, labels, status, answer, .. } = ticket;
    let paragraph = |text: &str| if text.is_empty() { String::new() } else { format!("<p>{}</p>", escaped(text)) };
    let decisions = if status.is_decided() {
        String::new()
    } else {
        [("resolve", texts::RESOLVE), ("reject", texts::REJECT)]
            .map(|(verb, name)| {
                let label = texts::of_ticket(name, *number);
                format!("<form method=\"post\" action=\"/tickets/{id}/{verb}\"><button aria-label=\"{label}\">{name}</button></form> ")
            })
            .concat()
    };
    format!(
        "<tr><th scope=\"row\">{number}</th><td><p><strong>{}</strong></p>{}{}</td><td>{}{}</td><td>{decisions}</td></tr>",
        escaped(title),
        paragraph(text),
        paragraph(&labels.join(", ")),
        texts::status(*status),
        paragraph(answer.as_deref().unwrap_or_default()),
    )
}

fn escaped(text: &str) -> String {
    revealed(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::board::NewTicket;
    use super::*;

    fn board(count: usize) -> Board {
        let mut board = Board::new(Duration::from_secs(20));
        for number in 0..count {
            let ticket = NewTicket { title: "<script>alert(1)</script>".into(), text: "a & \"b\"".into(), labels: vec!["<b>".into()] };
            board.create(format!("id{number}"), None, ticket, Timestamp::UNIX_EPOCH).unwrap();
        }
        board
    }

    #[test]
    fn what_programs_wrote_is_text() {
        let page = render(&board(1), Timestamp::UNIX_EPOCH);
        assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;") && page.contains("a &amp; &quot;b&quot;"), "{page}");
        assert!(!page.contains("<script") && !page.contains("<b>"), "{page}");
    }

    #[test]
    fn a_ticket_can_be_decided_until_it_is() {
        let board = board(1);
        let open = render(&board, Timestamp::UNIX_EPOCH);
        assert!(open.contains("action=\"/tickets/id0/resolve\"") && open.contains("aria-label=\"Reject ticket 1001\""), "{open}");
        let done = render(&board, Timestamp::UNIX_EPOCH + jiff::SignedDuration::from_secs(20));
        assert!(!done.contains("/tickets/id0/") && done.contains(texts::RESOLVED_BY_ITSELF), "{done}");
    }

    #[test]
    fn the_page_has_the_newest_tickets_and_says_how_many_it_leaves_out() {
        let page = render(&board(SHOWN + 2), Timestamp::UNIX_EPOCH);
        assert_eq!(page.matches("/resolve\"").count(), SHOWN);
        assert!(page.contains("2 older tickets aren't shown.") && page.contains(">1052<") && !page.contains(">1002<"), "{page}");
        assert!(render(&board(0), Timestamp::UNIX_EPOCH).contains(texts::NO_TICKETS));
    }
}
