//! Markdown of promises, made harmless: an allow-list of elements, https and mailto links, no images (`domain.md` 10).

use std::collections::HashSet;

use pulldown_cmark::{Options, Parser, html};

/// Safe HTML. Its headings begin at the third level, below the page's and the section's own, whatever level the text begins with.
pub fn render(text: &str) -> String {
    let mut raw = String::new();
    html::push_html(&mut raw, Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH));
    let first = (1..=6).find(|level| raw.contains(&format!("<h{level}>"))).unwrap_or(3);
    let levels: Vec<usize> = if first < 3 { (first..=6).rev().collect() } else { (first..=6).collect() };
    let raw = levels.into_iter().fold(raw, |html, level| {
        let shifted = (level + 3 - first).min(6);
        html.replace(&format!("<h{level}>"), &format!("<h{shifted}>")).replace(&format!("</h{level}>"), &format!("</h{shifted}>"))
    });
    ammonia::Builder::default()
        .url_schemes(HashSet::from(["https", "mailto"]))
        .url_relative(ammonia::UrlRelative::Deny)
        .rm_tags(["img"])
        .link_rel(Some("noopener noreferrer"))
        .clean(&raw)
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::render;

    #[test]
    fn what_could_act_or_call_home_is_gone() {
        let html = render(
            "# Title\n\n<script>alert(1)</script>\n\n[a](javascript:alert(1)) [b](https://example.org) ![c](https://example.org/c.png)",
        );
        assert!(html.contains("<h3>Title</h3>"), "{html}");
        assert!(html.contains(r#"href="https://example.org""#), "{html}");
        for bad in ["script", "javascript:", "<img"] {
            assert!(!html.contains(bad), "{bad} in {html}");
        }
    }
}
