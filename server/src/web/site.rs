//! The files for browsers, embedded in the binary: `cargo xtask site` builds what is in `site/`.

use std::path::Path;

/// A file, and the address at which it is served.
pub struct File {
    /// Folder of its address; files below `/assets` and `/pkg` have a content hash in their names.
    pub folder: &'static str,
    /// Its name, without the hash.
    pub name: &'static str,
    /// Its content.
    pub bytes: &'static [u8],
}

impl File {
    /// Returns its media type.
    pub fn media_type(&self) -> &'static str {
        match Path::new(self.name).extension().and_then(|extension| extension.to_str()) {
            Some("css") => "text/css; charset=utf-8",
            Some("js") => "text/javascript; charset=utf-8",
            Some("wasm") => "application/wasm",
            Some("svg") => "image/svg+xml",
            _ => "application/octet-stream",
        }
    }
}

/// The style sheet.
pub const STYLE: File = File { folder: "/assets", name: "portal.css", bytes: include_bytes!("../../../site/portal.css") };
/// The script for copying, and for secrets in place.
pub const PAGE: File = File { folder: "/pkg", name: "page.js", bytes: include_bytes!("../../../app/browser/page.js") };
/// Script that changes a part of a page into how it looks now.
pub const MORPH: File = File { folder: "/assets", name: "morph.js", bytes: include_bytes!("../../../app/browser/morph.js") };
/// The script of the approvals page.
pub const INBOX: File = File { folder: "/assets", name: "approvals.js", bytes: include_bytes!("../../../app/browser/approvals.js") };
/// The script for keyboard shortcuts of all pages, which loads islands.
pub const KEYS: File = File { folder: "/assets", name: "keys.js", bytes: include_bytes!("../../../app/browser/keys.js") };
/// The script of live pages without islands.
pub const SCRIPT: File = File { folder: "/pkg", name: "portal.js", bytes: include_bytes!("../../../site/portal.js") };
/// The wasm of that script.
pub const WASM: File = File { folder: "/pkg", name: "portal.wasm", bytes: include_bytes!("../../../site/portal.wasm") };
/// The script of the palette.
pub const PALETTE: File = File { folder: "/pkg", name: "palette.js", bytes: include_bytes!("../../../site/palette.js") };
/// The wasm of that script.
pub const PALETTE_WASM: File = File { folder: "/pkg", name: "palette.wasm", bytes: include_bytes!("../../../site/palette.wasm") };
/// The script of pages with islands, live or not.
pub const ISLANDS: File = File { folder: "/pkg", name: "islands.js", bytes: include_bytes!("../../../site/islands.js") };
/// The wasm of that script.
pub const ISLANDS_WASM: File = File { folder: "/pkg", name: "islands.wasm", bytes: include_bytes!("../../../site/islands.wasm") };
/// The icon of browser tabs.
pub const ICON: File = File { folder: "", name: "icon.svg", bytes: include_bytes!("../../../public/icon.svg") };
