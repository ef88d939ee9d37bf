//! Objects sorted by a column.

use std::cmp::Ordering;

use app::view::{Drift, ResourceColumn, Sort};

use super::Here;
use super::shelf::Piece;

/// Returns `most` objects after the first `skip`. Equal objects stay in their original order.
///
/// Objects beyond the window are never sorted: of many objects, users view the first pages.
pub(super) fn window<'m>(
    found: Vec<(&'m Here, &'m Piece)>,
    sort: Sort<ResourceColumn>,
    skip: usize,
    most: usize,
) -> Vec<(&'m Here, &'m Piece)> {
    let mut found: Vec<(usize, (&Here, &Piece))> = found.into_iter().enumerate().collect();
    let compare = |a: &(usize, (&Here, &Piece)), b: &(usize, (&Here, &Piece))| {
        sort.compare(a, b, |column, (_, (_, a)), (_, (_, b))| by(column, a, b), |(a, _), (b, _)| a.cmp(b))
    };
    let end = skip.saturating_add(most);
    if end < found.len() {
        found.select_nth_unstable_by(end, compare);
        found.truncate(end);
    }
    found.sort_unstable_by(compare);
    found.into_iter().skip(skip).map(|(_, row)| row).collect()
}

fn by(column: ResourceColumn, a: &Piece, b: &Piece) -> Ordering {
    match column {
        ResourceColumn::Name => a.name().cmp(b.name()),
        ResourceColumn::Kind => a.kind().cmp(b.kind()),
        ResourceColumn::Instance => a.instance().cmp(b.instance()),
        ResourceColumn::Promise => a.promise().cmp(b.promise()),
        ResourceColumn::Health => a.health().urgency().cmp(&b.health().urgency()),
        ResourceColumn::Drift => repairs(a.drift).cmp(&repairs(b.drift)),
        ResourceColumn::Since => a.request.metadata.creation_timestamp.cmp(&b.request.metadata.creation_timestamp),
    }
}

/// An object that is corrected repeatedly ranks above one that was corrected once. An object that was never compared ranks lowest.
fn repairs(drift: Drift) -> (u8, u32) {
    match drift {
        Drift::Unknown => (0, 0),
        Drift::None => (1, 0),
        Drift::PutBack(times) => (2, times),
        Drift::Contested(times) => (3, times),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use cluster::ClusterId;
    use cluster::kinds::{PromiseRequestKind, object};
    use promise::api::{InventoryItem, PromiseRequestSpec, PromiseRequestStatus};

    use super::*;

    #[test]
    fn a_window_holds_what_sorting_everything_would_put_there() {
        let mut request = object::<PromiseRequestKind>("db", Some("default"), PromiseRequestSpec::default());
        let item = |number: usize| InventoryItem {
            kind: if number.is_multiple_of(3) { "Secret" } else { "Service" }.into(),
            name: format!("n{:03}", number * 37 % 100),
            ..InventoryItem::default()
        };
        let inventory = (0..100).map(item).collect();
        request.status = Some(PromiseRequestStatus { inventory, ..PromiseRequestStatus::default() });
        let request = Arc::new(request);
        let pieces: Vec<Piece> = (0..100).map(|index| Piece::of(&request, index)).collect();
        let here = Here { path: "root".into(), cluster: ClusterId::root(), shelves: Vec::new() };
        let names = |sort: &str, skip: usize, most: usize| {
            let found = pieces.iter().map(|piece| (&here, piece)).collect();
            window(found, Sort::parse(sort), skip, most).into_iter().map(|(_, piece)| piece.name().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names("name", 20, 3), ["n020", "n021", "n022"]);
        assert_eq!(names("-name", 98, 50), ["n001", "n000"], "the last page");
        assert_eq!(names("-kind", 0, 2), ["n037", "n074"], "Services, as they came");
        assert_eq!(names("kind", 0, 100).len(), 100);
    }
}
