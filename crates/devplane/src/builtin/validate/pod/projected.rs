//! Volumes into which several sources are projected.
//! Source: kubernetes `pkg/apis/core/validation` (`validateProjectionSources`).

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::reading::{is_blank, items, text};
use super::{file_mode, own_path, volumes};
use crate::status::Cause;

const KINDS: [&str; 6] = ["secret", "configMap", "downwardAPI", "serviceAccountToken", "clusterTrustBundle", "podCertificate"];

pub(super) fn check(volume: &Value, path: &str, causes: &mut Vec<Cause>) {
    file_mode(&format!("{path}.defaultMode"), &volume["defaultMode"], causes);
    let mut taken = BTreeSet::new();
    for (index, source) in items(&volume["sources"]) {
        let at = format!("{path}.sources[{index}]");
        for kind in ["secret", "configMap"].into_iter().filter(|kind| !source[*kind].is_null()) {
            let of = &source[kind];
            if is_blank(&of["name"]) {
                causes.push(Cause::required(&format!("{at}.{kind}.name"), ""));
            }
            for (place, item) in items(&of["items"]) {
                volumes::key_to_path(item, &format!("{at}.{kind}.items[{place}]"), causes);
                unique(&item["path"], &of["name"], path, &mut taken, causes);
            }
        }
        for (_, file) in items(&source["downwardAPI"]["items"]) {
            volumes::downward_file(file, &format!("{at}.downwardAPI"), causes);
            unique(&file["path"], &file["path"], path, &mut taken, causes);
        }
        if !source["serviceAccountToken"].is_null() {
            token(&source["serviceAccountToken"], &format!("{at}.serviceAccountToken"), path, causes);
        }
        if KINDS.iter().filter(|kind| !source[**kind].is_null()).count() > 1 {
            causes.push(Cause::forbidden(&at, "may not specify more than 1 volume type per source"));
        }
    }
}

/// No two files have one path; `shown` is what the fault names.
fn unique<'a>(path: &'a Value, shown: &Value, field: &str, taken: &mut BTreeSet<&'a str>, causes: &mut Vec<Cause>) {
    if !is_blank(path) && !taken.insert(text(path)) {
        causes.push(Cause::invalid(field, shown, "conflicting duplicate paths"));
    }
}

/// Faults of the path are told of the whole volume.
fn token(token: &Value, at: &str, path: &str, causes: &mut Vec<Cause>) {
    let (seconds, field) = (&token["expirationSeconds"], format!("{at}.expirationSeconds"));
    match seconds.as_i64() {
        Some(..600) => causes.push(Cause::invalid(&field, seconds, "may not specify a duration less than 10 minutes")),
        Some(number) if number > 1 << 32 => {
            causes.push(Cause::invalid(&field, seconds, "may not specify a duration larger than 2^32 seconds"));
        }
        _ => {}
    }
    let field = format!("{path}.path");
    if is_blank(&token["path"]) {
        causes.push(Cause::required(&field, ""));
    } else {
        own_path(&field, &token["path"], causes);
    }
}
