//! Budget warnings: the people named by a budget are notified of each threshold, and of a forecast beyond it, once a month.
//!
//! Warnings depend on the sums in the database, the running instances, and the policies and promises of the cluster. The id of a warning is
//! derived from budget, workspace and month, and for a threshold also from the threshold and the amount, so a repeated check, after a crash
//! or in another replica, sends nothing twice.

use std::collections::BTreeMap;
use std::sync::Arc;

use cluster::kinds::{Policy, Promise, PromiseRevision};
use cluster::watch::Key;
use cluster::workspaces::{Node, Tree};
use cluster::{ClusterId, WorkspacePath, World};
use imbl::OrdMap;
use notify::content::{Because, BudgetWarning, Content};
use notify::{Audience, Matter, Page};
use promise::api::{AppliesTo, Budget, Rule};
use promise::ledger::{Cap, Month, Own, Seen, Spender, Spending, accrued};
use store::PromiseSum;

use super::facts::Shown;
use crate::Ledger;

impl Ledger<'_> {
    /// Sends the budget warnings for what was posted in the month of `at`, which is the last posted second. `running` holds the current
    /// instances for the forecast; it is empty while complete hours are still to be posted.
    ///
    /// # Errors
    /// If the database fails; warnings that weren't sent are sent the next time.
    pub async fn warn(&self, at: i64, running: &[Shown]) -> store::Result<()> {
        let policies = self.world.policies.snapshot();
        let promises = published(self.world);
        let everywhere = AppliesTo::default();
        let budgets = budgets(&policies, &promises, &everywhere);
        if budgets.is_empty() {
            return Ok(());
        }
        let month = Month::of(at);
        let sums = self.store.promise_sums(month.start()).await?;
        let tree = self.world.tree();
        let spenders = spenders(&tree, &sums, running);
        let spendings = spendings(&spenders, &sums, running, at);
        for set in budgets {
            // A home whose path isn't known doesn't govern any workspace.
            let Some(home) = tree.path(&set.key.cluster) else { continue };
            let cluster = set.key.cluster.to_string();
            let cap = Cap {
                budget: set.budget,
                range: set.range,
                own: set.own.then_some(Own { promise: &set.key.name, home: home.as_str() }),
                cluster: &cluster,
                trusted: self.trusted_homes.contains(&home),
            };
            // The same naming as elsewhere: a policy and a promise with the same name are different things.
            let subject = format!("{cluster}/{}{}/{}", if set.own { "promise/" } else { "" }, set.key.name, set.rule);
            for warning in cap.warnings(at, spendings.iter().copied()) {
                let Some(place) = ClusterId::parse(&warning.cluster).ok().and_then(|cluster| tree.path(&cluster)) else { continue };
                let key = warning.key(month);
                let budget = BudgetWarning {
                    title: set.title.to_owned(),
                    own: set.own,
                    workspace: place.to_string(),
                    below: set.budget.per == "subtree",
                    currency: set.budget.currency.clone(),
                    month,
                    warning,
                };
                let matter = Matter {
                    subject: subject.clone(),
                    workspace: place.to_string(),
                    because: Because::Budget { own: set.own, name: set.key.name.clone(), workspace: home.to_string() },
                    link: page(&budget),
                    content: Content::Budget(budget),
                };
                let audience = Audience::Approvers { approvers: set.budget.notify.clone(), except: Vec::new() };
                self.notify.tell(audience, &key, &matter).await?;
            }
        }
        Ok(())
    }
}

/// A budget and the object that sets it.
struct Set<'a> {
    /// The policy, or the promise whose own rule it is.
    key: &'a Key,
    own: bool,
    /// Title of that object.
    title: &'a str,
    /// Name of the rule.
    rule: &'a str,
    budget: &'a Budget,
    range: &'a AppliesTo,
}

impl<'a> Set<'a> {
    /// Returns the budgets among some rules.
    fn of(key: &'a Key, own: bool, title: Option<&'a str>, rules: &'a [Rule], range: &'a AppliesTo) -> impl Iterator<Item = Self> {
        let title = title.unwrap_or(&key.name);
        rules.iter().filter_map(move |rule| Some(Self { key, own, title, rule: &rule.name, budget: rule.budget.as_ref()?, range }))
    }
}

/// Returns every budget, of policies and of promises.
fn budgets<'a>(
    policies: &'a OrdMap<Key, Arc<Policy>>,
    promises: &'a [(Key, Arc<PromiseRevision>)],
    everywhere: &'a AppliesTo,
) -> Vec<Set<'a>> {
    let mut found = Vec::new();
    for (key, policy) in policies {
        let spec = &policy.spec;
        found.extend(Set::of(key, false, spec.title.as_deref(), &spec.rules, &spec.applies_to));
    }
    for (key, revision) in promises {
        let spec = &revision.spec.spec;
        found.extend(Set::of(key, true, spec.presentation.display_name.as_deref(), &spec.policies, everywhere));
    }
    found
}

/// Returns the promises with their currently published version. Its rules also apply to instances of older versions: a promise has one
/// budget at a time.
fn published(world: &World) -> Vec<(Key, Arc<PromiseRevision>)> {
    let revision = |key: &Key, promise: &Promise| {
        let name = promise.status.as_ref()?.revision.as_deref()?;
        world.revisions.get(&Key::cluster_scoped(&key.cluster, name))
    };
    let promises = world.promises.snapshot();
    promises.iter().filter_map(|(key, promise)| Some((key.clone(), revision(key, promise)?))).collect()
}

/// Returns the workspaces with costs, by id. A deleted workspace counts where it was, below the part of its path that still exists:
/// deleting a workspace gives no budget back.
fn spenders<'s>(tree: &Tree, sums: &'s [PromiseSum], running: &'s [Shown]) -> BTreeMap<&'s str, Spender> {
    let counted = sums.iter().map(|sum| (sum.cluster.as_str(), sum.workspace.as_str()));
    let shown = running.iter().map(|shown| (shown.subject.cluster.as_str(), shown.subject.workspace.as_str()));
    let mut spenders = BTreeMap::new();
    for (id, workspace) in counted.chain(shown) {
        if spenders.contains_key(id) {
            continue;
        }
        let living = ClusterId::parse(id).ok().and_then(|cluster| tree.lineage(&cluster));
        let spender = match &living {
            Some(way) => Spender {
                path: way.last().map(|node| node.path.to_string()).unwrap_or_default(),
                labels: way.last().map(|node| node.labels.clone()).unwrap_or_default(),
                lineage: ids(way),
            },
            None => Spender { path: workspace.to_owned(), labels: BTreeMap::new(), lineage: gone(tree, id, workspace) },
        };
        spenders.insert(id, spender);
    }
    spenders
}

fn ids(way: &[Node]) -> Vec<String> {
    way.iter().map(|node| node.cluster.to_string()).collect()
}

/// Returns the path to the nearest existing workspace above, followed by the deleted one.
fn gone(tree: &Tree, id: &str, workspace: &str) -> Vec<String> {
    let above = WorkspacePath::parse(workspace).ok().and_then(|path| path.parent());
    let way = std::iter::successors(above, WorkspacePath::parent).find_map(|path| tree.lineage(&tree.cluster(&path)?));
    way.iter().flat_map(|way| ids(way)).chain([id.to_owned()]).collect()
}

/// Returns what promises have cost in the month of `at` until then, and what ready instances will cost from there until the month ends.
fn spendings<'s>(spenders: &'s BTreeMap<&'s str, Spender>, sums: &'s [PromiseSum], running: &'s [Shown], at: i64) -> Vec<Spending<'s>> {
    let mut lines: BTreeMap<[&str; 4], (i64, i64)> = BTreeMap::new();
    for sum in sums {
        let of = [&sum.cluster, &sum.home, &sum.promise, &sum.currency].map(String::as_str);
        let line = lines.entry(of).or_default();
        line.0 = line.0.saturating_add(sum.micros);
    }
    for Shown { subject, fact, .. } in running {
        let Some(Seen::Ready(Some(price))) = &fact.seen else { continue };
        let of = [&subject.cluster, &subject.home, &subject.promise, &price.currency].map(String::as_str);
        let line = lines.entry(of).or_default();
        line.1 = line.1.saturating_add(accrued(price.micros, fact.since.max(at + 1), Month::of(at).end()));
    }
    let mut spendings = Vec::with_capacity(lines.len());
    for ([cluster, home, promise, currency], (micros, rest)) in lines {
        if let Some(by) = spenders.get(cluster) {
            spendings.push(Spending { by, home, promise, currency, micros, rest });
        }
    }
    spendings
}

/// Returns the page with the costs that a budget counts.
fn page(budget: &BudgetWarning) -> Page {
    // A promise has costs wherever it is used, so the link shows everything that the person can see.
    Page::Cost { workspace: if budget.own && budget.below { String::new() } else { budget.workspace.clone() } }
}

#[cfg(test)]
mod tests {
    use cluster::workspaces::WorkspaceRow;
    use promise::ledger::{Cause, Fact, Warning};
    use promise::price::Money;
    use serde_json::json;
    use store::Subject;

    use super::*;

    /// 2026-11-01.
    const NOVEMBER: i64 = 1_793_491_200;
    const DAY: i64 = 86_400;

    fn costs(workspace: &str) -> Page {
        Page::Cost { workspace: workspace.into() }
    }

    fn sum(cluster: &str, workspace: &str) -> PromiseSum {
        PromiseSum {
            cluster: cluster.into(),
            workspace: workspace.into(),
            home: "root".into(),
            promise: "redis".into(),
            currency: "EUR".into(),
            micros: 1,
        }
    }

    #[test]
    fn what_is_gone_counts_where_it_was() {
        let id = |text: &str| ClusterId::parse(text).unwrap();
        let row = |parent: &str, name: &str, cluster: &str| {
            let row = WorkspaceRow { cluster: id(cluster), labels: [("of".to_owned(), name.to_owned())].into(), deleting: false };
            (Key::cluster_scoped(&id(parent), name), Arc::new(row))
        };
        let rows = [row("root", "acme", "c-acme"), row("c-acme", "shop", "c-shop")].into_iter().collect();
        let tree = Tree::new(ClusterId::root(), &rows);
        let sums = [sum("c-shop", "root:acme:shop"), sum("c-lab", "root:acme:lab:deep"), sum("c-gone", "root:gone")];
        let spenders = spenders(&tree, &sums, &[]);
        assert_eq!(spenders["c-shop"].lineage, ["root", "c-acme", "c-shop"]);
        assert_eq!(spenders["c-shop"].labels["of"], "shop");
        assert_eq!(
            (&*spenders["c-lab"].path, &*spenders["c-lab"].lineage),
            ("root:acme:lab:deep", &["root", "c-acme", "c-lab"].map(str::to_owned)[..])
        );
        assert_eq!(spenders["c-gone"].lineage, ["root", "c-gone"]);
    }

    #[test]
    fn what_is_ready_goes_on_from_what_is_counted_until_the_month_ends() {
        let shown = |cluster: &str, seen: Option<Seen>, since: i64| {
            let subject = Subject { cluster: cluster.into(), home: "root".into(), promise: "redis".into(), ..Subject::default() };
            Shown { subject, fact: Fact { seen, since, created: NOVEMBER }, basis: String::new() }
        };
        let ready = || Some(Seen::Ready(Some(Money::new(30_000_000, "EUR"))));
        let running = [
            shown("c-acme", ready(), NOVEMBER),
            shown("c-acme", ready(), NOVEMBER + 20 * DAY),
            shown("c-acme", Some(Seen::Ready(None)), NOVEMBER),
            shown("c-acme", Some(Seen::Unobserved), NOVEMBER),
            shown("c-acme", None, NOVEMBER),
            shown("c-new", ready(), NOVEMBER + 29 * DAY),
        ];
        let (sums, tree) = ([sum("c-acme", "root:acme")], Tree::new(ClusterId::root(), &OrdMap::new()));
        let spenders = spenders(&tree, &sums, &running);
        let amounts = |running: &[Shown], posted: i64| {
            let found = spendings(&spenders, &sums, running, posted - 1);
            found.iter().map(|spending| (spending.promise.to_owned(), spending.micros, spending.rest)).collect::<Vec<_>>()
        };
        let redis = |micros: i64, rest: i64| ("redis".to_owned(), micros, rest);
        assert_eq!(amounts(&running, NOVEMBER + 10 * DAY), [redis(1, 30_000_000), redis(0, 1_000_000)]);
        assert_eq!(amounts(&running, NOVEMBER + 30 * DAY), [redis(1, 0), redis(0, 0)], "the month is over");
        assert_eq!(amounts(&[], NOVEMBER + 10 * DAY), [redis(1, 0)]);
    }

    #[test]
    fn budgets_stand_in_policies_and_in_promises() {
        let rules = |name: &str| {
            let budget = json!({"monthly": "10.00", "currency": "EUR", "per": "workspace"});
            json!([{"name": "few", "limit": {"count": 3, "per": "workspace"}}, {"name": name, "budget": budget}])
        };
        let object = |kind: &str, name: &str, spec: serde_json::Value| json!({"apiVersion": promise::names::API_VERSION, "kind": kind, "metadata": {"name": name}, "spec": spec});
        let policy = object("Policy", "spending", json!({"title": "Spending", "rules": rules("all")}));
        let spec = json!({"version": "1.0.0", "presentation": {"displayName": "Redis"}, "policies": rules("each")});
        let revision = object("PromiseRevision", "redis-1", json!({"promise": "redis", "version": "1.0.0", "hash": "h", "spec": spec}));
        let at = |name: &str| Key::cluster_scoped(&ClusterId::root(), name);
        let (policy, revision): (Policy, PromiseRevision) =
            (serde_json::from_value(policy).unwrap(), serde_json::from_value(revision).unwrap());
        let policies: OrdMap<Key, Arc<Policy>> = [(at("spending"), Arc::new(policy))].into_iter().collect();
        let promises = [(at("redis"), Arc::new(revision))];
        let everywhere = AppliesTo::default();
        let found = budgets(&policies, &promises, &everywhere);
        let found: Vec<_> = found.iter().map(|set| (set.own, set.key.name.as_str(), set.title, set.rule)).collect();
        assert_eq!(found, [(false, "spending", "Spending", "all"), (true, "redis", "Redis", "each")]);
    }

    #[test]
    fn a_budget_leads_to_the_costs_that_it_counts() {
        let budget = |own: bool, below: bool| BudgetWarning {
            title: "Redis".into(),
            own,
            workspace: "root:acme".into(),
            below,
            currency: "EUR".into(),
            month: Month::parse("2026-11").unwrap(),
            warning: Warning { cluster: "c1".into(), cause: Cause::Forecast, spent: 1, forecast: 3, most: 2 },
        };
        assert_eq!(page(&budget(false, true)), costs("root:acme"));
        assert_eq!(page(&budget(true, false)), costs("root:acme"));
        assert_eq!(page(&budget(true, true)), costs(""));
    }
}
