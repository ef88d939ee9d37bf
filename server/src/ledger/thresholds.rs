//! Budgets that fill up: whoever a budget names is told of each threshold once a month.
//!
//! What is told follows from the sums in the database and the policies of the cluster, and its id from budget, workspace, month, amount and
//! threshold: whoever looks again, after a crash or in another replica, tells nothing anew.

use std::collections::BTreeMap;

use cluster::workspaces::{Node, Tree};
use cluster::{ClusterId, WorkspacePath};
use promise::ledger::{Cap, Month, Reached, Spender, Spending};
use promise::notify::Event;
use promise::price::Money;
use store::{Dimension, MonthSum};

use crate::notify::{Audience, Matter, Notify};
use crate::state::Portal;

/// Tells of every threshold that is reached by what was counted in the month of a moment.
///
/// # Errors
/// The database refuses; what was not told is told the next time.
pub async fn warn(portal: &Portal, at: i64) -> store::Result<()> {
    let policies = portal.world.policies.snapshot();
    let budgets: Vec<_> = policies
        .iter()
        .flat_map(|(key, policy)| policy.spec.rules.iter().filter_map(move |rule| Some((key, policy, rule, rule.budget.as_ref()?))))
        .collect();
    if budgets.is_empty() {
        return Ok(());
    }
    let month = Month::of(at);
    let sums = portal.store.month_sums(month.start(), Dimension::Promise).await?;
    let tree = portal.world.tree();
    let spenders = spenders(&tree, &sums);
    for (key, policy, rule, budget) in budgets {
        // A home whose place is not proven governs nobody.
        let Some(home) = tree.path(&key.cluster) else { continue };
        let cluster = key.cluster.to_string();
        let cap = Cap { budget, range: &policy.spec.applies_to, cluster: &cluster, trusted: portal.trusted_homes.contains(&home) };
        let spendings = sums.iter().filter_map(|sum| {
            let by = spenders.get(sum.cluster.as_str())?;
            Some(Spending { by, promise: &sum.value, currency: &sum.currency, micros: sum.micros })
        });
        let subject = format!("{cluster}/{}/{}", key.name, rule.name);
        for reached in cap.reached(spendings) {
            let Some(place) = ClusterId::parse(&reached.cluster).ok().and_then(|cluster| tree.path(&cluster)) else { continue };
            let told = Told {
                title: policy.spec.title.as_deref().unwrap_or(&key.name),
                policy: &key.name,
                set_at: home.as_str(),
                place: place.as_str(),
                below: budget.per == "subtree",
                currency: &budget.currency,
                month,
            };
            let audience = Audience::Asked { approvers: budget.notify.clone(), except: Vec::new() };
            let key = format!("{}|{month}|{}|{}", reached.cluster, reached.most, reached.threshold);
            Notify::tell(portal, Event::BudgetThreshold, audience, &key, &told.matter(&subject, &reached)).await?;
        }
    }
    Ok(())
}

/// Workspaces in which something cost, by their ids. One that is gone counts where it was, below what is left of the way to it: deleting a
/// workspace gives nothing back.
fn spenders<'s>(tree: &Tree, sums: &'s [MonthSum]) -> BTreeMap<&'s str, Spender> {
    let mut spenders = BTreeMap::new();
    for sum in sums {
        if spenders.contains_key(sum.cluster.as_str()) {
            continue;
        }
        let living = ClusterId::parse(&sum.cluster).ok().and_then(|cluster| tree.lineage(&cluster));
        let spender = match &living {
            Some(way) => Spender {
                path: way.last().map(|node| node.path.to_string()).unwrap_or_default(),
                labels: way.last().map(|node| node.labels.clone()).unwrap_or_default(),
                lineage: ids(way),
            },
            None => Spender { path: sum.workspace.clone(), labels: BTreeMap::new(), lineage: gone(tree, sum) },
        };
        spenders.insert(sum.cluster.as_str(), spender);
    }
    spenders
}

fn ids(way: &[Node]) -> Vec<String> {
    way.iter().map(|node| node.cluster.to_string()).collect()
}

/// The way to the nearest workspace above that is still there, and the one that is gone.
fn gone(tree: &Tree, sum: &MonthSum) -> Vec<String> {
    let above = WorkspacePath::parse(&sum.workspace).ok().and_then(|path| path.parent());
    let way = std::iter::successors(above, WorkspacePath::parent).find_map(|path| tree.lineage(&tree.cluster(&path)?));
    way.iter().flat_map(|way| ids(way)).chain([sum.cluster.clone()]).collect()
}

/// A budget, in words.
struct Told<'a> {
    title: &'a str,
    policy: &'a str,
    set_at: &'a str,
    place: &'a str,
    below: bool,
    currency: &'a str,
    month: Month,
}

impl Told<'_> {
    fn matter(&self, subject: &str, reached: &Reached) -> Matter {
        let Self { title, policy, set_at, place, currency, month, .. } = self;
        let money = |micros: i64| Money::new(micros, *currency).rounded().to_string();
        let what = if self.below { "and everything below it have" } else { "has" };
        let verb = if reached.threshold >= 100 { "is used up" } else { "fills up" };
        Matter {
            subject: subject.to_owned(),
            workspace: (*place).to_owned(),
            title: format!("The budget {title} {verb}: {} % in {}", reached.threshold, month.title()),
            text: format!(
                "{place} {what} cost {} of {} until now. Requests are judged by what they cost a month, not by this.",
                money(reached.spent),
                money(reached.most)
            ),
            why: format!("You are among those whom the policy {policy}, set at {set_at}, names for its budget."),
            link: app::routes::cost(place),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use cluster::watch::Key;
    use cluster::workspaces::WorkspaceRow;

    use super::*;

    #[test]
    fn what_is_gone_counts_where_it_was() {
        let id = |text: &str| ClusterId::parse(text).unwrap();
        let row = |parent: &str, name: &str, cluster: &str| {
            let row = WorkspaceRow { cluster: id(cluster), labels: [("of".to_owned(), name.to_owned())].into(), ready: true };
            (Key::cluster_scoped(&id(parent), name), Arc::new(row))
        };
        let rows = [row("root", "acme", "c-acme"), row("c-acme", "shop", "c-shop")].into_iter().collect();
        let tree = Tree::new(ClusterId::root(), &rows);
        let sum = |cluster: &str, workspace: &str| MonthSum {
            cluster: cluster.into(),
            workspace: workspace.into(),
            namespace: "default".into(),
            value: "redis".into(),
            currency: "EUR".into(),
            instances: 1,
            ready: 1,
            unobserved: 0,
            micros: 1,
        };
        let sums = [sum("c-shop", "root:acme:shop"), sum("c-lab", "root:acme:lab:deep"), sum("c-gone", "root:gone")];
        let spenders = spenders(&tree, &sums);
        assert_eq!(spenders["c-shop"].lineage, ["root", "c-acme", "c-shop"]);
        assert_eq!(spenders["c-shop"].labels["of"], "shop");
        assert_eq!(
            (&*spenders["c-lab"].path, &*spenders["c-lab"].lineage),
            ("root:acme:lab:deep", &["root", "c-acme", "c-lab"].map(str::to_owned)[..])
        );
        assert_eq!(spenders["c-gone"].lineage, ["root", "c-gone"]);
    }

    #[test]
    fn a_budget_is_told_with_its_amounts_and_where_it_counts() {
        let told = Told {
            title: "Spending",
            policy: "spending",
            set_at: "root:acme",
            place: "root:acme",
            below: true,
            currency: "EUR",
            month: Month::parse("2026-11").unwrap(),
        };
        let reached = Reached { cluster: "c1".into(), threshold: 80, spent: 2_010_004_000, most: 2_500_000_000 };
        let matter = told.matter("c1/spending/all", &reached);
        assert_eq!(matter.title, "The budget Spending fills up: 80 % in November 2026");
        assert!(
            matter.text.starts_with("root:acme and everything below it have cost 2,010.00 € of 2,500.00 € until now."),
            "{}",
            matter.text
        );
        assert_eq!(matter.link, "/cost?workspace=root:acme");
        let over = Told { below: false, place: "root:acme:shop", ..told }.matter("c1/spending/all", &Reached { threshold: 100, ..reached });
        assert!(over.title.contains("is used up: 100 %") && over.text.starts_with("root:acme:shop has cost"), "{over:?}");
    }
}
