//! Checks and completion of the kinds that the plane acts on itself: roles, workspaces, exports, bindings.
//! Source: kcp `pkg/admission`, kubernetes `pkg/registry/rbac`.

use serde_json::Value;

use super::{Admission, roles::StoredRoles};
use crate::State;
use crate::kinds::{BINDINGS, EXPORTS, LOGICAL_CLUSTERS, SCHEMAS, WORKSPACE_TYPES, WORKSPACES};
use crate::rbac::escalation::{self, Escalation};
use crate::rbac::{self, validation};
use crate::registry::GroupResource;
use crate::request::Operation;
use crate::status::ApiError;
use crate::{admission, bindings, exports, workspaces};

/// Completes a new object before it is validated.
///
/// # Errors
/// Forbidden, when the user may not refer to what the object refers to.
pub fn mutate(state: &State, admission: &Admission<'_>, object: &mut Value) -> Result<(), ApiError> {
    let (attributes, resource) = (admission.attributes, &admission.resource.storage);
    if !attributes.subresource.is_empty() {
        return Ok(());
    }
    let (cluster, user) = (&attributes.target.cluster, &attributes.user);
    if &*resource.group == rbac::GROUP && resource.resource.ends_with("bindings") {
        validation::default_binding(object);
    }
    if &*resource.group == admission::GROUP {
        admission::defaults::fill(&resource.resource, object);
    }
    let outcome = if *resource == *WORKSPACES {
        match admission.old {
            None => workspaces::admission::create(state, cluster, user, object),
            Some(old) => workspaces::admission::update(object, old),
        }
    } else if *resource == *BINDINGS {
        bindings::admission::write(state, cluster, user, object, admission.old)
    } else if *resource == *EXPORTS && admission.old.is_none() {
        // Both are the controller's to write.
        if let Some(fields) = object.as_object_mut() {
            fields.remove("status");
        }
        Ok(())
    } else {
        Ok(())
    };
    outcome.map_err(|why| forbidden(admission, &why))
}

/// Judges an object that is complete and fits its schema.
///
/// # Errors
/// Forbidden or invalid, by the rules of its kind.
pub fn validate(state: &State, admission: &Admission<'_>, object: Option<&Value>) -> Result<(), ApiError> {
    let (attributes, resource) = (admission.attributes, &admission.resource.storage);
    if !attributes.subresource.is_empty() {
        return Ok(());
    }
    let user = &attributes.user;
    if admission.operation == Operation::Delete {
        let refused = *resource == *LOGICAL_CLUSTERS;
        let outcome = admission.old.filter(|_| refused).map_or(Ok(()), workspaces::admission::delete_logical_cluster);
        return outcome.map_err(|why| forbidden(admission, &why));
    }
    let Some(object) = object else { return Ok(()) };
    if &*resource.group == rbac::GROUP {
        return roles(state, admission, resource, object);
    }
    if &*resource.group == admission::GROUP {
        let causes = admission::validation::check(&resource.resource, object);
        return if causes.is_empty() { Ok(()) } else { Err(invalid(admission, causes)) };
    }
    let outcome = if *resource == *WORKSPACE_TYPES {
        workspaces::admission::workspace_type(state, user, object, admission.old)
    } else if *resource == *SCHEMAS {
        exports::admission::schema(object, admission.old)
    } else if *resource == *EXPORTS {
        exports::admission::export(object)
    } else {
        Ok(())
    };
    outcome.map_err(|why| forbidden(admission, &why))
}

/// Roles and bindings: their form, and that nobody grants more than he holds.
fn roles(state: &State, admission: &Admission<'_>, resource: &GroupResource, object: &Value) -> Result<(), ApiError> {
    let attributes = admission.attributes;
    let stored = StoredRoles::of(state, &attributes.target.cluster);
    let outcome = if resource.resource.ends_with("bindings") {
        let causes = validation::check_binding(object, admission.old, &*resource.resource == "rolebindings");
        if !causes.is_empty() {
            return Err(invalid(admission, causes));
        }
        escalation::check_binding(&attributes.user, object, admission.old, &stored)
    } else {
        let causes = validation::check_role(object, &*resource.resource == "roles");
        if !causes.is_empty() {
            return Err(invalid(admission, causes));
        }
        escalation::check_role(&attributes.user, &resource.resource, object, admission.old, &stored)
    };
    outcome.map_err(|error| match error {
        Escalation::NotHeld(_) | Escalation::Aggregation => forbidden(admission, &error.to_string()),
        Escalation::UnknownRole(name) => ApiError::not_found(rbac::GROUP, &resource.resource, &name),
    })
}

fn forbidden(admission: &Admission<'_>, why: &str) -> ApiError {
    let resource = admission.resource;
    ApiError::forbidden(&resource.group, &resource.plural, &admission.attributes.name, why)
}

fn invalid(admission: &Admission<'_>, causes: Vec<crate::status::Cause>) -> ApiError {
    let resource = admission.resource;
    ApiError::invalid(&resource.group, &resource.kind, &admission.attributes.name, causes)
}
