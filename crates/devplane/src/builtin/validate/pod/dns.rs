//! Names that a pod looks up, and where.
//! Source: kubernetes `pkg/apis/core/validation` (`validatePodDNSConfig`, `ValidateHostAliases`).

use serde_json::Value;

use super::super::{
    addresses, names,
    reading::{count, is_blank, items, text},
};
use crate::{objects::metadata, registry::NameRule, status::Cause};

const SERVERS: usize = 3;
const SEARCHES: usize = 32;
const CHARACTERS: usize = 2048;

pub(super) fn check(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    config(spec, &format!("{path}.dnsConfig"), causes);
    for (index, alias) in items(&spec["hostAliases"]) {
        let at = format!("{path}.hostAliases[{index}]");
        address(&format!("{at}.ip"), &alias["ip"], causes);
        for (place, name) in items(&alias["hostnames"]) {
            names::subdomain(&format!("{at}.hostnames[{place}]"), text(name), causes);
        }
    }
}

/// An address as most write it: how else one may be written is not looked at.
fn address(field: &str, value: &Value, causes: &mut Vec<Cause>) {
    if !addresses::is_plain(text(value)) {
        causes.push(Cause::invalid(field, &text(value).into(), addresses::FORM));
    }
}

fn config(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let (config, servers, searches) = (&spec["dnsConfig"], format!("{path}.nameservers"), format!("{path}.searches"));
    if spec["dnsPolicy"] == "None" {
        if config.is_null() {
            causes.push(Cause::required(path, "must provide `dnsConfig` when `dnsPolicy` is None"));
            return;
        }
        if is_blank(&config["nameservers"]) {
            causes.push(Cause::required(&servers, "must provide at least one DNS nameserver when `dnsPolicy` is None"));
            return;
        }
    }
    if count(&config["nameservers"]) > SERVERS {
        causes.push(Cause::invalid(&servers, &config["nameservers"], "must not have more than 3 nameservers"));
    }
    for (index, server) in items(&config["nameservers"]) {
        address(&format!("{servers}[{index}]"), server, causes);
    }
    if count(&config["searches"]) > SEARCHES {
        causes.push(Cause::invalid(&searches, &config["searches"], "must not have more than 32 search paths"));
    }
    let length: usize = items(&config["searches"]).map(|(_, search)| text(search).len() + 1).sum();
    if length > CHARACTERS + 1 {
        let detail = "must not have more than 2048 characters (including spaces) in the search list";
        causes.push(Cause::invalid(&searches, &config["searches"], detail));
    }
    for (index, search) in items(&config["searches"]).filter(|(_, search)| *search != ".") {
        let name = text(search).strip_suffix('.').unwrap_or(text(search));
        // Here alone names may have underscores.
        if !metadata::name_faults(NameRule::Subdomain, &name.replace('_', "a")).is_empty() {
            let detail = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-', '_' or '.', and must start and \
                          end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
                          '[a-z0-9_]([-_a-z0-9]*[a-z0-9_])?(\\.[a-z0-9_]([-_a-z0-9]*[a-z0-9_])?)*')";
            causes.push(Cause::invalid(&format!("{searches}[{index}]"), &name.into(), detail));
        }
    }
    for (index, option) in items(&config["options"]) {
        if is_blank(&option["name"]) {
            causes.push(Cause::required(&format!("{path}.options[{index}]"), "must not be empty"));
        }
    }
}
