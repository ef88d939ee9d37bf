//! Kinds whose conditions are read differently from the general rule, as a table.
//!
//! The sources are the API documentation of each project, and the health checks of Argo CD (`resource_customizations`), where kstatus has
//! no rule.

use serde_json::Value;

use super::Verdict;
use super::conditions::{find, holds, is_outdated, list, message};

/// A condition that has to be true.
struct Need {
    name: &'static str,
    /// Whether `False` is a failure, and not progress.
    fails: bool,
}

const fn waits(name: &'static str) -> Need {
    Need { name, fails: false }
}

const fn fails(name: &'static str) -> Need {
    Need { name, fails: true }
}

struct Rule {
    /// API group. With a dot in front: the end of a group.
    group: &'static str,
    /// Kinds. Empty for all of the group.
    kinds: &'static [&'static str],
    /// Conditions that mean a failure while they are true.
    bad: &'static [&'static str],
    /// Conditions that mean progress while they are true.
    busy: &'static [&'static str],
    /// Conditions that all have to be true.
    needs: &'static [Need],
    /// Reasons for which a condition isn't true yet, but hasn't failed either.
    pending: &'static [&'static str],
}

/// What most rules leave out.
const PLAIN: Rule = Rule { group: "", kinds: &[], bad: &[], busy: &[], needs: &[], pending: &[] };

const RULES: &[Rule] = &[
    Rule {
        group: "apiextensions.k8s.io",
        kinds: &["CustomResourceDefinition"],
        bad: &["NonStructuralSchema"],
        needs: &[fails("NamesAccepted"), fails("Established")],
        pending: &["Installing"],
        ..PLAIN
    },
    Rule {
        group: "gateway.networking.k8s.io",
        kinds: &["GatewayClass"],
        needs: &[fails("Accepted")],
        pending: &["Pending", "Waiting"],
        ..PLAIN
    },
    Rule {
        group: "monitoring.coreos.com",
        kinds: &["Prometheus", "PrometheusAgent", "Alertmanager", "ThanosRuler"],
        needs: &[fails("Reconciled"), waits("Available")],
        ..PLAIN
    },
    Rule {
        group: "argoproj.io",
        kinds: &["ApplicationSet"],
        bad: &["ErrorOccurred"],
        busy: &["RolloutProgressing"],
        needs: &[fails("ResourcesUpToDate")],
        pending: &["ApplicationSetModified"],
    },
    Rule { group: "cert-manager.io", kinds: &["Issuer", "ClusterIssuer"], needs: &[fails("Ready")], ..PLAIN },
    Rule {
        group: "cert-manager.io",
        kinds: &["CertificateRequest"],
        bad: &["Denied", "InvalidRequest"],
        needs: &[fails("Ready")],
        pending: &["Pending"],
        ..PLAIN
    },
    Rule {
        group: "pkg.crossplane.io",
        kinds: &["Provider", "Configuration", "Function"],
        needs: &[waits("Installed"), fails("Healthy")],
        pending: &["UnknownPackageRevisionHealth"],
        ..PLAIN
    },
    Rule { group: "apis.kcp.io", kinds: &["APIBinding"], needs: &[fails("APIExportValid"), waits("InitialBindingCompleted")], ..PLAIN },
    // In these, `Unknown` means progress and `False` a failure.
    Rule { group: ".knative.dev", needs: &[fails("Ready")], ..PLAIN },
    Rule { group: "tekton.dev", kinds: &["PipelineRun", "TaskRun", "CustomRun"], needs: &[fails("Succeeded")], ..PLAIN },
    Rule { group: "keda.sh", kinds: &["ScaledObject", "ScaledJob"], bad: &["Fallback"], needs: &[fails("Ready")], ..PLAIN },
    Rule { group: "external-secrets.io", needs: &[fails("Ready")], ..PLAIN },
    Rule { group: "bitnami.com", kinds: &["SealedSecret"], needs: &[fails("Synced")], ..PLAIN },
];

/// Judges an object by the rule of its kind. Returns nothing if it has none, or reports no conditions.
pub(super) fn judge(group: &str, object: &Value) -> Option<Verdict> {
    let kind = object["kind"].as_str().unwrap_or_default();
    let is_meant = |rule: &&Rule| {
        let in_group = if rule.group.starts_with('.') { group.ends_with(rule.group) } else { group == rule.group };
        in_group && (rule.kinds.is_empty() || rule.kinds.contains(&kind))
    };
    let rule = RULES.iter().find(is_meant)?;
    let conditions = list(object);
    let holding = |names: &[&str]| names.iter().find_map(|name| find(conditions, name).filter(|one| holds(one) == Some(true)));
    if let Some(bad) = holding(rule.bad).filter(|bad| !is_outdated(object, bad)) {
        return Some(Verdict::degraded(message(bad)));
    }
    let is_reported = |need: &Need| find(conditions, need.name).is_some();
    if !rule.needs.iter().any(is_reported) {
        // An old version might report no conditions at all.
        return (!conditions.is_empty()).then(Verdict::unreported);
    }
    let busy = || holding(rule.busy).map(|busy| Verdict::progressing(message(busy)));
    Some(unmet(rule, object).or_else(busy).unwrap_or_else(Verdict::healthy))
}

/// Judges by the first condition that isn't true.
fn unmet(rule: &Rule, object: &Value) -> Option<Verdict> {
    rule.needs.iter().find_map(|need| {
        let Some(condition) = find(list(object), need.name).filter(|condition| !is_outdated(object, condition)) else {
            return Some(Verdict::unreported());
        };
        let is_pending = condition["reason"].as_str().is_some_and(|reason| rule.pending.contains(&reason));
        match holds(condition) {
            Some(true) => None,
            Some(false) if need.fails && !is_pending => Some(Verdict::degraded(message(condition))),
            Some(false) | None => Some(Verdict::progressing(message(condition))),
        }
    })
}
