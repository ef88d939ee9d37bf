//! Where instances are seeded: organisations next to those of the sample world, with teams, prices, rules and the permissions of the sample
//! world's people.
//!
//! Acme and Globex aren't changed: their limits and budgets are small, and people try things out on their pages.

use cluster::kinds::{Destination, Export, Policy};
use cluster::{Scope, WorkspacePath, install};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use kube::api::{Api, Patch, PatchParams};
use promise::api::ConditionStatus;
use serde_json::{Value, json};

use super::error::SeedError;
use super::until;
use crate::sample::load::{Loader, install_failed};

/// Workspaces that are created at the same time.
const TOGETHER: usize = 8;
/// Number of teams that one developer belongs to.
const TEAMS_OF_ONE: usize = 5;
/// Home of the promises.
pub(super) const HOME: &str = "root:platform";
/// The developers of the sample world and their groups, who request in the first teams of each organisation.
pub(super) const DEVELOPERS: [(&str, &str); 2] = [("dev-shop", "acme-shop-developers"), ("dev-data", "acme-data-developers")];
/// Groups of the sample world whose members see everything.
const READERS: [&str; 3] = ["acme-approvers", "platform-engineers", "finance-readers"];
/// The group of the sample world whose members own everything.
const OWNERS: &str = "acme-owners";

/// An organisation.
pub(super) struct Organisation {
    pub(super) name: &'static str,
    title: &'static str,
    currency: &'static str,
}

/// Two, so that there are two currencies.
pub(super) const ORGANISATIONS: [Organisation; 2] = [
    Organisation { name: "nordwind", title: "Nordwind", currency: "EUR" },
    Organisation { name: "pacifica", title: "Pacifica", currency: "USD" },
];

/// A workspace with instances.
#[derive(Clone, Debug)]
pub(super) struct Team {
    pub(super) path: WorkspacePath,
    /// Index in [`ORGANISATIONS`].
    pub(super) organisation: usize,
    /// Its number within the organisation, from 0.
    pub(super) number: usize,
}

impl Team {
    /// Returns `count` teams, assigned to the organisations in turn.
    pub(super) fn all(count: usize) -> Vec<Self> {
        let team = |index: usize| {
            let (organisation, number) = (index % ORGANISATIONS.len(), index / ORGANISATIONS.len());
            let name = ORGANISATIONS.get(organisation)?.name;
            let path = WorkspacePath::parse(&format!("root:{name}:{name}-{:04}", number + 1)).ok()?;
            Some(Self { path, organisation, number })
        };
        (0..count).filter_map(team).collect()
    }

    /// Returns the developer who requests here; `None` in most teams, whose requests come from their owners.
    fn developer(&self) -> Option<&'static (&'static str, &'static str)> {
        DEVELOPERS.get(self.number / TEAMS_OF_ONE)
    }

    /// Returns the requester of this team's instances.
    pub(super) fn requester(&self) -> &'static str {
        self.developer().map_or("org-owner", |(name, _)| name)
    }
}

/// Creates the organisations of these teams, and the teams, with everything they need. `share` is the number of instances of each team.
pub(super) async fn build(loader: Loader<'_>, provider: &WorkspacePath, teams: &[Team], share: usize) -> Result<(), SeedError> {
    let installed = install::provider(&loader.client(provider), &install::Options::default())
        .await
        .map_err(|error| SeedError::World(install_failed(provider, &error)))?;
    let home = path(HOME)?;
    for organisation in organisations(teams) {
        let top = path(&format!("root:{}", organisation.name))?;
        loader.workspace(&top, &labels(organisation), organisation.title, "A seeded organisation.").await?;
        for export in [Export::Requests, Export::Catalog] {
            install::bind(&loader.client(&top), export, &installed).await.map_err(|error| install_failed(&top, &error))?;
        }
        for right in rights(None).iter().chain(&deciding()) {
            loader.apply_own(&Scope::Workspace(top.clone()), right).await?;
        }
        for policy in policies(organisation, share) {
            loader.apply_own(&Scope::Workspace(top.clone()), &policy).await?;
        }
        loader.apply_own(&Scope::Workspace(home.clone()), &catalog(organisation)).await?;
    }
    let made = stream::iter(teams).map(async |team| {
        let organisation = &ORGANISATIONS[team.organisation];
        let title = format!("{} team {}", organisation.title, team.number + 1);
        loader.workspace(&team.path, &labels(organisation), &title, "A seeded team.").await?;
        install::bind(&loader.client(&team.path), Export::Requests, &installed)
            .await
            .map_err(|error| install_failed(&team.path, &error))?;
        for right in rights(team.developer().map(|(_, group)| *group)) {
            loader.apply_own(&Scope::Workspace(team.path.clone()), &right).await?;
        }
        Ok::<_, SeedError>(())
    });
    made.buffer_unordered(TOGETHER).try_collect::<Vec<_>>().await?;
    open_destination(loader, &home, teams).await?;
    for organisation in organisations(teams) {
        policies_read(loader, &path(&format!("root:{}", organisation.name))?).await?;
    }
    Ok(())
}

fn organisations(teams: &[Team]) -> impl Iterator<Item = &'static Organisation> {
    ORGANISATIONS.iter().take(teams.len())
}

fn path(text: &str) -> Result<WorkspacePath, SeedError> {
    WorkspacePath::parse(text).map_err(|error| SeedError::Pattern { name: text.to_owned(), why: error.to_string() })
}

fn labels(organisation: &Organisation) -> std::collections::BTreeMap<String, String> {
    [("org", organisation.name), (promise::names::OWNER_LABEL, "acme-operations")].map(|(name, value)| (name.into(), value.into())).into()
}

/// Allows requests of the organisations to use the sample world's Destination.
async fn open_destination(loader: Loader<'_>, home: &WorkspacePath, teams: &[Team]) -> Result<(), SeedError> {
    let failed = |source| SeedError::Plane { what: "opening the destination sandbox".to_owned(), source: Box::new(source) };
    let api: Api<Destination> = Api::all(loader.client(home));
    let mut allowed = api.get("sandbox").await.map_err(failed)?.spec.allowed_workspaces;
    for organisation in organisations(teams) {
        let all = format!("root:{}:**", organisation.name);
        if !allowed.contains(&all) {
            allowed.push(all);
        }
    }
    let patch = json!({"spec": {"allowedWorkspaces": allowed}});
    api.patch("sandbox", &PatchParams::default(), &Patch::Merge(&patch)).await.map_err(failed)?;
    Ok(())
}

/// Waits until the controller has read the policies of an organisation; from then on they apply.
async fn policies_read(loader: Loader<'_>, top: &WorkspacePath) -> Result<(), SeedError> {
    let api: Api<Policy> = Api::all(loader.client(top));
    let read = async || {
        let all = api.list(&kube::api::ListParams::default()).await.ok()?.items;
        let is_read = |policy: &Policy| {
            let conditions = policy.status.as_ref().map(|status| status.conditions.as_slice()).unwrap_or_default();
            conditions.iter().any(|known| known.r#type == "Compiled" && known.status == ConditionStatus::True)
        };
        (!all.is_empty() && all.iter().all(is_read)).then_some(())
    };
    until(read).await.ok_or_else(|| SeedError::Pattern { name: top.to_string(), why: "the controller hasn't read its policies".to_owned() })
}

fn role(name: &str, rules: &Value, groups: &[&str]) -> [Value; 2] {
    let api_version = "rbac.authorization.k8s.io/v1";
    let subjects: Vec<Value> =
        groups.iter().map(|group| json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": group})).collect();
    [
        json!({"apiVersion": api_version, "kind": "ClusterRole", "metadata": {"name": name}, "rules": rules}),
        json!({"apiVersion": api_version, "kind": "ClusterRoleBinding", "metadata": {"name": name}, "subjects": subjects,
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name}}),
    ]
}

/// Returns the permissions of the sample world's people in a workspace; `developers` is the group that works there.
fn rights(developers: Option<&str>) -> Vec<Value> {
    let all = ["get", "list", "watch", "create", "update", "patch", "delete"];
    let read = ["get", "list", "watch"];
    let everybody: Vec<&str> = READERS.into_iter().chain([OWNERS]).chain(developers).collect();
    let editors: Vec<&str> = [OWNERS].into_iter().chain(developers).collect();
    let group = promise::names::GROUP;
    let mut rights = Vec::new();
    rights.extend(role("opm-enter", &json!([{"nonResourceURLs": ["/"], "verbs": ["access"]}]), &everybody));
    let requests = ["promiserequests", "promiseactions"];
    rights.extend(role(
        "opm-requests-viewer",
        &json!([
            {"apiGroups": [group], "resources": ["promiserequests", "promiseactions", "promisereleases"], "verbs": read},
            {"apiGroups": [""], "resources": ["namespaces", "events"], "verbs": read},
        ]),
        &everybody,
    ));
    rights.extend(role(
        "opm-requests-editor",
        &json!([
            {"apiGroups": [group], "resources": requests, "verbs": all},
            {"apiGroups": [""], "resources": ["secrets", "configmaps"], "verbs": all},
        ]),
        &editors,
    ));
    rights
}

/// Returns the permissions of people who decide, or read the rules of an organisation.
fn deciding() -> Vec<Value> {
    let group = promise::names::GROUP;
    let mut rights = Vec::new();
    rights.extend(role(
        "opm-approver",
        &json!([
            {"apiGroups": [group], "resources": ["promises", "policies"], "verbs": ["get", "list", "watch", "approve"]},
            {"apiGroups": [group], "resources": ["approvals"], "verbs": ["get", "list", "watch", "create", "delete"]},
        ]),
        &["acme-approvers"],
    ));
    rights.extend(role(
        "opm-governance-viewer",
        &json!([{"apiGroups": [group], "resources": ["promises", "promiserevisions", "promisecatalogs", "policies"], "verbs": ["get", "list", "watch"]}]),
        &["platform-engineers", "finance-readers", OWNERS],
    ));
    rights
}

fn policies(organisation: &Organisation, share: usize) -> [Value; 2] {
    let Organisation { name, title, currency } = organisation;
    let policy = |policy: &str, spec: Value| json!({"apiVersion": promise::names::API_VERSION, "kind": "Policy", "metadata": {"name": policy}, "spec": spec});
    let owner = json!({"team": format!("{title} operations"), "contact": format!("mailto:operations@{name}.example")});
    let everywhere = json!([format!("root:{name}:**")]);
    [
        policy(
            "second-pair-of-eyes",
            // Nothing expires automatically: what waits must still wait when the world is opened.
            json!({"title": "A second pair of eyes", "category": "operations", "owner": owner,
                "appliesTo": {"promises": ["postgresql"], "workspaces": everywhere},
                "rules": [{"name": "operations-agree", "approve": {
                    "when": "parameters.tier == 'production'", "approvers": {"groups": ["acme-approvers"]}, "required": 1}}]}),
        ),
        policy(
            "monthly-spending",
            // Never reached, because its result for one instance would depend on all others.
            json!({"title": "Monthly spending", "category": "cost", "owner": owner, "enforcement": "warn",
                "appliesTo": {"workspaces": everywhere},
                "rules": [{"name": "each-team", "budget": {
                    "monthly": format!("{}.00", 1_000 + 200 * share), "currency": currency, "per": "workspace"}}]}),
        ),
    ]
}

fn catalog(organisation: &Organisation) -> Value {
    let Organisation { name, title, currency } = organisation;
    json!({"apiVersion": promise::names::API_VERSION, "kind": "PromiseCatalog", "metadata": {"name": name}, "spec": {
        "title": format!("Services for {title}"), "description": format!("Services agreed between {title} and the platform team."),
        "promises": ["*"], "workspaces": [format!("root:{name}:**")], "currency": currency,
        "prices": [{"from": "2026-01-01", "values": {
            "database": {"small": "24.80", "medium": "58.00", "large": "118.00"}, "storage": {"gibibyte": "0.11"},
            "cache": {"small": "9.50", "medium": "21.00"}, "application": {"replica": "6.20"},
            "bucket": {"standard": "2.00", "archive": "0.60"},
        }}],
    }})
}

#[cfg(test)]
mod tests {
    use super::Team;

    #[test]
    fn teams_are_of_the_organisations_in_turn() {
        let teams: Vec<String> = Team::all(3).into_iter().map(|team| team.path.to_string()).collect();
        assert_eq!(teams, ["root:nordwind:nordwind-0001", "root:pacifica:pacifica-0001", "root:nordwind:nordwind-0002"]);
        assert_eq!(Team::all(400)[399].requester(), "org-owner");
    }
}
