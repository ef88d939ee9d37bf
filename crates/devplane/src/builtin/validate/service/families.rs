//! The addresses of services and the families that they are of. The plane has addresses of version 4, as a cluster has by default.
//! Source: kubernetes `pkg/apis/core/validation` (`ValidateServiceClusterIPsRelatedFields`, upgrades and downgrades),
//! `pkg/registry/core/service/storage/alloc.go` (`initIPFamilyFields`).

use serde_json::Value;

use super::super::{
    addresses,
    faults::{duplicate, none_or_one_of, unsupported},
    reading::{is_blank, items, list, text},
};
use super::is_headless;
use crate::status::Cause;

const IPS: &str = "spec.clusterIPs";
const FAMILIES: &str = "spec.ipFamilies";
const POLICY: &str = "spec.ipFamilyPolicy";
const KEPT: &str = "may not change once set";

/// What keeps addresses from being allocated.
pub(super) fn early(spec: &Value, old: Option<&Value>) -> Vec<Cause> {
    let mut causes = Vec::new();
    if text(&spec["type"]) == "ExternalName" {
        return causes;
    }
    related(spec, old, &mut causes);
    if !causes.is_empty() {
        return causes;
    }
    let (ips, families, policy) = (list(&spec["clusterIPs"]), list(&spec["ipFamilies"]), text(&spec["ipFamilyPolicy"]));
    let mut refuse = |field: &str, value: &Value, why: &str| causes.push(Cause::invalid(field, value, why));
    let single = policy == "SingleStack";
    if let Some(before) = old.filter(|_| !single) {
        let reduced =
            |name: &str, now: &[Value]| !list(&before[name]).is_empty() && !now.is_empty() && now.len() < list(&before[name]).len();
        if reduced("clusterIPs", ips) {
            refuse(POLICY, &spec["ipFamilyPolicy"], "must be 'SingleStack' to release the secondary cluster IP");
        }
        if reduced("ipFamilies", families) {
            refuse(POLICY, &spec["ipFamilyPolicy"], "must be 'SingleStack' to release the secondary IP family");
        }
    }
    for (count, what) in [(ips.len(), "cluster IPs"), (families.len(), "IP families")] {
        if single && count == 2 {
            let why = format!("must be 'RequireDualStack' or 'PreferDualStack' when multiple {what} are specified");
            refuse(POLICY, &spec["ipFamilyPolicy"], &why);
        }
    }
    for (index, address) in ips.iter().enumerate().skip(families.len()) {
        if address.as_str().is_some_and(addresses::is_v6) {
            refuse(&format!("{IPS}[{index}]"), &spec["clusterIPs"], "IPv6 is not configured on this cluster");
        }
    }
    // Who has neither an address nor a selector may say what others may not.
    if causes.is_empty() && !(spec["clusterIP"] == "None" && is_blank(&spec["selector"])) {
        unconfigured(spec, &mut causes);
    }
    causes
}

fn unconfigured(spec: &Value, causes: &mut Vec<Cause>) {
    if spec["ipFamilyPolicy"] == "RequireDualStack" {
        let why = "this cluster is not configured for dual-stack services";
        causes.push(Cause::invalid(POLICY, &spec["ipFamilyPolicy"], why));
    }
    for (index, family) in items(&spec["ipFamilies"]) {
        if family != "IPv4" {
            causes.push(Cause::invalid(&format!("{FAMILIES}[{index}]"), family, "not configured on this cluster"));
        }
    }
}

/// Whether addresses, families and policy go together.
pub(super) fn related(spec: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    if text(&spec["type"]) == "ExternalName" {
        return;
    }
    let (ip, ips) = (text(&spec["clusterIP"]), list(&spec["clusterIPs"]));
    match ips.first() {
        None if !ip.is_empty() => causes.push(Cause::required(IPS, "")),
        Some(_) if ip.is_empty() => {
            causes.push(Cause::invalid(IPS, &spec["clusterIPs"], "must be empty when `clusterIP` is not specified"));
        }
        Some(first) if first != ip => causes.push(Cause::invalid(IPS, &spec["clusterIPs"], "first value must match `clusterIP`")),
        _ => {}
    }
    let families = list(&spec["ipFamilies"]);
    for (index, family) in families.iter().enumerate() {
        if !matches!(family.as_str(), Some("IPv4" | "IPv6")) {
            causes.push(unsupported(&format!("{FAMILIES}[{index}]"), family, &["IPv4", "IPv6"]));
        }
        if families[..index].contains(family) {
            causes.push(duplicate(&format!("{FAMILIES}[{index}]"), family));
        }
    }
    let policies = ["PreferDualStack", "RequireDualStack", "SingleStack"];
    none_or_one_of(POLICY, &spec["ipFamilyPolicy"], &policies, causes);
    if valid_ips(spec, old, causes) {
        paired(spec, causes);
    }
}

/// Whether each address is one.
fn valid_ips(spec: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) -> bool {
    let ips = list(&spec["clusterIPs"]);
    let known = old.map(|before| list(&before["clusterIPs"])).unwrap_or_default();
    let mut all_valid = true;
    for (index, address) in ips.iter().enumerate() {
        if index == 0 && address == "None" {
            if ips.len() > 1 {
                all_valid = false;
                causes.push(Cause::invalid(IPS, &spec["clusterIPs"], "'None' must be the first and only value"));
            }
            continue;
        }
        all_valid &= addresses::ip(&format!("{IPS}[{index}]"), address, known, causes);
    }
    if ips.len() > 2 {
        causes.push(Cause::invalid(IPS, &spec["clusterIPs"], "may only hold up to 2 values"));
    }
    all_valid
}

/// Whether there is one address of each family, and of the family that is said.
fn paired(spec: &Value, causes: &mut Vec<Cause>) {
    let (ips, families) = (list(&spec["clusterIPs"]), list(&spec["ipFamilies"]));
    let sixth = |address: &Value| address.as_str().is_some_and(addresses::is_v6);
    if ips.len() > 1 && ips.iter().all(sixth) == ips.iter().any(sixth) {
        causes.push(Cause::invalid(IPS, &spec["clusterIPs"], "may specify no more than one IP for each IP family"));
    }
    if is_headless(spec) {
        return;
    }
    for (index, (address, family)) in ips.iter().zip(families).enumerate() {
        let wanted = if *family == "IPv6" { "IPv6" } else { "IPv4" };
        if (wanted == "IPv6") != sixth(address) && matches!(family.as_str(), Some("IPv4" | "IPv6")) {
            let why = format!("expected an {wanted} value as indicated by `ipFamilies[{index}]`");
            causes.push(Cause::invalid(&format!("{IPS}[{index}]"), address, &why));
        }
    }
}

/// Addresses and families stay; a second one may come and go.
pub(super) fn change(before: &Value, spec: &Value, causes: &mut Vec<Cause>) {
    if text(&spec["type"]) == "ExternalName" || text(&before["type"]) == "ExternalName" {
        return;
    }
    let (was_headless, headless) = (is_headless(before), is_headless(spec));
    if !(was_headless && headless) {
        changed("clusterIPs", "clusterIP", before, spec, causes);
    }
    if !was_headless && !headless {
        changed("ipFamilies", "ipFamily", before, spec, causes);
    }
}

fn changed(name: &str, one: &str, before: &Value, spec: &Value, causes: &mut Vec<Cause>) {
    let (old, new) = (list(&before[name]), list(&spec[name]));
    let field = |index: usize| format!("spec.{name}[{index}]");
    if old.len() == new.len() {
        for (index, _) in old.iter().zip(new).enumerate().filter(|(_, (old, new))| old != new) {
            // Of families the first is named, whichever it is.
            let index = if name == "clusterIPs" { index } else { 0 };
            causes.push(Cause::invalid(&field(index), &spec[name], KEPT));
        }
        return;
    }
    let shrinks = old.len() > new.len();
    if shrinks && list(&spec["clusterIPs"]).is_empty() {
        causes.push(Cause::invalid(&field(0), &spec[name], &format!("primary {one} can not be unset")));
    }
    if let (Some(old), Some(new)) = (old.first(), new.first())
        && old != new
    {
        // Upstream shows the addresses for families, too.
        causes.push(Cause::invalid(&field(0), &spec["clusterIPs"], KEPT));
    }
    if shrinks && new.len() == 1 && spec["ipFamilyPolicy"] != "SingleStack" {
        let why = format!("must be set to 'SingleStack' when releasing the secondary {one}");
        causes.push(Cause::invalid(POLICY, &spec["ipFamilyPolicy"], &why));
    }
}
