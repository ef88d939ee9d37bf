//! Defaults of pods and of their templates.
//! Source: kubernetes `pkg/apis/core/v1/defaults.go`, `conversion.go`.

use serde_json::{Value, json};

use super::super::fields::{Fields, objects};

/// Lists of containers.
const CONTAINERS: [&str; 3] = ["containers", "initContainers", "ephemeralContainers"];
/// Texts of pods that have a default, which an empty one does not replace.
const TEXTS: [&str; 3] = ["restartPolicy", "dnsPolicy", "schedulerName"];
const TEXTS_OF_CONTAINERS: [&str; 3] = ["imagePullPolicy", "terminationMessagePath", "terminationMessagePolicy"];
const NUMBERS_OF_PROBES: [&str; 4] = ["failureThreshold", "periodSeconds", "successThreshold", "timeoutSeconds"];

/// Before the schema's own defaults: an empty text and a zero are as good as nothing where Go has no pointer.
pub(super) fn before_schema(spec: Option<&mut Value>) {
    let Some(spec) = spec.and_then(Value::as_object_mut) else { return };
    drop_empty(spec, &TEXTS);
    account(spec);
    for list in CONTAINERS {
        for container in objects(spec.get_mut(list)) {
            drop_empty(container, &TEXTS_OF_CONTAINERS);
            for port in objects(container.get_mut("ports")) {
                drop_empty(port, &["protocol"]);
            }
            for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
                if let Some(probe) = container.get_mut(name).and_then(Value::as_object_mut) {
                    drop_empty(probe, &NUMBERS_OF_PROBES);
                    request(probe);
                }
            }
            let Some(lifecycle) = container.get_mut("lifecycle").and_then(Value::as_object_mut) else { continue };
            lifecycle.values_mut().filter_map(Value::as_object_mut).for_each(request);
        }
    }
    for volume in objects(spec.get_mut("volumes")) {
        // What is no other volume is an empty directory.
        if !volume.iter().any(|(name, value)| name != "name" && !value.is_null()) {
            volume.insert("emptyDir".into(), json!({}));
        }
    }
}

fn request(handler: &mut Fields) {
    if let Some(request) = handler.get_mut("httpGet").and_then(Value::as_object_mut) {
        drop_empty(request, &["path", "scheme"]);
    }
}

fn drop_empty(fields: &mut Fields, names: &[&str]) {
    for name in names {
        if fields.get(*name).is_some_and(|value| value.is_null() || *value == "" || *value == 0) {
            fields.remove(*name);
        }
    }
}

/// The account has two names, of which the newer one counts.
fn account(spec: &mut Fields) {
    let said = |name: &str| spec.get(name).and_then(Value::as_str).filter(|account| !account.is_empty()).map(str::to_owned);
    if let Some(account) = said("serviceAccountName").or_else(|| said("serviceAccount")) {
        for name in ["serviceAccountName", "serviceAccount"] {
            spec.insert(name.into(), account.clone().into());
        }
    }
}

/// After the schema's own defaults. A pod has some that a template has not.
pub(super) fn after_schema(spec: Option<&mut Value>, is_pod: bool) {
    let Some(spec) = spec else { return };
    let on_host = is_pod && spec["hostNetwork"] == true;
    for list in CONTAINERS {
        for container in objects(spec.get_mut(list)) {
            // When images are pulled depends on their tags.
            let policy = pull_policy(container.get("image").and_then(Value::as_str).unwrap_or_default());
            container.entry("imagePullPolicy").or_insert_with(|| policy.into());
            if is_pod {
                requests(container);
            }
            for port in objects(container.get_mut("ports")).filter(|_| on_host) {
                let number = port.get("containerPort").cloned().unwrap_or_default();
                port.entry("hostPort").or_insert(number);
            }
        }
    }
}

/// A pod requests what it limits, where it says nothing else; a template of pods does not.
fn requests(container: &mut Fields) {
    if let Some(resources) = container.get_mut("resources").and_then(Value::as_object_mut)
        && let Some(Value::Object(limits)) = resources.get("limits").cloned()
    {
        let requests = resources.entry("requests").or_insert_with(|| json!({}));
        for (name, limit) in limits {
            if let Some(requests) = requests.as_object_mut() {
                requests.entry(name).or_insert(limit);
            }
        }
    }
}

/// A moving tag is pulled each time.
fn pull_policy(image: &str) -> &'static str {
    let name = image.rsplit('/').next().unwrap_or_default();
    let moving = !name.contains('@') && name.split_once(':').is_none_or(|(_, tag)| tag == "latest");
    if moving { "Always" } else { "IfNotPresent" }
}
