//! Promises that are offered.

use super::*;

#[async_trait]
impl Catalog for World {
    async fn catalog(&self, _: &str, query: &CatalogQuery) -> Result<CatalogPage> {
        let closed = Availability { state: AvailabilityState::Denied, reason: Some("Your role here can look, not ask".into()) };
        let rows = vec![
            offer("postgresql", self.availability()),
            offer("redis", self.availability()),
            offer("web-application", self.availability()),
            offer("object-bucket", closed),
        ];
        let rows = if self.empty { Vec::new() } else { rows };
        Ok(CatalogPage {
            shelves: vec![ShelfLine {
                id: "root:platform/standard".into(),
                title: "Standard".into(),
                description: "What most teams need".into(),
            }],
            total: rows.len(),
            fit: rows.len(),
            available: rows.iter().filter(|row| row.availability.state == AvailabilityState::Available).count(),
            pages: 2,
            rows,
            owners: facets(&[("data-services", 2, false), ("runtime", 2, false)]),
            lifecycles: Facet::default(),
            categories: facets(&[("data", 2, query.category == "data"), ("compute", 1, false), ("storage", 1, false)]),
            tags: facets(&[("database", 1, false), ("cache", 1, false), ("web", 1, false)]),
            query: query.clone(),
        })
    }

    async fn promise(&self, _: &str, name: &str, _: Option<&str>) -> Result<PromisePage> {
        if !["postgresql", "redis", "web-application"].contains(&name) {
            return Err(Error::NotFound { what: format!("promise {name}") });
        }
        let line = |path: &str, kind: &str| FieldLine {
            path: path.into(),
            label: path.trim_start_matches('.').into(),
            kind: kind.into(),
            default: "1".into(),
            allowed: "1 to 7".into(),
            help: "Copies, each in another zone".into(),
            required: true,
            ..FieldLine::default()
        };
        let narrowed = ByLine {
            did: "Narrowed from 1–7".into(),
            policy: "production-baseline".into(),
            rule: "replicas".into(),
            own: false,
            title: Some("Production baseline".into()),
            workspace: "root:acme".into(),
            owner: None,
            reason: None,
        };
        let own = ByLine { own: true, ..narrowed.clone() };
        let version = |version: &str, changes| VersionLine {
            version: version.into(),
            revision: format!("{name}-3f2a9c1b7d-{version}"),
            since: "2026-11-03T08:00:00Z".into(),
            newest: changes == Some(Vec::new()),
            described: if version == "1.1.0" { vec!["Databases start twice as fast.".into()] } else { Vec::new() },
            changes,
        };
        Ok(PromisePage {
            row: offer(name, self.availability()),
            description: promise(name).presentation.description.unwrap_or_default(),
            links: vec![
                LinkLine { title: "Guide".into(), url: "https://example.org/guide".into() },
                LinkLine { title: "Trap".into(), url: "javascript:alert(1)".into() },
            ],
            contact: "data-services@example.org".into(),
            deprecation: None,
            fields: vec![
                FieldLine { by: vec![narrowed, own], ..line(".replicas", "whole number") },
                FieldLine { fields: vec![line(".storage.size", "amount")], left_out: 3, ..line(".storage", "group of fields") },
            ],
            field_count: 7,
            fields_left_out: 4,
            policies: policies(name),
            policies_unknown: None,
            price: price(),
            next_price: (name == "postgresql").then(|| "From 1 January 2027: €124.00 a month (today €118.00).".into()),
            versions: vec![
                version("1.2.0", Some(Vec::new())),
                version("1.1.0", Some(vec![VersionChange::FieldRemoved { label: "Legacy".into() }, VersionChange::Price])),
                version("1.0.0", None),
            ],
            presets: vec![StartLine { start: "preset:trial".into(), title: "Trial".into(), description: "Small, one replica".into() }],
            examples: vec![ExampleLine {
                start: "example:Try it out".into(),
                name: "Try it out".into(),
                description: "Small, for a day".into(),
                yaml: "tier: development\n".into(),
            }],
            outputs: vec![
                OutputLine { name: "endpoint".into(), description: "Where to connect".into(), secret: false },
                OutputLine { name: "password".into(), description: "Of the owner".into(), secret: true },
            ],
            shadowed_by: None,
            required: if name == "redis" { required::lines() } else { Vec::new() },
        })
    }

    async fn instances(&self, _: &str, name: &str, _: Option<&str>, _: usize) -> Result<InstancesPage> {
        let line = |row: RequestRow| InstanceLine {
            workspace: row.workspace,
            namespace: row.namespace,
            name: row.name,
            version: if row.promise == name { "1.1.0".into() } else { row.version },
            states: RequestStates { change: Some(promise::state::ChangeState::AwaitingApproval), ..row.states },
            requester: row.requester,
            created: row.created,
        };
        let rows: Vec<InstanceLine> = self.rows().into_iter().map(line).collect();
        Ok(InstancesPage {
            total: rows.len(),
            workspaces: usize::from(!rows.is_empty()),
            rows,
            page: 1,
            pages: 2,
            unseen: vec!["root:acme:data".into()],
            as_of: None,
        })
    }

    async fn set_favourite_promise(&self, _: &str, _: &PromiseKey, _: bool) -> Result<()> {
        Ok(())
    }
}
