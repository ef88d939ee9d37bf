//! Mails: text and simple HTML, each with why it was sent and how to stop it. A link leads to a page and never authorises anything.

use std::fmt::Write as _;

use lettre::message::{Mailbox, MultiPart, header};
use lettre::transport::smtp::Error as SmtpError;
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor};
use promise::invisible::revealed;
use store::Delivery;

use super::recipients::GROUP;
use super::texts;
use crate::config::{InvalidMail, MailConfig};
use crate::failure::{Failure, FailureReason, MailAnswer};

/// Notifications listed in one digest mail; the page shows the rest.
const NAMED: usize = 50;

/// The portal, as mails link to it.
pub(super) struct Site<'a> {
    /// Base URL of links.
    pub base: &'a str,
    /// Address of the reader's notification settings, below the base.
    pub settings: &'a str,
}

/// A mail without its recipient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mail {
    /// Source of the Message-ID: the same for each attempt.
    id: String,
    /// Base URL of links.
    base: String,
    /// The page on which the reader can stop these mails; `None` for the address of a group.
    stop: Option<String>,
    subject: String,
    text: String,
    html: String,
}

/// Connection to the mail server.
pub(super) struct Mailer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
}

impl Mail {
    /// Creates a mail about one notification.
    pub fn one(site: &Site<'_>, delivery: &Delivery) -> Self {
        let (mut text, mut html) = (String::new(), String::new());
        paragraph(&mut text, &mut html, &format!("{}.", delivery.title));
        paragraph(&mut text, &mut html, &delivery.text);
        link(&mut text, &mut html, texts::VIEW, &format!("{}{}", site.base, delivery.link));
        paragraph(&mut text, &mut html, &delivery.why);
        let group = delivery.person.strip_prefix(GROUP);
        Self::ended(site, delivery.id.clone(), delivery.title.clone(), group, text, html)
    }

    /// Creates a digest mail about everything that was collected.
    pub fn digest(site: &Site<'_>, all: &[Delivery], id: &str) -> Self {
        let (mut text, mut html) = (String::new(), String::new());
        for delivery in all.iter().take(NAMED) {
            paragraph(&mut text, &mut html, &format!("{}. {}", delivery.title, delivery.text));
            link(&mut text, &mut html, &delivery.title, &format!("{}{}", site.base, delivery.link));
            paragraph(&mut text, &mut html, &delivery.why);
        }
        if all.len() > NAMED {
            paragraph(&mut text, &mut html, &texts::more(all.len() - NAMED));
        }
        let subject = match all {
            [only] => only.title.clone(),
            _ => texts::digest(all.len()),
        };
        Self::ended(site, id.to_owned(), subject, None, text, html)
    }

    /// Adds how to stop the mails. The address of a `group` belongs to the operator, so people's settings don't affect it.
    fn ended(site: &Site<'_>, id: String, subject: String, group: Option<&str>, mut text: String, mut html: String) -> Self {
        let stop = if let Some(group) = group {
            paragraph(&mut text, &mut html, &texts::group(group));
            None
        } else {
            let settings = format!("{}{}", site.base, site.settings);
            link(&mut text, &mut html, texts::SETTINGS, &settings);
            Some(settings)
        };
        // A header must be a single line.
        let subject = revealed(&subject.split_whitespace().collect::<Vec<_>>().join(" "));
        Self { id, base: site.base.to_owned(), stop, subject, text, html }
    }

    /// Builds the message to an address. Its Message-ID is derived from its content, so that a receiver can drop duplicates.
    fn message(&self, from: &Mailbox, to: &str) -> Result<Message, Failure> {
        let to: Mailbox = to.parse().map_err(|_| Failure::Never(FailureReason::InvalidMailAddress { address: to.to_owned() }))?;
        let host = self.base.split("://").nth(1).and_then(|rest| rest.split(':').next()).unwrap_or("localhost");
        let mut message = Message::builder()
            .from(from.clone())
            .to(to)
            .subject(self.subject.clone())
            .message_id(Some(format!("<{}@{host}>", self.id)))
            .header(AutoSubmitted("auto-generated".to_owned()));
        if let Some(stop) = &self.stop {
            message = message.header(ListUnsubscribe(format!("<{stop}>")));
        }
        message
            .multipart(MultiPart::alternative_plain_html(self.text.clone(), self.html.clone()))
            .map_err(|error| Failure::Never(FailureReason::NotComposed { error: error.to_string() }))
    }
}

/// Checks whether mails can be sent from an address such as `OPM Portal <portal@example.org>`.
pub fn is_mail_sender(from: &str) -> bool {
    from.parse::<Mailbox>().is_ok()
}

/// Checks whether the URL says how to reach a mail server.
pub fn is_mail_server(url: &str) -> bool {
    AsyncSmtpTransport::<Tokio1Executor>::from_url(url).is_ok()
}

impl Mailer {
    pub fn new(config: &MailConfig) -> Result<Self, InvalidMail> {
        let transport = AsyncSmtpTransport::<Tokio1Executor>::from_url(&config.url).map_err(|_| InvalidMail)?.build();
        Ok(Self { transport, from: config.from.parse().map_err(|_| InvalidMail)? })
    }

    /// Sends the mail to the server.
    pub async fn send(&self, to: &str, mail: &Mail) -> Result<(), Failure> {
        let message = mail.message(&self.from, to)?;
        self.transport.send(message).await.map(drop).map_err(|error| failure(&error))
    }
}

/// Describes the server's answer. The address is the only private detail that the answer could repeat.
fn failure(error: &SmtpError) -> Failure {
    let answer = || MailAnswer { code: error.status().map(|code| code.to_string()), error: error.to_string() };
    if error.is_permanent() {
        return Failure::Never(FailureReason::MailRefused(answer()));
    }
    if error.is_transient() {
        return Failure::Later(FailureReason::MailDeferred(answer()));
    }
    Failure::Later(if error.is_timeout() {
        FailureReason::MailTimedOut
    } else {
        FailureReason::MailUnreachable { error: error.to_string() }
    })
}

fn paragraph(text: &mut String, html: &mut String, words: &str) {
    if words.trim().is_empty() {
        return;
    }
    let words = revealed(words);
    // Writing to a string can't fail.
    let _ = write!(text, "{}\n\n", words.trim());
    let _ = write!(html, "<p>{}</p>", escaped(words.trim()));
}

fn link(text: &mut String, html: &mut String, words: &str, address: &str) {
    let words = revealed(words);
    let _ = write!(text, "{words}: {address}\n\n");
    let _ = write!(html, "<p><a href=\"{}\">{}</a></p>", escaped(address), escaped(&words));
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// `List-Unsubscribe`: how to stop the mails (RFC 2369).
#[derive(Clone)]
struct ListUnsubscribe(String);

/// `Auto-Submitted`: marks a machine-written mail, so that no machine answers it (RFC 3834).
#[derive(Clone)]
struct AutoSubmitted(String);

macro_rules! text_header {
    ($type:ident, $name:literal) => {
        impl header::Header for $type {
            fn name() -> header::HeaderName {
                header::HeaderName::new_from_ascii_str($name)
            }

            fn parse(text: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
                Ok(Self(text.to_owned()))
            }

            fn display(&self) -> header::HeaderValue {
                header::HeaderValue::new(Self::name(), self.0.clone())
            }
        }
    };
}

text_header!(ListUnsubscribe, "List-Unsubscribe");
text_header!(AutoSubmitted, "Auto-Submitted");

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    fn delivery(title: &str, text: &str) -> Delivery {
        Delivery {
            id: "d1".into(),
            channel: "mail".into(),
            target: "olga@acme.example".into(),
            collected: false,
            attempts: 0,
            due: Timestamp::UNIX_EPOCH,
            person: "olga".into(),
            event: "approvalNeeded".into(),
            title: title.into(),
            text: text.into(),
            why: "You're an approver for the policy a, set at root:acme.".into(),
            link: "/approvals/u-1?hash=aa11".into(),
            workspace: "root:acme:shop".into(),
            at: Timestamp::UNIX_EPOCH,
        }
    }

    fn at(base: &str) -> Site<'_> {
        Site { base, settings: "/notifications/settings" }
    }

    fn sent(mail: &Mail) -> String {
        let from: Mailbox = "OPM Portal <portal@example.org>".parse().unwrap();
        String::from_utf8(mail.message(&from, "olga@acme.example").unwrap().formatted()).unwrap()
    }

    #[test]
    fn a_mail_says_why_it_came_how_to_stop_it_and_where_to_look() {
        let mail =
            Mail::one(&at("https://portal.example.org:8443"), &delivery("orders-db is waiting for approval", "dev-shop requested it."));
        let text = sent(&mail);
        for part in [
            "Message-ID: <d1@portal.example.org>",
            "Subject: orders-db is waiting for approval",
            "List-Unsubscribe: <https://portal.example.org:8443/notifications/settings>",
            "Auto-Submitted: auto-generated",
            "https://portal.example.org:8443/approvals/u-1?hash",
            "You're an approver for the policy a",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert_eq!(
            mail,
            Mail::one(&at("https://portal.example.org:8443"), &delivery("orders-db is waiting for approval", "dev-shop requested it."))
        );
    }

    #[test]
    fn a_mail_to_a_group_names_who_can_stop_it_and_no_page_that_cannot() {
        let delivery = Delivery { person: "@group:acme-approvers".into(), ..delivery("orders-db is waiting for approval", "") };
        let mail = Mail::one(&at("https://p.example"), &delivery);
        for words in [&mail.text, &mail.html] {
            assert!(words.contains("the group acme-approvers. The portal's operator set it up and can turn it off."), "{words}");
            assert!(!words.contains("/notifications/settings"), "{words}");
        }
        assert!(!sent(&mail).contains("List-Unsubscribe"));
    }

    #[test]
    fn nothing_that_people_write_becomes_markup_or_a_header() {
        let mail = Mail::one(&at("https://p.example"), &delivery("a\r\nBcc: all@x.example", "<img src=x onerror=alert(1)> & \"more\""));
        let text = sent(&mail);
        let headers = text.split("\r\n\r\n").next().unwrap_or_default();
        assert!(!headers.lines().any(|line| line.starts_with("Bcc:")), "{text}");
        assert!(!mail.html.contains("<img") && mail.html.contains("&lt;img"), "{}", mail.html);
    }

    #[test]
    fn a_mail_shows_characters_that_are_not_seen() {
        let mail = Mail::one(&at("https://p.example"), &delivery("orders\u{200b}-db waits", "“\u{202e}nimda”"));
        assert_eq!(mail.subject, "orders[U+200B]-db waits");
        for words in [&mail.text, &mail.html] {
            assert!(words.contains("orders[U+200B]-db waits.") && words.contains("“[U+202E]nimda”"), "{words}");
        }
        let digest = Mail::digest(&at("https://p.example"), &[delivery("orders\u{200b}-db waits", "“\u{202e}nimda”")], "x");
        assert!(digest.subject.contains("[U+200B]") && !digest.text.contains(['\u{200b}', '\u{202e}']), "{}", digest.text);
    }

    #[test]
    fn a_collected_mail_names_what_it_can_and_counts_the_rest() {
        let all: Vec<Delivery> = (0..60).map(|number| delivery(&format!("thing {number} is ready"), "")).collect();
        let mail = Mail::digest(&at("https://p.example"), &all, "x");
        assert_eq!(mail.subject, "60 notifications");
        assert!(mail.text.contains("thing 49 is ready") && !mail.text.contains("thing 50 is ready"));
        assert!(mail.text.contains("And 10 more"));
    }
}
