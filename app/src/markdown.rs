//! Markdown of promises, sanitized: an allow-list of elements, https and mailto links, no images (`domain.md` 10).

use std::collections::HashSet;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

/// Maximum nesting of quotes and lists. Anything deeper is read as part of the innermost level: no real text nests this deep, and
/// sanitizing tens of thousands of levels would take seconds.
const DEEPEST: usize = 12;

/// Renders safe HTML. Its headings start at level 3, below those of the page and the section, whatever level the text starts with. HTML in
/// the text is removed.
pub fn render(text: &str) -> String {
    let events = || Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH);
    let first =
        events().filter_map(|event| if let Event::Start(Tag::Heading { level, .. }) = event { Some(level as usize) } else { None }).min();
    let shift = |level: HeadingLevel| HeadingLevel::try_from((level as usize + 3 - first.unwrap_or(3)).min(6)).unwrap_or(HeadingLevel::H6);
    let mut depth = 0_usize;
    let shown = events().filter_map(|event| match event {
        Event::Html(_) | Event::InlineHtml(_) => None,
        Event::Start(Tag::Heading { level, id, classes, attrs }) => {
            Some(Event::Start(Tag::Heading { level: shift(level), id, classes, attrs }))
        }
        Event::End(TagEnd::Heading(level)) => Some(Event::End(TagEnd::Heading(shift(level)))),
        Event::Start(Tag::BlockQuote(_) | Tag::List(_) | Tag::Item) => {
            depth += 1;
            (depth <= DEEPEST).then_some(event)
        }
        Event::End(TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item) => {
            depth = depth.saturating_sub(1);
            (depth < DEEPEST).then_some(event)
        }
        other => Some(other),
    });
    let mut raw = String::new();
    html::push_html(&mut raw, shown);
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

    #[test]
    fn headings_lie_below_the_page_s_own() {
        let html = render("## Use\n\n#### Deep\n\n<h1 title=\"x\">Loud</h1>");
        assert!(html.contains("<h3>Use</h3>") && html.contains("<h5>Deep</h5>") && !html.contains("<h1"), "{html}");
        assert!(render("### Only").contains("<h3>Only</h3>"));
    }

    #[test]
    fn depth_is_bounded() {
        let html = render(&format!("{}deep", "> ".repeat(20_000)));
        assert!(html.matches("<blockquote>").count() <= super::DEEPEST && html.contains("deep"), "{} bytes", html.len());
        let list = (0..200).map(|level| format!("{}- a\n", "  ".repeat(level))).collect::<String>();
        assert!(render(&list).matches("<ul>").count() <= super::DEEPEST);
    }
}
