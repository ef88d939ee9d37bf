//! Pages of a list.

use leptos::prelude::*;

/// The rows of a page of `most`, the page that is shown, and how many there are. A page that is not there shows the nearest.
pub fn paged<T>(rows: &[T], number: usize, most: usize) -> (&[T], usize, usize) {
    let pages = rows.len().div_ceil(most).max(1);
    let number = number.clamp(1, pages);
    (rows.chunks(most).nth(number - 1).unwrap_or_default(), number, pages)
}

/// Links to the page before and after; nothing when there is one page.
#[component]
pub fn Pager(
    page: usize,
    pages: usize,
    href: Box<dyn Fn(usize) -> String + Send>,
    /// What it is called, where a page has several.
    #[prop(default = "Pages")]
    label: &'static str,
) -> impl IntoView {
    (pages > 1).then(|| {
        let before = (page > 1).then(|| view! { <a class="btn btn-sm" rel="prev" href=href(page - 1)>"Previous"</a> });
        let after = (page < pages).then(|| view! { <a class="btn btn-sm" rel="next" href=href(page + 1)>"Next"</a> });
        view! { <nav class="pager" aria-label=label>{before}<span class="basis">{format!("Page {page} of {pages}")}</span>{after}</nav> }
    })
}

#[cfg(test)]
mod tests {
    use super::paged;

    #[test]
    fn pages_end_where_the_rows_end() {
        let rows: Vec<usize> = (0..120).collect();
        let (last, beyond, none) = (paged(&rows, 3, 50), paged(&rows, 9, 50), paged(&rows, 0, 50));
        assert_eq!((last.0.len(), beyond.1, none.1, none.2), (20, 3, 1, 3));
        assert_eq!(paged::<usize>(&[], 1, 50), (&[][..], 1, 1));
    }
}
