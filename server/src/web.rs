//! What applies to every response: host check, headers, request ids and log lines, health, assets.

pub mod assets;
pub mod body;
pub mod headers;
pub mod health;
pub mod host;
pub mod listen;
pub mod page_cache;
pub mod pairs;
pub mod panics;
pub mod query;
pub mod recent;
pub mod request_log;
pub mod site;
