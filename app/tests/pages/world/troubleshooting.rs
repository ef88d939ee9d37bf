//! Events about the objects of the requests in this world, and logs of their pods.

use app::backend::{LogQuery, Troubleshooting};
use async_trait::async_trait;
use promise::Result;
use promise::rest::{ContainerItem, EventItem, PodItem, RequestEvents, RequestLog};
use promise::troubleshooting::NotReadReason;

use super::{WORKSPACE, World};

fn elsewhere() -> NotReadReason {
    NotReadReason::AtDestination { destination: "sandbox".into() }
}

fn pod(name: &str, restarts: u32) -> PodItem {
    let container =
        |name: &str, restarts, reason: Option<&str>| ContainerItem { name: name.into(), restarts, reason: reason.map(Into::into) };
    PodItem {
        name: name.into(),
        namespace: "default".into(),
        owner_kind: "Deployment".into(),
        owner: "orders-db-web".into(),
        phase: "Running".into(),
        created: "2026-11-21T10:00:00Z".into(),
        containers: vec![container("app", restarts, (restarts > 0).then_some("CrashLoopBackOff")), container("proxy", 0, None)],
    }
}

#[async_trait]
impl Troubleshooting for World {
    async fn object_events(&self, _: &str, _: &str, _: &str) -> Result<RequestEvents> {
        if !self.fits {
            return Ok(RequestEvents { not_read: vec![elsewhere().into()], ..RequestEvents::default() });
        }
        let event = |reason: &str, warning: bool, count| EventItem {
            r#type: if warning { "Warning".into() } else { "Normal".into() },
            reason: reason.into(),
            message: "Back-off restarting failed container".into(),
            kind: "Pod".into(),
            name: "orders-db-web-1".into(),
            namespace: Some("default".into()),
            count,
            last_seen: "2026-11-21T11:03:00Z".into(),
            source: Some("kubelet".into()),
        };
        Ok(RequestEvents { items: vec![event("BackOff", true, 7), event("Pulled", false, 1)], left_out: 12, not_read: Vec::new() })
    }

    async fn pod_log(&self, _: &str, _: &str, _: &str, query: &LogQuery) -> Result<RequestLog> {
        if !self.fits {
            return Ok(RequestLog { not_read: vec![elsewhere().into()], ..RequestLog::default() });
        }
        let pods = vec![pod("orders-db-web-2", 0), pod("orders-db-web-1", 3)];
        let chosen = pods.iter().find(|pod| query.pod.is_empty() || pod.name == query.pod).map(|pod| pod.name.clone());
        let denied = NotReadReason::Denied { verb: "get".into(), resource: "pods/log".into(), workspace: WORKSPACE.into() };
        let is_quiet = chosen.as_deref() == Some("orders-db-web-2");
        Ok(RequestLog {
            container: chosen.as_ref().map(|_| if query.container.is_empty() { "app".into() } else { query.container.clone() }),
            pod: chosen,
            previous: query.previous,
            lines: if self.refused.is_some() || is_quiet { Vec::new() } else { vec!["starting".into(), "<b>no</b> database".into()] },
            truncated: query.previous,
            log_not_read: self.refused.is_some().then(|| denied.into()),
            not_read: Vec::new(),
            pods,
        })
    }
}
