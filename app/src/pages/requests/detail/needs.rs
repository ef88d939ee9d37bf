//! Dependencies between objects: an object depends on those that were created from what its own resource of the promise reads.

use std::collections::BTreeMap;

use crate::view::{RequestPage, ResourceLine};

use crate::texts::request as texts;

/// Number of resources named beside an object; the rest are only counted.
const NAMED: usize = 5;

/// Dependencies between the objects of a page.
pub(super) struct Needs<'p> {
    page: &'p RequestPage,
    /// Objects by the resource that they were created from, as indexes into the list.
    made: BTreeMap<&'p str, Vec<usize>>,
}

impl<'p> Needs<'p> {
    pub(super) fn of(page: &'p RequestPage) -> Self {
        let mut made: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (number, resource) in page.resources.iter().enumerate() {
            made.entry(id(resource)).or_default().push(number);
        }
        Self { page, made }
    }

    /// Returns what an object depends on, by resource of the promise.
    fn needed(&self, resource: &ResourceLine) -> impl Iterator<Item = &[usize]> {
        self.page.needs.get(id(resource)).into_iter().flatten().filter_map(move |id| self.made.get(id.as_str())).map(Vec::as_slice)
    }

    /// Returns every pair of an object and one that it depends on, as indexes into the list.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let all = self.page.resources.iter().enumerate();
        all.flat_map(move |(number, resource)| self.needed(resource).flatten().map(move |needed| (number, *needed)))
    }

    /// Describes what an object depends on; `None` if it depends on no other object.
    pub(super) fn words(&self, resource: &ResourceLine) -> Option<String> {
        let mut named: Vec<String> = self.needed(resource).take(NAMED).filter_map(|made| self.called(made)).collect();
        let others = self.needed(resource).skip(NAMED).map(<[usize]>::len).sum::<usize>();
        if others > 0 {
            named.push(texts::more(others));
        }
        (!named.is_empty()).then(|| texts::depends_on(&named))
    }

    /// Names the objects of one resource: a single one by name, several by count.
    fn called(&self, made: &[usize]) -> Option<String> {
        let first = self.page.resources.get(*made.first()?)?;
        Some(if made.len() == 1 { texts::named_object(&first.name, &first.kind) } else { texts::objects_of_kind(made.len(), &first.kind) })
    }
}

/// Returns the id of the resource of the promise that an object was created from.
fn id(resource: &ResourceLine) -> &str {
    resource.id.split('[').next().unwrap_or_default()
}
