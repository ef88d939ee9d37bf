//! PUT and PATCH, on the object and on its `status` and `scale`.
//! Source: apiserver `endpoints/handlers/{update,patch}.go`, `registry/rest/update.go`.

use serde_json::{Value, json};

use super::{Call, metadata, options::WriteOptions, patching, scale, shape};
use crate::{
    access::{self, Admission},
    apply, builtin, definitions,
    http::{answer::Answer, media},
    namespaces::NAMESPACES,
    registry::DEFINITIONS,
    request::{Attributes, Operation},
    status::{ApiError, Cause},
    store::Stored,
};

/// What a request makes of the current state.
struct Proposal {
    /// The new state, as the client wants it.
    object: Value,
    warnings: Vec<String>,
    /// Whether the result is that of an apply, whose `managedFields` are settled already.
    applied: bool,
    /// Whether it is the result of a patch other than an apply. Errors about its form then quote the patched object.
    patched: bool,
}

impl Call {
    pub(super) async fn update(&self) -> Result<Answer, ApiError> {
        let name = &self.attributes.name;
        if name.is_empty() {
            return Err(ApiError::bad_request("name must be provided"));
        }
        let patch = self.attributes.verb == "patch";
        if patch {
            patching::check_patch_type(self)?;
        }
        let options = WriteOptions::parse(&self.query, &self.headers, if patch { "PatchOptions" } else { "UpdateOptions" })?;
        let apply = patch && media::content_type(&self.headers).starts_with("application/apply-patch");
        if patch {
            patching::check_options(apply, &options)?;
        }
        for _ in 0..super::ATTEMPTS {
            let Some(stored) = self.stored(name).await else {
                if apply && self.attributes.subresource.is_empty() {
                    return self.apply_new(&options).await;
                }
                if !patch && self.resource.traits.create_on_update && self.attributes.subresource.is_empty() {
                    return self.put_new(&options).await;
                }
                return Err(self.not_found(name));
            };
            if let Some(answer) = self.try_update(&stored, &options).await? {
                return Ok(answer);
            }
        }
        Err(ApiError::stale(&self.resource.group, &self.resource.plural, name))
    }

    /// A PUT of some kinds creates what is not there.
    async fn put_new(&self, options: &WriteOptions) -> Result<Answer, ApiError> {
        let (mut object, warnings) = self.decode_body(options.validation)?;
        self.check_may_create()?;
        self.check_new_identity(&mut object)?;
        let (created, more) = self.create_object(object, options, false).await?;
        self.show_created(created, 201, [warnings, more].concat())
    }

    /// An apply on an object that is not there creates it.
    async fn apply_new(&self, options: &WriteOptions) -> Result<Answer, ApiError> {
        let (mut object, warnings) = patching::applied(self, None, options)?;
        self.check_may_create()?;
        self.check_new_identity(&mut object)?;
        if let Some(fields) = object.as_object_mut() {
            fields.remove("status");
        }
        let (created, more) = self.create_object(object, options, !self.forwards()).await?;
        // A virtual workspace does not tell creation from change.
        let code = if self.forwards() { 200 } else { 201 };
        self.show_created(created, code, [warnings, more].concat())
    }

    /// A write that creates takes the right to create, too.
    fn check_may_create(&self) -> Result<(), ApiError> {
        access::authorize(&self.state, &Attributes { verb: "create".into(), ..self.attributes.clone() })
    }

    /// An apply that names a uid is about an object that is there; the version of one that is not means nothing.
    fn check_new_identity(&self, object: &mut Value) -> Result<(), ApiError> {
        let (resource, name) = (&self.resource, &self.attributes.name);
        match metadata::text(object, "uid") {
            "" => {}
            uid => {
                let why = format!("uid mismatch: the provided object specified uid {uid}, and no existing object was found");
                return Err(ApiError::conflict(&resource.group, &resource.plural, name, &why));
            }
        }
        metadata::of(object).remove("resourceVersion");
        Ok(())
    }

    /// One attempt; none if the object changed meanwhile.
    async fn try_update(&self, stored: &Stored, options: &WriteOptions) -> Result<Option<Answer>, ApiError> {
        let (resource, state, name) = (&self.resource, &self.state, &self.attributes.name);
        let old = self.shown(stored);
        let proposal = self.propose(&old, options)?;
        let Proposal { mut object, warnings, applied, patched } = proposal;
        let fail = |error: ApiError| error.with_warnings(warnings.clone());
        self.check_identity(&old, &object).map_err(fail)?;
        metadata::check_place(resource, &self.attributes.namespace, &mut object)?;
        metadata::carry_over(&old, &mut object);
        let sub = self.attributes.subresource.as_str();
        // By what a namespace is said to be held is noted, though it is not written here.
        let said = (sub.is_empty() && resource.storage == *NAMESPACES).then(|| object.clone());
        limit_to_part(self, &old, &mut object);
        shape::default(resource, &mut object, applied);
        let admission =
            Admission { attributes: &self.attributes, resource, operation: Operation::Update, old: Some(&old), dry_run: options.dry_run };
        access::complete(state, &admission, &mut object).map_err(fail)?;
        access::mutate(state, &admission, &mut object).map_err(fail)?;
        limit_to_part(self, &old, &mut object);
        let shaped = self.shape_and_validate(&mut object, Some(&old), options.dry_run);
        let explained = |error| if patched { self.told_in_patch(error, || self.patched_text(&old)) } else { error };
        let mut causes = shaped.map_err(explained)?;
        // The real server checks these twice, and says it twice.
        for cause in metadata::deletion_faults(&old, &object).into_iter().chain(metadata::new_finalizers(&old, &object)) {
            causes.extend([cause.clone(), cause]);
        }
        if object["kind"] != resource.kind.as_str() {
            let kind = object["kind"].as_str().unwrap_or_default().to_owned();
            let cause = Cause::invalid("kind", &object["kind"], &format!("must be {}", resource.kind));
            return Err(ApiError::invalid(&resource.storage.group, &kind, name, [cause]));
        }
        if !causes.is_empty() {
            return Err(fail(ApiError::invalid(&resource.storage.group, &resource.kind, name, causes)));
        }
        if sub != "status" && !shape::same_spec(resource, &old, &object) {
            metadata::raise_generation(&mut object);
        }
        let mut more = builtin::warnings(resource, sub, &object, Some(&old));
        more.extend(access::validate(state, &admission, Some(&object)).map_err(fail)?);
        if resource.storage == *DEFINITIONS {
            more.extend(definitions::warnings(&object, Some(&old)));
        }
        more.extend(metadata::repeated_owners(&object));
        metadata::drop_repeated_owners(&mut object);
        // Who scales owns the number alone, which `scale` has settled.
        if !applied && sub != "scale" {
            self.track_said(Some(&old), said, &mut object, options);
        }
        metadata::normalise(&mut object);
        apply::keep_times(&old, &mut object);
        let warnings = [warnings, more].concat();
        let shown = |object: Value| if sub == "scale" { scale::of(self, &object) } else { object };
        if old == object && !metadata::may_go(&object) {
            return self.show(shown(old), 200, warnings).map(Some);
        }
        if options.dry_run {
            return self.show(shown(object), 200, warnings).map(Some);
        }
        let key = self.key(name);
        if metadata::may_go(&object) {
            // What removes the last finalizer removes the object, and is answered with the state that nobody can read any more.
            if self.store(&key, stored.revision, None).await?.is_none() {
                return Ok(None);
            }
            self.after_write(&key).await;
            return self.show(shown(object), 200, warnings).map(Some);
        }
        let Some(written) = self.store(&key, stored.revision, Some(object)).await? else { return Ok(None) };
        let answer =
            if sub == "scale" { self.show(shown(self.shown(&written)), 200, warnings) } else { self.show_stored(&written, 200, warnings) };
        self.after_write(&key).await;
        answer.map(Some)
    }

    /// The state that the request asks for.
    fn propose(&self, old: &Value, options: &WriteOptions) -> Result<Proposal, ApiError> {
        if self.attributes.subresource == "scale" {
            let (object, warnings) = scale::propose(self, old, options)?;
            return Ok(Proposal { object, warnings, applied: false, patched: false });
        }
        if self.attributes.verb == "update" {
            let (object, warnings) = self.decode_body(options.validation)?;
            return Ok(Proposal { object, warnings, applied: false, patched: false });
        }
        if media::content_type(&self.headers).starts_with("application/apply-patch") {
            let (object, warnings) = patching::applied(self, Some(old), options)?;
            return Ok(Proposal { object, warnings, applied: !self.forwards(), patched: false });
        }
        let decoded = patching::patched(self, old)?;
        if !self.resource.is_built_in() && decoded.value["kind"].as_str().is_none_or(str::is_empty) {
            let shown = self.patched_text(old);
            return Err(in_patch(&shown, &format!("Object 'Kind' is missing in '{shown}'")));
        }
        if !decoded.value["metadata"]["name"].is_string() {
            return Err(unnamed(&self.attributes.name));
        }
        let (object, warnings) = self.decode_patched(decoded, options.validation, || self.patched_text(old))?;
        Ok(Proposal { object, warnings, applied: false, patched: true })
    }

    /// The text that errors about a patched object quote: the patch itself if it is strategic, otherwise the result. The result was
    /// modified since, so the patch is applied again; only errors pay for that.
    fn patched_text(&self, old: &Value) -> String {
        patching::strategic_text(self).unwrap_or_else(|| {
            let patched = patching::patched(self, old).map(|decoded| decoded.value).unwrap_or_default();
            match self.resource.is_built_in() {
                true => patching::patched_text(self, &self.api_version, &self.resource.kind, &patched),
                false => patched.to_string(),
            }
        })
    }

    /// Name, uid and version that the request names must be those of the object.
    fn check_identity(&self, old: &Value, new: &Value) -> Result<(), ApiError> {
        let (resource, name) = (&self.resource, &self.attributes.name);
        let said = metadata::text(new, "name");
        if said.is_empty() && self.attributes.verb != "patch" {
            return Err(unnamed(name));
        }
        if said != name && !said.is_empty() {
            let text = format!("the name of the object ({said}) does not match the name on the URL ({name})");
            return Err(ApiError::bad_request(text));
        }
        // A patch of a custom resource's status brings no metadata, so that its uid is looked at by nobody.
        let unread = self.attributes.verb == "patch" && self.attributes.subresource == "status" && !resource.is_built_in();
        let uid = if unread { "" } else { metadata::text(new, "uid") };
        let own = metadata::text(old, "uid");
        if !uid.is_empty() && uid != own && self.attributes.verb == "patch" {
            let cause = Cause::invalid("metadata.uid", &uid.into(), "field is immutable");
            // The real server checks this twice, and says it twice.
            let causes = [cause.clone(), cause];
            return Err(ApiError::invalid(&resource.group, &resource.kind, name, causes));
        }
        if !uid.is_empty() && uid != own {
            let place = [&*resource.group, &*resource.plural, &*self.attributes.namespace, name];
            let place: Vec<&str> = place.into_iter().filter(|part| !part.is_empty()).collect();
            let why = format!(
                "StorageError: invalid object, Code: 4, Key: /registry/{}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: {uid}, UID in object meta: {own}",
                place.join("/")
            );
            return Err(ApiError::conflict(&resource.group, &resource.plural, name, &why));
        }
        let version = metadata::text(new, "resourceVersion");
        if !version.is_empty() && version.parse::<u64>().is_err() {
            return Err(ApiError::of(500, "", format!("strconv.ParseUint: parsing {version:?}: invalid syntax")));
        }
        let free = resource.traits.unconditional_update || self.attributes.subresource == "scale";
        if (version.is_empty() || version == "0") && !free {
            let cause = Cause::invalid("metadata.resourceVersion", &json!(0), "must be specified for an update");
            return Err(ApiError::invalid(&resource.group, &resource.plural, name, [cause]));
        }
        if !version.is_empty() && version != "0" && version != metadata::text(old, "resourceVersion") {
            return Err(ApiError::stale(&resource.group, &resource.plural, name));
        }
        Ok(())
    }
}

/// What is wrong with a patched object is told on the field `patch`, with the object as it would have been.
pub(super) fn in_patch(patched: &str, why: &str) -> ApiError {
    ApiError::invalid("", "", "", [Cause::invalid("patch", &Value::from(patched), why)])
}

/// A replacement that does not say of which object it is.
pub(super) fn unnamed(name: &str) -> ApiError {
    ApiError::bad_request(format!("the name of the object ({name} based on URL) was undeterminable: name must be provided"))
}

/// Takes from the old state what this path does not write: status from the main path, all else from `/status`.
fn limit_to_part(call: &Call, old: &Value, object: &mut Value) {
    let sub = call.attributes.subresource.as_str();
    let part = |object: &Value, name: &str| object.get(name).cloned();
    let set = |object: &mut Value, name: &str, value: Option<Value>| {
        if let Some(fields) = object.as_object_mut() {
            match value {
                Some(value) => fields.insert(name.to_owned(), value),
                None => fields.remove(name),
            };
        }
    };
    match sub {
        "status" => {
            let managed = object.get_mut("metadata").and_then(|metadata| metadata.get_mut("managedFields")).map(Value::take);
            if let (Some(fields), Some(kept)) = (object.as_object_mut(), old.as_object()) {
                fields.retain(|name, _| name == "status" || kept.contains_key(name));
                for (name, value) in kept.iter().filter(|(name, _)| *name != "status") {
                    // Usually equal, so usually nothing is copied.
                    if fields.get(name) != Some(value) {
                        fields.insert(name.clone(), value.clone());
                    }
                }
            }
            if let Some(managed) = managed {
                metadata::of(object).insert("managedFields".into(), managed);
            }
        }
        // All but the status of a namespace is written with its finalizers; elsewhere those are not.
        "finalize" => {
            set(object, "status", part(old, "status"));
            if object["spec"]["finalizers"].as_array().is_none_or(Vec::is_empty) {
                set(object, "spec", Some(json!({})));
            }
        }
        "" if call.resource.storage == *NAMESPACES => {
            set(object, "spec", part(old, "spec"));
            set(object, "status", part(old, "status"));
        }
        "" if shape::has_status(&call.resource) => {
            let status = part(old, "status");
            set(object, "status", status);
        }
        _ => {}
    }
}
