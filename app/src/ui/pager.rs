//! Pages of a list.

use leptos::prelude::*;

use super::texts;

/// Returns the rows of a page with at most `most` rows, the number of that page, and the number of pages. A missing page shows the nearest.
pub fn paged<T>(rows: &[T], number: usize, most: usize) -> (&[T], usize, usize) {
    let pages = rows.len().div_ceil(most).max(1);
    let number = number.clamp(1, pages);
    (rows.chunks(most).nth(number - 1).unwrap_or_default(), number, pages)
}

/// Links to the previous and next page; nothing if there is only one page.
#[component]
pub fn Pager(
    page: usize,
    pages: usize,
    href: Box<dyn Fn(usize) -> String + Send>,
    /// Its name, if a page has several pagers.
    #[prop(default = texts::PAGES)]
    label: &'static str,
) -> impl IntoView {
    (pages > 1).then(|| {
        let before = (page > 1).then(|| view! { <a class="btn btn-sm" rel="prev" href=href(page - 1)>{texts::PREVIOUS}</a> });
        let after = (page < pages).then(|| view! { <a class="btn btn-sm" rel="next" href=href(page + 1)>{texts::NEXT}</a> });
        view! { <nav class="pager" aria-label=label>{before}<span class="basis">{texts::page_of(page, pages)}</span>{after}</nav> }
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
