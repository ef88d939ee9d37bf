//! The page of cost.

use std::collections::{BTreeMap, HashMap, HashSet};

use cluster::WorkspacePath;
use promise::Result;
use promise::ledger::{Figures, roll_up};
use promise::price::Money;
use promise::view::{CostBy, CostInstance, CostPage, CostQuery, CostRow};

use super::budget::Budgets;
use super::sights::{self, Scope};
use super::sums::{self, Sums};
use super::{movers, savings, unread};
use crate::auth::Caller;
use crate::ledger::price;
use crate::portal::requests::rows;
use crate::portal::titles::Titles;

/// Instances of one page.
const PAGE: usize = 50;
/// Rows of one page: of a tree people want to see much at once.
const ROWS: usize = 100;

/// The page.
pub(super) async fn page(caller: &Caller, query: &CostQuery) -> Result<CostPage> {
    let by = CostBy::parse(&query.by);
    let portal = caller.portal();
    let scope = sights::scope(caller, query).await?;
    let began = portal.store.first_month().await.map_err(unread)?;
    let month = sums::month(caller, &scope, by).await?;
    let movers = movers::of(caller, &scope, &month, began).await?;
    let savings = if scope.is_current { Some(savings::of(caller, &scope, &month.live).await) } else { None };

    let days = sums::days(caller, &scope, by).await?;
    let (instances, instances_total) = instances(caller, &scope, query.page).await?;
    let pages = instances_total.div_ceil(PAGE).max(1);
    let totals = sums::totals(caller, &scope, &month);
    let rows = table(caller, &scope, by, month.sums);
    let (rows_total, rows_pages) = (rows.len(), rows.len().div_ceil(ROWS).max(1));
    let of_rows = query.rows.clamp(1, rows_pages);
    Ok(CostPage {
        query: CostQuery {
            workspace: scope.top.as_ref().map(ToString::to_string).unwrap_or_default(),
            by: by.word().to_owned(),
            month: scope.month.to_string(),
            page: query.page.clamp(1, pages),
            rows: of_rows,
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
        sums: totals,
        unpriced: month.unpriced,
        unpriced_instances: month.live.unpriced,
        unobserved: month.unobserved,
        rows: rows.into_iter().skip((of_rows - 1) * ROWS).take(ROWS).collect(),
        rows_total,
        rows_pages,
        days,
        instances,
        instances_total,
        pages,
        movers,
        savings,
    })
}

fn table(caller: &Caller, scope: &Scope, by: CostBy, sums: Sums) -> Vec<CostRow> {
    let titles = match by {
        CostBy::Promise => scope.titles(caller),
        CostBy::Workspace | CostBy::Project | CostBy::Owner => Titles::default(),
    };
    let row = |value: String, currency: &str, figures: Figures| {
        let money = |micros| Money::new(micros, currency);
        CostRow {
            label: label(caller, &titles, by, &value),
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
    let budgets = Budgets::of(caller.portal());
    let counted: HashSet<&str> = scope.places.iter().map(|place| place.path.as_str()).collect();
    // Paths with something below them.
    let above: HashSet<&str> =
        counted.iter().copied().flat_map(|path| path.match_indices(':').filter_map(move |(at, _)| path.get(..at))).collect();
    let mut rows = Vec::new();
    for (currency, own) in &currencies {
        let sums = roll_up(own, &top);
        let mut shown: Vec<(String, Figures)> = sums.into_iter().filter(|(path, _)| counted.contains(path.as_str())).collect();
        // A colon sorts after a hyphen: siblings and children are kept together by comparing name by name.
        shown.sort_by(|a, b| a.0.split(':').cmp(b.0.split(':')));
        let first = shown.iter().map(|(path, _)| path.matches(':').count()).min().unwrap_or_default();
        for (path, figures) in shown {
            let depth = path.matches(':').count() - first;
            let is_leaf = !above.contains(path.as_str());
            let set = WorkspacePath::parse(&path).ok().and_then(|path| budgets.smallest(&path, is_leaf, currency));
            rows.push(CostRow { depth, budget: set.map(|(money, _)| money), ..row(path, currency, figures) });
        }
    }
    rows
}

fn label(caller: &Caller, titles: &Titles, by: CostBy, value: &str) -> String {
    match by {
        CostBy::Workspace => value.to_owned(),
        CostBy::Project if value.is_empty() => "No project".to_owned(),
        CostBy::Owner => caller.portal().person(value).map_or_else(|| value.to_owned(), |person| person.display_name.clone()),
        CostBy::Promise => titles.title(value),
        CostBy::Project => value.to_owned(),
    }
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
    let titles = scope.titles(caller);
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
            promise: request.map_or_else(|| titles.title(&line.promise), |request| rows::presentation(caller, request).0),
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
