//! List and watch of one kind, kept going until the process ends.

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

/// Objects of one page of a list.
const PAGE: u32 = 500;
/// A watch without any event, bookmarks included, for so long is opened anew where it was: should nobody be there any more, that shows
/// within the time that an answer may take. Servers send bookmarks about once a minute, and opening a watch costs them little.
const SILENCE: Duration = Duration::from_secs(40);
/// How long one page may take as a whole: a server that sends a little now and then is no better than one that is not there.
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
    /// The version is too old, or the server said to start over.
    Relist,
    Failed(kube::Error),
}

impl Source {
    /// One of our kinds. `client` decides where: usually the wildcard of an export.
    pub fn of<K: Kind>(client: Client) -> Self {
        Self::dynamic(client, ApiResource::erase::<Object<K>>(&()))
    }

    /// Any kind.
    pub fn dynamic(client: Client, resource: ApiResource) -> Self {
        Self { client, resource, labels: None, fields: None, origin: Origin::Annotated, namespace: None, in_part: false }
    }

    /// Only objects with matching labels.
    #[must_use]
    pub fn labelled(mut self, selector: impl Into<String>) -> Self {
        self.labels = Some(selector.into());
        self
    }

    /// Only objects with matching fields, such as `metadata.name=a`.
    #[must_use]
    pub fn with_fields(mut self, selector: impl Into<String>) -> Self {
        self.fields = Some(selector.into());
        self
    }

    /// How objects are told apart by workspace; unsaid, as kcp does it.
    #[must_use]
    pub fn told_apart(mut self, origin: Origin) -> Self {
        self.origin = origin;
        self
    }

    /// Only objects of one namespace.
    #[must_use]
    pub fn within(mut self, namespace: Option<String>) -> Self {
        self.namespace = namespace;
        self
    }

    /// An object of which fields cannot be decoded, such as those that are nested too deeply, comes without them; unsaid, it is left out.
    /// For whoever needs nothing that people may nest as deeply as they like.
    #[must_use]
    pub fn in_part(mut self) -> Self {
        self.in_part = true;
        self
    }

    /// Fills `cache` until `shutdown`. `project` keeps what is needed of an object; none leaves it out.
    ///
    /// An object that cannot be decoded or projected never stops the others: anybody can write strange objects.
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
                    Broken::Relist => tracing::debug!(kind = self.resource.kind, "the version is too old, listing again"),
                    Broken::Failed(error) => {
                        tracing::info!(kind = self.resource.kind, %error, "watch broken, trying again");
                        cache.set_unreachable(clock.now(), from_plane(&error, &self.resource.plural));
                    }
                }
                // A server may refuse each version that it just gave: lists are dear, and come less and less often.
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(PAUSE.1);
            }
        };
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = work => {}
        }
    }

    /// Lists, then watches until something breaks.
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
                    // Connections end now and then. Whether the server is there shows when the watch goes on from where it was.
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
            let late = |_| kube::Error::Service(format!("no whole page within {} seconds", WHOLE.as_secs()).into());
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

    /// Which row an object is, and what is kept of it; nothing when it belongs nowhere.
    fn row<V, F>(&self, item: Item, project: &F) -> Option<(Key, Option<V>)>
    where
        F: Fn(DynamicObject) -> Option<V>,
    {
        let key = Key::of(&item.object.metadata, &self.origin)?;
        if let Some(fault) = item.fault {
            // Most often it is nested too deeply. What is in it is for nobody who reads logs.
            tracing::warn!(kind = self.resource.kind, object = %key, ?fault, "an object cannot be decoded as a whole");
            if !self.in_part {
                return Some((key, None));
            }
        }
        // One that projecting panics over is left out as one that says nothing.
        let projected = guarded((&self.resource.kind, &key), || project(item.object));
        Some((key, projected.flatten()))
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
