//! As whom containers run, and what they may do to their node.
//! Source: kubernetes `pkg/apis/core/validation` (`validatePodSpecSecurityContext`, `ValidateSecurityContext`).

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::{
    faults::{duplicate, invalid_structure, none_or_one_of, unsupported},
    reading::{is_blank, items, text},
};
use super::{descending, id};
use crate::status::Cause;

const PROFILES: [&str; 3] = ["Localhost", "RuntimeDefault", "Unconfined"];
const SYSCTL: &str = "must have at most 253 characters and match regex \
                      ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";

/// The security context of a pod whose spec is at `path`.
pub(super) fn of_pod(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let (context, path) = (&spec["securityContext"], format!("{path}.securityContext"));
    let field = |part: &str| format!("{path}.{part}");
    for name in ["fsGroup", "runAsUser", "runAsGroup"] {
        id(&field(name), &context[name], causes);
    }
    for (index, group) in items(&context["supplementalGroups"]) {
        id(&field(&format!("supplementalGroups[{index}]")), group, causes);
    }
    if spec["shareProcessNamespace"] == true && spec["hostPID"] == true {
        let detail = "ShareProcessNamespace and HostPID cannot both be enabled";
        causes.push(Cause::invalid(&field("shareProcessNamespace"), &true.into(), detail));
    }
    sysctls(spec, &field("sysctls"), causes);
    none_or_one_of(&field("fsGroupChangePolicy"), &context["fsGroupChangePolicy"], &["Always", "OnRootMismatch"], causes);
    seccomp(&context["seccompProfile"], &field("seccompProfile"), causes);
    app_armor(&context["appArmorProfile"], &field("appArmorProfile"), causes);
    none_or_one_of(&field("supplementalGroupsPolicy"), &context["supplementalGroupsPolicy"], &["Merge", "Strict"], causes);
    none_or_one_of(&field("seLinuxChangePolicy"), &context["seLinuxChangePolicy"], &["MountOption", "Recursive"], causes);
}

fn sysctls(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let mut seen = BTreeSet::new();
    for (index, sysctl) in items(&spec["securityContext"]["sysctls"]) {
        let (name, field) = (text(&sysctl["name"]), format!("{path}[{index}].name"));
        if name.is_empty() {
            causes.push(Cause::required(&field, ""));
        } else if !is_sysctl(name) {
            causes.push(Cause::invalid(&field, &sysctl["name"], SYSCTL));
        } else if seen.contains(name) {
            causes.push(duplicate(&field, &sysctl["name"]));
        }
        let dotted = name.replace('/', ".");
        if spec["hostNetwork"] == true && dotted.starts_with("net.") {
            causes.push(Cause::invalid(&field, &sysctl["name"], "may not be specified when 'hostNetwork' is true"));
        } else if spec["hostIPC"] == true && is_of_ipc(&dotted) {
            causes.push(Cause::invalid(&field, &sysctl["name"], "may not be specified when 'hostIPC' is true"));
        }
        seen.insert(name);
    }
}

fn is_sysctl(name: &str) -> bool {
    let alphanumeric = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_segment = |segment: &str| {
        let bytes = segment.as_bytes();
        let edges = bytes.first().is_some_and(alphanumeric) && bytes.last().is_some_and(alphanumeric);
        edges && bytes.iter().all(|byte| alphanumeric(byte) || b"-_".contains(byte))
    };
    name.len() <= 253 && name.split(['.', '/']).all(is_segment)
}

fn is_of_ipc(name: &str) -> bool {
    ["kernel.shm", "kernel.msg", "fs.mqueue."].iter().any(|start| name.starts_with(start)) || name == "kernel.sem"
}

fn seccomp(profile: &Value, path: &str, causes: &mut Vec<Cause>) {
    if profile.is_null() {
        return;
    }
    let kind = text(&profile["type"]);
    if kind.is_empty() {
        causes.push(Cause::required(&format!("{path}.type"), "type is required when seccompProfile is set"));
    } else if !PROFILES.contains(&kind) {
        causes.push(unsupported(&format!("{path}.type"), &profile["type"], &PROFILES));
    }
    let (local, field) = (&profile["localhostProfile"], format!("{path}.localhostProfile"));
    match (kind == "Localhost", local.is_null()) {
        (true, true) => causes.push(Cause::required(&field, "must be set when seccomp type is Localhost")),
        (true, false) => descending(&field, local, causes),
        (false, false) => {
            let why = "can only be set when seccomp type is Localhost";
            causes.push(invalid_structure(&field, ("v1", "SeccompProfile"), profile, why));
        }
        (false, true) => {}
    }
}

fn app_armor(profile: &Value, path: &str, causes: &mut Vec<Cause>) {
    if profile.is_null() {
        return;
    }
    let (local, field) = (&profile["localhostProfile"], format!("{path}.localhostProfile"));
    match text(&profile["type"]) {
        "" => causes.push(Cause::required(&format!("{path}.type"), "type is required when appArmorProfile is set")),
        "Localhost" if text(local).trim() != text(local) => {
            causes.push(Cause::invalid(&field, local, "must not be padded with whitespace"));
        }
        "Localhost" if is_blank(local) => causes.push(Cause::required(&field, "must be set when AppArmor type is Localhost")),
        "Localhost" => {}
        "RuntimeDefault" | "Unconfined" if !local.is_null() => {
            causes.push(Cause::invalid(&field, local, "can only be set when AppArmor type is Localhost"));
        }
        "RuntimeDefault" | "Unconfined" => {}
        _ => causes.push(unsupported(&format!("{path}.type"), &profile["type"], &PROFILES)),
    }
}

/// The security context of a container at `path`.
pub(super) fn of_container(context: &Value, path: &str, host_users: bool, causes: &mut Vec<Cause>) {
    if context.is_null() {
        return;
    }
    let field = |part: &str| format!("{path}.{part}");
    // As a server without `--allow-privileged` answers.
    if context["privileged"] == true {
        causes.push(Cause::forbidden(&field("privileged"), "disallowed by cluster policy"));
    }
    for name in ["runAsUser", "runAsGroup"] {
        id(&field(name), &context[name], causes);
    }
    none_or_one_of(&field("procMount"), &context["procMount"], &["Default", "Unmasked"], causes);
    if host_users && context["procMount"] == "Unmasked" {
        causes.push(Cause::invalid(&field("procMount"), &context["procMount"], "`hostUsers` must be false to use `Unmasked`"));
    }
    seccomp(&context["seccompProfile"], &field("seccompProfile"), causes);
    if context["allowPrivilegeEscalation"] == false {
        let mut contradicts = |what: &str| {
            let why = format!("cannot set `allowPrivilegeEscalation` to false and {what}");
            causes.push(invalid_structure(path, ("v1", "SecurityContext"), context, &why));
        };
        if context["privileged"] == true {
            contradicts("`privileged` to true");
        }
        if items(&context["capabilities"]["add"]).any(|(_, capability)| capability == "CAP_SYS_ADMIN") {
            contradicts("`capabilities.Add` CAP_SYS_ADMIN");
        }
    }
    app_armor(&context["appArmorProfile"], &field("appArmorProfile"), causes);
}

/// Users of its own and parts of the host do not go together.
pub(super) fn host_users(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    if spec["hostUsers"] != false {
        return;
    }
    // The real server writes the names so.
    for (name, told) in [("hostNetwork", "hostNetwork"), ("hostPID", "HostPID"), ("hostIPC", "HostIPC")] {
        if spec[name] == true {
            causes.push(Cause::forbidden(&format!("{path}.{told}"), "when `pod.Spec.HostUsers` is false"));
        }
    }
}
