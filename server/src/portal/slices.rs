//! Parts of lists, as programs read them: a number of items after the last one they know.
//!
//! A token names that item by its position in the order of the list. The order depends on nothing that changes, so whoever reads a list to
//! its end gets everything that is there all the time exactly once.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use promise::rest::Page;
use promise::{Error, Problem, Result};

/// Items per part, if the program doesn't say.
const USUAL: usize = 100;
/// Most items per part.
const MOST: usize = 500;
/// Longest token, in bytes.
const LONGEST: usize = 4096;

/// The part of a list that is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Slice {
    /// How many items at most.
    pub(crate) limit: usize,
    /// Position of the item before the first.
    pub(crate) after: Option<Vec<String>>,
}

impl Slice {
    /// Reads the query parameters `limit` and `continue`.
    ///
    /// # Errors
    /// If one of them is invalid.
    pub(crate) fn of(limit: Option<&str>, token: Option<&str>) -> Result<Self> {
        let limit = match limit {
            None => USUAL,
            Some(text) => {
                let number = text.parse::<usize>().ok().filter(|number| (1..=MOST).contains(number));
                number.ok_or_else(|| invalid(format!("Choose a limit from 1 to {MOST}.")))?
            }
        };
        let after = match token {
            None => None,
            Some(token) => Some(position(token).ok_or_else(|| invalid("Send the token in `continue` as you got it.".to_owned()))?),
        };
        Ok(Self { limit, after })
    }

    /// Returns the position that is named by this many texts.
    ///
    /// # Errors
    /// If the token belongs to another list.
    pub(crate) fn position<const N: usize>(&self) -> Result<Option<[&str; N]>> {
        let Some(after) = &self.after else { return Ok(None) };
        let texts: Vec<&str> = after.iter().map(String::as_str).collect();
        texts.try_into().map(Some).map_err(|_| of_another_list())
    }

    /// Returns the position that is named by a number.
    ///
    /// # Errors
    /// If the token belongs to another list.
    pub(crate) fn number(&self) -> Result<Option<i64>> {
        let Some([text]) = self.position::<1>()? else { return Ok(None) };
        text.parse().map(Some).map_err(|_| of_another_list())
    }
}

fn of_another_list() -> Error {
    invalid("The token in `continue` belongs to another list. Start again without it.".to_owned())
}

fn invalid(message: String) -> Error {
    Error::Invalid { problems: vec![Problem { path: String::new(), message }] }
}

fn position(token: &str) -> Option<Vec<String>> {
    if token.len() > LONGEST {
        return None;
    }
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(token).ok()?).ok()
}

fn token(position: &[&str]) -> String {
    URL_SAFE_NO_PAD.encode(serde_json::Value::from(position).to_string())
}

/// How much a list has in all.
pub(crate) struct Extent {
    /// How many items match.
    pub(crate) total: usize,
    /// Workspaces that didn't respond, so that their items are missing.
    pub(crate) unread: Vec<String>,
    /// Since when it is out of date.
    pub(crate) as_of: Option<String>,
}

/// Returns a part of a list. `items` are those after the position that was asked for, each with its own position; one more than the limit
/// says that there are more.
pub(crate) fn part<T>(extent: Extent, limit: usize, items: impl IntoIterator<Item = (Vec<String>, T)>) -> Page<T> {
    let mut items: Vec<(Vec<String>, T)> = items.into_iter().take(limit + 1).collect();
    let more = items.len() > limit;
    items.truncate(limit);
    let last = items.last().map(|(position, _)| position.iter().map(String::as_str).collect::<Vec<_>>());
    let next = last.filter(|_| more).map(|position| token(&position));
    let (total, exact) = (extent.total as u64, extent.unread.is_empty());
    Page {
        items: items.into_iter().map(|(_, item)| item).collect(),
        total: exact.then_some(total),
        total_at_least: (!exact).then_some(total),
        r#continue: next,
        unread: extent.unread,
        as_of: extent.as_of,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(all: &[&str], slice: &Slice) -> Page<String> {
        let after = slice.position::<1>().unwrap().map(|[after]| after.to_owned());
        let rest = all.iter().filter(|name| after.as_deref().is_none_or(|after| **name > after));
        let extent = Extent { total: all.len(), unread: Vec::new(), as_of: None };
        part(extent, slice.limit, rest.map(|name| (vec![(*name).to_owned()], (*name).to_owned())))
    }

    #[test]
    fn a_list_is_read_to_its_end_whatever_comes_and_goes_meanwhile() {
        let first = page(&["a", "b", "d"], &Slice::of(Some("2"), None).unwrap());
        assert_eq!((first.items, first.total), (vec!["a".to_owned(), "b".to_owned()], Some(3)));
        let next = Slice::of(Some("2"), first.r#continue.as_deref()).unwrap();
        let second = page(&["a", "aa", "c", "d"], &next);
        assert_eq!((second.items, second.r#continue), (vec!["c".to_owned(), "d".to_owned()], None), "b is gone, and nothing is lost");
    }

    #[test]
    fn limits_and_tokens_are_checked() {
        for limit in ["0", "501", "-1", "x", ""] {
            assert!(Slice::of(Some(limit), None).is_err(), "{limit}");
        }
        for wrong in ["x", "====", "e30", &token(&["a"]).repeat(1000)] {
            assert!(Slice::of(None, Some(wrong)).is_err(), "{wrong}");
        }
        let of_other_list = Slice::of(None, Some(&token(&["a", "b"]))).unwrap();
        assert!(of_other_list.position::<1>().is_err());
        assert_eq!(of_other_list.position::<2>().unwrap(), Some(["a", "b"]));
        let numbered = |text: &str| Slice::of(None, Some(&token(&[text]))).unwrap().number();
        assert_eq!(numbered("12").unwrap(), Some(12));
        assert!(numbered("a").is_err());
    }

    #[test]
    fn a_total_of_a_part_is_no_total() {
        let extent = Extent { total: 1, unread: vec!["root:acme".into()], as_of: None };
        let page = part(extent, 10, [(vec![], "a")]);
        assert_eq!((page.total, page.total_at_least), (None, Some(1)));
    }
}
