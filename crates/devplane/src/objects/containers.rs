//! What a cluster without nodes says of the containers of a pod: logs, and ways into it.
//! Source: kubernetes `pkg/registry/core/pod/strategy.go` (`LogLocation`, `streamLocation`).

use serde_json::Value;

use super::Call;
use crate::{
    http::answer::{Answer, Content},
    sandbox::LOG,
    status::ApiError,
};

/// Subresources of pods that lead to their containers.
pub const PARTS: [&str; 4] = ["attach", "exec", "log", "portforward"];

/// Answers a request for one of [`PARTS`]. No pod of the plane runs: those without a node have said nothing, others cannot be reached.
pub async fn answer(call: &Call) -> Result<Answer, ApiError> {
    let name = &call.attributes.name;
    let pod = call.shown(&call.stored(name).await.ok_or_else(|| call.not_found(name))?);
    let part = call.attributes.subresource.as_str();
    if part != "portforward" {
        check_container(&pod, name, call.query.get("container"))?;
    }
    let is_placed = pod["spec"]["nodeName"].as_str().is_some_and(|node| !node.is_empty());
    match part {
        _ if is_placed => Err(ApiError::method_not_allowed()),
        "log" => Ok(log(&pod, call.query.get("tailLines"))),
        _ => Err(ApiError::bad_request(format!("pod {name} does not have a host assigned"))),
    }
}

/// What the sample operators let a pod say, see [`LOG`]: nothing, as of a container that hasn't started, without the annotation.
fn log(pod: &Value, tail: &str) -> Answer {
    let Some(text) = pod["metadata"]["annotations"][LOG].as_str() else {
        return Answer { code: 204, content: Content::Empty, warnings: Vec::new() };
    };
    let lines: Vec<&str> = text.lines().collect();
    let count = tail.parse().ok().unwrap_or(lines.len()).min(lines.len());
    let text: String = lines[lines.len() - count..].iter().map(|line| format!("{line}\n")).collect();
    Answer { code: 200, content: Content::Text("text/plain", text.into()), warnings: Vec::new() }
}

/// The container that is asked for is one of the pod; where there are several, one has to be named.
fn check_container(pod: &Value, name: &str, wanted: &str) -> Result<(), ApiError> {
    let names = |list: &str| -> Vec<String> {
        let containers = pod["spec"][list].as_array().into_iter().flatten();
        containers.filter_map(|container| container["name"].as_str()).map(str::to_owned).collect()
    };
    let own = names("containers");
    let known = |wanted: &str| {
        ["containers", "initContainers", "ephemeralContainers"].iter().any(|list| names(list).iter().any(|own| own == wanted))
    };
    match wanted {
        "" if own.len() > 1 => {
            let choice = own.join(" ");
            Err(ApiError::bad_request(format!("a container name must be specified for pod {name}, choose one of: [{choice}]")))
        }
        "" => Ok(()),
        wanted if known(wanted) => Ok(()),
        wanted => Err(ApiError::bad_request(format!("container {wanted} is not valid for pod {name}"))),
    }
}
