//! A generic Kubernetes object over the structs of `promise::api`.

use std::borrow::Cow;

use kube::Resource;
use kube::api::ObjectMeta;
use promise::names;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::table::{Column, Export};
use crate::watch::Row;

/// What Kubernetes needs to know about a kind besides its schema.
pub trait Kind: Send + Sync + 'static {
    /// What people write.
    type Spec: Serialize + DeserializeOwned + JsonSchema + Clone + std::fmt::Debug + PartialEq + Send + Sync + 'static;
    /// What the controller writes; [`NoStatus`] for immutable records.
    type Status: Serialize + DeserializeOwned + JsonSchema + Clone + std::fmt::Debug + PartialEq + Send + Sync + 'static;
    /// `kube`'s scope marker.
    type Scope: Send + Sync + 'static;

    /// CamelCase name, such as `PromiseRequest`.
    const KIND: &'static str;
    /// Lower-case plural: the resource name in URLs.
    const PLURAL: &'static str;
    /// Lower-case singular.
    const SINGULAR: &'static str;
    /// Short names for `kubectl`.
    const SHORT: &'static [&'static str];
    /// Whether objects live in namespaces.
    const NAMESPACED: bool;
    /// Whether there is a status subresource.
    const STATUS: bool;
    /// Export that offers it on kcp.
    const EXPORT: Export;
    /// Columns of `kubectl get`, besides name and age.
    const COLUMNS: &'static [Column];
}

/// An object of kind `K`.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", bound = "")]
pub struct Object<K: Kind> {
    /// Always `platform.opmodel.dev/v1alpha1`.
    pub api_version: Cow<'static, str>,
    /// Always [`Kind::KIND`].
    pub kind: Cow<'static, str>,
    /// Name, labels and versions.
    pub metadata: ObjectMeta,
    /// Desired state.
    pub spec: K::Spec,
    /// Observed state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<K::Status>,
}

/// Status of kinds that have none: immutable records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum NoStatus {}

/// Returns an object as it is written to create it.
pub fn object<K: Kind>(name: &str, namespace: Option<&str>, spec: K::Spec) -> Object<K> {
    let metadata = ObjectMeta { name: Some(name.to_owned()), namespace: namespace.map(str::to_owned), ..ObjectMeta::default() };
    Object { api_version: Cow::Borrowed(names::API_VERSION), kind: Cow::Borrowed(K::KIND), metadata, spec, status: None }
}

impl<K: Kind> Clone for Object<K> {
    fn clone(&self) -> Self {
        Self {
            api_version: self.api_version.clone(),
            kind: self.kind.clone(),
            metadata: self.metadata.clone(),
            spec: self.spec.clone(),
            status: self.status.clone(),
        }
    }
}

/// The control plane gives every state of an object its own version.
impl<K: Kind> Row for Object<K> {
    fn same_edition(&self, other: &Self) -> bool {
        self.metadata.uid == other.metadata.uid && self.metadata.resource_version == other.metadata.resource_version
    }
}

/// Compares the whole content. [`Row::same_edition`] checks whether a server showed the same state twice.
impl<K: Kind> PartialEq for Object<K> {
    fn eq(&self, other: &Self) -> bool {
        self.metadata == other.metadata && self.spec == other.spec && self.status == other.status
    }
}

/// A value that was read from JSON equals itself. With this impl, rows that two snapshots share aren't compared at all.
impl<K: Kind> Eq for Object<K> {}

impl<K: Kind> std::fmt::Debug for Object<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct(K::KIND).field("metadata", &self.metadata).field("spec", &self.spec).field("status", &self.status).finish()
    }
}

impl<K: Kind> Resource for Object<K> {
    type DynamicType = ();
    type Scope = K::Scope;

    fn kind((): &()) -> Cow<'_, str> {
        Cow::Borrowed(K::KIND)
    }

    fn group((): &()) -> Cow<'_, str> {
        Cow::Borrowed(names::GROUP)
    }

    fn version((): &()) -> Cow<'_, str> {
        Cow::Borrowed(names::VERSION)
    }

    fn plural((): &()) -> Cow<'_, str> {
        Cow::Borrowed(K::PLURAL)
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::kinds::PromiseRequest;
    use crate::watch::Row as _;

    #[test]
    fn equal_objects_have_the_same_content_and_not_only_the_same_version() {
        let request = |promise: &str, version: &str| -> PromiseRequest {
            let object = json!({
                "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest",
                "metadata": {"name": "a", "uid": "u", "resourceVersion": version}, "spec": {"promise": {"name": promise}},
            });
            serde_json::from_value(object).unwrap()
        };
        assert!(request("redis", "1") != request("postgresql", "1"));
        assert!(request("redis", "1").same_edition(&request("postgresql", "1")));
        assert!(request("redis", "1") == request("redis", "1"));
        assert!(!request("redis", "1").same_edition(&request("redis", "2")));
    }
}
