//! devplane
