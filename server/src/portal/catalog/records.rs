//! Promises as data, for programs.

use std::cmp::Reverse;

use app::view::{AvailabilityState as Shown, CatalogQuery, policy_lines};
use cluster::ClusterId;
use cluster::kinds::PromiseRevision;
use cluster::watch::Key;
use promise::api::PromiseSpec;
use promise::preflight;
use promise::rest::{
    Amount, AppliedRule, Availability, AvailabilityState, ListPrice, Page, PromiseDetail, PromiseOutput, PromiseSummary, PublishedVersion,
};
use promise::{Error, Result, changelog, connection};

use super::lines;
use super::page::{self, semver};
use super::prices::{self, LowestPrice};
use crate::portal::Caller;
use crate::portal::offers::Offered;
use crate::portal::slices::{self, Extent, Slice};

impl Caller {
    /// Returns a part of the promises that a workspace offers, in the order of its catalog.
    ///
    /// # Errors
    /// If the workspace isn't open to the user, or the control plane doesn't respond.
    pub(crate) async fn list_promises(&self, workspace: &str, query: &CatalogQuery, slice: &Slice) -> Result<Page<PromiseSummary>> {
        let workspace = self.enter(workspace).await?;
        let offers = self.offers(&workspace).await?;
        let after = slice
            .position::<3>()?
            .and_then(|[cluster, name, at]| Some((Key::cluster_scoped(&ClusterId::parse(cluster).ok()?, name), at.parse::<usize>().ok()?)));
        let portal = self.portal();
        let part = portal.catalogs.part(&portal.world, &offers, query, after.as_ref().map(|(key, at)| (key, *at)));
        let shown = part.keys.iter().take(slice.limit + 1).enumerate();
        let shown: Vec<(usize, Offered)> = shown.filter_map(|(at, key)| Some((part.first + at, offers.get(key)?))).collect();
        // Only the promises of this part are priced, and not the one after it.
        let priced: Vec<Offered> = shown.iter().take(slice.limit).map(|(_, offered)| offered.clone()).collect();
        let prices = prices::prices(self, &workspace, &priced).await;
        let prices = prices.into_iter().chain(std::iter::repeat(LowestPrice::Free));
        let items = shown.iter().zip(prices).map(|((at, offered), price)| {
            let key = &offered.key;
            (vec![key.cluster.to_string(), key.name.clone(), at.to_string()], summary(self, offered, &price))
        });
        Ok(slices::part(Extent { total: part.total, unread: Vec::new(), as_of: None }, slice.limit, items))
    }

    /// Returns one promise that a workspace offers; `home` is the home of a shadowed one.
    ///
    /// # Errors
    /// If the workspace doesn't show such a promise to the user, or the control plane doesn't respond.
    pub(crate) async fn promise_detail(&self, workspace: &str, name: &str, home: Option<&str>) -> Result<PromiseDetail> {
        let workspace = self.enter(workspace).await?;
        let offered = self.offer(&workspace, name, home).await?;
        let spec = &offered.promise.spec;
        let (effective, rules_unknown) = match self.rules(&workspace, &offered.home, name, spec) {
            Ok(effective) => (Some(effective), None),
            Err(error @ Error::Busy { .. }) => (None, Some(error.to_string())),
            Err(error) => return Err(error),
        };
        let rules = effective.as_ref().map(|effective| policy_lines(effective, &[])).unwrap_or_default();
        let rule = |line: app::view::PolicyLine| AppliedRule {
            policy: line.policy,
            rule: line.rule,
            source: line.source,
            own: line.own,
            title: line.title,
            owner: filled(line.owner),
            enforcement: line.enforcement,
            message: line.sentence,
            purpose: filled(line.why),
        };
        let least = page::least(self, &workspace, &offered, page::For::Caller).await;
        let price = match &least {
            None => LowestPrice::Free,
            Some((_, None)) => LowestPrice::Unknown,
            Some((_, Some(money))) => LowestPrice::From(money.clone()),
        };
        let output = |output: &promise::api::OutputSpec| PromiseOutput {
            name: output.name.clone(),
            description: output.description.clone(),
            secret: connection::is_secret(&spec.outputs, output),
        };
        Ok(PromiseDetail {
            summary: summary(self, &offered, &price),
            description: spec.presentation.description.clone(),
            links: spec.presentation.links.clone(),
            contact: spec.presentation.maintainer.as_ref().and_then(|maintainer| maintainer.contact.clone()),
            deprecation: spec.deprecation.clone(),
            published: published(self, &offered).into_iter().map(|(key, revision)| version(&key, &revision, spec)).collect(),
            schema: spec
                .parameters
                .as_deref()
                .map(|own| effective.map_or_else(|| own.clone(), |effective| effective.schema_with_defaults())),
            secret_parameters: spec.secret_parameters.clone(),
            form: spec.form.clone(),
            examples: spec.examples.clone(),
            rules: self.entitle(rules).into_iter().map(rule).collect(),
            rules_unknown,
            default_price: least.map(|(estimate, _)| preflight::price(&estimate, None)),
            outputs: spec.outputs.iter().map(output).collect(),
            missing_requirements: {
                let portal = self.portal();
                portal.world.missing(&workspace.cluster, &offered.key.cluster, &spec.requires, &portal.trusted_homes)
            },
        })
    }
}

fn filled(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

/// Returns the published versions, newest first.
fn published(caller: &Caller, offered: &Offered) -> Vec<(Key, std::sync::Arc<PromiseRevision>)> {
    let mut revisions = caller.portal().world.revisions_of(&offered.key.cluster, &offered.key.name);
    revisions.sort_by_key(|(_, revision)| Reverse(semver(&revision.spec.version)));
    revisions
}

fn version(key: &Key, revision: &PromiseRevision, present: &PromiseSpec) -> PublishedVersion {
    PublishedVersion {
        version: revision.spec.version.clone(),
        revision: key.name.clone(),
        since: revision.metadata.creation_timestamp.as_ref().map(|time| time.0.to_string()).unwrap_or_default(),
        changes: changelog::of(&present.presentation.changelog, &revision.spec.version).to_vec(),
    }
}

fn summary(caller: &Caller, offered: &Offered, price: &LowestPrice) -> PromiseSummary {
    let row = lines::offer(offered);
    PromiseSummary {
        name: row.name,
        home: row.home,
        shadowed: row.shadowed,
        title: row.display_name,
        summary: filled(row.summary),
        category: filled(row.category),
        tags: row.tags,
        team: filled(row.team),
        lifecycle: row.lifecycle,
        version: row.version,
        versions: published(caller, offered).into_iter().map(|(_, revision)| revision.spec.version.clone()).collect(),
        availability: Availability {
            state: match row.availability.state {
                Shown::Available => AvailabilityState::Available,
                Shown::Disabled => AvailabilityState::Disabled,
                Shown::Denied => AvailabilityState::Denied,
                Shown::Closed => AvailabilityState::Closed,
            },
            message: row.availability.reason,
        },
        price: match price {
            LowestPrice::Free => None,
            LowestPrice::Unknown => Some(ListPrice { from: None }),
            LowestPrice::From(money) => Some(ListPrice { from: Some(Amount::from(money)) }),
        },
    }
}
