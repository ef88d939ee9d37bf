//! The same sums as files: one for spreadsheets, one with the columns of FOCUS 1.2.

use std::collections::BTreeMap;

use app::view::{CostFile, CostQuery};
use jiff::Timestamp;
use promise::csv;
use promise::price::Money;
use promise::{Result, names};
use store::MonthLine;

use super::report_scope::{self, ReportScope};
use super::unread;
use crate::portal::Caller;

/// Columns of the spreadsheet file.
const PLAIN: [&str; 16] = [
    "month",
    "counted_until",
    "workspace",
    "namespace",
    "instance",
    "uid",
    "promise",
    "promise_home",
    "version",
    "project",
    "owner",
    "currency",
    "amount",
    "ready_seconds",
    "unobserved_seconds",
    "price_basis",
];

/// The columns of FOCUS 1.2 for which there is accurate data, by their ids, in the order of the specification. Unit prices are for
/// providers that publish one. A monthly price has no exact unit price, so there is none.
pub(super) const FOCUS: [&str; 36] = [
    "BilledCost",
    "BillingAccountId",
    "BillingAccountName",
    "BillingAccountType",
    "BillingCurrency",
    "BillingPeriodEnd",
    "BillingPeriodStart",
    "ChargeCategory",
    "ChargeClass",
    "ChargeDescription",
    "ChargeFrequency",
    "ChargePeriodEnd",
    "ChargePeriodStart",
    "ConsumedQuantity",
    "ConsumedUnit",
    "ContractedCost",
    "EffectiveCost",
    "InvoiceId",
    "InvoiceIssuerName",
    "ListCost",
    "PricingCategory",
    "PricingQuantity",
    "PricingUnit",
    "ProviderName",
    "PublisherName",
    "ResourceId",
    "ResourceName",
    "ResourceType",
    "ServiceCategory",
    "ServiceName",
    "ServiceSubcategory",
    "SkuId",
    "SubAccountId",
    "SubAccountName",
    "SubAccountType",
    "Tags",
];

/// Returns every instance of the scope with every amount, and the instances without an amount.
pub(super) async fn plain(caller: &Caller, query: &CostQuery) -> Result<CostFile> {
    let scope = report_scope::scope(caller, query).await?;
    let mut file = csv::line(PLAIN);
    let (month, until) = (scope.month.to_string(), time(scope.counted()));
    each(caller, &scope, |path, line| {
        file += &csv::line([
            month.clone(),
            until.clone(),
            path.to_owned(),
            line.namespace.clone(),
            line.name.clone(),
            line.uid.clone(),
            line.promise.clone(),
            line.home.clone(),
            line.version.clone(),
            line.project.clone(),
            line.owner.clone(),
            line.currency.clone(),
            amount(line).unwrap_or_default(),
            line.ready.to_string(),
            line.unobserved.to_string(),
            line.basis.clone(),
        ]);
    })
    .await?;
    Ok(CostFile { month: scope.month.to_string(), text: file })
}

/// Returns every amount of the scope. Instances without an amount are no charge and appear in the other file only.
pub(super) async fn focus(caller: &Caller, query: &CostQuery) -> Result<CostFile> {
    let scope = report_scope::scope(caller, query).await?;
    let mut file = csv::line(FOCUS);
    let (start, end, until) = (time(scope.month.start()), time(scope.month.end()), time(scope.counted()));
    let server = caller.portal().endpoint.name().to_owned();
    each(caller, &scope, |path, line| {
        let Some(amount) = amount(line) else { return };
        // Empty values are no tags: an empty text must not stand for a missing value.
        let tags = [(names::PROJECT_LABEL, &line.project), ("owner", &line.owner), ("namespace", &line.namespace)];
        let tags: BTreeMap<&str, &String> = tags.into_iter().filter(|(_, value)| !value.is_empty()).collect();
        let cell = |head: &str| match head {
            "BilledCost" | "ContractedCost" | "EffectiveCost" | "ListCost" => amount.clone(),
            "BillingAccountId" | "BillingAccountName" => server.clone(),
            "BillingAccountType" => "Platform".to_owned(),
            "BillingCurrency" => line.currency.clone(),
            "BillingPeriodStart" | "ChargePeriodStart" => start.clone(),
            "BillingPeriodEnd" => end.clone(),
            "ChargePeriodEnd" => until.clone(),
            "ChargeCategory" => "Usage".to_owned(),
            "ChargeDescription" => format!("{} of the promise {}, {} seconds ready", line.name, line.promise, line.ready),
            "ChargeFrequency" => "Usage-Based".to_owned(),
            "ConsumedQuantity" | "PricingQuantity" => line.ready.to_string(),
            "ConsumedUnit" | "PricingUnit" => "Seconds".to_owned(),
            "InvoiceIssuerName" | "ProviderName" => "OPM Portal".to_owned(),
            "PricingCategory" => "Standard".to_owned(),
            "PublisherName" if line.home.is_empty() => "OPM Portal".to_owned(),
            "PublisherName" => line.home.clone(),
            "ResourceId" => line.uid.clone(),
            "ResourceName" => line.name.clone(),
            "ResourceType" => "PromiseRequest".to_owned(),
            "ServiceCategory" => "Other".to_owned(),
            "ServiceName" => line.promise.clone(),
            "ServiceSubcategory" => "Other (Other)".to_owned(),
            "SkuId" => format!("{}/{}@{}", line.home, line.promise, line.version),
            "SubAccountId" => line.cluster.clone(),
            "SubAccountName" => path.to_owned(),
            "SubAccountType" => "Workspace".to_owned(),
            "Tags" => serde_json::json!(tags).to_string(),
            // No class, and no invoice.
            _ => String::new(),
        };
        file += &csv::line(FOCUS.iter().map(|head| cell(head)));
    })
    .await?;
    Ok(CostFile { month: scope.month.to_string(), text: file })
}

/// Calls `found` for every line that the user can see, workspace by workspace.
async fn each(caller: &Caller, scope: &ReportScope, mut found: impl FnMut(&str, &MonthLine)) -> Result<()> {
    for place in &scope.places {
        let lines = caller.portal().store.month_lines(scope.month.start(), &place.cluster.to_string()).await.map_err(unread)?;
        for line in lines.iter().filter(|line| place.sight.covers(&line.namespace)) {
            found(place.path.as_str(), line);
        }
    }
    Ok(())
}

/// Returns the amount of a line. `None` if the price is unknown.
fn amount(line: &MonthLine) -> Option<String> {
    (!line.currency.is_empty()).then(|| Money::new(line.micros, line.currency.clone()).decimal())
}

fn time(second: i64) -> String {
    Timestamp::from_second(second).map(|time| time.to_string()).unwrap_or_default()
}
