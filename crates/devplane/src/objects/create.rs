//! POST on a collection.
//! Source: apiserver `endpoints/handlers/create.go`, `registry/rest/create.go`.

use serde_json::Value;

use super::{Call, convert, metadata, options::WriteOptions, shape};
use crate::{
    access::{self, Admission},
    builtin, definitions, deletion,
    http::answer::Answer,
    namespaces, quota, random,
    registry::{DEFINITIONS, is_given},
    request::Operation,
    status::{ApiError, Cause},
    store::{Key, Stored},
};

/// What a creation came to.
pub(super) enum Created {
    /// An object.
    Stored(Stored),
    /// What would have been stored, had it not been a dry run.
    Tried(Value),
}

impl Call {
    pub(super) async fn create(&self) -> Result<Answer, ApiError> {
        let options = WriteOptions::parse(&self.query, &self.headers, "CreateOptions")?;
        let (object, warnings) = self.decode_body(options.validation)?;
        let (created, more) = self.create_object(object, &options, false).await.map_err(|error| error.with_warnings(warnings.clone()))?;
        self.show_created(created, 201, [warnings, more].concat())
    }

    /// Writes a new object as the client wants it.
    pub(super) fn show_created(&self, created: Created, code: u16, warnings: Vec<String>) -> Result<Answer, ApiError> {
        match created {
            Created::Stored(stored) => self.show_stored(&stored, code, warnings),
            Created::Tried(object) => self.show(object, code, warnings),
        }
    }

    /// Creates a decoded object; further warnings come back with it. The `managedFields` of an applied object are
    /// settled already.
    pub(super) async fn create_object(
        &self,
        mut object: Value,
        options: &WriteOptions,
        applied: bool,
    ) -> Result<(Created, Vec<String>), ApiError> {
        let resource = &self.resource;
        metadata::check_place(resource, &self.attributes.namespace, &mut object)?;
        if !metadata::text(&object, "resourceVersion").is_empty() {
            return Err(ApiError::of(500, "", "resourceVersion should not be set on objects to be created"));
        }
        let name = metadata::text(&object, "name").to_owned();
        if !self.attributes.name.is_empty() && name.is_empty() && applied {
            return Err(super::update::unnamed(&self.attributes.name));
        }
        if !self.attributes.name.is_empty() && name != self.attributes.name {
            let text = format!("the name of the object ({name}) does not match the name on the URL ({})", self.attributes.name);
            return Err(ApiError::bad_request(text));
        }
        let generated = name.is_empty().then(|| metadata::text(&object, "generateName").to_owned()).filter(|prefix| !prefix.is_empty());
        if resource.namespaced {
            // What gets its name later is told by the beginning of it.
            let told = if name.is_empty() { metadata::text(&object, "generateName") } else { &name };
            namespaces::check_open(self, told).await?;
        }
        let Some(prefix) = generated else { return self.try_create(object, options, applied).await };
        for attempt in 1.. {
            let mut object = object.clone();
            let name = format!("{prefix}{}", random::name_suffix(&*self.state.random));
            metadata::of(&mut object).insert("name".into(), name.into());
            match self.try_create(object, options, applied).await {
                // The generated name was taken: another one.
                Err(error) if error.reason == "AlreadyExists" && attempt < super::ATTEMPTS => {}
                done => return done,
            }
        }
        Err(ApiError::internal("no free name was found"))
    }

    async fn try_create(&self, mut object: Value, options: &WriteOptions, applied: bool) -> Result<(Created, Vec<String>), ApiError> {
        let (resource, state) = (&self.resource, &self.state);
        let name = metadata::text(&object, "name").to_owned();
        let mut attributes = self.attributes.clone();
        attributes.name = name.clone();
        let admission = Admission { attributes: &attributes, resource, operation: Operation::Create, old: None, dry_run: options.dry_run };
        // Nodes come with the status that they found themselves in.
        if shape::has_status(resource)
            && (resource.plural != "nodes" || !resource.is_built_in())
            && let Some(fields) = object.as_object_mut()
        {
            fields.remove("status");
        }
        self.check_definition(&name)?;
        shape::default(resource, &mut object, applied);
        access::complete(state, &admission, &mut object)?;
        let said = (!applied && resource.is_built_in()).then(|| object.clone());
        access::mutate(state, &admission, &mut object)?;
        self.view.stamp(resource, &mut object, &self.attributes.target.cluster);
        metadata::fill_new(state, resource, &mut object);
        let causes = self.shape_and_validate(&mut object, None, options.dry_run)?;
        if object["kind"] != resource.kind.as_str() {
            let kind = object["kind"].as_str().unwrap_or_default().to_owned();
            let cause = Cause::invalid("kind", &object["kind"], &format!("must be {}", resource.kind));
            return Err(ApiError::invalid(&resource.storage.group, &kind, &name, [cause]));
        }
        if !causes.is_empty() {
            return Err(ApiError::invalid(&resource.storage.group, &resource.kind, &name, causes));
        }
        let mut warnings = builtin::warnings(resource, "", &object, None);
        let of_policies = access::validate(state, &admission, Some(&object)).map_err(|error| error.with_warnings(warnings.clone()))?;
        warnings.extend(of_policies);
        if resource.storage == *DEFINITIONS {
            warnings.extend(definitions::warnings(&object, None));
        }
        warnings.extend(metadata::repeated_owners(&object));
        metadata::drop_repeated_owners(&mut object);
        // What an apply creates is owned as the apply says; what admission added to it is nobody's.
        if !applied {
            self.track_said(None, said, &mut object, options);
        }
        let key = self.key(&name);
        let quotas = quota::limits(state, &admission);
        let taken = || ApiError::already_exists(&resource.group, &resource.plural, &name);
        if options.dry_run {
            return match self.stored(&name).await {
                Some(_) => Err(taken()),
                None => Ok((Created::Tried(object), warnings)),
            };
        }
        let Some(stored) = self.store_within(&key, 0, Some(object), &quotas).await? else {
            let leaving =
                state.store.peek(&resource.storage, &key).is_some_and(|other| !other.object()["metadata"]["deletionTimestamp"].is_null());
            let taken = taken();
            return Err(if leaving { ApiError { message: format!("object is being deleted: {}", taken.message), ..taken } } else { taken });
        };
        self.after_write(&key).await;
        Ok((Created::Stored(stored), warnings))
    }

    /// A definition that goes takes no new objects (apiextensions-apiserver `pkg/apiserver/customresource_handler.go`).
    fn check_definition(&self, name: &str) -> Result<(), ApiError> {
        let resource = &self.resource;
        if resource.is_built_in() {
            return Ok(());
        }
        let key = Key::new(&self.attributes.target.cluster, "", &format!("{}.{}", resource.plural, resource.group));
        match self.state.store.peek(&DEFINITIONS, &key) {
            Some(definition)
                if deletion::is_marked(&definition) && !is_given(&self.state, &self.attributes.target.cluster, &resource.storage) =>
            {
                let why = "create not allowed while custom resource definition is terminating";
                Err(ApiError::forbidden(&resource.group, &resource.plural, name, why))
            }
            _ => Ok(()),
        }
    }

    /// Notes who set what: what was said and what it defaults to, not what the server decided on top of it, such as addresses.
    pub(super) fn track_said(&self, old: Option<&Value>, said: Option<Value>, object: &mut Value, options: &WriteOptions) {
        match said.map(|mut said| builtin::decode(&self.resource, &mut said).map(|()| said)) {
            Some(Ok(mut said)) => {
                self.track_fields(old, &mut said, options);
                match said["metadata"].get_mut("managedFields") {
                    Some(fields) => drop(metadata::of(object).insert("managedFields".into(), fields.take())),
                    None => drop(metadata::of(object).remove("managedFields")),
                }
            }
            _ => self.track_fields(old, object, options),
        }
    }

    /// Built-in shaping, rules of metadata and schema: all broken rules.
    pub(super) fn shape_and_validate(&self, object: &mut Value, old: Option<&Value>, dry_run: bool) -> Result<Vec<Cause>, ApiError> {
        let mut causes = super::patching::shape_builtin(self, object, old, dry_run)?;
        causes.extend(metadata::validate(&self.resource, object));
        causes.extend(shape::validate(&self.resource, &self.attributes.subresource, object, old));
        if causes.is_empty() {
            causes.extend(convert::stored_faults(&self.resource, object));
        }
        Ok(causes)
    }
}
