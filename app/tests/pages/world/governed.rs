//! What the person looks after in this world: two policies, one of which cannot be applied.

use app::backend::{Platform, PolicyText, PreviewText, Sample};
use app::view::*;
use async_trait::async_trait;
use promise::api::{Enforcement, PolicyCategory};
use promise::policy::{Effective, edit};
use promise::state::{ChangeState, RequestState};
use promise::{DeniedReason, Error, Result};

use super::{World, facets, policies, preview};

fn row(name: &str, compiled: Compiled) -> PolicyRow {
    PolicyRow {
        workspace: "root:acme".into(),
        name: name.into(),
        title: "Production baseline".into(),
        sentences: vec![
            "Replicas must be between 2 and 5.".into(),
            "Region defaults to eu-west.".into(),
            "Amara must approve first.".into(),
        ],
        category: PolicyCategory::Operations,
        enforcement: Enforcement::Warn,
        owner: "Acme operations".into(),
        range: "every promise, root:acme and below".into(),
        promises: 4,
        instances: 22,
        outdated: 9,
        compiled,
    }
}

fn concerned(name: &str, what: &str) -> ConcernedLine {
    ConcernedLine {
        workspace: super::WORKSPACE.into(),
        namespace: "default".into(),
        name: name.into(),
        what: what.into(),
        at: "2026-11-20T09:00:00Z".into(),
    }
}

fn picks(values: &[&str]) -> Vec<Pick> {
    let pick = |(index, value): (usize, &&str)| Pick { value: (*value).into(), label: (*value).into(), chosen: index == 0 };
    values.iter().enumerate().map(pick).collect()
}

fn form() -> PolicyForm {
    PolicyForm {
        workspace: "root:acme".into(),
        writable: picks(&["root:acme", "root:acme:shop"]),
        text: "kind: Policy\n".into(),
        version: "41".into(),
        ..PolicyForm::default()
    }
}

fn effect() -> PolicyEffect {
    PolicyEffect {
        workspaces: 3,
        total: 76,
        affected: 14,
        evaluated: 14,
        blocked: 1,
        warned: 0,
        named: vec![concerned("orders-db", "Replicas must be between 2 and 5.")],
    }
}

/// The form of a rule, as it is made for the real one.
fn editor(index: usize, empty: bool) -> RuleEditor {
    let effect = if empty { serde_json::json!({}) } else { serde_json::json!({"parameter": ".replicas", "minimum": 2}) };
    let spec = serde_json::json!({"title": "Production baseline", "rules": [{"name": "replicas", "constrain": effect}]});
    let (kind, values) = edit::values_of(&spec, 0).expect("a rule with a form");
    let postgresql = super::promise("postgresql");
    let offered = edit::Offered {
        promises: vec!["postgresql".into()],
        workspaces: vec!["root:acme:**".into()],
        parameters: edit::parameters(&[("PostgreSQL", &postgresql)]),
        actions: edit::actions(&[("PostgreSQL", &postgresql)]),
        in_scope: 1,
    };
    let promise = edit::promise_of(kind, &offered, &values);
    RuleEditor {
        index,
        kinds: picks(&["constrain", "limit"]),
        form: promise::form::model(&promise, &Effective::default(), &promise::form::Draft::of(values), &[]),
        ..RuleEditor::default()
    }
}

#[async_trait]
impl Platform for World {
    async fn governs(&self) -> Result<bool> {
        Ok(true)
    }

    async fn overview(&self, query: &OverviewQuery) -> Result<OverviewPage> {
        let range = OverviewRange::parse(&query.range);
        if self.empty {
            return Ok(OverviewPage {
                range,
                seen: "5f".into(),
                requests: Whole::<()>::new(Vec::new(), None, Vec::new()).total(),
                workspaces: if self.refused.is_some() { 0 } else { 2 },
                states: Vec::new(),
                pending: Vec::new(),
                weeks: Vec::new(),
                reasons: Vec::new(),
                times: Vec::new(),
                waiting: Vec::new(),
                versions: Vec::new(),
                adoption: Vec::new(),
                adoption_left_out: 0,
                parts: Vec::new(),
            });
        }
        Ok(OverviewPage {
            range,
            seen: "5f".into(),
            requests: Whole::new(vec![(); 15], Some("2026-11-21T11:05:00Z".into()), vec!["root:acme:data".into()]).total(),
            workspaces: 2,
            states: vec![(RequestState::AwaitingApproval, 1), (RequestState::Ready, 12), (RequestState::Failed, 2)],
            pending: vec![(ChangeState::AwaitingApproval, 1)],
            weeks: vec![super::week("2026-11-09", 4), super::week("2026-11-16", 8)],
            reasons: vec![("Refused".into(), 1), ("No room".into(), 1)],
            times: vec![TimeLine {
                promise: "postgresql".into(),
                title: "PostgreSQL".into(),
                measured: 9,
                half: 360,
                most: 840,
                failed: 2,
                all: 11,
            }],
            waiting: vec![("less than 1 h".into(), 1), ("longer".into(), 0)],
            versions: vec![VersionSpread {
                promise: "postgresql".into(),
                title: "PostgreSQL".into(),
                newest: "1.2.0".into(),
                versions: vec![("1.2.0".into(), 7), ("1.1.0".into(), 2)],
            }],
            adoption: vec![AdoptionLine { workspace: super::WORKSPACE.into(), instances: 9, promises: 2 }],
            adoption_left_out: 3,
            parts: vec![
                PlatformPart { state: PartState::Works, watched: 31, name: "embedded".into(), ..PlatformPart::new(PartKind::Plane) },
                PlatformPart { state: PartState::Waits, ..PlatformPart::new(PartKind::Controller) },
                PlatformPart {
                    state: PartState::Fails,
                    name: "eu-1".into(),
                    version: "v1.36.0".into(),
                    message: "The server doesn't respond.".into(),
                    since: Some("2026-11-21T10:29:00Z".into()),
                    instances: 4,
                    ..PlatformPart::new(PartKind::Destination)
                },
                PlatformPart {
                    name: "tickets".into(),
                    version: "https://tickets.example.org/api".into(),
                    state: PartState::Works,
                    since: Some("2026-11-20T08:00:00Z".into()),
                    ..PlatformPart::new(PartKind::Endpoint)
                },
            ],
        })
    }

    async fn promise_preview(&self, _: Option<&str>, _: Option<(&str, &str)>) -> Result<PromisePreview> {
        Ok(preview::of(self))
    }

    async fn preview_promise(&self, _: &PreviewText) -> Result<String> {
        Ok("d1".into())
    }

    async fn promises(&self, query: &PromisesQuery) -> Result<PromisesPage> {
        let row = |name: &str, state: PublishState| PromiseRow {
            workspace: "root:platform".into(),
            name: name.into(),
            title: name.into(),
            version: "1.2.0".into(),
            team: "data-services".into(),
            state,
            instances: 12,
            created: "2026-10-01T08:00:00Z".into(),
            ..PromiseRow::default()
        };
        let refused = PublishState::Refused("Two outputs have the same name.".into());
        let rows = if self.empty { Vec::new() } else { vec![row("postgresql", PublishState::Published), row("redis", refused)] };
        Ok(PromisesPage {
            can_create: !self.empty,
            fit: rows.len(),
            total: rows.len(),
            rows,
            pages: 2,
            states: facets(&[("published", 1, true), ("refused", 1, false)]),
            query: query.clone(),
            ..PromisesPage::default()
        })
    }

    async fn policies(&self, query: &PoliciesQuery) -> Result<PoliciesPage> {
        let broken = Compiled::No(".rules[0].validate.expression: parameters.nothing is not there".into());
        let rows = if self.empty { Vec::new() } else { vec![row("production-baseline", Compiled::Yes), row("broken", broken)] };
        Ok(PoliciesPage {
            fit: rows.len(),
            total: rows.len(),
            rows,
            pages: 2,
            categories: facets(&[("security", 1, false), ("operations", 1, true)]),
            enforcements: facets(&[("block", 1, false), ("warn", 1, false)]),
            places: Facet::default(),
            query: query.clone(),
            outdated: 9,
            priced: vec![concerned("cache", "It was accepted at 9.50 EUR/month and would cost 11.00 EUR/month today.")],
            priced_total: 1,
            others: vec![concerned("orders-db", "The rule size of former, set at root:acme, no longer applies: Size must be at most 3.")],
            others_total: 4,
            writable: if self.refused.is_some() { Vec::new() } else { vec!["root:acme".into()] },
            as_of: None,
        })
    }

    async fn policy(&self, _: &str, name: &str, _: &str, sample: Option<&Sample>) -> Result<PolicyPage> {
        let rule = PolicyRule {
            name: "replicas".into(),
            sentence: "Replicas must be between 2 and 5.".into(),
            kind: "constrain".into(),
            has_form: true,
        };
        let tried = sample.map(|_| Tried {
            unreadable: (!self.fits).then(|| "Fix line 1, column 2: it isn't valid YAML.".to_owned()),
            passes: false,
            lines: policies("postgresql"),
            problems: vec!["Choose at least 2 replicas".into()],
        });
        let inside = PolicyInside {
            hits: vec![HitLine { home: "root:platform".into(), promise: "postgresql".into(), title: "PostgreSQL".into(), instances: 14 }],
            counted_in: 3,
            denials: vec![concerned("alone", "Choose at least 2 replicas")],
            denials_total: 1,
            warned: if self.fits { vec![concerned("cache", "Warned: Choose the small size for development.")] } else { Vec::new() },
            warned_total: usize::from(self.fits),
            outdated: vec![concerned("orders-db", "Changed: Replicas must be between 2 and 5.")],
            outdated_total: 9,
            yaml: "kind: Policy\n".into(),
            can_edit: self.refused.is_none(),
            can_delete: self.refused.is_none(),
            referrers: vec!["PostgreSQL".into()],
            history: vec![
                PolicyHistoryLine {
                    at: "2026-11-20T09:00:00Z".into(),
                    by: "org-owner".into(),
                    did: PolicyDeed::Changed,
                    changes: vec!["Changed rule: Replicas must be between 2 and 5. Before: Replicas must be at least 2.".into()],
                },
                PolicyHistoryLine {
                    at: "2026-11-19T09:00:00Z".into(),
                    did: PolicyDeed::ChangedWith("kubectl-edit".into()),
                    ..PolicyHistoryLine::default()
                },
            ],
            history_known: self.fits,
            tryout: Tryout {
                promises: picks(&["root:platform/postgresql"]),
                places: picks(&[super::WORKSPACE]),
                text: "tier: production\n".into(),
                tried,
            },
        };
        Ok(PolicyPage {
            row: row(name, Compiled::Yes),
            description: "Orders keep coming in while one zone is down.".into(),
            contact: "mailto:operations@acme.example".into(),
            rules: vec![rule],
            for_promises: "every promise".into(),
            for_workspaces: "root:acme and below".into(),
            inside: self.refused.is_none().then_some(inside),
        })
    }

    async fn policy_form(&self, _: &str, name: Option<&str>, _: Option<&str>, rule: Option<usize>) -> Result<PolicyForm> {
        let problem = TextProblem { path: ".spec.rules[0]".into(), line: Some(9), message: "Name one effect.".into() };
        let problems = if self.fits { Vec::new() } else { vec![problem] };
        let checked = (!self.empty).then(|| "It fits 4 promises in its range.".to_owned());
        let warning = TextProblem {
            path: ".spec.appliesTo.promises[0]".into(),
            line: Some(7),
            message: "No promise that you can see matches kafka.".into(),
        };
        let warnings = if self.empty { Vec::new() } else { vec![warning] };
        let editor = rule.filter(|_| self.fits).map(|index| editor(index, self.empty));
        let name = name.map(str::to_owned);
        let row = |name: &str, sentence: &str, has_form| RuleRow {
            name: name.into(),
            sentence: sentence.into(),
            has_form,
            next: Some("Next: tonight.".into()),
        };
        let rules = vec![row("replicas", "Replicas must be between 2 and 5.", true), row("nights", "", false)];
        Ok(PolicyForm { name, problems, warnings, warned: "5f".into(), effect: Some(effect()), checked, editor, rules, ..form() })
    }

    async fn policy_preflight(&self, _: &PolicyText) -> Result<PolicyForm> {
        Err(Error::from(DeniedReason::ControlPlane { message: "this world takes nothing".into() }))
    }

    async fn write_policy(&self, _: &PolicyText) -> Result<PolicyFormOutcome> {
        Err(Error::from(DeniedReason::ControlPlane { message: "this world takes nothing".into() }))
    }

    async fn switch_policy(&self, _: &str, _: &str, _: bool) -> Result<()> {
        Err(Error::from(DeniedReason::ControlPlane { message: "this world takes nothing".into() }))
    }

    async fn delete_policy(&self, _: &str, _: &str, _: &str) -> Result<()> {
        Err(Error::from(DeniedReason::ControlPlane { message: "this world takes nothing".into() }))
    }
}
