//! The file with the columns of FOCUS 1.2, held against the rules of the specification: what must be there, what may be null, and which
//! values are allowed.

use std::collections::BTreeMap;

use jiff::Timestamp;
use promise::price::Money;
use serde_json::{Map, Value};

use super::{cells, file, last_month, line, pass, post};
use crate::browser::Product;

/// Columns that the specification asks of every file, whatever is charged.
const MANDATORY: [&str; 22] = [
    "BilledCost",
    "BillingAccountId",
    "BillingAccountName",
    "BillingCurrency",
    "BillingPeriodEnd",
    "BillingPeriodStart",
    "ChargeCategory",
    "ChargeClass",
    "ChargeDescription",
    "ChargePeriodEnd",
    "ChargePeriodStart",
    "ContractedCost",
    "EffectiveCost",
    "InvoiceIssuerName",
    "ListCost",
    "PricingQuantity",
    "PricingUnit",
    "ProviderName",
    "PublisherName",
    "ServiceCategory",
    "ServiceName",
    "ServiceSubcategory",
];

/// Columns that are never null.
const FILLED: [&str; 19] = [
    "BilledCost",
    "BillingAccountId",
    "BillingAccountName",
    "BillingCurrency",
    "BillingPeriodEnd",
    "BillingPeriodStart",
    "ChargeCategory",
    "ChargeFrequency",
    "ChargePeriodEnd",
    "ChargePeriodStart",
    "ContractedCost",
    "EffectiveCost",
    "InvoiceIssuerName",
    "ListCost",
    "ProviderName",
    "PublisherName",
    "ServiceCategory",
    "ServiceName",
    "ServiceSubcategory",
];

/// Columns that are null exactly where another one is.
const TOGETHER: [(&str, &str); 7] = [
    ("BillingAccountType", "BillingAccountId"),
    ("ConsumedUnit", "ConsumedQuantity"),
    ("PricingUnit", "PricingQuantity"),
    ("ResourceName", "ResourceId"),
    ("ResourceType", "ResourceId"),
    ("SubAccountName", "SubAccountId"),
    ("SubAccountType", "SubAccountId"),
];

/// What stands for nothing, and must not: a null does.
const PLACEHOLDERS: [&str; 7] = ["Not Applicable", "N/A", "n/a", "None", "null", "NULL", "-"];

/// The values of a column that allows few.
fn allowed(head: &str) -> Option<&'static [&'static str]> {
    let values: &[&str] = match head {
        "ChargeCategory" => &["Usage", "Purchase", "Tax", "Credit", "Adjustment"],
        "ChargeClass" => &["Correction"],
        "ChargeFrequency" => &["One-Time", "Recurring", "Usage-Based"],
        "PricingCategory" => &["Standard", "Dynamic", "Committed", "Other"],
        "ServiceCategory" => &[
            "AI and Machine Learning",
            "Analytics",
            "Business Applications",
            "Compute",
            "Databases",
            "Developer Tools",
            "Identity",
            "Integration",
            "Internet of Things",
            "Management and Governance",
            "Media",
            "Migration",
            "Mobile",
            "Multicloud",
            "Networking",
            "Other",
            "Security",
            "Storage",
            "Web",
        ],
        _ => return None,
    };
    Some(values)
}

/// Every column is one of the specification's form, every cell of what its column takes, and every line of what its columns say together.
pub fn conforms(focus: &str) {
    let mut lines = focus.lines();
    let heads = cells(lines.next().expect("heads"));
    assert!(MANDATORY.iter().all(|head| heads.iter().any(|known| known == head)), "{heads:?}");
    assert!(heads.is_sorted(), "the specification's order");
    for line in lines {
        let cells = cells(line);
        assert_eq!(cells.len(), heads.len(), "{line}");
        for (head, cell) in heads.iter().zip(&cells) {
            assert!(takes(head, cell), "{head}: {cell:?}");
        }
        charges(&heads.iter().map(String::as_str).zip(cells.iter().map(String::as_str)).collect(), line);
    }
}

/// Whether a column takes a cell; an empty one is null.
fn takes(head: &str, cell: &str) -> bool {
    if cell.is_empty() {
        return !FILLED.contains(&head);
    }
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let of_form = match head {
        "BillingCurrency" => cell.len() == 3 && cell.bytes().all(|byte| byte.is_ascii_uppercase()),
        // Keys with values, and a value that is not there is null.
        "Tags" => {
            let fits = |value: &Value| value.is_null() || value == true || value.as_str().is_some_and(|text| !text.is_empty());
            serde_json::from_str::<Map<String, Value>>(cell).is_ok_and(|tags| tags.values().all(fits))
        }
        name if name.ends_with("Cost") || name.ends_with("Quantity") => {
            let number = cell.strip_prefix('-').unwrap_or(cell);
            number.split_once('.').map_or_else(|| digits(number), |(whole, part)| digits(whole) && digits(part))
        }
        name if name.ends_with("PeriodStart") || name.ends_with("PeriodEnd") => {
            cell.len() == "2026-01-01T00:00:00Z".len() && cell.ends_with('Z') && cell.parse::<Timestamp>().is_ok()
        }
        _ => true,
    };
    of_form && !PLACEHOLDERS.contains(&cell) && allowed(head).is_none_or(|values| values.contains(&cell))
}

/// What the columns of one charge say together.
fn charges(of: &BTreeMap<&str, &str>, line: &str) {
    let is_null = |head: &str| of.get(head).is_none_or(|cell| cell.is_empty());
    for (one, other) in TOGETHER {
        assert_eq!(is_null(one), is_null(other), "{one} is null exactly where {other} is: {line}");
    }
    let category = of["ChargeCategory"];
    if matches!(category, "Usage" | "Purchase") && is_null("ChargeClass") {
        for head in ["PricingCategory", "PricingQuantity", "SkuId"] {
            assert!(!is_null(head), "{head} of a {category}: {line}");
        }
    }
    if category == "Tax" {
        for head in ["PricingCategory", "PricingQuantity", "SkuId"] {
            assert!(is_null(head), "{head} of a tax: {line}");
        }
    }
    assert_eq!(is_null("ConsumedQuantity"), category != "Usage", "what is used is consumed: {line}");
    assert!(category != "Purchase" || of["ChargeFrequency"] != "Usage-Based", "{line}");
    assert!(of["ServiceSubcategory"] != "Other (Other)" || of["ServiceCategory"] == "Other", "{line}");
    // Without a unit price and without another charge that it follows from, a cost is what is billed.
    for cost in ["ContractedCost", "ListCost", "EffectiveCost"] {
        assert_eq!(of[cost], of["BilledCost"], "{cost}: {line}");
    }
    let at = |head: &str| of[head].parse::<Timestamp>().expect("a time");
    assert!(at("ChargePeriodStart") < at("ChargePeriodEnd"), "{line}");
    assert!(at("BillingPeriodStart") <= at("ChargePeriodStart") && at("ChargePeriodEnd") <= at("BillingPeriodEnd"), "{line}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn charges_in_two_currencies_keep_the_rules_and_what_has_no_amount_is_none() {
    let product = Product::quiet().await;
    pass(&product, 2).await;
    let euros = line(&product, "uid-euros", "zebra", "org-owner", 1_000_000);
    let mut dollars = line(&product, "uid-dollars", "quagga", "org-owner", 2_500_000);
    dollars.1[0].currency = "USD".into();
    dollars.0.project = "orders".into();
    let mut unpriced = line(&product, "uid-unpriced", "okapi", "org-owner", 0);
    unpriced.1[0].currency = String::new();
    post(&product, &[euros, dollars, unpriced]).await;

    let query = format!("workspace=root:acme:shop&month={}", last_month(&product));
    let mut browser = product.signed_in("dev-shop").await;
    let focus = file(&mut browser, &format!("/cost/focus.csv?{query}")).await;
    conforms(&focus);
    let mut lines = focus.lines();
    let heads = cells(lines.next().expect("heads"));
    let at = |head: &str| heads.iter().position(|known| known == head).expect("a column");
    let mut charged: Vec<(String, String, i64, Value)> = lines
        .map(cells)
        .map(|cells| {
            let (uid, currency) = (cells[at("ResourceId")].clone(), cells[at("BillingCurrency")].clone());
            let billed = Money::parse(&cells[at("BilledCost")], currency.as_str()).expect("an amount").micros;
            (uid, currency, billed, serde_json::from_str(&cells[at("Tags")]).expect("tags"))
        })
        .collect();
    charged.sort_by(|a, b| a.0.cmp(&b.0));
    let bare = serde_json::json!({"owner": "org-owner", "namespace": "default"});
    let mut tagged = bare.clone();
    tagged[promise::names::PROJECT_LABEL] = "orders".into();
    let expected: [(String, String, i64, Value); 2] =
        [("uid-dollars".into(), "USD".into(), 2_500_000, tagged), ("uid-euros".into(), "EUR".into(), 1_000_000, bare)];
    assert_eq!(charged, expected);
    let plain = file(&mut browser, &format!("/cost/export.csv?{query}")).await;
    assert!(plain.contains("uid-unpriced"), "{plain}");
    product.running.close().await;
}
