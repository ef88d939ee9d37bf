//! List and watch of one kind, running until the process ends.

use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use kube::api::{DynamicObject, ListParams, WatchParams};
use kube::core::ApiResource;
use tokio_util::sync::CancellationToken;

use super::wire::{Collection, Event, Item, Page};
use super::{Cache, Key, Origin, Row};
use crate::clock::Clock;
use crate::error::from_plane;
use crate::guard::guarded;
use crate::kinds::{Kind, Object};

/// Number of objects in one page of a list.
const PAGE: u32 = 500;
/// A watch without any event for this long, bookmarks included, is opened again where it was: if the server is gone, that shows within the
/// time that an answer can take. Servers send bookmarks about once a minute, and opening a watch costs them little.
const SILENCE: Duration = Duration::from_secs(40);
/// How long one page can take as a whole: a server that sends a little now and then is no better than one that is gone.
const WHOLE: Duration = Duration::from_secs(120);
/// First and longest pause after a failure.
const PAUSE: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(15));

/// What to list and watch.
#[derive(Clone)]
pub struct Source {
    client: Client,
    resource: ApiResource,
    labels: Option<String>,
    fields: Option<String>,
    origin: Origin,
    namespace: Option<String>,
    in_part: bool,
}

enum Broken {
    /// The version is too old, or the server asked to start over.
    Relist,
    Failed(kube::Error),
}

impl Source {
    /// Lists and watches one of our kinds. `client` decides where: usually the wildcard of an export.
    pub fn of<K: Kind>(client: Client) -> Self {
        Self::dynamic(client, ApiResource::erase::<Object<K>>(&()))
    }

    /// Lists and watches any kind.
    pub fn dynamic(client: Client, resource: ApiResource) -> Self {
        Self { client, resource, labels: None, fields: None, origin: Origin::Annotated, namespace: None, in_part: false }
    }

    /// Restricts to objects with matching labels.
    #[must_use]
    pub fn labelled(mut self, selector: impl Into<String>) -> Self {
        self.labels = Some(selector.into());
        self
    }

    /// Restricts to objects with matching fields, such as `metadata.name=a`.
    #[must_use]
    pub fn with_fields(mut self, selector: impl Into<String>) -> Self {
        self.fields = Some(selector.into());
        self
    }

    /// Sets how the workspace of an object is determined; by default as kcp does it.
    #[must_use]
    pub fn told_apart(mut self, origin: Origin) -> Self {
        self.origin = origin;
        self
    }

    /// Restricts to objects of one namespace.
    #[must_use]
    pub fn within(mut self, namespace: Option<String>) -> Self {
        self.namespace = namespace;
        self
    }

    /// Keeps an object whose fields can't all be decoded, such as those that are nested too deeply, without these fields; by default it is
    /// left out. For callers that don't need any field that users can nest as deeply as they like.
    #[must_use]
    pub fn in_part(mut self) -> Self {
        self.in_part = true;
        self
    }

    /// Fills `cache` until `shutdown`. `project` returns what is needed of an object; `None` leaves it out.
    ///
    /// An object that can't be decoded or projected never stops the others: anyone can write strange objects.
    pub async fn run<V, F>(self, cache: Cache<V>, project: F, clock: Arc<dyn Clock>, shutdown: CancellationToken)
    where
        V: Row,
        F: Fn(DynamicObject) -> Option<V>,
    {
        let work = async {
            let collection = Collection::new(self.client.clone(), &self.resource, self.namespace.as_deref());
            let mut pause = PAUSE.0;
            loop {
                match self.cycle(&collection, &cache, &project, &mut pause).await {
                    Broken::Relist => {
                        tracing::debug!(kind = self.resource.kind, "the version is too old, listing again");
                        cache.set_current(false);
                    }
                    Broken::Failed(error) => {
                        tracing::info!(kind = self.resource.kind, %error, "watch broken, retrying");
                        cache.set_unreachable(clock.now(), from_plane(&error, &self.resource.plural));
                    }
                }
                // A server might refuse each version that it just returned: lists are expensive, and are requested less and less often.
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(PAUSE.1);
            }
        };
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = work => {}
        }
    }

    /// Lists, then watches until something fails.
    async fn cycle<V, F>(&self, collection: &Collection, cache: &Cache<V>, project: &F, pause: &mut Duration) -> Broken
    where
        V: Row,
        F: Fn(DynamicObject) -> Option<V>,
    {
        let mut version = match self.list(collection, cache, project).await {
            Ok(version) => version,
            Err(error) => return Broken::Failed(error),
        };
        cache.set_synced();
        let mut params = WatchParams::default();
        params.label_selector.clone_from(&self.labels);
        params.field_selector.clone_from(&self.fields);
        let mut stumbled = false;
        loop {
            let mut events = match collection.watch(&params, &version).await {
                Ok(events) => events,
                Err(error) => return broken(error),
            };
            cache.set_current(true);
            let before = version.clone();
            while let Ok(Some(event)) = tokio::time::timeout(SILENCE, events.next()).await {
                match event {
                    Ok(Event::Changed(item)) => {
                        version = item.object.metadata.resource_version.clone().unwrap_or(version);
                        match self.row(item, project) {
                            Some((key, Some(value))) => cache.put(key, value),
                            Some((key, None)) => cache.remove(key),
                            None => {}
                        }
                    }
                    Ok(Event::Deleted(item)) => {
                        version = item.object.metadata.resource_version.clone().unwrap_or(version);
                        if let Some(key) = Key::of(&item.object.metadata, &self.origin) {
                            cache.remove(key);
                        }
                    }
                    Ok(Event::Bookmark(reached)) => version = reached,
                    Err(error @ kube::Error::Api(_)) => return broken(error),
                    // Connections end now and then. Whether the server is available shows when the watch continues from where it was.
                    Err(error) if stumbled => return broken(error),
                    Err(error) => {
                        tracing::debug!(kind = self.resource.kind, %error, "a watch ended early");
                        stumbled = true;
                        break;
                    }
                }
                *pause = PAUSE.0;
                stumbled = false;
            }
            // Opening it again might take as long as an answer can take.
            cache.set_current(false);
            // A server that ends every watch at once must not be asked in a tight loop.
            if before == version {
                tokio::time::sleep(PAUSE.0).await;
            }
        }
    }

    async fn list<V, F>(&self, collection: &Collection, cache: &Cache<V>, project: &F) -> Result<String, kube::Error>
    where
        V: Row,
        F: Fn(DynamicObject) -> Option<V>,
    {
        let mut params = ListParams::default().limit(PAGE);
        params.label_selector.clone_from(&self.labels);
        params.field_selector.clone_from(&self.fields);
        let mut rows = Vec::new();
        loop {
            let late = |_| kube::Error::Service(format!("no complete page within {} seconds", WHOLE.as_secs()).into());
            let text = tokio::time::timeout(WHOLE, collection.list(&params)).await.map_err(late)??;
            let page = Page::parse(&text)?;
            for raw in page.items {
                if let Some((key, Some(value))) = self.row(Item::decode(raw), project) {
                    rows.push((key, value));
                }
            }
            match page.metadata.continue_ {
                Some(token) if !token.is_empty() => params.continue_token = Some(token),
                _ => {
                    cache.replace(rows);
                    return Ok(page.metadata.resource_version.unwrap_or_default());
                }
            }
        }
    }

    /// Returns the row of an object, and what is kept of it; `None` if it belongs to no workspace.
    fn row<V, F>(&self, item: Item, project: &F) -> Option<(Key, Option<V>)>
    where
        V: Row,
        F: Fn(DynamicObject) -> Option<V>,
    {
        let key = Key::of(&item.object.metadata, &self.origin)?;
        let is_in_part = item.fault.is_some();
        if let Some(fault) = item.fault {
            // Usually it is nested too deeply. Its content doesn't belong in logs.
            tracing::warn!(kind = self.resource.kind, object = %key, ?fault, "an object cannot be decoded completely");
            if !self.in_part {
                return Some((key, None));
            }
        }
        // An object whose projection panics is left out, like one that has no projection.
        let projected = guarded((&self.resource.kind, &key), || project(item.object)).flatten();
        Some((key, if is_in_part { projected.map(V::in_part) } else { projected }))
    }
}

fn broken(error: kube::Error) -> Broken {
    match &error {
        kube::Error::Api(status) if status.code == 410 || status.reason == "Expired" => Broken::Relist,
        _ => Broken::Failed(error),
    }
}

#[cfg(test)]
mod tests;
