//! Releases as caches keep them.
//!
//! There are more releases than anything else, and most of one is only read when its request is worked on. Maps of single values take several
//! times the memory of their text, so a row has the text, compressed.

use kube::ResourceExt;
use promise::api::{PromiseReleaseSpec, ReleaseRevision};
use promise::price::{Estimate, Money};

use super::CachedRow;
use crate::compressed::{CompressedText, Compressor};
use crate::kinds::{PromiseRelease, PromiseReleaseKind};
use crate::watch::Row;

/// Shared by the whole process, because a row is created from its object alone.
static TEXTS: Compressor = Compressor::new();

/// A release: what tells it apart, and its spec as text.
#[derive(Clone)]
pub struct CachedRelease {
    /// Its uid and resource version.
    edition: (Option<String>, Option<String>),
    /// Its name.
    pub name: String,
    /// uid of its request.
    pub request_uid: String,
    /// Generation of the request that it was created from.
    pub request_generation: i64,
    /// Revision of the promise.
    pub revision: ReleaseRevision,
    /// Hash of its content.
    pub content_hash: String,
    /// Price per month; `None` if it isn't known. It is read with every change of the request, so not from the text.
    pub price: Option<Money>,
    text: CompressedText,
}

impl CachedRelease {
    /// Returns the spec, as far as the reader of the cache keeps it.
    pub fn spec(&self) -> PromiseReleaseSpec {
        // The text was written from a spec.
        serde_json::from_slice(&self.text.text()).unwrap_or_else(|error| {
            tracing::error!(release = self.name, %error, "a cached release can't be read");
            PromiseReleaseSpec::default()
        })
    }
}

impl Row for CachedRelease {
    fn same_edition(&self, other: &Self) -> bool {
        self.edition == other.edition
    }
}

impl CachedRow for CachedRelease {
    type Kind = PromiseReleaseKind;

    fn of(release: PromiseRelease) -> Self {
        let text = TEXTS.compress(&serde_json::to_vec(&release.spec).unwrap_or_default());
        let price = Estimate::recorded_sum(&release.spec).and_then(|sum| sum.money().cloned());
        let name = release.name_any();
        let PromiseReleaseSpec { request_uid, request_generation, revision, content_hash, .. } = release.spec;
        let edition = (release.metadata.uid, release.metadata.resource_version);
        Self { edition, name, request_uid, request_generation, revision, content_hash, price, text }
    }
}

#[cfg(test)]
mod tests {
    use promise::price::Money;
    use serde_json::json;

    use super::{CachedRelease, CachedRow as _};
    use crate::kinds::PromiseRelease;
    use crate::watch::Row as _;

    #[test]
    fn a_row_has_the_whole_spec_and_says_which_state_it_shows() {
        let release = |version: &str| -> PromiseRelease {
            let metadata = json!({"name": "web-1", "namespace": "default", "uid": "u", "resourceVersion": version});
            let spec = json!({
                "requestUid": "r", "requestGeneration": 3, "revision": {"cluster": "a", "name": "settings-1", "hash": "h"},
                "contentHash": "c", "parameters": {"size": 1.50, "none": null}, "destinations": {"eu": {"cluster": "a", "uid": "d"}},
                "price": {"monthly": {"amount": "24.80", "currency": "EUR"}},
            });
            let object =
                json!({"apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRelease", "metadata": metadata, "spec": spec});
            serde_json::from_value(object).unwrap()
        };
        let row = CachedRelease::of(release("1"));
        assert_eq!(row.spec(), release("1").spec);
        assert_eq!((row.name.as_str(), row.request_uid.as_str(), row.request_generation), ("web-1", "r", 3));
        assert_eq!(row.price, Some(Money::new(24_800_000, "EUR")));
        assert!(row.same_edition(&CachedRelease::of(release("1"))) && !row.same_edition(&CachedRelease::of(release("2"))));
    }
}
