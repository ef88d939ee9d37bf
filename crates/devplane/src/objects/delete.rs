//! DELETE, on an object and on a collection.

use serde_json::Value;

use super::{Call, decode, metadata, options::DeleteOptions};
use crate::{
    access::{self, Admission},
    clock,
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
        let options = self.delete_options()?;
        let name = &self.attributes.name;
        for _ in 0..super::ATTEMPTS {
            let stored = self.stored(name).await.ok_or_else(|| self.not_found(name))?;
            match self.delete_stored(&self.key(name), &stored, &options).await? {
                Some(Deleted::Gone(object)) if self.answers_with_object() => return self.show(object, 200, Vec::new()),
                Some(Deleted::Gone(object)) => return Ok(Answer::json(self.deleted(&object))),
                Some(Deleted::Marked(object)) => return self.show(object, 200, Vec::new()),
                None => {}
            }
        }
        Err(ApiError::stale(&self.resource.group, &self.resource.plural, name))
    }

    fn answers_with_object(&self) -> bool {
        let group = self.resource.group.as_str();
        self.resource.is_built_in() && ["", "storage.k8s.io"].contains(&group) && ANSWERED.contains(&self.resource.plural.as_str())
    }

    pub(super) async fn delete_collection(&self) -> Result<Answer, ApiError> {
        let options = self.delete_options()?;
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
        let body = decode::untyped(&self.headers, &self.body, "v1", "DeleteOptions")?;
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
        let now = clock::seconds(self.state.clock.now());
        let marked = crate::deletion::marked(&self.resource.storage, &old, &now, options.finalizer);
        if metadata::may_go(&marked) {
            // Pods are deleted with a time of grace, and answered as such even when there is none left.
            let graceful = self.resource.plural == "pods" && self.resource.group.is_empty();
            if options.dry_run {
                return Ok(Some(if graceful { Deleted::Marked(marked) } else { Deleted::Gone(old) }));
            }
            let Some(gone) = self.store(key, stored.revision, None).await? else { return Ok(None) };
            self.after_write(key, &gone).await;
            return Ok(Some(if graceful { Deleted::Marked(marked) } else { Deleted::Gone(self.shown(&gone)) }));
        }
        if options.dry_run || marked == old {
            return Ok(Some(Deleted::Marked(marked)));
        }
        let Some(written) = self.store(key, stored.revision, Some(marked)).await? else { return Ok(None) };
        let shown = self.shown(&written);
        self.after_write(key, &written).await;
        Ok(Some(Deleted::Marked(shown)))
    }

    fn check_preconditions(&self, old: &Value, options: &DeleteOptions) -> Result<(), ApiError> {
        let (group, resource) = (&self.resource.group, &self.resource.kind);
        let name = metadata::text(old, "name");
        let own = metadata::text(old, "uid");
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
