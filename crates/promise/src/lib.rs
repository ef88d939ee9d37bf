//! promise
