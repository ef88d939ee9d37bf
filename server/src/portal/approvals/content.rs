//! What the content to decide about would create: rendered from the frozen release, compared with what is running, and checked against the
//! present limits and budgets.

use std::sync::Arc;

use cluster::usage::Census;
use cluster::watch::Key;
use promise::api::PromiseReleaseSpec;
use promise::attribute::{self, AttributedObject, ObjectDifference, Origins, Touched, difference, touched};
use promise::context::Context;
use promise::policy::{self, BudgetUse, Effective, LimitUse, Target, Usage};
use promise::preflight;
use promise::price::Estimate;
use promise::release::same_rules;
use promise::render::injects;
use promise::{Error, Result};
use serde_json::Value;

use super::matter::Matter;
use crate::portal::Caller;
use crate::portal::Portal;

/// The objects to create, and what they use.
#[derive(Default)]
pub(super) struct Content {
    /// Every object, line by line.
    pub(super) objects: Vec<AttributedObject>,
    /// The same as a difference to what is running. `None` if nothing is running.
    pub(super) difference: Option<Vec<ObjectDifference>>,
    /// How many objects it touches. `None` if the revision no longer exists.
    pub(super) touched: Option<Touched>,
    /// The rules as they are now. `None` if they can't be read.
    pub(super) effective: Option<Effective>,
    /// Limits with their counts.
    pub(super) limits: Vec<LimitUse>,
    /// Budgets with what remains of them.
    pub(super) budgets: Vec<BudgetUse>,
}

/// Computes the content off the threads that serve pages: expressions of promises can take a good part of a second.
///
/// # Errors
/// If too many pages are being computed, or the evaluation was aborted.
pub(super) async fn of(caller: &Caller, matter: &Matter) -> Result<Content> {
    let (Some(candidate), former) = matter.both() else { return Ok(Content::default()) };
    let lineage = caller.proven(&matter.workspace).ok();
    let work = Work {
        portal: caller.portal().clone(),
        key: matter.key.clone(),
        promise: matter.request.spec.promise.name.clone(),
        lineage,
        workspace: (matter.workspace.path.to_string(), matter.workspace.labels.clone()),
        typed: matter.request.spec.parameters.clone().unwrap_or_default(),
        candidate: candidate.spec.clone(),
        former: former.map(|former| former.spec.clone()),
    };
    let turn = caller.evaluation_turn().await?;
    let worked = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        work.out()
    });
    worked.await.map_err(|error| {
        tracing::error!(%error, "an evaluation stopped unexpectedly");
        Error::Internal
    })
}

/// All facts, owned.
struct Work {
    portal: Arc<Portal>,
    key: Key,
    promise: String,
    lineage: Option<Vec<String>>,
    workspace: (String, std::collections::BTreeMap<String, String>),
    typed: Value,
    candidate: PromiseReleaseSpec,
    former: Option<PromiseReleaseSpec>,
}

impl Work {
    fn out(self) -> Content {
        let (world, compiled) = (&self.portal.world, &self.portal.compiled);
        let Some(row) = world.revision_of(&self.candidate.revision) else { return Content::default() };
        let (spec, hash) = (&row.spec.spec, &row.spec.hash);
        let Ok(read) = compiled.read(hash, spec) else { return Content::default() };
        let context: Context = self.candidate.context.clone().and_then(|context| serde_json::from_value(context).ok()).unwrap_or_default();
        let resolved = self.candidate.parameters.clone().unwrap_or_default();
        let effective = self.effective(spec, hash, &context);
        let origins = effective.as_ref().map_or_else(Origins::forgotten, |effective| Origins::of(&self.typed, &resolved, effective));
        // Titles come from the present rules, as long as these equal the frozen ones.
        let same = effective.as_ref().filter(|effective| same_rules(&effective.rules, &self.candidate.rules));
        let merged = same.map_or_else(|| injects(&self.candidate.rules), |effective| effective.injects.clone());
        let objects = attribute::objects(&read, &resolved, &context, &merged, &origins, Some(&self.candidate.request_uid));
        let before = self.former.as_ref().map(|former| {
            let row = world.revision_of(&former.revision);
            let known = row.and_then(|row| compiled.read(&row.spec.hash, &row.spec.spec).ok());
            known.map(|compiled| preflight::running(&compiled, former)).unwrap_or_default()
        });
        let touched = touched(before.as_deref().unwrap_or_default(), &objects);
        let difference = before.map(|before| difference(&before, &objects));
        let (mut limits, mut budgets) = (Vec::new(), Vec::new());
        if let Some(effective) = &effective {
            let usage = if effective.tallies.is_empty() {
                Usage::default()
            } else {
                Census::shown(world, Some(&self.key)).usage(&effective.tallies)
            };
            let judged = policy::judge(effective, &usage, Estimate::recorded(&self.candidate).as_ref());
            (limits, budgets) = (judged.limits, judged.budgets);
        }
        Content { objects, difference, touched: Some(touched), effective, limits, budgets }
    }

    /// Returns the rules as they apply to the entered values.
    fn effective(&self, spec: &promise::api::PromiseSpec, hash: &str, context: &Context) -> Option<Effective> {
        let lineage = self.lineage.as_deref()?;
        let tree = self.portal.world.tree();
        let home = cluster::ClusterId::parse(&self.candidate.revision.cluster).ok()?;
        let path = tree.path(&home)?;
        let trusted = self.portal.trusted_homes.contains(&path);
        let target = Target {
            promise: &self.promise,
            spec,
            home: path.as_str(),
            home_cluster: home.as_str(),
            home_trusted: trusted,
            workspace: &self.workspace.0,
            labels: &self.workspace.1,
            lineage,
        };
        let reading = self.portal.compiled.reading(hash, spec, trusted);
        let sources = self.portal.policies.read(&self.portal.world, &self.portal.trusted_homes).gather(&target, &reading);
        let former = self.former.as_ref().and_then(|former| former.parameters.as_ref());
        Some(policy::settle_read(&target, &sources, &reading, &self.typed, former, context).effective)
    }
}
