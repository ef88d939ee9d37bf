//! Requests, their forms, and what is decided about them.

use app::backend::{Approvals as _, FormOf, Pairs, Requests};
use app::view::*;
use async_trait::async_trait;
use promise::api::Health;
use promise::deletion::Fate;
use promise::form::{Draft, Summary, model};
use promise::{DeniedReason, Error, Result};
use serde_json::{Value, json};

use super::{World, approval, effective, facets, offer, policies, preflight, price, promise, tier};

/// What someone else changed meanwhile.
fn merge() -> MergeView {
    let line = |label: &str, path: &str, mine: Option<&str>, keeps_theirs| MergeLine {
        label: label.into(),
        path: path.into(),
        before: Some("1".into()),
        theirs: Some("3".into()),
        mine: mine.map(str::to_owned),
        keeps_theirs,
    };
    MergeView {
        own: false,
        by: "dev-data".into(),
        at: "2026-11-21T11:00:00Z".into(),
        lines: vec![line("Replicas", ".replicas", Some("2"), false), line("Storage", ".storage", None, true)],
    }
}

#[async_trait]
impl Requests for World {
    async fn requests(&self, workspace: &str, query: &RequestQuery) -> Result<RequestsPage> {
        let rows = self.rows();
        let unseen = if self.fits { Vec::new() } else { vec!["root:acme:lab".to_owned()] };
        let total = |count: usize| Whole::new(vec![count], None, unseen.clone()).total_by(|count| *count);
        Ok(RequestsPage {
            total: total(rows.len()),
            all: total(rows.len()),
            attention: 1,
            labels: facets(&[("team=shop", 2, !query.label.is_empty())]),
            workspaces: if query.below { facets(&[("root:acme:shop", 2, false), ("root:acme:data", 1, false)]) } else { Facet::default() },
            below: (rows.is_empty() && workspace == "root:acme").then(|| total(90)),
            pages: 2,
            rows,
            states: facets(&[("Provisioning", 1, false), ("Ready", 1, true), ("Failed", 1, false)]),
            promises: facets(&[("postgresql", 1, false), ("redis", 1, false)]),
            query: query.clone(),
            create: self.availability(),
            drafts: if self.fits { Vec::new() } else { super::drafts() },
            as_of: Some("2026-11-21T11:05:00Z".into()),
            seen: "0123456789abcdef".into(),
        })
    }

    async fn requests_csv(&self, _: &str, _: &RequestQuery) -> Result<String> {
        Err(Error::Internal)
    }

    async fn request(&self, _: &str, _: &str, name: &str, _: RequestPart) -> Result<RequestPage> {
        let Some(row) = self.rows().into_iter().find(|row| row.name == name) else {
            return Err(Error::NotFound { what: format!("request {name}") });
        };
        // Nothing was created for a request that failed at once.
        let is_bare = name == "media";
        let happened = |at: &str, what: &str, state| Happening {
            at: at.into(),
            what: what.into(),
            who: "dev-shop".into(),
            is_person: true,
            state,
            changes: vec![ValueChange {
                label: "Replicas".into(),
                before: Some("1".into()),
                after: Some("3".into()),
                ..ValueChange::default()
            }],
            ..Happening::default()
        };
        let resource = |id: &str, kind: &str, health, message: &str| ResourceLine {
            id: id.into(),
            kind: kind.into(),
            name: format!("{name}-{id}"),
            destination: "sandbox".into(),
            applied: true,
            health,
            message: message.into(),
            ..ResourceLine::default()
        };
        Ok(RequestPage {
            generation: 2,
            observed_generation: 2,
            reason: "Order service moves off the shared database".into(),
            deleting: false,
            fate: if self.fits { Fate::Goes } else { Fate::GoesUnlessAgreed },
            conditions: Vec::new(),
            timeline: vec![
                happened("2026-11-21T09:02:00Z", "Asked for", HappeningState::Done),
                happened("2026-11-21T09:03:00Z", "Waiting for approval (version 1.4.0)", HappeningState::Waiting),
                happened("2026-11-21T11:02:00Z", "The database is being made", HappeningState::Done),
                Happening {
                    href: app::routes::run(super::WORKSPACE, "default", "orders-db", "orders-db-restore-1"),
                    ..happened("2026-11-21T11:03:00Z", "Restore succeeded", HappeningState::Done)
                },
                Happening { no_change: true, ..happened("2026-11-21T11:04:00Z", "Password revealed", HappeningState::Done) },
            ],
            earlier_runs: 2,
            parameters: vec![
                tier(),
                ParameterLine {
                    path: ".backup.enabled".into(),
                    headings: vec!["Backup".into()],
                    label: "Backup".into(),
                    value: "yes".into(),
                    source: ValueSource::Policy("backup-required".into()),
                },
            ],
            changes: Vec::new(),
            policies: policies("postgresql"),
            price: price(),
            spent: if self.fits { vec!["12.40 €".into()] } else { Vec::new() },
            accepted: (!is_bare).then(|| "2026-11-21T11:02:00Z".into()),
            usual: Some(ReadyIn { median: 69, measured: 6 }),
            related: vec![RelatedGroup {
                kind: RelatedKind::RequiredBy,
                lines: vec![RelatedLine {
                    workspace: super::WORKSPACE.into(),
                    namespace: "default".into(),
                    name: "storefront".into(),
                    promise_title: "Web application".into(),
                    states: promise::state::RequestStates { state: promise::state::RequestState::Ready, change: None },
                }],
                more: 2,
            }],
            approvals: vec![approval()],
            uid: super::decided::UID.into(),
            asked: self.review(super::decided::UID, "").await?.asked,
            comments: self.review(super::decided::UID, "").await?.comments,
            withdraw: Some(self.unless_refused(DeniedReason::ChangeRequest { workspace: Some(super::WORKSPACE.into()) })),
            again: None,
            hash: Some("9f2c41d0aa".into()),
            outdated: (!self.fits).then(|| OutdatedView {
                digest: "77aa".into(),
                changes: vec!["replicas of production-baseline changed (Replicas must be between 2 and 4)".into()],
                refusals: vec!["Choose at least 2 replicas".into()],
                allowed: self.unless_refused(DisabledReason::CannotRollOut { workspace: super::WORKSPACE.into() }),
            }),
            expiry: self.fits.then(super::releases::expiry),
            workflow: Some(super::workflow::view(self.fits)),
            actions: if self.empty { Vec::new() } else { super::runs::actions(self) },
            schedules: super::workflow::schedules(self.fits),
            upgrade: Some(super::releases::upgrade()),
            deprecation: (!self.fits).then(super::releases::deprecation),
            resources: if is_bare {
                Vec::new()
            } else {
                vec![
                    resource("database", "Cluster", Health::Progressing, "1 of 3 instances"),
                    resource("credentials", "Secret", Health::Healthy, ""),
                    resource("replica", "Secret", Health::Degraded, "It has expired"),
                ]
            },
            needs: [("replica".to_owned(), vec!["database".to_owned(), "credentials".to_owned(), "not-made".to_owned()])].into(),
            outputs: vec![
                OutputValue {
                    name: "endpoint".into(),
                    description: "Where to connect".into(),
                    value: Some("orders-db-rw.shop.svc:5432".into()),
                    there: true,
                    ..OutputValue::default()
                },
                OutputValue {
                    name: "password".into(),
                    secret: true,
                    there: true,
                    reference: Some(("orders-db-outputs".into(), "password".into())),
                    ..OutputValue::default()
                },
                OutputValue { name: "token".into(), secret: true, ..OutputValue::default() },
                OutputValue {
                    name: "url".into(),
                    secret: true,
                    there: true,
                    connection: true,
                    template: Some("postgresql://app:{password}@{endpoint}/app".into()),
                    ..OutputValue::default()
                },
            ],
            events: Some(vec![happened("2026-11-21T11:03:00Z", "Back-off pulling image", HappeningState::Warning)]),
            manifest: "apiVersion: platform.opmodel.dev/v1alpha1\nkind: PromiseRequest\n".into(),
            duplicate: self
                .refused
                .is_none()
                .then(|| "/w/root:acme:shop/promises/postgresql/request?start=request:default/orders-db".into()),
            preset: self.refused.is_none().then(|| "/w/root:acme:shop/presets?promise=postgresql&start=request:default/orders-db".into()),
            yaml: "apiVersion: platform.opmodel.dev/v1alpha1\nkind: PromiseRequest\n".into(),
            required: if self.fits { Vec::new() } else { super::required::lines() },
            created_for: (!self.fits).then(super::required::owner),
            problems: if self.fits {
                Vec::new()
            } else {
                vec![Summary { target: "f-storage".into(), message: "Storage: enter a whole number".into() }]
            },
            allowed: Allowed {
                edit: self.unless_refused(DisabledReason::CannotChange { workspace: super::WORKSPACE.into() }),
                delete: self.unless_refused(DisabledReason::CannotDelete { workspace: super::WORKSPACE.into() }),
                retry: self.unless_refused(DisabledReason::CannotChange { workspace: super::WORKSPACE.into() }),
                reveal: self.unless_refused(DisabledReason::CannotReadSecrets { workspace: super::WORKSPACE.into() }),
            },
            seen: "0123456789abcdef".into(),
            row,
        })
    }

    async fn form(&self, _: &str, form: FormOf<'_>, draft: Option<&str>) -> Result<RequestForm> {
        let (name, editing, start) = match form {
            FormOf::New { promise, start, .. } => (promise, None, start.map(str::to_owned)),
            FormOf::Edit { start, .. } => ("postgresql", Some("41".to_owned()), start.map(str::to_owned)),
        };
        let moved = (editing.is_some()).then_some(start.as_deref()).flatten().map(|start| super::releases::moved(start, self.fits));
        let saved = |title: &str| SavedPreset { title: title.into(), start: format!("saved:{title}") };
        let spec = promise(name);
        let effective = effective(name, &spec);
        let parameters = if self.fits { json!({}) } else { json!({"storage": "plenty", "tier": "production"}) };
        let problems = [promise::Problem { path: ".parameters.storage".into(), message: "Storage: enter a whole number".into() }];
        let form = model(&spec, &effective, &Draft::of(parameters as Value), if self.fits { &[] } else { &problems });
        Ok(RequestForm {
            retype: false,
            offer: offer(name, self.availability()),
            name: if editing.is_some() { "orders-db".into() } else { String::new() },
            name_problem: (!self.fits && editing.is_none()).then(|| "Enter a name".to_owned()),
            namespace: "default".into(),
            reason: String::new(),
            form,
            policies: policies(name),
            preflight: preflight(self.fits),
            checked: !self.fits,
            ready: self.fits,
            submit: self.availability(),
            cluster: "2hq1x0c4".into(),
            draft: draft.map(str::to_owned),
            start,
            focus: None,
            saved_presets: if editing.is_none() && self.refused.is_none() { vec![saved("Small"), saved("Nightly")] } else { Vec::new() },
            conflict: (!self.fits && editing.is_some()).then(|| "The request changed after you opened this form.".to_owned()),
            merge: (!self.fits && editing.is_some()).then(merge),
            given: Vec::new(),
            submitted: None,
            objection: None,
            adjusted: if self.fits {
                Vec::new()
            } else {
                vec!["Replicas is set to 2, the smallest value that Production baseline allows here.".into()]
            },
            change: editing.is_some().then(|| ChangeView {
                changes: vec![ValueChange {
                    label: "Replicas".into(),
                    before: Some("1".into()),
                    after: Some("3".into()),
                    ..ValueChange::default()
                }],
                price: PriceStep {
                    now: Some("€24.80".into()),
                    after: Some("€74.40".into()),
                    change: Some("+€49.60/month".into()),
                    ..PriceStep::default()
                },
                effects: vec![CheckLine {
                    what: "Of 7 objects, 1 changes".into(),
                    detail: "Nothing is replaced or removed.".into(),
                    ..CheckLine::default()
                }],
            }),
            save: "5".repeat(32),
            saved: None,
            shared: (draft == Some("shared")).then(|| SharedBy { by: "dev-data".into(), at: "2026-11-21T10:06:00Z".into() }),
            posted: draft == Some("posted"),
            applied_by: (!self.fits && editing.is_some()).then(|| "argocd".to_owned()),
            review: vec![tier()],
            steps: super::workflow::planned(),
            yaml: (draft == Some("yaml")).then(|| manifest(self.fits)),
            required: if draft == Some("required") { super::required::lines() } else { Vec::new() },
            needed_for: None,
            terms: super::releases::terms(editing.is_some()),
            moved,
            editing,
        })
    }

    async fn preflight(&self, workspace: &str, form: FormOf<'_>, _: &Pairs) -> Result<RequestForm> {
        Ok(RequestForm { saved: Some(self.fits), ..self.form(workspace, form, None).await? })
    }

    async fn adds(&self, _: &str, _: FormOf<'_>, _: Option<&str>) -> Result<AddsPage> {
        let line = |text: &str, origin, label: &str, side| AddedLine {
            text: text.into(),
            origin,
            label: label.into(),
            side,
            ..AddedLine::default()
        };
        let policy = AddedLine {
            policy: Some(("root:platform".into(), "backup-required".into())),
            also: vec!["Promise".into()],
            ..line("  backup: true", LineFrom::Policy, "Backups are on", LineSide::Added)
        };
        let object = AddedObject {
            title: "Cluster orders-db".into(),
            destination: "sandbox".into(),
            why: "Because the tier is production.".into(),
            side: LineSide::Kept,
            lines: vec![
                line("kind: Cluster", LineFrom::Promise, "", LineSide::Kept),
                line("  instances: 3", LineFrom::You, "Replicas", LineSide::Kept),
                line("  instances: 1", LineFrom::You, "Replicas", LineSide::Removed),
                policy,
                line("  host: (known after apply)", LineFrom::Later, "", LineSide::Kept),
            ],
        };
        let unknown = self.empty.then(|| "The values do not fit yet.".to_owned());
        Ok(AddsPage {
            title: "PostgreSQL".into(),
            icon: "database".into(),
            name: "orders-db".into(),
            objects: vec![object],
            compared: !self.fits,
            requester: "You".into(),
            unknown,
        })
    }

    async fn added(&self, workspace: &str, namespace: &str, name: &str) -> Result<AddsPage> {
        self.adds(workspace, FormOf::Edit { namespace, name, start: None }, None).await
    }

    async fn releases(&self, _: &str, _: &str, _: &str, compared: (&str, &str)) -> Result<ReleasesPage> {
        if self.empty {
            return Ok(ReleasesPage::default());
        }
        let objects = self.adds("", FormOf::Edit { namespace: "", name: "", start: None }, None).await?.objects;
        Ok(super::releases::page(compared, Some(objects)))
    }

    async fn retry_workflow(&self, _: &str, _: &str, _: &str, _: u32) -> Result<()> {
        Ok(())
    }

    async fn cancel_workflow(&self, _: &str, _: &str, _: &str, _: u32) -> Result<()> {
        Ok(())
    }

    async fn roll_out(&self, _: &str, _: &str, _: &str, _: &str) -> Result<()> {
        Err(Error::from(DeniedReason::ControlPlane { message: "this world takes nothing".into() }))
    }

    async fn post(&self, _: &str, _: FormOf<'_>, _: &Pairs) -> Result<FormOutcome> {
        Err(Error::from(DeniedReason::ControlPlane { message: "this world takes nothing".into() }))
    }

    async fn delete(&self, _: &str, _: &str, _: &str, _: &str) -> Result<()> {
        Err(Error::from(DeniedReason::ControlPlane { message: "this world takes nothing".into() }))
    }

    async fn gone(&self, _: &str, _: &str, name: &str) -> Result<Option<GoneView>> {
        let gone = GoneView { by: "dev-shop".into(), at: "2026-11-21T10:06:00Z".into(), promise: "postgresql".into() };
        Ok((name == "was-there").then_some(gone))
    }

    async fn reveal(&self, _: &str, _: &str, _: &str, _: &str) -> Result<String> {
        Ok("granted".into())
    }

    async fn revealed(&self, _: &str, _: &str, _: &str, _: &str, grant: &str) -> Result<Option<String>> {
        Ok((grant == "granted").then(|| "s3cret-value".into()))
    }
}

fn manifest(fits: bool) -> YamlView {
    let line = |at, path: &str, message: &str| YamlLine { at, path: path.into(), message: message.into() };
    YamlView {
        text: "# Written by hand\nkind: PromiseRequest\nspec:\n  parameters: {storage: plenty}\n  note: </textarea>\n".into(),
        problems: if fits {
            Vec::new()
        } else {
            vec![line(None, "", "Ask an approver"), line(Some((4, 16)), ".spec.parameters.storage", "Storage: enter a whole number")]
        },
        unsent: vec![line(Some((5, 3)), ".spec.note", "")],
        removed: vec!["Administrator's password".into()],
        secrets: vec!["Administrator's password".into()],
        link: fits.then(|| "/w/root:acme:shop/promises/postgresql/request?start=values%3A%7B%7D".into()),
    }
}
