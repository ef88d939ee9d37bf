//! What is asked and not stored, and what subresources answer with: kinds without defaults and keyed lists, whose fields the protobuf
//! table tells.

use super::Row;
use crate::protobuf;

pub(super) const KINDS: &[Row] = &[
    ("authentication.k8s.io", "SelfSubjectReview", || protobuf::schema("authentication.k8s.io/v1", "SelfSubjectReview")),
    ("authentication.k8s.io", "TokenRequest", || protobuf::schema("authentication.k8s.io/v1", "TokenRequest")),
    ("authentication.k8s.io", "TokenReview", || protobuf::schema("authentication.k8s.io/v1", "TokenReview")),
    ("authorization.k8s.io", "LocalSubjectAccessReview", || protobuf::schema("authorization.k8s.io/v1", "LocalSubjectAccessReview")),
    ("authorization.k8s.io", "SelfSubjectAccessReview", || protobuf::schema("authorization.k8s.io/v1", "SelfSubjectAccessReview")),
    ("authorization.k8s.io", "SelfSubjectRulesReview", || protobuf::schema("authorization.k8s.io/v1", "SelfSubjectRulesReview")),
    ("authorization.k8s.io", "SubjectAccessReview", || protobuf::schema("authorization.k8s.io/v1", "SubjectAccessReview")),
    ("autoscaling", "Scale", || protobuf::schema("autoscaling/v1", "Scale")),
];
