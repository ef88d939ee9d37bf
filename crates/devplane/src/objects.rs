//! Objects of resources: create, read, replace, patch, delete (apiserver `registry/generic/registry/store.go`, `registry/rest`).

mod containers;
pub(crate) mod convert;
mod create;
pub(crate) mod decode;
mod delete;
pub(crate) mod depth;
pub(crate) mod list;
pub(crate) mod metadata;
pub(crate) mod options;
mod patching;
mod scale;
mod shape;
mod special;
mod update;

use std::sync::Arc;

use bytes::Bytes;
use http::HeaderMap;
use serde_json::{Value, json};

use crate::{
    State, builtin,
    http::{
        answer::Answer,
        limits,
        media::{self, Format, Transform},
        query::Query,
    },
    quota,
    registry::Resource,
    request::Attributes,
    status::{ApiError, Cause},
    store::{Key, Limits, Stored, WriteError},
    table,
    virtual_view::View,
};
use decode::Decoded;
use options::FieldValidation;

pub(crate) use metadata::{may_go, raise_generation};

/// How often a write is tried anew when the object changed between reading and writing.
const ATTEMPTS: usize = 8;

/// One request to a resource, authorised.
pub struct Call {
    /// The plane.
    pub state: State,
    /// Who, what, where.
    pub attributes: Attributes,
    /// The resource.
    pub resource: Arc<Resource>,
    /// Its `group/version`.
    pub api_version: String,
    /// What of it this target shows and stamps.
    pub view: View,
    /// Parameters.
    pub query: Query,
    /// Headers.
    pub headers: HeaderMap,
    /// Body.
    pub body: Bytes,
    /// How the answer is written.
    pub format: Format,
}

impl Call {
    /// Answers a request to the resource itself or to a subresource.
    pub async fn answer(&self) -> Result<Answer, ApiError> {
        // Whoever uses a version on its way out is told so, whatever comes of it.
        self.answered().await.map_err(|error| ApiError { warnings: self.deprecation(error.warnings), ..error })
    }

    async fn answered(&self) -> Result<Answer, ApiError> {
        let a = &self.attributes;
        let sub = a.subresource.as_str();
        if containers::PARTS.contains(&sub) {
            return containers::answer(self).await;
        }
        if self.resource.traits.review || matches!(sub, "token" | "eviction" | "binding") {
            return special::answer(self).await;
        }
        match a.verb.as_str() {
            "create" if sub.is_empty() => self.create().await,
            "get" if sub == "scale" => scale::read(self).await,
            "get" => self.read().await,
            "list" => self.list().await,
            "update" | "patch" => self.update().await,
            "delete" => self.delete().await,
            "deletecollection" => self.delete_collection().await,
            _ => Err(ApiError::method_not_allowed()),
        }
    }

    /// Where the object of the path is stored.
    pub(crate) fn key(&self, name: &str) -> Key {
        let namespace = if self.resource.namespaced { self.attributes.namespace.as_str() } else { "" };
        Key::new(&self.attributes.target.cluster, namespace, name)
    }

    /// The object of the path, if it is there and the view shows it.
    pub(crate) async fn stored(&self, name: &str) -> Option<Stored> {
        let key = self.key(name);
        let stored = self.state.store.get(&self.resource.storage, &key).await?;
        self.view.shows(&self.resource, &key, &stored).then_some(stored)
    }

    /// 404 about an object.
    pub(crate) fn not_found(&self, name: &str) -> ApiError {
        ApiError::not_found(&self.resource.group, &self.resource.plural, name)
    }

    async fn read(&self) -> Result<Answer, ApiError> {
        let name = &self.attributes.name;
        list::wait_for_version(self).await?;
        let stored = self.stored(name).await.ok_or_else(|| self.not_found(name))?;
        self.show_stored(&stored, 200, Vec::new())
    }

    /// Writes a stored object as the client wants it: as itself it is not read for that.
    pub(crate) fn show_stored(&self, stored: &Stored, code: u16, warnings: Vec<String>) -> Result<Answer, ApiError> {
        if self.format.transform != Transform::None {
            return self.show(self.shown(stored), code, warnings);
        }
        let text = convert::text(&self.resource, &self.api_version, stored);
        Ok(Answer::text(text).with_code(code).with_warnings(self.deprecation(warnings)))
    }

    /// A stored object as this resource shows it.
    pub(crate) fn shown(&self, stored: &Stored) -> Value {
        convert::shown(&self.resource, stored)
    }

    /// Writes one object as the client wants it.
    pub(crate) fn show(&self, object: Value, code: u16, warnings: Vec<String>) -> Result<Answer, ApiError> {
        let value = match self.format.transform {
            Transform::None => object,
            Transform::Table => table::of_object(self, &object)?,
            Transform::Partial => table::partial(&object, self.format.meta_version),
            // The real server takes an object without a type of its own for a list until it looks into it.
            Transform::PartialList if !self.resource.is_built_in() => return Err(ApiError::of(500, "", "content is not a list")),
            Transform::PartialList => {
                let text = "you requested PartialObjectMetadataList, but the requested object is not a list";
                return Err(ApiError::of(406, "NotAcceptable", format!("{text} ({})", self.go_type())));
            }
        };
        Ok(Answer::json(value).with_code(code).with_warnings(self.deprecation(warnings)))
    }

    /// Warnings, with the one about a version on its way out before them.
    fn deprecation(&self, mut warnings: Vec<String>) -> Vec<String> {
        if let Some(text) = self.resource.deprecation() {
            warnings.insert(0, text.to_owned());
        }
        warnings
    }

    fn go_type(&self) -> String {
        format!("*{}.{}", self.resource.version, self.resource.kind)
    }

    /// Success of a deletion.
    pub(crate) fn deleted(&self, object: &Value) -> Value {
        let mut details = json!({"name": object["metadata"]["name"], "kind": self.resource.plural, "uid": object["metadata"]["uid"]});
        if !self.resource.group.is_empty() {
            details["group"] = self.resource.group.clone().into();
        }
        json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details})
    }

    /// Decodes the body of a create or replace; warnings or the refusal of unknown and repeated fields included.
    pub(crate) fn decode_body(&self, validation: FieldValidation) -> Result<(Value, Vec<String>), ApiError> {
        let content_type = media::content_type(&self.headers);
        let decoded = decode::object(&self.resource, content_type, &self.body)?;
        self.decode_typed(decoded, validation)
    }

    /// Checks what a decoded object says it is, prunes it, and reads its metadata.
    pub(crate) fn decode_typed(&self, decoded: Decoded, validation: FieldValidation) -> Result<(Value, Vec<String>), ApiError> {
        let Decoded { mut value, duplicates } = decoded;
        depth::check(&value)?;
        let expected = self.resource.api_version();
        let said = value["apiVersion"].as_str().unwrap_or_default().to_owned();
        let other_version = !said.is_empty() && said != expected;
        let unknown = if other_version { shape::top_level_fields(&value) } else { shape::prune(&self.resource, &mut value) };
        let problems = decode::problems(&self.resource, media::content_type(&self.headers), &self.body, duplicates, &unknown);
        let mut warnings = Vec::new();
        match validation {
            FieldValidation::Ignore => {}
            FieldValidation::Warn => warnings = problems,
            FieldValidation::Strict if problems.is_empty() => {}
            FieldValidation::Strict => {
                // A value that cannot be read as its type is told alone.
                let mut read = if other_version { json!({}) } else { value.clone() };
                builtin::decode_metadata(&self.resource, &mut read)?;
                if self.resource.is_built_in() {
                    builtin::decode(&self.resource, &mut read)?;
                }
                let yaml =
                    if problems.iter().any(|problem| problem.ends_with("already set in map")) { "yaml: unmarshal errors:\n  " } else { "" };
                let said = format!("{}strict decoding error: {yaml}{}", self.cannot_be_handled(), problems.join(", "));
                return Err(ApiError::bad_request(said));
            }
        }
        if other_version && self.resource.is_built_in() && !self.is_known_version(&value) {
            let (own, kind) = (&self.resource.kind, value["kind"].as_str().unwrap_or(&self.resource.kind));
            let version = said.rsplit('/').next().unwrap_or_default();
            let why = format!("no kind {kind:?} is registered for version {said:?} in scheme \"pkg/runtime/scheme.go:111\"");
            let text = format!("{kind} in version {version:?} cannot be handled as a {own}: {why}");
            return Err(ApiError::bad_request(text).with_warnings(warnings));
        }
        if other_version {
            let text = format!("the API version in the data ({said}) does not match the expected API version ({expected})");
            return Err(ApiError::bad_request(text).with_warnings(warnings));
        }
        let kind = value["kind"].as_str().unwrap_or_default();
        if kind != self.resource.kind && !kind.is_empty() && self.resource.is_built_in() {
            let (own, version) = (&self.resource.kind, &self.resource.version);
            let group = self.resource.group.split('.').next().filter(|group| !group.is_empty()).unwrap_or("core");
            let why = format!("converting ({version}.{kind}) to ({group}.{own}): unknown conversion");
            return Err(ApiError::bad_request(format!("{kind} in version \"{version}\" cannot be handled as a {own}: {why}")));
        }
        if value["kind"].as_str().unwrap_or_default().is_empty() {
            value["kind"] = self.resource.kind.clone().into();
        }
        if said.is_empty() {
            value["apiVersion"] = expected.into();
        }
        builtin::decode_metadata(&self.resource, &mut value).map_err(|error| error.with_warnings(warnings.clone()))?;
        metadata::normalise(&mut value);
        Ok((value, warnings))
    }

    /// Like [`Call::decode_typed`], for the result of a patch: errors name the field `patch` and quote the text that `shown` returns.
    pub(crate) fn decode_patched(
        &self,
        decoded: Decoded,
        validation: FieldValidation,
        shown: impl FnOnce() -> String,
    ) -> Result<(Value, Vec<String>), ApiError> {
        depth::check(&decoded.value)?;
        let said = |field: &str| decoded.value[field].as_str().unwrap_or_default().to_owned();
        let (api_version, expected) = (said("apiVersion"), self.resource.api_version());
        if !self.resource.is_built_in() && api_version != expected {
            let group = api_version.split_once('/').map_or("", |(group, _)| group);
            let cause = Cause::invalid("apiVersion", &decoded.value["apiVersion"], &format!("must be {expected}"));
            return Err(ApiError::invalid(group, &said("kind"), &self.attributes.name, [cause]));
        }
        self.decode_typed(decoded, validation).map_err(|error| self.told_in_patch(error, shown))
    }

    /// The error about a patched object that cannot be read, told on the field `patch`; other errors stay.
    pub(crate) fn told_in_patch(&self, error: ApiError, patched: impl FnOnce() -> String) -> ApiError {
        if error.code != 400 {
            return error;
        }
        let why = error.message.strip_prefix(&self.cannot_be_handled()).unwrap_or(&error.message);
        let read_from_map = patching::strategic_text(self).and_then(|_| crate::patch::misfit(why));
        update::in_patch(&patched(), read_from_map.as_deref().unwrap_or(why))
    }

    /// Whether there is a built-in kind of the version that an object says it has. Older versions of what is served are known still.
    fn is_known_version(&self, object: &Value) -> bool {
        let said = |field: &str| object[field].as_str().unwrap_or_default();
        let (group, version) = said("apiVersion").split_once('/').unwrap_or(("", said("apiVersion")));
        let older = version.contains("alpha") || version.contains("beta");
        crate::registry::builtin::kubernetes()
            .iter()
            .any(|known| known.group == group && known.kind == said("kind") && (older || known.version == version))
    }

    /// What the API server puts before the reason why a body cannot be read.
    fn cannot_be_handled(&self) -> String {
        let (kind, version) = (&self.resource.kind, &self.resource.version);
        format!("{kind} in version \"{version}\" cannot be handled as a {kind}: ")
    }

    /// What follows a write of some kinds before it is answered.
    pub(crate) async fn after_write(&self, key: &Key) {
        if self.resource.storage == *crate::registry::DEFINITIONS && self.attributes.subresource.is_empty() {
            // The controllers do so, too; whoever has the answer finds the definition served. Storage that fails has said so.
            let _ = crate::definitions::settle(&self.state, key);
            self.state.store.settle(self.state.store.revision()).await;
        }
    }

    /// Stores an object (or removes it, with none) if its revision is still the expected one.
    pub(crate) async fn store(&self, key: &Key, expected: u64, object: Option<Value>) -> Result<Option<Stored>, ApiError> {
        self.store_within(key, expected, object, &[]).await
    }

    /// As [`Call::store`], if quotas have room for it.
    pub(crate) async fn store_within(
        &self,
        key: &Key,
        expected: u64,
        object: Option<Value>,
        quotas: &[quota::Limit],
    ) -> Result<Option<Stored>, ApiError> {
        let object = object.map(|object| convert::stored(&self.resource, object));
        // What is marked as deleted goes, however large it is.
        let bytes = (self.attributes.verb != "delete" && self.attributes.verb != "deletecollection").then_some(limits::OBJECT_BYTES);
        let limits = Limits { bytes, counts: quotas.iter().map(|quota| quota.count.clone()).collect() };
        match self.state.store.write_within(&self.resource.storage, key, expected, object, &limits).await {
            Ok(stored) => Ok(Some(stored)),
            Err(WriteError::Changed) => Ok(None),
            Err(WriteError::TooLarge(_)) => Err(limits::too_large(format_args!("limit is {}", limits::OBJECT_BYTES))),
            Err(WriteError::Full(number)) => Err(match quotas.get(number) {
                Some(quota) => {
                    quota.refusal(&self.state, &Attributes { name: key.name.to_string(), ..self.attributes.clone() }, &self.resource)
                }
                None => ApiError::internal("a limit that nobody set"),
            }),
            Err(error @ WriteError::Disk(_)) => Err(ApiError::internal(error)),
        }
    }
}
