//! Which objects need which others: those that were made of what their own resource of the promise reads.

use std::collections::BTreeMap;

use promise::view::{RequestPage, ResourceLine};
use promise::wording::all_of;

/// Resources that are named beside an object; of the others there is their number.
const NAMED: usize = 5;

/// What needs what, of the objects of a page.
pub(super) struct Needs<'p> {
    page: &'p RequestPage,
    /// Objects by the resource that they were made of, as their numbers in the list.
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

    /// What an object needs, by the resources of the promise.
    fn needed(&self, resource: &ResourceLine) -> impl Iterator<Item = &[usize]> {
        self.page.needs.get(id(resource)).into_iter().flatten().filter_map(move |id| self.made.get(id.as_str())).map(Vec::as_slice)
    }

    /// Every object with one that it needs, as their numbers in the list.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let all = self.page.resources.iter().enumerate();
        all.flat_map(move |(number, resource)| self.needed(resource).flatten().map(move |needed| (number, *needed)))
    }

    /// What an object needs, in words; none where it needs nothing that was made.
    pub(super) fn words(&self, resource: &ResourceLine) -> Option<String> {
        let mut named: Vec<String> = self.needed(resource).take(NAMED).filter_map(|made| self.called(made)).collect();
        let others = self.needed(resource).skip(NAMED).map(<[usize]>::len).sum::<usize>();
        if others > 0 {
            named.push(format!("{others} more"));
        }
        (!named.is_empty()).then(|| format!("needs {}", all_of(&named)))
    }

    /// The objects of one resource: the only one by its name, several by how many they are.
    fn called(&self, made: &[usize]) -> Option<String> {
        let first = self.page.resources.get(*made.first()?)?;
        Some(if made.len() == 1 { format!("{} ({})", first.name, first.kind) } else { format!("{} {}", made.len(), first.kind) })
    }
}

/// Id of the resource of the promise that an object was made of.
fn id(resource: &ResourceLine) -> &str {
    resource.id.split('[').next().unwrap_or_default()
}
