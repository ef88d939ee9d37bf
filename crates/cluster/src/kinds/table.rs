//! The table of kinds (`domain.md`).

use k8s_openapi::{ClusterResourceScope, NamespaceResourceScope};
use promise::api;
use promise::names;

use super::object::{Kind, NoStatus, Object};

/// Export that offers a kind on kcp. Anyone who binds an export can create all of its kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Export {
    /// Bound by consumers.
    Requests,
    /// Bound in addition by homes and governing workspaces.
    Catalog,
}

impl Export {
    /// Returns the name of the APIExport.
    pub fn name(self) -> &'static str {
        match self {
            Self::Requests => names::EXPORT_REQUESTS,
            Self::Catalog => names::EXPORT_CATALOG,
        }
    }
}

/// A column of `kubectl get`.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Heading.
    pub name: &'static str,
    /// JSONPath of the value.
    pub path: &'static str,
    /// `string`, `integer` or `date`.
    pub r#type: &'static str,
    /// 0 is always shown, 1 with `-o wide`.
    pub priority: i32,
}

const fn column(name: &'static str, path: &'static str) -> Column {
    Column { name, path, r#type: "string", priority: 0 }
}

const fn wide(name: &'static str, path: &'static str) -> Column {
    Column { name, path, r#type: "string", priority: 1 }
}

const fn number(name: &'static str, path: &'static str) -> Column {
    Column { name, path, r#type: "integer", priority: 0 }
}

macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $alias:ident = $marker:ident {
        spec: $spec:ty, status: $status:ty, has_status: $has:literal, scope: $scope:ty, namespaced: $namespaced:literal, export: $export:ident,
        plural: $plural:literal, singular: $singular:literal, short: $short:expr, columns: $columns:expr
    })*) => {$(
        #[doc = concat!("Marker of the kind ", stringify!($alias), ".")]
        #[derive(Clone, Copy, Debug)]
        pub enum $marker {}

        $(#[doc = $doc])*
        pub type $alias = Object<$marker>;

        impl Kind for $marker {
            type Spec = $spec;
            type Status = $status;
            type Scope = $scope;
            const KIND: &'static str = stringify!($alias);
            const PLURAL: &'static str = $plural;
            const SINGULAR: &'static str = $singular;
            const SHORT: &'static [&'static str] = $short;
            const NAMESPACED: bool = $namespaced;
            const STATUS: bool = $has;
            const EXPORT: Export = Export::$export;
            const COLUMNS: &'static [Column] = $columns;
        }
    )*
        /// Runs `visit` once for every kind, in the order of the table.
        pub(super) fn each<V: Visit>(visit: &mut V) {
            $(visit.kind::<$marker>();)*
        }
    };
}

kinds! {
    /// An offering that can be requested.
    Promise = PromiseKind {
        spec: api::PromiseSpec, status: api::PromiseStatus, has_status: true, scope: ClusterResourceScope, namespaced: false, export: Catalog,
        plural: "promises", singular: "promise", short: &["prom"],
        columns: &[
            column("Version", ".spec.version"), column("Lifecycle", ".spec.lifecycle"),
            column("Published", ".status.conditions[?(@.type==\"Published\")].status"), number("Instances", ".status.instances"),
            wide("Visibility", ".spec.visibility"), wide("Revision", ".status.revision")
        ]
    }
    /// An immutable copy of one published version.
    PromiseRevision = PromiseRevisionKind {
        spec: api::PromiseRevisionSpec, status: NoStatus, has_status: false, scope: ClusterResourceScope, namespaced: false, export: Catalog,
        plural: "promiserevisions", singular: "promiserevision", short: &["promrev"],
        columns: &[column("Promise", ".spec.promise"), column("Version", ".spec.version")]
    }
    /// A catalog of promises.
    PromiseCatalog = PromiseCatalogKind {
        spec: api::PromiseCatalogSpec, status: NoStatus, has_status: false, scope: ClusterResourceScope, namespaced: false, export: Catalog,
        plural: "promisecatalogs", singular: "promisecatalog", short: &["promcat"],
        columns: &[column("Title", ".spec.title"), column("Workspaces", ".spec.workspaces")]
    }
    /// A set of reusable rules.
    Policy = PolicyKind {
        spec: api::PolicySpec, status: api::PolicyStatus, has_status: true, scope: ClusterResourceScope, namespaced: false, export: Catalog,
        plural: "policies", singular: "policy", short: &["pol"],
        columns: &[
            column("Title", ".spec.title"), column("Category", ".spec.category"), column("Enforcement", ".spec.enforcement"),
            column("Compiled", ".status.conditions[?(@.type==\"Compiled\")].status")
        ]
    }
    /// One decision about one content of a request.
    Approval = ApprovalKind {
        spec: api::ApprovalSpec, status: api::DecisionStatus, has_status: true, scope: ClusterResourceScope, namespaced: false, export: Catalog,
        plural: "approvals", singular: "approval", short: &["appr"],
        columns: &[
            column("Decision", ".spec.decision"), column("State", ".status.state"), column("By", ".spec.decidedBy.username"), column("Namespace", ".spec.request.namespace"),
            column("Request", ".spec.request.name"), column("Rule", ".spec.rule.name"), wide("Policy", ".spec.rule.policy"),
            wide("Promise", ".spec.rule.promise"), wide("Hash", ".spec.contentHash"), wide("Comment", ".spec.comment"),
            wide("Why", ".status.message")
        ]
    }
    /// A place where rendered objects can go.
    Destination = DestinationKind {
        spec: api::DestinationSpec, status: api::DestinationStatus, has_status: true, scope: ClusterResourceScope, namespaced: false, export: Catalog,
        plural: "destinations", singular: "destination", short: &["dest"],
        columns: &[
            column("Title", ".spec.title"), column("Reachable", ".status.conditions[?(@.type==\"Reachable\")].status"),
            column("Version", ".status.version")
        ]
    }
    /// An HTTP server that workflows of promises can call.
    Endpoint = EndpointKind {
        spec: api::EndpointSpec, status: api::EndpointStatus, has_status: true, scope: ClusterResourceScope, namespaced: false, export: Catalog,
        plural: "endpoints", singular: "endpoint", short: &["oep"],
        columns: &[
            column("Title", ".spec.title"), column("URL", ".spec.url"),
            column("Valid", ".status.conditions[?(@.type==\"Valid\")].status")
        ]
    }
    /// A workflow that promises refer to by name.
    PromiseWorkflow = PromiseWorkflowKind {
        spec: api::PromiseWorkflowSpec, status: NoStatus, has_status: false, scope: ClusterResourceScope, namespaced: false, export: Catalog,
        plural: "promiseworkflows", singular: "promiseworkflow", short: &["promwf"],
        columns: &[column("Title", ".spec.title")]
    }
    /// A request for an offering.
    PromiseRequest = PromiseRequestKind {
        spec: api::PromiseRequestSpec, status: api::PromiseRequestStatus, has_status: true, scope: NamespaceResourceScope, namespaced: true, export: Requests,
        plural: "promiserequests", singular: "promiserequest", short: &["preq"],
        columns: &[
            column("Promise", ".spec.promise.name"), column("Version", ".status.current.version"), column("Phase", ".status.phase"),
            column("Approval", ".status.candidate.state"),
            column("Healthy", ".status.conditions[?(@.type==\"Healthy\")].status"), wide("Waiting on", ".status.waitingOn.message"),
            wide("Requester", ".spec.requester.username")
        ]
    }
    /// One run of an action of a request.
    PromiseAction = PromiseActionKind {
        spec: api::PromiseActionSpec, status: api::PromiseActionStatus, has_status: true, scope: NamespaceResourceScope, namespaced: true, export: Requests,
        plural: "promiseactions", singular: "promiseaction", short: &["pact"],
        columns: &[
            column("Request", ".spec.request"), column("Action", ".spec.action"), column("Phase", ".status.phase"),
            column("Requester", ".spec.requester.username"), wide("Waiting on", ".status.waitingOn.message"), wide("Why", ".status.message")
        ]
    }
    /// An immutable record of one candidate generation.
    PromiseRelease = PromiseReleaseKind {
        spec: api::PromiseReleaseSpec, status: NoStatus, has_status: false, scope: NamespaceResourceScope, namespaced: true, export: Requests,
        plural: "promisereleases", singular: "promiserelease", short: &["prel"],
        columns: &[column("Revision", ".spec.revision.name"), number("Generation", ".spec.requestGeneration"), wide("Hash", ".spec.contentHash")]
    }
}

/// An operation for every kind.
pub(super) trait Visit {
    /// Called with each kind as the type parameter.
    fn kind<K: Kind>(&mut self);
}
