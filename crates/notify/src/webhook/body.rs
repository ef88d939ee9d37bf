//! Bodies of webhook messages.

use promise::invisible::revealed;
use serde_json::json;
use store::Delivery;

use crate::config::Format;

/// Returns the JSON body of a message.
pub(super) fn of(format: Format, base: &str, delivery: &Delivery) -> String {
    let link = format!("{base}{}", delivery.link);
    match format {
        Format::Portal => json!({
            "id": delivery.id,
            "event": delivery.event,
            "at": delivery.at.to_string(),
            "workspace": delivery.workspace,
            "title": revealed(&delivery.title),
            "text": revealed(&delivery.text),
            "why": revealed(&delivery.why),
            "link": link,
        }),
        Format::Slack => {
            let said = if delivery.text.is_empty() { String::new() } else { format!("\n{}", escaped(&delivery.text)) };
            json!({"text": format!("*<{}|{}>*{said}", escaped(&link), escaped(&delivery.title))})
        }
    }
    .to_string()
}

/// Escapes text written by people, so that it doesn't become a link, a mention or a command. Slack marks all of these with angle brackets;
/// Mattermost, which accepts the same messages, also interprets `@name` and Markdown links, which are broken up with an invisible
/// character.
fn escaped(text: &str) -> String {
    let text = revealed(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('|', "¦");
    let apart = |mark: &str| format!("{mark}{WORD_JOINER}");
    text.replace('@', &apart("@")).replace("](", &format!("{}(", apart("]"))).replace("][", &format!("{}[", apart("]")))
}

/// Invisible character that separates two characters that have a meaning together.
const WORD_JOINER: char = '\u{2060}';

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::Value;

    use super::*;

    #[test]
    fn chat_gets_a_link_and_no_mentions() {
        let delivery = Delivery {
            id: "d1".into(),
            channel: "webhook".into(),
            target: "ops".into(),
            collected: false,
            attempts: 0,
            due: Timestamp::UNIX_EPOCH,
            person: "@webhook:ops".into(),
            event: "rejected".into(),
            title: "olga turned orders-db down".into(),
            text: "“<!channel> look at <https://evil.example|this>, @channel, [here](https://evil.example) and ![x][y]”".into(),
            why: String::new(),
            link: "/w/root:acme:shop/requests/default/orders-db".into(),
            workspace: "root:acme:shop".into(),
            at: Timestamp::UNIX_EPOCH,
        };
        let body: Value = serde_json::from_str(&of(Format::Slack, "https://p.example", &delivery)).unwrap();
        let text = body["text"].as_str().unwrap();
        assert!(
            text.starts_with("*<https://p.example/w/root:acme:shop/requests/default/orders-db|olga turned orders-db down>*\n"),
            "{text}"
        );
        assert!(!text.contains("<!channel>") && !text.contains("<https://evil"), "{text}");
        assert!(!text.contains("@channel") && !text.contains("](") && !text.contains("]["), "{text}");
        assert!(
            text.replace(WORD_JOINER, "").contains("@channel, [here](https://evil.example) and"),
            "people read what was written: {text}"
        );
        let hiding = Delivery { title: "orders\u{200b}-db".into(), text: "\u{202e}nimda".into(), ..delivery.clone() };
        for (format, parts) in [(Format::Slack, ["/text", "/text"]), (Format::Portal, ["/title", "/text"])] {
            let body: Value = serde_json::from_str(&of(format, "https://p.example", &hiding)).unwrap();
            let said = parts.map(|part| body.pointer(part).and_then(Value::as_str).unwrap_or_default());
            assert!(said[0].contains("orders[U+200B]-db") && said[1].contains("[U+202E]nimda"), "{body}");
        }
        let body: Value = serde_json::from_str(&of(Format::Portal, "https://p.example", &delivery)).unwrap();
        assert_eq!((body["event"].as_str(), body["at"].as_str()), (Some("rejected"), Some("1970-01-01T00:00:00Z")));
    }
}
