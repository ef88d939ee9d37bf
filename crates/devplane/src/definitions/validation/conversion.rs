//! How objects would be converted between versions. The plane converts nothing itself, and judges what others would.

use serde_json::Value;

use super::{list, text};
use crate::{hooks, status::Cause};

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
        hooks::url(&format!("{CLIENT}.url"), text(&client["url"]), causes);
    } else if !client["service"].is_null() {
        hooks::service(&format!("{CLIENT}.service"), &client["service"], causes);
    }
}

fn review_versions(versions: &Value, causes: &mut Vec<Cause>) {
    if list(versions).is_empty() {
        causes.push(Cause::required(REVIEWS, ""));
        return;
    }
    hooks::review_versions(REVIEWS, versions, causes);
}
