//! How objects would be converted between versions. The plane converts nothing itself, and judges what others would.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{list, names, text};
use crate::status::Cause;

const CLIENT: &str = "spec.conversion.webhookClientConfig";
const REVIEWS: &str = "spec.conversion.conversionReviewVersions";

pub(super) fn check(conversion: &Value, causes: &mut Vec<Cause>) {
    if conversion.is_null() {
        return;
    }
    let webhook = &conversion["webhook"];
    let (client, reviews) = (&webhook["clientConfig"], &webhook["conversionReviewVersions"]);
    match text(&conversion["strategy"]) {
        "Webhook" => {
            client_config(client, causes);
            review_versions(reviews, causes);
            return;
        }
        "None" => {}
        "" => causes.push(Cause::required("spec.conversion.strategy", "")),
        other => causes.push(Cause::unsupported("spec.conversion.strategy", other, &["None", "Webhook"])),
    }
    let detail = "should not be set when strategy is not set to Webhook";
    if !client.is_null() {
        causes.push(Cause::forbidden(CLIENT, detail));
    }
    if !list(reviews).is_empty() {
        causes.push(Cause::forbidden(REVIEWS, detail));
    }
}

fn client_config(client: &Value, causes: &mut Vec<Cause>) {
    if client.is_null() {
        causes.push(Cause::required(CLIENT, "required when strategy is set to Webhook"));
    } else if client["url"].is_null() == client["service"].is_null() {
        causes.push(Cause::required(CLIENT, "exactly one of url or service is required"));
    } else if !client["url"].is_null() {
        url(text(&client["url"]), causes);
    } else if !client["service"].is_null() {
        for field in ["name", "namespace"] {
            if text(&client["service"][field]).is_empty() {
                causes.push(Cause::required(&format!("{CLIENT}.service.{field}"), &format!("service {field} is required")));
            }
        }
    }
}

/// The address of a webhook (apiserver `pkg/util/webhook/validation.go`).
fn url(url: &str, causes: &mut Vec<Cause>) {
    const FORM: &str = "; desired format: https://host[/path]";
    let mut refuse = |value: &str, why: &str| causes.push(Cause::invalid(&format!("{CLIENT}.url"), &value.into(), why));
    let (rest, fragment) = url.split_once('#').unwrap_or((url, ""));
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (scheme, rest) = match rest.split_once(':') {
        Some((scheme, rest)) if !scheme.contains('/') => (scheme.to_lowercase(), rest),
        _ => (String::new(), rest),
    };
    let authority = rest.strip_prefix("//").and_then(|rest| rest.split('/').next()).unwrap_or_default();
    let (user, host) = authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
    if scheme != "https" {
        refuse(&scheme, &format!("'https' is the only allowed URL scheme{FORM}"));
    }
    if host.is_empty() {
        refuse("", &format!("host must be specified{FORM}"));
    }
    if let Some(user) = user {
        refuse(user, "user information is not permitted in the URL");
    }
    if !fragment.is_empty() {
        refuse(fragment, "fragments are not permitted in the URL");
    }
    if !query.is_empty() {
        refuse(query, "query parameters are not permitted in the URL");
    }
}

fn review_versions(versions: &Value, causes: &mut Vec<Cause>) {
    if list(versions).is_empty() {
        causes.push(Cause::required(REVIEWS, ""));
        return;
    }
    let mut seen = BTreeSet::new();
    for (index, version) in list(versions).iter().enumerate() {
        let field = format!("{REVIEWS}[{index}]");
        if !seen.insert(text(version)) {
            causes.push(Cause::invalid(&field, version, "duplicate version"));
        } else if let Some(fault) = names::label_fault(text(version)) {
            causes.push(Cause::invalid(&field, version, &fault));
        }
    }
    if !["v1", "v1beta1"].iter().any(|known| seen.contains(known)) {
        causes.push(Cause::invalid(REVIEWS, versions, "must include at least one of v1, v1beta1"));
    }
}
