//! Endpoints: whether they can be called, as a condition. Their servers aren't called for it.

use std::time::Duration;

use promise::api::{ConditionStatus, EndpointStatus};

use super::context::{ControllerContext, Work};
use super::governance::{condition, write_status};
use super::http_call::{Callable, HttpFailure, describe, owner};
use super::queue::Requeue;
use crate::kinds::Endpoint;
use crate::watch::Key;

/// How often a credential that could be read is read again, to notice that it is gone. Every call reads it anyway.
const LOOK: Duration = Duration::from_secs(600);

/// Reconciles one Endpoint: reports whether it is well-formed and its credential can be read.
pub async fn endpoint(ctx: &ControllerContext, key: &Key) -> Requeue {
    let Some(row) = ctx.world.endpoints.get(key) else { return Requeue::No };
    let checked = check(ctx, key, &row).await;
    let (holds, reason, message) = match &checked {
        Ok(()) => (ConditionStatus::True, "Valid", "The endpoint can be called".to_owned()),
        Err(failure) => (ConditionStatus::False, failure.reason(), describe(&key.name, failure)),
    };
    let (before, generation) = (row.status.clone().unwrap_or_default(), row.metadata.generation);
    let status = EndpointStatus {
        observed_generation: generation.unwrap_or_default(),
        conditions: vec![condition(&before.conditions, EndpointStatus::VALID, holds, reason, message, generation, &ctx.now())],
    };
    if row.status.as_ref() != Some(&status) && write_status(ctx, Work::Endpoint(key.clone()), key, &row, &status).await == Requeue::Backoff
    {
        return Requeue::Backoff;
    }
    match checked {
        // Secrets trigger no event.
        Err(failure) if failure.is_about_credential() => Requeue::Poll,
        Ok(()) if row.spec.secret_ref.is_some() => Requeue::After(LOOK),
        _ => Requeue::No,
    }
}

async fn check(ctx: &ControllerContext, key: &Key, row: &Endpoint) -> Result<(), HttpFailure> {
    owner(&ctx.world.tree(), &ctx.trusted, key)?;
    Callable::of(&row.spec)?.with_credential(ctx, key).await.map(|_| ())
}
