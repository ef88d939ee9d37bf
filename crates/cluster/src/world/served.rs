//! The addresses at which the exports of a kcp are read, among those that their endpoint slices name.

use std::time::Duration;

use kube::Client;
use tokio_util::sync::CancellationToken;

use super::{EXPORTS, Feeder, Served, World, bindings, workspaces};
use crate::kinds::Export;
use crate::provider::{self, ExportAddress};
use crate::watch::Source;
use crate::workspaces::{BindingRow, WorkspaceRow};

/// Pause before the endpoint slices are read again.
const AGAIN: Duration = Duration::from_secs(2);

impl World {
    /// Reads both exports as soon as they are served.
    pub(super) async fn follow(self, with: Feeder) {
        let found = tokio::select! {
            () = with.shutdown.cancelled() => return,
            found = self.find() => found,
        };
        for (export, served) in EXPORTS.into_iter().zip(found) {
            self.begin(export, served, with.clone());
        }
    }

    /// Starts to read an export where it is served.
    fn begin(&self, export: Export, (endpoint, address): Served, with: Feeder) {
        let client = endpoint.client(&self.access.token, &address.everywhere());
        with.tasks.spawn(self.clone().note_unread(export, address.clone(), with.shutdown.clone()));
        if let Some((_, served)) = EXPORTS.iter().zip(&*self.served).find(|(of, _)| **of == export) {
            *served.write() = Some((endpoint, address));
        }
        let with = Feeder { client, ..with };
        let bound = match export {
            Export::Requests => {
                with.feed(Source::dynamic(with.client.clone(), workspaces()), &self.workspaces, WorkspaceRow::project);
                &self.request_bindings
            }
            Export::Catalog => &self.catalog_bindings,
        };
        with.feed(Source::dynamic(with.client.clone(), bindings()), bound, move |o| Some(BindingRow::project(export, o)));
        self.read(export, &with);
    }

    /// Keeps the list of servers that aren't read up to date.
    async fn note_unread(self, export: Export, read: ExportAddress, shutdown: CancellationToken) {
        let client = self.access.endpoint.client(&self.access.token, &self.access.topology.own());
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = provider::follow(&client, export, |addresses| self.unread_shards.record(export, &read, &addresses)) => {}
        }
    }

    /// Connects to an export at the address where it is to be read.
    async fn open(&self, address: &ExportAddress) -> Option<Served> {
        let opened = self.access.endpoint.at(&address.server).await.map_err(|error| {
            tracing::error!(%error, export = address.export.name(), server = address.server, "a server of the export cannot be used");
            promise::Error::Unreachable { what: address.server.clone() }
        });
        self.note_slice(address.export, opened.as_ref().err());
        Some((opened.ok()?, address.clone()))
    }

    /// Records why it isn't known where an export is served.
    fn note_slice(&self, export: Export, why: Option<&promise::Error>) {
        if let Some((_, trouble)) = EXPORTS.iter().zip(&*self.slices).find(|(of, _)| **of == export) {
            trouble.send_replace(why.cloned());
        }
    }

    /// Returns all addresses of an export, as soon as it is served.
    async fn addresses(&self, client: &Client, export: Export) -> Vec<ExportAddress> {
        loop {
            let found = provider::addresses(client, export).await;
            self.note_slice(export, found.as_ref().err());
            match found {
                Ok(found) => return found,
                Err(error) => tracing::warn!(%error, export = export.name(), "the export is not served yet, retrying"),
            }
            tokio::time::sleep(AGAIN).await;
        }
    }

    /// Returns where both exports are read.
    async fn find(&self) -> [Served; 2] {
        let client = self.access.endpoint.client(&self.access.token, &self.access.topology.own());
        loop {
            let (requests, catalog) = tokio::join!(self.addresses(&client, Export::Requests), self.addresses(&client, Export::Catalog));
            if let Some((of_requests, of_catalog)) = provider::chosen(&self.access.endpoint, &requests, &catalog)
                && let (Some(read_requests), Some(read_catalog)) = tokio::join!(self.open(of_requests), self.open(of_catalog))
            {
                // Set before the caches start, so that it is known once they are synced.
                self.unread_shards.record(Export::Requests, of_requests, &requests);
                self.unread_shards.record(Export::Catalog, of_catalog, &catalog);
                return [read_requests, read_catalog];
            }
            tokio::time::sleep(AGAIN).await;
        }
    }
}
