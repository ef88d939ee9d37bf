//! hydrate
