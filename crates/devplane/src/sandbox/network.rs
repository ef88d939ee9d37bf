//! Services: those of type LoadBalancer get an address.

use serde_json::json;
use sha2::{Digest, Sha256};

use super::{
    step::{Step, View},
    world::uid,
};

pub(super) fn next(view: &View<'_>) -> Option<Step> {
    let is_balancer = view.object["spec"]["type"] == "LoadBalancer";
    let has_address = view.object["status"]["loadBalancer"]["ingress"].is_array();
    if !is_balancer {
        return if has_address { view.write(0.2, json!({"loadBalancer": {"ingress": null}})) } else { None };
    }
    if has_address || view.fails() {
        return None;
    }
    // An address of the range that is kept for documentation, the same at each try.
    let last = Sha256::digest(uid(view.object))[0].clamp(1, 254);
    view.write(1.5, json!({"loadBalancer": {"ingress": [{"ip": format!("192.0.2.{last}"), "ipMode": "VIP"}]}}))
}
