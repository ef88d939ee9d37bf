//! What pages, REST and the CLI show: projections without templates, expressions or price tables. Plain serde types.

mod account;
mod catalog;
mod request;

pub use account::{Home, Person, Viewer, WorkspaceNode, WorkspaceTree};
pub use catalog::{
    Availability, AvailabilityState, CatalogPage, CatalogQuery, ExampleLine, Facet, FacetValue, FieldLine, LinkLine, OfferRow, OutputLine,
    PolicyLine, PromisePage, StartLine, VersionLine,
};
pub use request::{
    Allowed, ContestedLine, Happening, OutputValue, ParameterLine, Posted, RequestForm, RequestPage, RequestQuery, RequestRow,
    RequestsPage, ResourceLine, ValueSource,
};
