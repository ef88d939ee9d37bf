//! The embedded development plane: an API server that answers as Kubernetes and kcp do.
//!
//! `/api` and `/apis` at the top are one plain Kubernetes cluster (the sandbox); `/clusters/<path or id>/…` are kcp workspaces;
//! `/services/apiexport/<cluster id>/<export>/clusters/<* or id>/…` are the virtual workspaces of exports.
//! How it must answer is recorded in the contract scenarios that `tests/contract` replays.
//!
//! It must never know the product that runs on it: custom resources are data. It has no unauthenticated entry beyond what Kubernetes
//! opens to anonymous users, also for callers in the same process: they go through [`Plane::router`] with a token of their own.
//!
//! # The way of a request
//!
//! `http` (path, media types) → `access` (who, may they) → `registry` (which resource) → `objects` | `watch` | `discovery` | `openapi`
//! → `admission` → `store` (one writer, acknowledged means on disk).
//!
//! # Seams between the parts
//!
//! - `access`: `of_issuer`, `authenticate`, `authorize`, `mutate`, `validate`: all that may refuse. They read rights, policies and bindings by
//!   `state.store.peek…`. `authenticate` takes the attributes with an anonymous user in them: refused impersonation names the request.
//!   Only `of_issuer` waits: for the keys of an issuer whose token is presented.
//! - `reviews::answer` answers access, token and self reviews instead of storing them; `access::Asked` is its oracle.
//! - `builtin::kinds` are its resources, `builtin::schema(group, kind)` their schemas. A write goes through `builtin::{prune, decode, prepare, validate}` in this order, with `apply` between `decode` and `prepare`.
//! - `protobuf` turns messages of typed Go clients into JSON where a body is decoded, and back where an answer is written.
//! - `patch::{json, merge, strategic}` and `apply::{apply, update_managed_fields, keep_times}` are pure functions over JSON.
//! - `registry::Registry::resources` names what a cluster serves: its own kinds, definitions, `kinds::resources` of workspaces, and
//!   what `bindings::resources` adds. A virtual workspace is answered by `exports::view::served`: resources, a filter on objects, and
//!   labels that new objects get.
//! - `workspaces::resolve(state, segment)` turns the segment after `/clusters/` into an id; `access::workspace::allows` asks for entry,
//!   roles and permission policies there.
//! - Stored text is spliced into answers, lists and events without being read (`store/text.rs`, `objects/convert.rs`); what each request
//!   has to know of roles and bindings is read once (`parsed`).
//! - `controllers::run` follows all changes and does what follows from them: workspaces become ready or go, exports get their identity
//!   and address, bindings come into force. It writes through `authored`, which is idempotent and does not wait for the disk.
//!
//! - `supervisor` starts tasks again that panic, and knows what `/livez` and `/readyz` tell; an object over which a task panics is left alone.
//! - `document` writes into objects that controllers did not make, `chains` follows references between them: neither can be made to panic.
//!
//! - `deletion` finishes what is being deleted, `garbage` collects what has lost its owner, `expiry` takes what is too old; all follow changes.
//!
//! # Adding things
//!
//! - A built-in kind: see `builtin`.
//! - A kind of workspaces: an entry in `kinds/*.yaml`; what must hold of it in `access/own_kinds.rs`; what follows in `controllers`.
//! - A check before a write: `access::validate`; rules that users write in CEL are in `admission`.
//! - A resource that exists for one cluster only: `registry::Registry::resources`; one that a virtual workspace shows: `Registry::view`.

pub mod access;
pub mod admission;
pub mod apply;
pub mod authn;
pub mod authored;
pub mod bindings;
mod blocking;
mod bootstrap;
pub mod builtin;
pub mod chains;
pub mod clock;
pub mod cluster_id;
pub mod controllers;
mod definitions;
mod deletion;
mod discovery;
pub mod document;
mod embedded;
mod expiry;
pub mod exports;
#[doc(hidden)]
pub mod fuzzing;
pub mod garbage;
mod hooks;
mod http;
pub mod kinds;
mod namespaces;
pub mod objects;
pub mod openapi;
pub mod parsed;
pub mod patch;
mod plane;
mod private;
mod protobuf;
pub mod quota;
pub mod random;
pub mod rbac;
pub mod registry;
pub mod request;
pub mod reviews;
pub mod sandbox;
pub mod selectors;
pub mod status;
pub mod store;
pub mod supervisor;
mod table;
pub mod tls;
pub mod virtual_view;
mod watch;
pub mod watches;
pub mod workspaces;

pub use authn::configuration::{AuthenticationConfiguration, ConfigurationError};
pub use clock::{Clock, SystemClock};
pub use cluster_id::ClusterId;
pub use plane::{Initial, OpenError, Options, Plane, State, Token};
pub use store::Storage;
