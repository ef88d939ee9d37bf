//! The workspaces that a browser had open last, in a cookie: they aren't worth a table, and they belong to the browser.

use cluster::WorkspacePath;
use http::{HeaderMap, HeaderValue};

use crate::auth::cookie::CookieStyle;

/// Name of the cookie.
pub const RECENT: &str = "recent-workspaces";
/// Number of workspaces.
const KEPT: usize = 6;
/// How long the browser keeps them, in seconds.
const MAX_AGE: u32 = 90 * 24 * 3600;
/// Separator between paths, which contain no dot.
const BETWEEN: char = '.';

/// Returns the paths, latest first. Whoever wrote the cookie, they are only offered as links.
pub fn of(headers: &HeaderMap) -> Vec<String> {
    let value = CookieStyle::plain_value(headers, RECENT).unwrap_or_default();
    let paths = value.split(BETWEEN).filter_map(|path| WorkspacePath::parse(path).ok());
    paths.take(KEPT).map(|path| path.to_string()).collect()
}

/// Returns the `Set-Cookie` value after a page was shown, if the page is in another workspace than the last one.
pub fn remember(address: &str, before: &[String], style: CookieStyle) -> Option<HeaderValue> {
    let path = address.strip_prefix("/w/")?.split('/').next()?;
    let path = WorkspacePath::parse(path).ok()?.to_string();
    if before.first() == Some(&path) {
        return None;
    }
    let others = before.iter().filter(|known| **known != path).map(String::as_str);
    let paths: Vec<&str> = std::iter::once(path.as_str()).chain(others).take(KEPT).collect();
    style.plain(RECENT, &paths.join(&BETWEEN.to_string()), MAX_AGE)
}

/// Returns the `Set-Cookie` value that forgets them, because the next person at this browser is someone else.
pub fn forget(style: CookieStyle) -> Option<HeaderValue> {
    style.plain(RECENT, "", 0)
}

#[cfg(test)]
mod tests {
    use http::header;

    use super::*;

    fn cookie(value: &str) -> HeaderMap {
        HeaderMap::from_iter([(header::COOKIE, HeaderValue::from_str(&format!("theme=dark; {RECENT}={value}")).unwrap())])
    }

    #[test]
    fn the_latest_workspace_comes_first_and_no_more_than_a_few_are_kept() {
        let before = of(&cookie("root:a.root:b.root:c.root:d.root:e.root:f.root:g"));
        assert_eq!((before.len(), before[0].as_str()), (KEPT, "root:a"));
        let set = remember("/w/root:c/requests/default/x", &before, CookieStyle::Plain).unwrap();
        assert!(set.to_str().unwrap().starts_with("recent-workspaces=root:c.root:a.root:b.root:d.root:e.root:f; Path=/;"), "{set:?}");
        assert_eq!(remember("/w/root:a/catalog", &before, CookieStyle::Plain), None, "it is the last one");
        assert_eq!(remember("/cost", &before, CookieStyle::Plain), None);
    }

    #[test]
    fn what_is_no_path_is_left_out() {
        assert_eq!(of(&cookie("root:a.<b>..root:B B")), ["root:a"]);
        assert_eq!(of(&HeaderMap::new()), Vec::<String>::new());
        assert_eq!(remember("/w/<b>/catalog", &[], CookieStyle::Plain), None);
    }
}
