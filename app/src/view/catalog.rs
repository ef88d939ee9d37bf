//! The catalog of a workspace.

use serde::{Deserialize, Serialize};

use super::instances::OfferUse;
use super::policy::PolicyLine;
use super::preflight::PriceView;
use super::required::RequiredLine;
use super::sort::{Column, Sort};
use promise::api::Lifecycle;
use promise::form::ByLine;
use promise::versions::VersionChange;

/// Whether a user can request a promise here, and why not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Availability {
    /// State of the availability.
    pub state: AvailabilityState,
    /// Reason why it can't be requested, as a sentence.
    pub reason: Option<String>,
}

/// Availability of a promise to a user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AvailabilityState {
    /// The user can request it.
    #[default]
    Available,
    /// Its API isn't enabled in this workspace.
    Disabled,
    /// The user isn't allowed to request it.
    Denied,
    /// It is no longer offered, or not offered yet.
    Closed,
}

/// A promise in a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OfferRow {
    /// Name of the promise.
    pub name: String,
    /// Path of its home workspace.
    pub home: String,
    /// Whether a promise of the same name in a nearer home hides it.
    pub shadowed: bool,
    /// Display name.
    pub display_name: String,
    /// Summary in one sentence.
    pub summary: String,
    /// Category, or empty.
    pub category: String,
    /// Tags.
    pub tags: Vec<String>,
    /// Name of its icon, or empty.
    pub icon: String,
    /// Newest published version.
    pub version: String,
    /// Lifecycle stage.
    pub lifecycle: Lifecycle,
    /// The version that was refused, if that is the last one.
    pub refused: Option<String>,
    /// Whether no version is published. `version` is the refused one then.
    pub unpublished: bool,
    /// Whether it is shown first.
    pub featured: bool,
    /// Team that answers questions, or empty.
    pub team: String,
    /// Whether the user can request it here.
    pub availability: Availability,
    /// Minimum price, such as `from €24.80/month`. Empty if it is free or has no price.
    pub price: String,
    /// Catalog that lists it, or empty.
    pub shelf: String,
    /// Whether a version was published recently that isn't the first.
    pub new_version: bool,
    /// Day on which it ends, such as `1 March 2027`. Absent if it isn't deprecated, or no day is planned.
    pub ends: Option<String>,
    /// Its instances in this workspace. Absent if the user can't list requests here.
    pub here: Option<OfferUse>,
}

/// A value of a facet, with the number of rows that match it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FacetValue {
    /// Value, as in the URL.
    pub value: String,
    /// Display label.
    pub label: String,
    /// Number of rows that match.
    pub count: usize,
    /// Whether the value is selected.
    pub chosen: bool,
}

/// The selectable values of a facet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Facet {
    /// The most frequent values, sorted by name.
    pub values: Vec<FacetValue>,
    /// Number of further values that aren't listed.
    pub left_out: usize,
}

/// Columns that a catalog can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CatalogColumn {
    /// Display name.
    Name,
    /// Date of first publication.
    Published,
}

impl Column for CatalogColumn {
    const ALL: &'static [(Self, &'static str)] = &[(Self::Name, "name"), (Self::Published, "published")];

    fn is_descending_first(self) -> bool {
        self == Self::Published
    }
}

/// Filters and position of a catalog, as in the URL.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CatalogQuery {
    /// Search text.
    pub q: String,
    /// A category.
    pub category: String,
    /// A tag.
    pub tag: String,
    /// A team.
    pub owner: String,
    /// A lifecycle stage.
    pub lifecycle: String,
    /// Sort order. By default, featured promises come first, then by catalog section and name.
    pub sort: Sort<CatalogColumn>,
    /// Page number, starting at 1.
    pub page: usize,
}

/// A section of the catalog, from one PromiseCatalog.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ShelfLine {
    /// Id of the section, as in [`OfferRow::shelf`].
    pub id: String,
    /// Heading.
    pub title: String,
    /// Description in one sentence, or empty.
    pub description: String,
}

/// The catalog as one user sees it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CatalogPage {
    /// Rows of this page, by section, with featured promises first in each.
    pub rows: Vec<OfferRow>,
    /// The sections of these rows, in order. Rows without a section come last.
    pub shelves: Vec<ShelfLine>,
    /// Number of rows on all pages that match the filters.
    pub fit: usize,
    /// Number of these that the user can request here.
    pub available: usize,
    /// Number of rows without filters.
    pub total: usize,
    /// Number of pages.
    pub pages: usize,
    /// Categories.
    pub categories: Facet,
    /// Tags.
    pub tags: Facet,
    /// Teams.
    pub owners: Facet,
    /// Lifecycles.
    pub lifecycles: Facet,
    /// The query in effect.
    pub query: CatalogQuery,
}

/// A parameter on the page of a promise.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldLine {
    /// Path such as `.backup.enabled`.
    pub path: String,
    /// Label.
    pub label: String,
    /// Type, in words.
    pub kind: String,
    /// Whether it is required.
    pub required: bool,
    /// Default value in words, or empty.
    pub default: String,
    /// Allowed values in words, or empty.
    pub allowed: String,
    /// Hint, or empty.
    pub help: String,
    /// Longer text in Markdown, or empty.
    #[serde(default)]
    pub more: String,
    /// What policies did to it, or do under a condition. Empty if it is as the promise has it.
    pub by: Vec<ByLine>,
    /// Its own fields, or those of each of its rows.
    pub fields: Vec<FieldLine>,
    /// How many fields below it aren't listed.
    pub left_out: usize,
}

/// A published version.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VersionLine {
    /// Version.
    pub version: String,
    /// Name of the revision.
    pub revision: String,
    /// RFC 3339 time.
    pub since: String,
    /// Whether new requests use it.
    pub newest: bool,
    /// What changed since the version before. Absent for the first one that is known.
    pub changes: Option<Vec<VersionChange>>,
    /// What changed, as the team of the promise describes it, in one sentence each.
    pub described: Vec<String>,
}

/// A named starting point of a form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StartLine {
    /// Identifier, as parsed by [`promise::form::starts_from`].
    pub start: String,
    /// Display name.
    pub title: String,
    /// Description in one sentence, or empty.
    pub description: String,
}

/// An example of a promise.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExampleLine {
    /// Name.
    pub name: String,
    /// Description in one sentence, or empty.
    pub description: String,
    /// Identifier, as parsed by [`promise::form::starts_from`].
    pub start: String,
    /// A complete PromiseRequest.
    pub yaml: String,
}

/// A link.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LinkLine {
    /// Text.
    pub title: String,
    /// URL with the scheme `https:` or `mailto:`.
    pub url: String,
}

/// An output of a promise.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OutputLine {
    /// Name.
    pub name: String,
    /// Description in one sentence, or empty.
    pub description: String,
    /// Whether it is a secret.
    pub secret: bool,
}

/// Details of a promise, for users who consider requesting it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PromisePage {
    /// The row in the catalog.
    pub row: OfferRow,
    /// Description in Markdown.
    pub description: String,
    /// Links to further documentation.
    pub links: Vec<LinkLine>,
    /// Contact of the team, or empty.
    pub contact: String,
    /// Deprecation notice for users.
    pub deprecation: Option<String>,
    /// Parameters of the promise, each with its own fields.
    pub fields: Vec<FieldLine>,
    /// Number of all fields at any depth.
    pub field_count: usize,
    /// How many of them aren't listed.
    pub fields_left_out: usize,
    /// Policy rules that apply here.
    pub policies: Vec<PolicyLine>,
    /// Reason why not all policies are visible, and who can fix that.
    pub policies_unknown: Option<String>,
    /// Price with the default values.
    pub price: PriceView,
    /// Date of the next price change for the default values, as a sentence. Absent if none is planned.
    pub next_price: Option<String>,
    /// Published versions, newest first.
    pub versions: Vec<VersionLine>,
    /// Presets of its form: identifier, display name, description.
    pub presets: Vec<StartLine>,
    /// Examples of the promise.
    pub examples: Vec<ExampleLine>,
    /// Outputs that the requester receives.
    pub outputs: Vec<OutputLine>,
    /// Home workspace of the nearer promise that hides it.
    pub shadowed_by: Option<String>,
    /// What it requires and the workspace lacks.
    pub required: Vec<RequiredLine>,
}
