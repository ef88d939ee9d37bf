//! Promises that a user keeps at hand: they come first in the catalog.

use app::view::{CatalogPage, CatalogQuery, FAVOURITES, PromiseKey, ShelfLine};
use promise::{Error, Problem, Result};
use store::MAX_FAVOURITES;

use crate::portal::Caller;
use crate::portal::caller::database;
use crate::portal::offers::{Offered, Offers};
use crate::portal::write::{WriteOperation, WriteTarget};

/// Adds a promise to the user's favourites, or removes it.
pub(super) async fn set(caller: &Caller, workspace: &str, key: &PromiseKey, favourite: bool) -> Result<()> {
    let (portal, person) = (caller.portal(), &*caller.identity().person);
    let name = key.to_string();
    let write = caller.write(WriteOperation::SetFavourite, WriteTarget::remembered("promise", &name));
    if !favourite {
        let removed = write.remember(portal.store.remove_favourite_promise(person, &key.home, &key.name), |()| true);
        return removed.await.map_err(|error| database(&error));
    }
    let workspace = caller.enter(workspace).await?;
    let offered = caller.offer(&workspace, &key.name, Some(&key.home)).await?;
    let (home, name) = (&offered.home.path, &offered.key.name);
    let added = write.remember(portal.store.add_favourite_promise(person, home, name, portal.clock.now()), |added| *added);
    if added.await.map_err(|error| database(&error))? { Ok(()) } else { Err(too_many()) }
}

fn too_many() -> Error {
    let message = format!("You already have {MAX_FAVOURITES} favourite services. Remove one to add another.");
    Error::Invalid { problems: vec![Problem { path: String::new(), message }] }
}

/// Moves the user's favourites to the front of the first page, whether or not they were on it, and returns how many there are. A page that
/// is filtered or sorted stays as it is.
pub(super) async fn first(caller: &Caller, offers: &Offers<'_>, query: &CatalogQuery, shown: &mut Vec<Offered>) -> usize {
    let usual = CatalogQuery { page: query.page, ..CatalogQuery::default() };
    if *query != usual || query.page > 1 || shown.is_empty() {
        return 0;
    }
    let keys = caller.navigation().await.favourite_promises;
    let kept: Vec<Offered> = keys.iter().filter_map(|key| offers.one(&key.name, Some(&key.home))).collect();
    shown.retain(|offered| kept.iter().all(|known| known.key != offered.key));
    let count = kept.len();
    shown.splice(0..0, kept);
    count
}

/// Puts the first rows into a section of their own.
pub(super) fn mark(page: &mut CatalogPage, kept: usize) {
    if kept == 0 {
        return;
    }
    page.rows.iter_mut().take(kept).for_each(|row| FAVOURITES.clone_into(&mut row.shelf));
    let still = |shelf: &ShelfLine| page.rows.iter().any(|row| row.shelf == shelf.id);
    let mut shelves: Vec<ShelfLine> = vec![ShelfLine { id: FAVOURITES.to_owned(), ..ShelfLine::default() }];
    shelves.extend(page.shelves.iter().filter(|shelf| still(shelf)).cloned());
    page.shelves = shelves;
}

#[cfg(test)]
mod tests {
    use app::view::OfferRow;

    use super::*;

    #[test]
    fn favourites_are_a_section_before_the_others() {
        let row = |name: &str, shelf: &str| OfferRow { name: name.into(), shelf: shelf.into(), ..OfferRow::default() };
        let shelf = |id: &str| ShelfLine { id: id.into(), ..ShelfLine::default() };
        let mut page = CatalogPage {
            rows: vec![row("redis", "root/new"), row("postgresql", "root/standard")],
            shelves: vec![shelf("root/new"), shelf("root/standard")],
            ..CatalogPage::default()
        };
        let before = page.clone();
        mark(&mut page, 0);
        assert_eq!(page, before);
        mark(&mut page, 1);
        let ids: Vec<&str> = page.shelves.iter().map(|shelf| shelf.id.as_str()).collect();
        assert_eq!(ids, [FAVOURITES, "root/standard"], "a section without rows isn't shown");
        assert_eq!((page.rows[0].shelf.as_str(), page.rows[1].shelf.as_str()), (FAVOURITES, "root/standard"));
    }
}
