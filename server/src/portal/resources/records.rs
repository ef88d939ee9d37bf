//! Objects of requests as data, for programs.

use app::view::{Drift as Shown, ResourceQuery, ResourceRow};
use promise::Result;
use promise::rest::{Drift, DriftState, Page, ResourceItem};

use super::{Here, Presented, Wanted};
use crate::portal::Caller;
use crate::portal::slices::{self, Extent, Slice};

use super::shelf::Piece;

impl Caller {
    /// Returns a part of the objects that match, in the order of paths, requests, kinds and names.
    ///
    /// # Errors
    /// If the workspace isn't open to the user, the user can't list requests there, or the control plane doesn't respond.
    pub(crate) async fn list_resources(&self, workspace: &str, query: &ResourceQuery, slice: &Slice) -> Result<Page<ResourceItem>> {
        let workspace = self.enter(workspace).await?;
        let after = slice.position::<POSITION>()?;
        let made = self.made_within(workspace, query.below).await?;
        let wanted = Wanted::of(query);
        let mut found: Vec<([&str; POSITION], &Here, &Piece)> =
            made.cut(&wanted, 0, usize::MAX).into_iter().map(|(here, piece)| (position(here, piece), here, piece)).collect();
        found.sort_unstable_by_key(|(position, ..)| *position);
        let extent = Extent { total: found.len(), unread: made.unseen.clone(), as_of: made.as_of.clone() };
        let mut presented = Presented::default();
        let rest = found.iter().filter(|(position, ..)| after.is_none_or(|after| *position > after));
        let rest = rest.map(|(position, here, piece)| (position.map(str::to_owned).to_vec(), item(presented.row(self, here, piece))));
        Ok(slices::part(extent, slice.limit, rest))
    }
}

/// Number of texts that name an object among all.
const POSITION: usize = 8;

fn position<'h>(here: &'h Here, piece: &'h Piece) -> [&'h str; POSITION] {
    let text = |text: Option<&'h String>| text.map_or("", String::as_str);
    let item = piece.item();
    [
        &here.path,
        piece.namespace(),
        piece.instance(),
        piece.kind(),
        item.map_or("", |item| &item.group),
        text(item.and_then(|item| item.namespace.as_ref())),
        item.map_or("", |item| &item.name),
        text(item.and_then(|item| item.destination.as_ref())),
    ]
}

fn item(row: ResourceRow) -> ResourceItem {
    let filled = |text: String| Some(text).filter(|text| !text.is_empty());
    let (state, repairs) = match row.drift {
        Shown::Unknown => (DriftState::Unknown, 0),
        Shown::None => (DriftState::None, 0),
        Shown::PutBack(times) => (DriftState::Restored, times),
        Shown::Contested(times) => (DriftState::Contested, times),
    };
    ResourceItem {
        workspace: row.workspace,
        request_namespace: row.request_namespace,
        request: row.instance,
        promise: row.promise,
        version: row.version,
        kind: row.kind,
        api_version: row.api_version,
        namespace: filled(row.namespace),
        name: row.name,
        destination: filled(row.destination),
        applied: row.applied,
        health: row.health,
        message: filled(row.message),
        drift: Drift { state, repairs },
        since: row.since,
    }
}
