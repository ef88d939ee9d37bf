//! GET on a collection: selection, versions, pages.
//! Source: apiserver `endpoints/handlers/get.go`, `storage/etcd3/store.go`.

pub mod options;
mod text;

use std::sync::Arc;

use base64::{
    DecodeError, Engine, alphabet,
    engine::{GeneralPurpose, general_purpose::NO_PAD},
};
use serde_json::{Map, Value, json};

use super::{Call, decode};
use crate::{
    ClusterId,
    http::{answer::Answer, media::Transform},
    patch::go_type,
    registry::Shape,
    selectors::Selection,
    status::ApiError,
    store::{HistoryGap, Key, Range, Stored},
    table,
};

/// How long a list waits for a version of the future.
const FUTURE_WAIT: std::time::Duration = std::time::Duration::from_secs(3);

/// How many objects are looked at together where some are left out.
const BATCH: usize = 1024;
/// What is said of a page that cannot be gone on from.
const EXPIRED: &str = "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";
/// Kinds that convert field labels themselves (kubernetes `pkg/apis/*/v1/conversion.go`).
const FIELD_LABELS: [&str; 9] =
    ["certificatesigningrequests", "events", "jobs", "namespaces", "nodes", "pods", "replicationcontrollers", "secrets", "services"];

/// One page of a list.
pub struct Page {
    /// Its objects.
    pub items: Vec<(Key, Stored)>,
    /// The version of the list.
    pub revision: u64,
    /// How to go on, empty on the last page.
    pub next: String,
    /// How many objects come after this page, where that is told.
    pub remaining: Option<usize>,
}

impl Call {
    pub(super) async fn list(&self) -> Result<Answer, ApiError> {
        self.show_page(self.page().await?)
    }

    /// The part of the store that the path is about.
    pub(crate) fn range(&self) -> Range {
        let target = &self.attributes.target;
        match (&target.export, self.attributes.namespace.as_str()) {
            (Some(export), _) if export.wildcard => Range::All,
            (_, namespace) if self.resource.namespaced && !namespace.is_empty() => {
                Range::Namespace(target.cluster.clone(), namespace.into())
            }
            _ => Range::Cluster(target.cluster.clone()),
        }
    }

    /// The part of the range that can hold what is selected: a single object where its name and its place are given.
    pub(crate) fn selected_range(&self, selection: &Selection) -> Range {
        match (self.range(), selection.exact("metadata.name")) {
            (Range::Namespace(cluster, namespace), Some(name)) => Range::Object(Key { cluster, namespace, name: name.into() }),
            (Range::Cluster(cluster), Some(name)) if !self.resource.namespaced => Range::Object(Key::new(&cluster, "", name)),
            (range, _) => range,
        }
    }

    /// The selectors of the query.
    pub(crate) fn selection(&self) -> Result<Selection, ApiError> {
        Selection::parse(
            self.query.get("labelSelector"),
            self.query.get("fieldSelector"),
            |field| self.selectable(field),
            |field| self.unknown_field(field),
        )
    }

    /// Kinds with fields of their own say less of those that they do not know.
    fn unknown_field(&self, field: &str) -> String {
        let own = !self.resource.is_built_in() || FIELD_LABELS.contains(&self.resource.plural.as_str());
        if own {
            return format!("field label not supported: {field}");
        }
        format!("{field:?} is not a known field selector: only \"metadata.name\", \"metadata.namespace\"")
    }

    fn selectable(&self, field: &str) -> bool {
        if field == "metadata.name" || (field == "metadata.namespace" && self.resource.namespaced) {
            return true;
        }
        match &self.resource.shape {
            Shape::Custom(shape) => shape.selectable.iter().any(|path| path.trim_start_matches('.') == field),
            Shape::BuiltIn => built_in_fields(&self.resource.plural).contains(&field),
        }
    }

    pub(super) async fn page(&self) -> Result<Page, ApiError> {
        let query = &self.query;
        let (version, matching) = (query.get("resourceVersion"), query.get("resourceVersionMatch"));
        let next = query.get("continue");
        options::check_list(query)?;
        let selection = self.selection()?;
        let limit = options::number(query, "limit")?.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(0);
        // Any version will do: what is at hand is told as a whole.
        let limit = if version == "0" && matching.is_empty() && next.is_empty() { 0 } else { limit };
        let wanted = parse_version(version).map_err(|error| ApiError::bad_request(format!("invalid resource version: {error}")))?;
        let (store, storage, range) = (&self.state.store, &self.resource.storage, self.selected_range(&selection));
        let (revision, mut place) = if next.is_empty() {
            if wanted > store.revision() {
                wait_for(self, wanted).await?;
            }
            let exact = matching == "Exact" || (matching.is_empty() && limit > 0 && wanted > 0);
            (if exact { wanted } else { store.revision() }, None)
        } else {
            if !version.is_empty() && version != "0" {
                return Err(ApiError::bad_request("specifying resource version is not allowed when using continue"));
            }
            let (revision, place) = parse_continue(next)?;
            (revision, Some(place))
        };
        store.settle(revision).await;
        // A page of everything is found by its place; where objects are left out, all are looked at until there are enough.
        let whole = selection.is_empty() && self.view.filter.is_none();
        let reach = match limit {
            0 => usize::MAX,
            _ if whole => limit,
            _ => limit.max(BATCH),
        };
        let mut page = Page { items: Vec::new(), revision, next: String::new(), remaining: None };
        loop {
            let gap = |gap: HistoryGap| if next.is_empty() { ApiError::expired(gap.to_string()) } else { ApiError::expired(EXPIRED) };
            let (found, rest) = store.page(storage, &range, revision, place.as_ref(), reach, whole).map_err(gap)?;
            place = found.last().map(|(key, _)| key.clone()).or(place);
            // Cheap checks of the text come first, so that the view is asked about fewer objects and fewer are parsed.
            page.items.extend(found.into_iter().filter(|(key, stored)| {
                might_pass(&selection, key, stored)
                    && self.view.shows(&self.resource, key, stored)
                    && (selection.is_empty() || selection.matches(&self.shown(stored)))
            }));
            if limit > 0 && (page.items.len() > limit || (whole && rest > 0)) {
                page.items.truncate(limit);
                page.next = page.items.last().map(|(key, _)| format_continue(revision, key)).unwrap_or_default();
                page.remaining = whole.then_some(rest);
            }
            if rest == 0 || !page.next.is_empty() {
                return Ok(page);
            }
        }
    }

    /// Whether a stored object is selected. Most objects that don't match are rejected without being parsed.
    pub(crate) fn passes(&self, selection: &Selection, key: &Key, stored: &Stored) -> bool {
        selection.is_empty() || (might_pass(selection, key, stored) && selection.matches(&self.shown(stored)))
    }

    pub(super) fn show_page(&self, page: Page) -> Result<Answer, ApiError> {
        let api_version = self.resource.api_version();
        let mut metadata = Map::new();
        if !page.next.is_empty() || !self.resource.is_built_in() {
            metadata.insert("continue".into(), page.next.clone().into());
        }
        if let Some(remaining) = page.remaining {
            metadata.insert("remainingItemCount".into(), remaining.into());
        }
        metadata.insert("resourceVersion".into(), page.revision.to_string().into());
        let objects = || page.items.iter().map(|(_, stored)| self.shown(stored));
        let value = match self.format.transform {
            Transform::None => {
                let head = json!({"kind": self.resource.list_kind, "apiVersion": api_version, "metadata": metadata});
                return Ok(self.deprecated(Answer::pieces(text::List::new(self, &head, page.items))));
            }
            Transform::Partial => {
                let list = if self.resource.is_built_in() {
                    format!("{}.{}", self.resource.version, self.resource.list_kind)
                } else {
                    "unstructured.UnstructuredList".into()
                };
                let text = format!("you requested PartialObjectMetadata, but the requested object is a list (*{list})");
                return Err(ApiError::of(406, "NotAcceptable", text));
            }
            Transform::PartialList => {
                metadata.retain(|_, value| *value != "");
                let items: Vec<Value> = objects().map(|object| table::partial(&object, self.format.meta_version)).collect();
                let api_version = format!("meta.k8s.io/{}", self.format.meta_version);
                json!({"kind": "PartialObjectMetadataList", "apiVersion": api_version, "metadata": metadata, "items": items})
            }
            Transform::Table => {
                metadata.retain(|_, value| *value != "");
                table::of_list(self, Value::Object(metadata), objects())?
            }
        };
        Ok(self.deprecated(Answer::json(value)))
    }

    fn deprecated(&self, answer: Answer) -> Answer {
        answer.with_warnings(self.resource.deprecation().map(str::to_owned).into_iter().collect())
    }
}

/// Whether a stored object might be selected, as far as its key and its text tell without parsing it.
fn might_pass(selection: &Selection, key: &Key, stored: &Stored) -> bool {
    selection.exact("metadata.name").is_none_or(|name| *name == *key.name) && selection.might_match(&stored.json)
}

/// Fields by which built-in kinds can be selected beside name and namespace.
fn built_in_fields(plural: &str) -> &'static [&'static str] {
    match plural {
        "events" => &[
            "involvedObject.kind",
            "involvedObject.namespace",
            "involvedObject.name",
            "involvedObject.uid",
            "involvedObject.apiVersion",
            "involvedObject.resourceVersion",
            "involvedObject.fieldPath",
            "regarding.kind",
            "regarding.namespace",
            "regarding.name",
            "regarding.uid",
            "reason",
            "reportingComponent",
            "reportingController",
            "source",
            "type",
        ],
        "pods" => &[
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "status.phase",
            "status.podIP",
            "status.nominatedNodeName",
        ],
        "secrets" => &["type"],
        "namespaces" => &["status.phase", "name"],
        "replicasets" | "replicationcontrollers" => &["status.replicas"],
        "jobs" => &["status.successful"],
        "nodes" => &["spec.unschedulable"],
        "services" => &["spec.clusterIP", "spec.type"],
        "certificatesigningrequests" => &["spec.signerName"],
        _ => &[],
    }
}

/// A version of a query; none is 0.
pub fn parse_version(text: &str) -> Result<u64, String> {
    if text.is_empty() {
        return Ok(0);
    }
    let shown = Value::from(text);
    text.parse().map_err(|_| format!("resourceVersion: Invalid value: {shown}: strconv.ParseUint: parsing {shown}: invalid syntax"))
}

/// What a GET of one object says of versions: it may be any from this one on.
pub async fn wait_for_version(call: &Call) -> Result<(), ApiError> {
    let wanted = parse_version(call.query.get("resourceVersion")).map_err(|why| ApiError::of(500, "", why))?;
    if wanted > call.state.store.revision() { wait_for(call, wanted).await } else { Ok(()) }
}

/// Waits a moment for a version that nobody wrote yet.
pub async fn wait_for(call: &Call, wanted: u64) -> Result<(), ApiError> {
    let store = &call.state.store;
    if tokio::time::timeout(FUTURE_WAIT, store.settle(wanted)).await == Ok(true) {
        return Ok(());
    }
    let cause = json!({"reason": "ResourceVersionTooLarge", "message": "Too large resource version"});
    let message = format!("Timeout: Too large resource version: {wanted}, current: {}", store.revision());
    Err(ApiError::of(504, "Timeout", message).with_details(json!({"causes": [cause], "retryAfterSeconds": 1})))
}

/// The form of tokens, as they say it.
const CONTINUE_VERSION: &str = "meta.k8s.io/v1";
/// The letters of tokens. What is left over of the last one does not count.
const LETTERS: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, NO_PAD.with_decode_allow_trailing_bits(true));

/// The token of the next page: the version of the list and the place after which to go on.
fn format_continue(revision: u64, last: &Key) -> String {
    let start = json!({"v": CONTINUE_VERSION, "rv": revision, "cluster": last.cluster.as_str(), "start": format!("{}/{}", last.namespace, last.name)});
    LETTERS.encode(start.to_string())
}

/// Reads a token (apiserver `storage/continue.go`).
pub(crate) fn parse_continue(token: &str) -> Result<(u64, Key), ApiError> {
    let not_valid = |why: &str| ApiError::bad_request(format!("invalid continue token: continue key is not valid: {why}"));
    let text = LETTERS.decode(token).map_err(|error| {
        let at = match error {
            DecodeError::InvalidByte(at, _) | DecodeError::InvalidLastSymbol(at, _) => at,
            DecodeError::InvalidLength(_) | DecodeError::InvalidPadding => token.len().saturating_sub(1),
        };
        not_valid(&format!("illegal base64 data at input byte {at}"))
    })?;
    let value = decode::json(&text).map_err(|why| not_valid(&why))?.value;
    if !value.is_object() && !value.is_null() {
        return Err(not_valid(&format!("json: cannot unmarshal {} into Go value of type storage.continueToken", go_type(&value))));
    }
    for (field, kind) in [("v", "string"), ("rv", "int64"), ("start", "string")] {
        let said = &value[field];
        let fits = if kind == "string" { said.is_string() } else { said.is_i64() };
        if !said.is_null() && !fits {
            let found = if said.is_number() && kind == "int64" { format!("number {said}") } else { go_type(said).to_owned() };
            return Err(not_valid(&format!("json: cannot unmarshal {found} into Go struct field continueToken.{field} of type {kind}")));
        }
    }
    if value["v"] != CONTINUE_VERSION {
        return Err(not_valid(&format!("server does not recognize this encoded version {}", value["v"].as_str().unwrap_or_default())));
    }
    let (revision, start) = (value["rv"].as_i64().unwrap_or_default(), value["start"].as_str().unwrap_or_default());
    if revision == 0 {
        return Err(not_valid("incorrect encoded start resourceVersion (version meta.k8s.io/v1)"));
    }
    if start.is_empty() {
        return Err(not_valid("encoded start key empty (version meta.k8s.io/v1)"));
    }
    if start.split('/').any(|part| part == "." || part == "..") {
        return Err(not_valid(start));
    }
    let foreign = || not_valid("the token was not made by this server");
    let revision = u64::try_from(revision).map_err(|_| foreign())?;
    let cluster = value["cluster"].as_str().and_then(ClusterId::parse).ok_or_else(foreign)?;
    let (namespace, name) = start.split_once('/').ok_or_else(foreign)?;
    Ok((revision, Key { cluster, namespace: Arc::from(namespace), name: Arc::from(name) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_that_is_none_is_told_as_such() {
        let key = Key { cluster: ClusterId::sandbox(), namespace: Arc::from("n"), name: Arc::from("a") };
        let (revision, place) = parse_continue(&format_continue(7, &key)).unwrap();
        assert_eq!((revision, &*place.namespace, &*place.name), (7, "n", "a"));
        let refused = |text: &str| {
            let message = parse_continue(text).unwrap_err().message;
            message.strip_prefix("invalid continue token: continue key is not valid: ").unwrap().to_owned()
        };
        let of = |value: Value| refused(&LETTERS.encode(value.to_string()));
        assert_eq!(refused("a*"), "illegal base64 data at input byte 1");
        assert_eq!(refused("abc"), "invalid character 'i' looking for beginning of value");
        assert_eq!(of(json!({"v": 1})), "json: cannot unmarshal number into Go struct field continueToken.v of type string");
        assert_eq!(of(json!({"v": "v9"})), "server does not recognize this encoded version v9");
        assert_eq!(of(json!({"v": CONTINUE_VERSION})), "incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
        assert_eq!(of(json!({"v": CONTINUE_VERSION, "rv": 3})), "encoded start key empty (version meta.k8s.io/v1)");
        assert_eq!(of(json!({"v": CONTINUE_VERSION, "rv": 3, "start": "a/../b"})), "a/../b");
    }
}
