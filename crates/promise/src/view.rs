//! What pages, REST and the CLI show: projections without templates, expressions or price tables. Plain serde types.

mod account;
mod approvals;
mod catalog;
mod cost;
mod notification;
mod overview;
mod platform;
mod policy;
mod preflight;
mod request;
mod resources;
mod total;

pub use account::{Home, Person, Viewer, WorkspaceNode, WorkspaceTree};
pub use approvals::{
    AlikePage, AlikeRow, Asked, CommentLine, InboxPage, InboxQuery, InboxRow, InboxView, PriceStep, ReviewPage, Since, ValueChange,
};
pub use catalog::{
    Availability, AvailabilityState, CatalogPage, CatalogQuery, ExampleLine, Facet, FacetValue, FieldLine, LinkLine, OfferRow, OutputLine,
    PromisePage, ShelfLine, StartLine, VersionLine,
};
pub use cost::{CostBy, CostDay, CostInstance, CostPage, CostQuery, CostRow, CostSum};
pub use notification::{Channel, DeliveriesPage, DeliveriesQuery, DeliveryRow, Notice, NoticeRules, NoticesPage, NoticesQuery};
pub use overview::{AdoptionLine, OverviewPage, TimeLine, VersionSpread, WeekLine};
pub use platform::{
    Compiled, ConcernedLine, HitLine, Pick, PoliciesPage, PoliciesQuery, PolicyForm, PolicyInside, PolicyPage, PolicyPosted, PolicyRow,
    PolicyRule, TextProblem, Tried, Tryout,
};
pub use policy::{PolicyLine, deciders, policy_lines, policy_outcomes, rule_anchor};
pub use preflight::{
    AddedCount, AddedLine, AddedObject, AddsPage, ApprovalStep, CheckLine, CheckState, LineFrom, LineSide, PreflightView, PriceLine,
    PriceView, RoomLine, Verdict,
};
pub use request::{
    Allowed, ApprovalLine, ApprovalStanding, ContestedLine, GivenLine, Happening, OutdatedView, OutputValue, ParameterLine, Posted,
    RequestForm, RequestPage, RequestQuery, RequestRow, RequestsPage, ResourceLine, ValueSource,
};
pub use resources::{Drift, RESOURCE_COLUMNS, ResourceQuery, ResourceRow, ResourcesPage};
pub use total::{Cut, Total, Whole};
