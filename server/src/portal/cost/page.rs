//! The page of cost.

use std::collections::{BTreeMap, HashMap};

use cluster::WorkspacePath;
use promise::Result;
use promise::ledger::{Figures, roll_up};
use promise::price::Money;
use promise::view::{CostBy, CostDay, CostInstance, CostPage, CostQuery, CostRow, CostSum};
use promise::wording::humanise;
use store::{DaySum, Dimension, MonthSum};

use super::sights::{self, Place, Scope};
use super::{budget, live, unread};
use crate::auth::Caller;
use crate::ledger::price;
use crate::portal::requests::rows;

/// Instances of one page.
const PAGE: usize = 50;
const DAY: i64 = 86_400;

/// Sums by value and currency.
type Sums = BTreeMap<(String, String), Figures>;

/// The page.
pub(super) async fn page(caller: &Caller, query: &CostQuery) -> Result<CostPage> {
    let by = CostBy::parse(&query.by);
    let portal = caller.portal();
    let now = portal.clock.now().as_second();
    let scope = sights::scope(caller, query).await?;
    let began = portal.store.first_month().await.map_err(unread)?;
    let places: HashMap<String, &Place> = scope.places.iter().map(|place| (place.cluster.to_string(), place)).collect();
    let sees = |cluster: &str, namespace: &str| places.get(cluster).copied().filter(|place| place.sight.covers(namespace));

    let mut sums = Sums::new();
    let (mut unpriced, mut unobserved) = (0, 0);
    for sum in portal.store.month_sums(scope.month.start(), dimension(by)).await.map_err(unread)? {
        let Some(place) = sees(&sum.cluster, &sum.namespace) else { continue };
        unobserved += sum.unobserved;
        if sum.currency.is_empty() {
            unpriced += sum.ready;
            continue;
        }
        // Of the present month those count that run.
        let instances = if scope.is_current { 0 } else { usize::try_from(sum.instances).unwrap_or_default() };
        let of = Figures { to_date: sum.micros, forecast: sum.micros, estimate: 0, instances };
        *sums.entry((value(by, place, &sum), sum.currency)).or_default() += of;
    }
    let live = if scope.is_current { live::read(caller, &scope, by, now) } else { live::Live::default() };
    for (of, figures) in &live.sums {
        *sums.entry(of.clone()).or_default() += *figures;
    }

    let to = scope.month.end();
    let days = portal.store.day_sums(scope.month.start(), to, dimension(by)).await.map_err(unread)?;
    let days = every_day(by, &scope, days, |cluster, namespace| sees(cluster, namespace));
    let (instances, instances_total) = instances(caller, &scope, query.page).await?;
    let pages = instances_total.div_ceil(PAGE).max(1);
    Ok(CostPage {
        query: CostQuery {
            workspace: scope.top.as_ref().map(ToString::to_string).unwrap_or_default(),
            by: by.word().to_owned(),
            month: scope.month.to_string(),
            page: query.page.clamp(1, pages),
        },
        by,
        month: scope.month.title(),
        days_in_month: scope.month.days(),
        is_current: scope.is_current,
        previous: scope.month.previous().filter(|month| began.is_some_and(|began| month.start() >= began)).map(|month| month.to_string()),
        next: (!scope.is_current).then(|| scope.month.next().to_string()),
        workspaces: scope.places.len(),
        up_to: scope.up_to(),
        as_of: portal.lists_as_of(),
        sums: totals(caller, &scope, &sums, &live),
        unpriced,
        unpriced_instances: live.unpriced,
        unobserved,
        rows: table(caller, &scope, by, sums),
        days,
        instances,
        instances_total,
        pages,
    })
}

fn dimension(by: CostBy) -> Dimension {
    match by {
        // Namespaces and workspaces are told apart whatever else is.
        CostBy::Workspace | CostBy::Promise => Dimension::Promise,
        CostBy::Project => Dimension::Project,
        CostBy::Owner => Dimension::Owner,
    }
}

fn value(by: CostBy, place: &Place, sum: &MonthSum) -> String {
    if by == CostBy::Workspace { place.path.to_string() } else { sum.value.clone() }
}

fn totals(caller: &Caller, scope: &Scope, sums: &Sums, live: &live::Live) -> Vec<CostSum> {
    let mut currencies: BTreeMap<&str, Figures> = BTreeMap::new();
    for ((_, currency), figures) in sums {
        *currencies.entry(currency).or_default() += *figures;
    }
    for currency in live.waiting.keys() {
        currencies.entry(currency).or_default();
    }
    let sum = |(currency, figures): (&str, Figures)| {
        let money = |micros| Money::new(micros, currency);
        let top = scope.top.as_ref();
        CostSum {
            currency: currency.to_owned(),
            to_date: money(figures.to_date),
            forecast: money(figures.forecast),
            estimate: scope.is_current.then(|| money(figures.estimate)),
            instances: figures.instances,
            waiting: live.waiting.get(currency).map(|(micros, count)| (money(*micros), *count)),
            budget: top.and_then(|top| budget::of(caller.portal(), top, scope.places.len() == 1, currency)),
        }
    };
    currencies.into_iter().map(sum).collect()
}

fn table(caller: &Caller, scope: &Scope, by: CostBy, sums: Sums) -> Vec<CostRow> {
    let row = |value: String, currency: &str, figures: Figures| {
        let money = |micros| Money::new(micros, currency);
        CostRow {
            label: label(caller, by, &value),
            depth: 0,
            instances: figures.instances,
            to_date: money(figures.to_date),
            forecast: money(figures.forecast),
            estimate: scope.is_current.then(|| money(figures.estimate)),
            budget: None,
            value,
        }
    };
    if by != CostBy::Workspace {
        let mut rows: Vec<CostRow> = sums.into_iter().map(|((value, currency), figures)| row(value, &currency, figures)).collect();
        rows.sort_by(|a, b| b.forecast.micros.cmp(&a.forecast.micros).then_with(|| a.value.cmp(&b.value)));
        return rows;
    }
    let mut currencies: BTreeMap<String, BTreeMap<String, Figures>> = BTreeMap::new();
    for ((path, currency), figures) in sums {
        *currencies.entry(currency).or_default().entry(path).or_default() += figures;
    }
    let top = scope.top.as_ref().map(ToString::to_string).unwrap_or_default();
    let mut rows = Vec::new();
    for (currency, own) in &currencies {
        let sums = roll_up(own, &top);
        let counted: HashMap<&str, &Place> = scope.places.iter().map(|place| (place.path.as_str(), place)).collect();
        let mut shown: Vec<(String, Figures)> = sums.into_iter().filter(|(path, _)| counted.contains_key(path.as_str())).collect();
        // A colon sorts after a hyphen: siblings and children are kept together by comparing name by name.
        shown.sort_by(|a, b| a.0.split(':').cmp(b.0.split(':')));
        let first = shown.iter().map(|(path, _)| path.matches(':').count()).min().unwrap_or_default();
        for (path, figures) in shown {
            let depth = path.matches(':').count() - first;
            let is_leaf = !scope.places.iter().any(|place| place.path.as_str().starts_with(&format!("{path}:")));
            let set = WorkspacePath::parse(&path).ok().and_then(|path| budget::of(caller.portal(), &path, is_leaf, currency));
            rows.push(CostRow { depth, budget: set.map(|(money, _)| money), ..row(path, currency, figures) });
        }
    }
    rows
}

fn label(caller: &Caller, by: CostBy, value: &str) -> String {
    match by {
        CostBy::Workspace => value.to_owned(),
        CostBy::Project if value.is_empty() => "No project".to_owned(),
        CostBy::Owner => caller.portal().person(value).map_or_else(|| value.to_owned(), |person| person.display_name.clone()),
        CostBy::Promise => humanise(value),
        CostBy::Project => value.to_owned(),
    }
}

/// Days of the month, by value and currency, of what the person may see.
fn every_day<'a>(by: CostBy, scope: &Scope, days: Vec<DaySum>, sees: impl Fn(&str, &str) -> Option<&'a Place>) -> Vec<CostDay> {
    let mut sums: BTreeMap<(i64, String, String), i64> = BTreeMap::new();
    for day in days.into_iter().filter(|day| !day.currency.is_empty()) {
        let Some(place) = sees(&day.cluster, &day.namespace) else { continue };
        let value = if by == CostBy::Workspace { place.path.to_string() } else { day.value };
        let number = (day.day - scope.month.start()).div_euclid(DAY) + 1;
        let sum = sums.entry((number, value, day.currency)).or_default();
        *sum = sum.saturating_add(day.micros);
    }
    sums.into_iter().map(|((day, value, currency), micros)| CostDay { day, value, money: Money::new(micros, currency) }).collect()
}

/// Instances of the workspace that was asked for, of one page, and how many there are.
async fn instances(caller: &Caller, scope: &Scope, page: usize) -> Result<(Vec<CostInstance>, usize)> {
    let Some(place) = scope.top.as_ref().and_then(|top| scope.places.iter().find(|place| place.path == *top)) else {
        return Ok((Vec::new(), 0));
    };
    let portal = caller.portal();
    let lines = portal.store.month_lines(scope.month.start(), &place.cluster.to_string()).await.map_err(unread)?;
    let there: HashMap<String, _> = portal
        .requests_of(&place.cluster)
        .into_iter()
        .filter(|(key, _)| place.sight.covers(&key.namespace))
        .filter_map(|(_, request)| Some((request.metadata.uid.clone()?, request)))
        .collect();
    let mut found: Vec<CostInstance> = Vec::new();
    let mut counted: HashMap<&str, ()> = HashMap::new();
    for line in lines.iter().filter(|line| place.sight.covers(&line.namespace)) {
        counted.insert(&line.uid, ());
        let request = there.get(&line.uid);
        found.push(CostInstance {
            workspace: place.path.to_string(),
            namespace: line.namespace.clone(),
            name: line.name.clone(),
            is_there: request.is_some(),
            promise: request.map_or_else(|| humanise(&line.promise), |request| rows::presentation(caller, request).0),
            owner: line.owner.clone(),
            project: line.project.clone(),
            to_date: (!line.currency.is_empty()).then(|| Money::new(line.micros, line.currency.clone())),
            estimate: request.and_then(|request| price(request)).filter(|price| price.currency == line.currency),
            ready: line.ready,
            unobserved: line.unobserved,
            basis: line.basis.clone(),
        });
    }
    // What runs and has not come to anything yet.
    let new = there.iter().filter(|(uid, request)| {
        scope.is_current && !counted.contains_key(uid.as_str()) && request.status.as_ref().is_some_and(|status| status.current.is_some())
    });
    for (_, request) in new {
        let cost = request.status.as_ref().and_then(|status| status.cost.as_ref());
        let estimate = price(request);
        found.push(CostInstance {
            workspace: place.path.to_string(),
            namespace: request.metadata.namespace.clone().unwrap_or_default(),
            name: request.metadata.name.clone().unwrap_or_default(),
            is_there: true,
            promise: rows::presentation(caller, request).0,
            owner: rows::requester(request).to_owned(),
            project: String::new(),
            to_date: estimate.as_ref().map(|price| Money::new(0, price.currency.clone())),
            estimate,
            ready: 0,
            unobserved: 0,
            basis: cost.and_then(|cost| cost.basis.clone()).unwrap_or_default(),
        });
    }
    found.sort_by(|a, b| (&a.name, &a.namespace).cmp(&(&b.name, &b.namespace)));
    let total = found.len();
    let pages = total.div_ceil(PAGE).max(1);
    Ok((found.into_iter().skip((page.clamp(1, pages) - 1) * PAGE).take(PAGE).collect(), total))
}
