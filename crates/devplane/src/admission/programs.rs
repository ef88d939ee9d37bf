//! Expressions of policies that were compiled, by the cluster of their policy and by their text: all policies compile in the same
//! environment, and the same policy judges every write of its resource.
//!
//! What is remembered has a limit for all clusters together. Where it is reached, the cluster that has most forgets what it used least
//! recently, so that no tenant's policies push out those of the others.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use parking_lot::Mutex;
use schema::expr::{Environment, ExprError, Program};

use crate::ClusterId;

/// How much text of expressions is remembered, in bytes: hundreds of policies of many rules.
const BYTES: usize = 4 << 20;

/// What an expression was compiled to, or why it cannot be.
type Compiled = Result<Program, ExprError>;

/// Compiled expressions of all clusters, no more than fit. Cheap to clone.
#[derive(Clone, Default)]
pub struct Programs(Arc<Mutex<Kept>>);

impl Programs {
    /// Those of the policies of a cluster.
    pub fn of(&self, cluster: &ClusterId) -> ClusterPrograms {
        ClusterPrograms { all: self.clone(), cluster: cluster.clone() }
    }

    /// Lets go of what is remembered of a cluster that is no more.
    pub fn forget(&self, cluster: &ClusterId) {
        self.0.lock().forget(cluster);
    }

    /// How many expressions were compiled so far.
    #[cfg(test)]
    fn compilations(&self) -> usize {
        self.0.lock().compilations
    }
}

/// Compiled expressions of the policies of one cluster.
#[derive(Clone)]
pub struct ClusterPrograms {
    all: Programs,
    cluster: ClusterId,
}

impl ClusterPrograms {
    /// The program of an expression in the environment of policies.
    pub fn program(&self, expression: &str, environment: &Environment) -> Compiled {
        if let Some(known) = self.all.0.lock().used(&self.cluster, expression) {
            return known;
        }
        // Outside the lock: it takes its time. Two at once do the work twice.
        let compiled = environment.compile(expression);
        self.all.0.lock().keep(&self.cluster, expression, compiled.clone(), BYTES);
        compiled
    }
}

#[derive(Default)]
struct Kept {
    clusters: HashMap<ClusterId, OfCluster>,
    bytes: usize,
    /// Counts uses, to tell which was last.
    uses: u64,
    #[cfg(test)]
    compilations: usize,
}

#[derive(Default)]
struct OfCluster {
    known: HashMap<Arc<str>, Entry>,
    /// Expressions by their last use.
    by_use: BTreeMap<u64, Arc<str>>,
    bytes: usize,
}

struct Entry {
    compiled: Compiled,
    used: u64,
}

impl Kept {
    /// What is remembered of an expression, which counts as a use of it.
    fn used(&mut self, cluster: &ClusterId, expression: &str) -> Option<Compiled> {
        let own = self.clusters.get_mut(cluster)?;
        let entry = own.known.get_mut(expression)?;
        self.uses += 1;
        if let Some(text) = own.by_use.remove(&entry.used) {
            own.by_use.insert(self.uses, text);
        }
        entry.used = self.uses;
        Some(entry.compiled.clone())
    }

    /// Remembers an expression that was just compiled, and forgets what is beyond `most` bytes.
    fn keep(&mut self, cluster: &ClusterId, expression: &str, compiled: Compiled, most: usize) {
        #[cfg(test)]
        {
            self.compilations += 1;
        }
        if self.used(cluster, expression).is_some() {
            return;
        }
        self.uses += 1;
        let (text, used) = (Arc::<str>::from(expression), self.uses);
        let own = self.clusters.entry(cluster.clone()).or_default();
        own.by_use.insert(used, text.clone());
        own.known.insert(text, Entry { compiled, used });
        own.bytes += expression.len();
        self.bytes += expression.len();
        while self.bytes > most
            && let Some(heaviest) = self.clusters.iter().max_by_key(|(_, own)| own.bytes).map(|(cluster, _)| cluster.clone())
        {
            self.forget_oldest(&heaviest);
        }
    }

    fn forget_oldest(&mut self, cluster: &ClusterId) {
        let Some(own) = self.clusters.get_mut(cluster) else { return };
        if let Some((_, text)) = own.by_use.pop_first() {
            own.known.remove(&text);
            own.bytes -= text.len();
            self.bytes -= text.len();
        }
        if own.by_use.is_empty() {
            self.forget(cluster);
        }
    }

    fn forget(&mut self, cluster: &ClusterId) {
        if let Some(own) = self.clusters.remove(cluster) {
            self.bytes -= own.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tower::ServiceExt;

    use super::*;
    use crate::{Options, Plane, Storage, Token};

    fn cluster(name: &str) -> ClusterId {
        ClusterId::parse(name).unwrap()
    }

    fn failed() -> Compiled {
        Err(Environment::new().compile("(").unwrap_err())
    }

    fn text(number: usize) -> String {
        format!("{number:06}{}", "x".repeat(94))
    }

    #[test]
    fn a_cluster_with_many_expressions_forgets_its_own() {
        let (mut kept, large, small) = (Kept::default(), cluster("large"), cluster("small"));
        kept.keep(&small, "a", failed(), 1_000);
        for number in 0..50 {
            kept.keep(&large, &text(number), failed(), 1_000);
            // What is used stays.
            assert!(kept.used(&large, &text(0)).is_some(), "{number}");
        }
        assert!(kept.bytes <= 1_000, "{}", kept.bytes);
        assert!(kept.used(&small, "a").is_some());
        assert!(kept.used(&large, &text(49)).is_some() && kept.used(&large, &text(1)).is_none());
        assert_eq!(kept.clusters[&large].known.len(), 9);
        kept.forget(&large);
        assert_eq!((kept.clusters.len(), kept.bytes), (1, 1));
    }

    #[test]
    fn what_alone_does_not_fit_is_not_remembered() {
        let mut kept = Kept::default();
        kept.keep(&cluster("large"), &text(0), failed(), 10);
        assert_eq!((kept.clusters.len(), kept.bytes), (0, 0));
    }

    #[tokio::test]
    async fn a_second_write_compiles_nothing() {
        let admin = Token { token: "admin".into(), username: "admin".into(), uid: String::new(), groups: vec!["system:masters".into()] };
        let plane = Plane::open(Options::new(Storage::Memory, vec![admin], "https://plane.test")).unwrap();
        let post = async |path: &str, body: serde_json::Value| {
            let request = http::Request::post(path).header("authorization", "Bearer admin").header("content-type", "application/json");
            let answer = plane.router().oneshot(request.body(axum::body::Body::from(body.to_string())).unwrap()).await.unwrap();
            assert_eq!(answer.status(), 201, "{path}");
        };
        let rule = json!({"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["configmaps"]});
        let object = |kind: &str, spec: serde_json::Value| json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": "p"}, "spec": spec});
        let validations = json!([{"expression": "size(object.metadata.name) < 9"}, {"expression": "has(object.metadata)"}]);
        let policies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolic";
        let spec = json!({"matchConstraints": {"resourceRules": [rule]}, "validations": validations});
        post(&format!("{policies}ies"), object("ValidatingAdmissionPolicy", spec)).await;
        let binding = json!({"policyName": "p", "validationActions": ["Deny"]});
        post(&format!("{policies}ybindings"), object("ValidatingAdmissionPolicyBinding", binding)).await;
        let programs = &plane.state().programs;
        for name in ["a", "b", "c"] {
            post("/api/v1/namespaces/default/configmaps", json!({"metadata": {"name": name}})).await;
            assert_eq!(programs.compilations(), 2, "{name}");
        }
    }
}
