//! How objects would be converted between versions. The plane converts nothing, and calls no webhook that would.

use serde_json::Value;

use super::{list, text};
use crate::{hooks, status::Cause};

const CLIENT: &str = "spec.conversion.webhookClientConfig";
const REVIEWS: &str = "spec.conversion.conversionReviewVersions";

/// The rules of the conversion in a spec; `old` is the stored spec of a definition that is changed.
pub(super) fn check(spec: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let before = causes.len();
    rules(&spec["conversion"], causes);
    // Objects would be shown in another version without being converted. A definition that is stored so can be changed otherwise.
    if causes.len() == before && needs_webhook(spec) && old.is_none_or(|old| !needs_webhook(old)) {
        let why = "this development server calls no conversion webhooks: use the strategy None or a single version";
        causes.push(Cause::forbidden("spec.conversion.strategy", why));
    }
}

/// Whether another program would have to convert objects. With one version there is nothing to convert.
fn needs_webhook(spec: &Value) -> bool {
    spec["conversion"]["strategy"] == "Webhook" && list(&spec["versions"]).len() > 1
}

fn rules(conversion: &Value, causes: &mut Vec<Cause>) {
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
