//! DELETE, on an object and on a collection.
//! Source: apiserver `endpoints/handlers/delete.go`, `registry/rest/delete.go`.

mod grace;

use serde_json::Value;

use super::{Call, decode, metadata, options::DeleteOptions};
use crate::{
    access::{self, Admission},
    clock,
    garbage::Dependants,
    http::answer::Answer,
    namespaces,
    request::Operation,
    status::ApiError,
    store::{Key, Stored},
};

/// Built-in kinds that answer a deletion with the object.
const ANSWERED: [&str; 9] = [
    "namespaces",
    "persistentvolumeclaims",
    "persistentvolumes",
    "pods",
    "podtemplates",
    "resourcequotas",
    "serviceaccounts",
    "services",
    "storageclasses",
];

/// What became of an object.
enum Deleted {
    /// It is gone; its last state.
    Gone(Value),
    /// It stays until its finalizers are gone.
    Marked(Value),
}

impl Call {
    pub(super) async fn delete(&self) -> Result<Answer, ApiError> {
        let (options, warnings) = self.with_default(self.delete_options()?);
        let name = &self.attributes.name;
        for _ in 0..super::ATTEMPTS {
            let stored = self.stored(name).await.ok_or_else(|| self.not_found(name))?;
            match self.delete_stored(&self.key(name), &stored, &options).await? {
                Some(Deleted::Gone(object)) if self.answers_with_object() => return self.show(object, 200, warnings),
                Some(Deleted::Gone(object)) => return Ok(Answer::json(self.deleted(&object)).with_warnings(warnings)),
                Some(Deleted::Marked(object)) => return self.show(object, 200, warnings),
                None => {}
            }
        }
        Err(ApiError::stale(&self.resource.group, &self.resource.plural, name))
    }

    /// Jobs leave their pods behind where nothing else is said (kubernetes `pkg/registry/batch/job`, `DefaultGarbageCollectionPolicy`).
    fn with_default(&self, options: DeleteOptions) -> (DeleteOptions, Vec<String>) {
        if options.dependants != Dependants::Unsaid || self.resource.plural != "jobs" || self.resource.group != "batch" {
            return (options, Vec::new());
        }
        let warning = "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning";
        (DeleteOptions { dependants: Dependants::Stay, ..options }, vec![warning.to_owned()])
    }

    fn answers_with_object(&self) -> bool {
        let group = self.resource.group.as_str();
        self.resource.is_built_in() && ["", "storage.k8s.io"].contains(&group) && ANSWERED.contains(&self.resource.plural.as_str())
    }

    pub(super) async fn delete_collection(&self) -> Result<Answer, ApiError> {
        let (options, _) = self.with_default(self.delete_options()?);
        let page = self.page().await?;
        let items = page.items.clone();
        let answer = self.show_page(page)?;
        for (key, stored) in &items {
            let mut current = Some(stored.clone());
            while let Some(stored) = current {
                match self.delete_stored(key, &stored, &options).await? {
                    Some(_) => break,
                    None => current = self.state.store.get(&self.resource.storage, key).await,
                }
            }
        }
        Ok(answer)
    }

    fn delete_options(&self) -> Result<DeleteOptions, ApiError> {
        if self.body.iter().all(u8::is_ascii_whitespace) {
            return DeleteOptions::parse(&self.query, None);
        }
        let body = decode::untyped(&self.headers, &self.body, "v1", "DeleteOptions")?.value;
        DeleteOptions::parse(&self.query, Some(&body))
    }

    /// Deletes or marks one object; none if it changed meanwhile.
    async fn delete_stored(&self, key: &Key, stored: &Stored, options: &DeleteOptions) -> Result<Option<Deleted>, ApiError> {
        let old = self.shown(stored);
        self.check_preconditions(&old, options)?;
        namespaces::check_deletion(&self.resource.storage, &key.name)?;
        let mut attributes = self.attributes.clone();
        attributes.name = key.name.to_string();
        attributes.namespace = if attributes.resource == "namespaces" { key.name.to_string() } else { key.namespace.to_string() };
        let admission = Admission {
            attributes: &attributes,
            resource: &self.resource,
            operation: Operation::Delete,
            old: Some(&old),
            dry_run: options.dry_run,
        };
        access::validate(&self.state, &admission, None)?;
        let now = self.state.clock.now();
        let mut marked = crate::deletion::marked(&self.resource.storage, &old, &clock::seconds(now), options.dependants);
        let graceful = self.resource.plural == "pods" && self.resource.group.is_empty();
        if graceful {
            grace::grant(&old, &mut marked, options.grace, now);
        }
        if metadata::may_go(&marked) {
            if options.dry_run {
                return Ok(Some(if graceful { Deleted::Marked(marked) } else { Deleted::Gone(old) }));
            }
            let mut last = stored.clone();
            // A pod is marked before it goes, and answered as such, even when it has no time left.
            if graceful && marked != old {
                let Some(written) = self.store(key, stored.revision, Some(marked)).await? else { return Ok(None) };
                last = written;
            }
            let Some(gone) = self.store(key, last.revision, None).await? else { return Ok(None) };
            self.after_write(key).await;
            return Ok(Some(if graceful { Deleted::Marked(self.shown(&last)) } else { Deleted::Gone(self.shown(&gone)) }));
        }
        if options.dry_run || marked == old {
            return Ok(Some(Deleted::Marked(marked)));
        }
        let Some(written) = self.store(key, stored.revision, Some(marked)).await? else { return Ok(None) };
        let shown = self.shown(&written);
        self.after_write(key).await;
        Ok(Some(Deleted::Marked(shown)))
    }

    fn check_preconditions(&self, old: &Value, options: &DeleteOptions) -> Result<(), ApiError> {
        let (group, resource) = (&self.resource.group, &self.resource.kind);
        let name = metadata::text(old, "name");
        let own = metadata::text(old, "uid");
        if let Some(uid) = options.uid.as_deref().filter(|uid| *uid != own && self.resource.storage == *namespaces::NAMESPACES) {
            let why = format!("Precondition failed: UID in precondition: {uid}, UID in object meta: {own}");
            return Err(ApiError::conflict(group, &self.resource.plural, name, &why));
        }
        if let Some(uid) = options.uid.as_deref().filter(|uid| *uid != own) {
            let why = format!(
                "the UID in the precondition ({uid}) does not match the UID in record ({own}). The object might have been deleted and then recreated"
            );
            return Err(ApiError::conflict(group, resource, name, &why));
        }
        let own = metadata::text(old, "resourceVersion");
        if let Some(version) = options.version.as_deref().filter(|version| *version != own) {
            let why = format!(
                "the ResourceVersion in the precondition ({version}) does not match the ResourceVersion in record ({own}). The object might have been modified"
            );
            return Err(ApiError::conflict(group, resource, name, &why));
        }
        Ok(())
    }
}
