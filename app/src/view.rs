//! View models for pages, REST and the CLI: projections without templates, expressions or price tables. Plain serde types.

mod account;
mod approvals;
mod audit;
mod authoring;
mod catalog;
mod cost;
mod disabled;
mod emergencies;
mod fleet;
mod form;
mod home;
mod instances;
mod notification;
mod object;
mod overview;
mod platform;
mod policy;
mod preflight;
mod preset;
mod preview;
mod promises;
mod related;
mod release;
mod request;
mod request_part;
mod required;
mod resources;
mod rollout;
mod run;
mod saved;
mod schedule;
mod search;
mod selection;
mod sort;
mod stand_in;
mod total;
mod workflow;
mod workspace;

pub use account::{Person, SessionLine, SignInProvider, Viewer, WorkspaceNode, WorkspaceTree};
pub use approvals::{
    AlikePage, AlikeRow, ApprovalLine, ApprovalNote, ApprovalStanding, Asked, CommentLine, GivenLine, InboxColumn, InboxPage, InboxQuery,
    InboxRow, InboxView, NextApproval, PriceStep, ReviewPage, ReviewedRun, Since, ValueChange,
};
pub use audit::{AuditCheckStatus, AuditPage, AuditQuery};
pub use authoring::{DependentLine, PlacedProblem, PromiseForm, PromiseFormOutcome, RetirePage, UsingWorkspace};
pub use catalog::{
    Availability, AvailabilityState, CatalogColumn, CatalogPage, CatalogQuery, ExampleLine, Facet, FacetValue, FieldLine, LinkLine,
    OfferRow, OutputLine, PromisePage, ShelfLine, StartLine, VersionLine,
};
pub use cost::{
    Compared, ComparedMonth, CostBudget, CostBy, CostDay, CostFile, CostGlance, CostInstance, CostMonth, CostMover, CostMovers, CostPage,
    CostQuery, CostRow, CostSaving, CostSavings, CostSum, InstanceStanding, SavingWhy, UnshownMonth, difference,
};
pub use disabled::DisabledReason;
pub use emergencies::{EmergenciesPage, EmergencyLine};
pub use fleet::{AuthorPage, AuthoredPromise, AuthoredVersion, FleetCheck, FleetPage, FleetQuery, FleetRow, RolloutLine};
pub use form::{ChangeView, DraftLine, FormOutcome, MergeLine, MergeView, RequestForm, SharedBy, YamlLine, YamlView};
pub use home::{CapLine, CapRoom, ChangeLine, Home, HomeDecisions, PlaceLine, PlatformGlance, TourLine};
pub use instances::{FAVOURITES, InstanceLine, InstancesPage, OfferUse, PromiseKey, ReadyIn};
pub use notification::{
    Channel, DeliveriesPage, DeliveriesQuery, DeliveryRow, NoMailReason, Notice, NoticeRules, NoticesPage, NoticesQuery,
};
pub use object::{ConditionLine, Manifest, ObjectKey, ObjectPage, ObjectSource, WriterLine};
pub use overview::{
    AdoptionLine, OverviewPage, OverviewQuery, OverviewRange, PartKind, PartState, PlatformPart, TimeLine, VersionSpread, WeekLine,
};
pub use platform::{
    Compiled, ConcernedLine, HitLine, Pick, PoliciesPage, PoliciesQuery, PolicyColumn, PolicyConflict, PolicyDeed, PolicyEffect,
    PolicyForm, PolicyFormOutcome, PolicyHistoryLine, PolicyInside, PolicyPage, PolicyRow, PolicyRule, RuleEditor, RuleRow, TextProblem,
    Tried, Tryout,
};
pub use policy::{PolicyLine, deciders, policy_lines, policy_outcomes};
pub use preflight::{
    AddedCount, AddedLine, AddedObject, AddsPage, ApprovalStep, CheckLine, CheckState, LineFrom, LineSide, PreflightView, PriceLine,
    PriceSource, PriceView, RoomLine, Verdict,
};
pub use preset::{MAX_PRESET_TITLE, PresetLine, SavedPreset, preset_title};
pub use preview::PromisePreview;
pub use promises::{PromiseColumn, PromiseRow, PromisesPage, PromisesQuery, PublishState};
pub use related::{RelatedGroup, RelatedKind, RelatedLine};
pub use release::{
    DeprecationNotice, ExpiryNotice, ReleaseCause, ReleaseComparison, ReleaseLine, ReleaseState, ReleasesPage, RestoredRelease, TermsForm,
    UpgradeOffer, VersionMove, VersionOption, VersionOptionKind,
};
pub use request::{
    Allowed, GoneView, Happening, HappeningState, OutdatedView, OutputValue, ParameterLine, REQUEST_COLUMNS, RequestColumn, RequestPage,
    RequestQuery, RequestRow, RequestsPage, ResourceLine, ValueSource, unread_request,
};
pub use request_part::RequestPart;
pub use required::{NeededFor, REQUIRE, REQUIRED, Remedy, RequiredLine};
pub use resources::{Drift, RESOURCE_COLUMNS, ResourceColumn, ResourceQuery, ResourceRow, ResourcesPage};
pub use rollout::{RolloutCommand, RolloutCounts, RolloutForm, RolloutMember, RolloutPage};
pub use run::{
    ActionForm, ActionHistory, ActionLine, ActionOutcome, BeforeRun, RunApproval, RunChoices, RunLine, RunOutput, RunPage, RunWindow,
    RunsPage, StepOutline, TypicalTime,
};
pub use saved::{MAX_VIEW_TITLE, SavedList, SavedViews, ViewLine, view_title};
pub use schedule::ScheduleLine;
pub use search::{SearchHit, SearchKind, SearchPage, SearchQuery, SearchTarget};
pub use selection::Selection;
pub use sort::{Column, Sort};
pub use stand_in::{CoverLine, NamedLine, StandInPage};
pub use total::{Cut, Total, Whole};
pub use workflow::{PolicyLink, SkipPage, StepLine, WorkflowView};
pub use workspace::{Ability, ChildLine, EffectivePolicy, MemberKind, MemberLine, Members, WorkspacePage, WorkspaceRequests};
