//! The time of grace that pods have before they go. No kubelet ends it here: as on a server without nodes, a pod that has a place stays
//! until somebody asks for its end at once.
//! Source: kubernetes `pkg/registry/core/pod/strategy.go` (`CheckGracefulDelete`); apiserver `registry/rest/delete.go` (`BeforeDelete`).

use jiff::Timestamp;
use serde_json::Value;

use crate::{clock, document};

/// Gives a pod that was just marked for deletion its time of grace; one that was marked before may only get less.
pub fn grant(old: &Value, marked: &mut Value, asked: Option<i64>, now: Timestamp) {
    // Less than nothing is a second.
    let asked = asked.map(|seconds| if seconds < 0 { 1 } else { seconds });
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (seconds, since) = match old["metadata"]["deletionTimestamp"].as_str() {
        None => {
            let has_ended = ["Failed", "Succeeded"].contains(&text(&old["status"]["phase"]).as_str());
            let is_placed = !text(&old["spec"]["nodeName"]).is_empty();
            let usual = old["spec"]["terminationGracePeriodSeconds"].as_i64().unwrap_or_default();
            (if is_placed && !has_ended { asked.unwrap_or(usual).max(0) } else { 0 }, now)
        }
        Some(due) => {
            let granted = old["metadata"]["deletionGracePeriodSeconds"].as_i64().unwrap_or_default();
            let (Some(asked), Ok(due)) = (asked.filter(|asked| *asked < granted), due.parse::<Timestamp>()) else { return };
            (asked, after(due, -granted))
        }
    };
    document::set(marked, ["metadata", "deletionTimestamp"], clock::seconds(after(since, seconds)));
    document::set(marked, ["metadata", "deletionGracePeriodSeconds"], seconds);
}

fn after(time: Timestamp, seconds: i64) -> Timestamp {
    Timestamp::from_second(time.as_second().saturating_add(seconds)).unwrap_or(time)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn granted(old: &Value, asked: Option<i64>) -> (Value, Value) {
        let mut marked = old.clone();
        grant(old, &mut marked, asked, "2024-01-01T00:00:00Z".parse().unwrap());
        (marked["metadata"]["deletionTimestamp"].clone(), marked["metadata"]["deletionGracePeriodSeconds"].clone())
    }

    #[test]
    fn a_pod_with_a_place_gets_the_time_that_it_says_or_that_is_asked_for() {
        let spec = json!({"nodeName": "n", "terminationGracePeriodSeconds": 30});
        let pod = json!({"metadata": {}, "spec": spec});
        assert_eq!(granted(&pod, None), (json!("2024-01-01T00:00:30Z"), json!(30)));
        assert_eq!(granted(&pod, Some(-5)), (json!("2024-01-01T00:00:01Z"), json!(1)));
        let ended = json!({"metadata": {}, "spec": spec, "status": {"phase": "Succeeded"}});
        assert_eq!(granted(&ended, Some(60)), (json!("2024-01-01T00:00:00Z"), json!(0)));
        assert_eq!(granted(&json!({"metadata": {}, "spec": {"terminationGracePeriodSeconds": 30}}), Some(60)).1, 0);
    }

    #[test]
    fn a_pod_that_goes_can_only_go_sooner() {
        let going = json!({"metadata": {"deletionTimestamp": "2024-01-01T00:00:30Z", "deletionGracePeriodSeconds": 30}});
        assert_eq!(granted(&going, None), (json!("2024-01-01T00:00:30Z"), json!(30)));
        assert_eq!(granted(&going, Some(60)), (json!("2024-01-01T00:00:30Z"), json!(30)));
        assert_eq!(granted(&going, Some(10)), (json!("2024-01-01T00:00:10Z"), json!(10)));
        assert_eq!(granted(&going, Some(0)), (json!("2024-01-01T00:00:00Z"), json!(0)));
    }
}
