//! The kinds of the API group as Kubernetes objects, and how they are described to the control plane.
//!
//! Spec and status are in `promise::api`; this module has what Kubernetes needs to know: names, scope, columns. One table entry per kind
//! feeds the CRDs of plain Kubernetes, the schemas of the kcp exports, and `kube::Api`.

mod object;
mod schema;
mod table;

pub use object::{Kind, NoStatus, Object, object};
pub use schema::{api_resource_schema_name, api_resource_schemas, crds, object_schema};
pub use table::{
    Approval, ApprovalKind, Destination, DestinationKind, Endpoint, EndpointKind, Export, Policy, PolicyKind, Promise, PromiseAction,
    PromiseActionKind, PromiseCatalog, PromiseCatalogKind, PromiseKind, PromiseRelease, PromiseReleaseKind, PromiseRequest,
    PromiseRequestKind, PromiseRevision, PromiseRevisionKind, PromiseWorkflow, PromiseWorkflowKind,
};
