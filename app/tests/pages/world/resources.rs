//! Resources of the requests in this world.

use app::backend::Resources;
use app::view::*;
use async_trait::async_trait;
use promise::api::Health;
use promise::{DeniedReason, Error, Result};

use super::{WORKSPACE, World, facets};

#[async_trait]
impl Resources for World {
    async fn resources(&self, _: &str, query: &ResourceQuery) -> Result<ResourcesPage> {
        if self.refused.is_some() {
            return Err(Error::from(DeniedReason::ControlPlane { message: "You may enter and not list.".into() }));
        }
        let made = |name: &str, kind: &str, health, drift| ResourceRow {
            workspace: if name == "media" { "root:acme:data".into() } else { WORKSPACE.into() },
            request_namespace: "default".into(),
            instance: "orders-db".into(),
            promise: "postgresql".into(),
            promise_title: "PostgreSQL".into(),
            version: "1.2.0".into(),
            kind: kind.into(),
            api_version: "v1".into(),
            name: name.into(),
            destination: "sandbox".into(),
            applied: health != Health::Missing,
            health,
            message: if health == Health::Healthy { String::new() } else { "Its last run failed".into() },
            drift,
            since: "2026-11-21T09:02:00Z".into(),
            ..ResourceRow::default()
        };
        let rows = vec![
            made("media", "Bucket", Health::Missing, Drift::Unknown),
            made("orders-db-nightly", "ScheduledBackup", Health::Degraded, Drift::Contested(4)),
            made("orders-db", "Cluster", Health::Progressing, Drift::PutBack(1)),
            made("orders-db-password", "Secret", Health::Healthy, Drift::None),
        ];
        let rows = if self.empty { Vec::new() } else { rows };
        let unseen = if query.below { vec!["root:acme:data".to_owned()] } else { Vec::new() };
        let all = Whole::new(rows.clone(), query.below.then(|| "2026-11-21T11:05:00Z".into()), unseen);
        Ok(ResourcesPage {
            fit: all.total(),
            all: all.total(),
            applied: all.total_of(|row| row.applied),
            healthy: all.total_of(|row| row.health == Health::Healthy),
            broken: all.total_of(|row| matches!(row.health, Health::Degraded | Health::Missing)),
            drifted: all.total_of(|row| row.drift.is_drifted()),
            drifted_fit: all.total_of(|row| row.drift.is_drifted() && (query.kind.is_empty() || row.kind == query.kind)),
            below: self.empty.then(|| Whole::new(vec![3], None, Vec::new()).total_by(|count| *count)),
            instances: Whole::new(if self.empty { vec![] } else { vec![()] }, None, Vec::new()).total(),
            pages: 2,
            kinds: facets(&[("Bucket", 1, false), ("Cluster", 1, query.kind == "Cluster")]),
            healths: facets(&[("Healthy", 1, false), ("Degraded", 1, false), ("Missing", 1, false)]),
            promises: facets(&[("postgresql", 4, false)]),
            workspaces: if query.below { facets(&[("root:acme:data", 1, true), (WORKSPACE, 3, false)]) } else { Facet::default() },
            query: query.clone(),
            rows,
        })
    }

    async fn resources_csv(&self, _: &str, _: &ResourceQuery) -> Result<String> {
        Err(Error::Internal)
    }

    async fn object(&self, _: &str, _: &str, request: &str, object: &ObjectKey) -> Result<ObjectPage> {
        let what = || Error::NotFound { what: format!("{} of {request}", object.title()) };
        let row = self.rows().into_iter().find(|row| row.name == request).ok_or_else(what)?;
        let read = object.at.is_empty();
        let manager =
            |manager: &str, ours| WriterLine { manager: manager.into(), at: "2026-11-21T10:00:00Z".into(), ours, ..WriterLine::default() };
        Ok(ObjectPage {
            line: ResourceLine {
                id: "database".into(),
                kind: object.kind.clone(),
                api_version: "v1".into(),
                namespace: "default".into(),
                name: object.name.clone(),
                destination: object.at.clone(),
                applied: true,
                health: if self.fits { Health::Healthy } else { Health::Degraded },
                message: if self.fits { String::new() } else { "Its last run failed".into() },
            },
            request: row,
            drift: Drift::PutBack(1),
            uid: "2d6b".into(),
            stage: 1,
            release: "orders-db-9f2c41d0aa".into(),
            source: if read { ObjectSource::Read } else { ObjectSource::Release("It is at the destination sandbox.".into()) },
            owners: if read { vec!["ReplicaSet/orders-db-1".into()] } else { Vec::new() },
            conditions: if read {
                let (name, status, message) = ("Available".into(), "False".into(), "1 of 3".into());
                vec![ConditionLine { name, status, message, since: "2026-11-21T10:00:00Z".into(), ..ConditionLine::default() }]
            } else {
                Vec::new()
            },
            writers: if read { vec![manager("opm-fulfil", true), manager("kubectl-edit", false)] } else { Vec::new() },
            events: if read {
                Ok(vec![Happening {
                    at: "2026-11-21T11:03:00Z".into(),
                    what: "Pulled the image".into(),
                    who: "kubelet".into(),
                    ..Happening::default()
                }])
            } else {
                Err("Its events are not read, since the object is not.".into())
            },
            yaml: if self.fits {
                Ok(Manifest { text: "apiVersion: v1\nkind: Secret\n".into(), left_out: 7 })
            } else {
                Err("The release has no text of it.".into())
            },
            seen: "0123456789abcdef".into(),
        })
    }
}
