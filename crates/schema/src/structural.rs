//! Structural schemas: the OpenAPI v3 schemas of custom resources, parsed once, then used to default, prune and validate objects.
//!
//! Behaviour and messages follow kube-apiserver 1.36. Order of calls for an object: [`Schema::prune`], [`Schema::default`],
//! [`Schema::validate`], and [`Schema::validate_rules`] only if [`Schema::validate`] found nothing.

mod check;
mod default;
mod embedded;
mod error;
mod extensions;
mod format;
mod judge;
pub(crate) mod number;
mod parse;
mod path;
mod prune;
mod rules;
#[cfg(test)]
mod tests;
mod unique;
mod validate;

use std::collections::BTreeMap;
use std::sync::Arc;

use regex::Regex;
use serde_json::{Number, Value};

use judge::Judge;

pub use error::{FieldError, FieldErrorReason, NO_FIELD, RuleFault};
pub use rules::{CostlyRule, MissingBound, RULE_CHECK_SKIPPED, Rule, RuleSubject};

/// The JSON types that a schema can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A list.
    Array,
    /// `true` or `false`.
    Boolean,
    /// An integer.
    Integer,
    /// Any number.
    Number,
    /// An object or map.
    Object,
    /// A string.
    String,
}

impl Kind {
    /// Returns the name used in schemas.
    pub fn name(self) -> &'static str {
        match self {
            Self::Array => "array",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Object => "object",
            Self::String => "string",
        }
    }

    fn parse(name: &str) -> Option<Self> {
        [Self::Array, Self::Boolean, Self::Integer, Self::Number, Self::Object, Self::String].into_iter().find(|kind| kind.name() == name)
    }
}

/// How items of a list are identified when two writers change it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ListType {
    /// The list is a single value.
    #[default]
    Atomic,
    /// Each value occurs once.
    Set,
    /// Items are objects identified by the values of these fields.
    Map(Vec<String>),
}

/// What a schema declares for fields that it doesn't name.
#[derive(Clone, Debug, Default)]
pub(crate) enum Additional {
    /// Nothing is declared.
    #[default]
    Unsaid,
    /// `true` or `false`.
    Allowed(bool),
    /// Values of a map.
    Schema(Box<Schema>),
}

/// One limit of a number.
#[derive(Clone, Debug)]
pub(crate) struct Limit {
    pub(crate) value: Number,
    pub(crate) exclusive: bool,
}

/// A pattern and its compiled form; `None` if it does not compile, which [`Schema::parse`] reports.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    pub(crate) source: String,
    pub(crate) regex: Option<Regex>,
}

/// One node of a structural schema.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    root: Arc<Value>,
    pub(crate) pointer: String,
    pub(crate) kind: Option<Kind>,
    pub(crate) format: Option<String>,
    pub(crate) nullable: bool,
    pub(crate) preserve_unknown: bool,
    pub(crate) embedded: bool,
    pub(crate) int_or_string: bool,
    pub(crate) default: Option<Value>,
    pub(crate) properties: BTreeMap<String, Schema>,
    pub(crate) additional: Additional,
    pub(crate) items: Option<Box<Schema>>,
    pub(crate) required: Vec<String>,
    pub(crate) enumeration: Vec<Value>,
    pub(crate) minimum: Option<Limit>,
    pub(crate) maximum: Option<Limit>,
    pub(crate) multiple_of: Option<Number>,
    pub(crate) min_length: Option<i64>,
    pub(crate) max_length: Option<i64>,
    pub(crate) pattern: Option<Pattern>,
    pub(crate) min_items: Option<i64>,
    pub(crate) max_items: Option<i64>,
    pub(crate) min_properties: Option<i64>,
    pub(crate) max_properties: Option<i64>,
    pub(crate) all_of: Vec<Schema>,
    pub(crate) any_of: Vec<Schema>,
    pub(crate) one_of: Vec<Schema>,
    pub(crate) not: Option<Box<Schema>>,
    pub(crate) list_type: ListType,
    pub(crate) map_type_atomic: bool,
    pub(crate) rules: Vec<Rule>,
    /// Whether this node or one below it has a rule: subtrees without rules are skipped.
    pub(crate) has_rules: bool,
    /// The same for embedded resources.
    pub(crate) has_embedded: bool,
    /// For a schema made from a JSON Schema, at its root: the JSON Schema, which decides what is valid.
    pub(crate) judge: Option<Arc<Judge>>,
}

impl Schema {
    /// Parses and checks a schema by the rules of structural schemas; CEL rules are compiled, too.
    ///
    /// # Errors
    /// Every problem with its path relative to the schema's root, such as `properties[spec].type`, as the API server words it.
    pub fn parse(json: &Value) -> Result<Self, Vec<FieldError>> {
        Self::parse_as(json, true)
    }

    /// Like [`Schema::parse`], for parameters, which no API server checks: the root can have any properties, also `metadata`, `kind` and
    /// `apiVersion`, and rules can cost more than an API server accepts, see [`Schema::costly_rules`].
    ///
    /// # Errors
    /// The same as [`Schema::parse`].
    pub fn parse_part(json: &Value) -> Result<Self, Vec<FieldError>> {
        Self::parse_as(json, false)
    }

    fn parse_as(json: &Value, is_resource: bool) -> Result<Self, Vec<FieldError>> {
        let (mut schema, mut errors) = parse::read(json);
        check::check(&schema, is_resource, &mut errors);
        if errors.is_empty() {
            check::defaults(&schema, &mut errors);
        }
        if errors.is_empty() {
            rules::compile(&mut schema, &mut errors);
        }
        if is_resource && errors.is_empty() {
            rules::check_cost(&schema, &mut errors);
        }
        if errors.is_empty() { Ok(schema) } else { Err(errors) }
    }

    /// Parses a schema and keeps what can be understood: for schemas of built-in kinds and for stored ones, which were checked when they
    /// were written. A rule that doesn't compile rejects every object it applies to.
    pub fn parse_lenient(json: &Value) -> Self {
        let (mut schema, _) = parse::read(json);
        rules::compile(&mut schema, &mut Vec::new());
        schema
    }

    /// Like [`Schema::parse_lenient`], for types, defaults and structural checks alone: rules aren't compiled, and must not be evaluated.
    pub fn parse_without_rules(json: &Value) -> Self {
        parse::read(json).0
    }

    /// Fills in defaults. Nulls in fields that are not nullable are dropped first (or replaced by the default).
    pub fn default(&self, value: &mut Value) {
        default::drop_nulls(self, value);
        default::default(self, value);
    }

    /// Like [`Schema::default`], but nulls without a default stay.
    pub fn default_beside_nulls(&self, value: &mut Value) {
        default::default(self, value);
    }

    /// Drops fields that the schema doesn't know. Returns their paths, such as `spec.foo`, sorted.
    pub fn prune(&self, value: &mut Value) -> Vec<String> {
        prune::prune(self, value, false)
    }

    /// Like [`Schema::prune`], for a whole resource: `apiVersion`, `kind` and known fields of `metadata` stay.
    pub fn prune_resource(&self, value: &mut Value) -> Vec<String> {
        prune::prune(self, value, true)
    }

    /// Checks an object against everything except the CEL rules.
    pub fn validate(&self, value: &Value) -> Vec<FieldError> {
        let errors = validate::validate(self, value, None);
        match &self.judge {
            Some(judge) => judge.decide(value, errors),
            None => errors,
        }
    }

    /// Like [`Schema::validate`], for an update: unchanged fields are not checked again, so that a stored object that a stricter schema
    /// would reject can still be changed elsewhere.
    pub fn validate_change(&self, new: &Value, old: &Value) -> Vec<FieldError> {
        validate::validate(self, new, Some(old))
    }

    /// Checks an object against the CEL rules; `old` is the stored object for an update.
    ///
    /// Call it only for objects in whose errors of [`Schema::validate`] no reason [stops it](FieldErrorReason::stops_rules); for others the API
    /// server responds with [`Schema::rules_not_checked`].
    pub fn validate_rules(&self, new: &Value, old: Option<&Value>, budget: &mut crate::expr::Budget) -> Vec<FieldError> {
        rules::validate(self, new, old, rules::Judged::Changed, budget)
    }

    /// Like [`Schema::validate_rules`], but unchanged parts are checked again: for objects that must match a schema that might differ from
    /// the one they were accepted with.
    pub fn validate_all_rules(&self, new: &Value, old: Option<&Value>, budget: &mut crate::expr::Budget) -> Vec<FieldError> {
        rules::validate(self, new, old, rules::Judged::All, budget)
    }

    /// Returns the rules that an API server refuses because they could cost too much.
    pub fn costly_rules(&self) -> Vec<CostlyRule> {
        rules::costly(self)
    }

    /// Returns what a condition about a value of this schema is about if it is false. The value is the variable `root`.
    pub fn subject(
        &self,
        condition: &crate::expr::Program,
        root: &str,
        scope: &crate::expr::Scope,
        value: &Value,
        budget: &mut crate::expr::Budget,
    ) -> RuleSubject {
        RuleSubject::of(self, value, "", &condition.about(&[root], scope, budget))
    }

    /// Returns the path and JSON pointer of each resource embedded in a value, outer ones first.
    pub fn embedded_resources(&self, value: &Value) -> Vec<(String, String)> {
        let mut found = Vec::new();
        if self.has_embedded {
            embedded::places(self, value, &path::Path::Root, "", &mut found);
        }
        found
    }

    /// Whether there is any CEL rule.
    pub fn has_rules(&self) -> bool {
        self.has_rules
    }

    /// Returns the cause that is added when an object is invalid and rules were therefore not checked.
    pub fn rules_not_checked() -> FieldError {
        FieldError::invalid(NO_FIELD, Value::Null, RULE_CHECK_SKIPPED)
    }

    /// Returns the schema of a field.
    pub fn property(&self, name: &str) -> Option<&Self> {
        self.properties.get(name)
    }

    /// Returns every declared field with its schema, sorted by name.
    pub fn properties(&self) -> impl Iterator<Item = (&str, &Self)> {
        self.properties.iter().map(|(name, schema)| (name.as_str(), schema))
    }

    /// Returns the schema of the items of a list.
    pub fn items(&self) -> Option<&Self> {
        self.items.as_deref()
    }

    /// Returns the schema of the values of a map.
    pub fn additional_properties(&self) -> Option<&Self> {
        match &self.additional {
            Additional::Schema(schema) => Some(schema),
            _ => None,
        }
    }

    /// Returns how items of this list are identified.
    pub fn list_type(&self) -> &ListType {
        &self.list_type
    }

    /// Whether this object is a single value when two writers change it.
    pub fn map_type_atomic(&self) -> bool {
        self.map_type_atomic
    }

    /// Whether unknown fields are kept.
    pub fn preserves_unknown(&self) -> bool {
        self.preserve_unknown
    }

    /// Whether this is an object with its own `apiVersion`, `kind` and `metadata`.
    pub fn is_embedded_resource(&self) -> bool {
        self.embedded
    }

    /// Whether both an integer and a string are allowed.
    pub fn is_int_or_string(&self) -> bool {
        self.int_or_string
    }

    /// Returns the type, unless the schema leaves it open.
    pub fn kind(&self) -> Option<Kind> {
        self.kind
    }

    /// Returns the format, such as `date-time`.
    pub fn format(&self) -> Option<&str> {
        self.format.as_deref()
    }

    /// Whether null is allowed.
    pub fn is_nullable(&self) -> bool {
        self.nullable
    }

    /// Returns the names of the required fields.
    pub fn required(&self) -> &[String] {
        &self.required
    }

    /// Returns the default, if one is declared.
    pub fn default_value(&self) -> Option<&Value> {
        self.default.as_ref()
    }

    /// Returns the allowed values; empty if any value is allowed.
    pub fn enumeration(&self) -> &[Value] {
        &self.enumeration
    }

    /// Returns the schema as it was written.
    pub fn json(&self) -> &Value {
        self.root.pointer(&self.pointer).unwrap_or(&Value::Null)
    }
}
