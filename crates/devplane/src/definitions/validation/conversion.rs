//! How objects would be converted between versions. The plane converts nothing itself, and judges what others would.

use serde_json::Value;

use super::{list, text};
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
    } else if let Some((scheme, _)) = client["url"].as_str().and_then(|url| url.split_once("://"))
        && scheme != "https"
    {
        let detail = "'https' is the only allowed URL scheme; desired format: https://host[/path]";
        causes.push(Cause::invalid(&format!("{CLIENT}.url"), &scheme.into(), detail));
    } else if !client["service"].is_null() {
        for field in ["name", "namespace"] {
            if text(&client["service"][field]).is_empty() {
                causes.push(Cause::required(&format!("{CLIENT}.service.{field}"), &format!("service {field} is required")));
            }
        }
    }
}

fn review_versions(versions: &Value, causes: &mut Vec<Cause>) {
    if list(versions).is_empty() {
        causes.push(Cause::required(REVIEWS, ""));
    } else if !list(versions).iter().any(|version| ["v1", "v1beta1"].contains(&text(version))) {
        causes.push(Cause::invalid(REVIEWS, versions, "must include at least one of v1, v1beta1"));
    }
}
