//! Style, script, wasm, icons: the files of the site directory, compressed once and kept.
//!
//! Files under `assets/` and `pkg/` carry a hash of their content in their name and never change; all others are asked for again by their tag.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use app::backend::Assets as Manifest;
use axum::body::{Body, Bytes};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use sha2::{Digest as _, Sha256};

/// The files of the site directory, by address.
#[derive(Clone, Default)]
pub struct Assets {
    files: Arc<BTreeMap<String, Asset>>,
    manifest: Arc<Manifest>,
}

struct Asset {
    path: PathBuf,
    kind: HeaderValue,
    hashed: bool,
    /// Filled when it is first asked for: most people's browsers have it already.
    content: OnceLock<Content>,
}

struct Content {
    plain: Bytes,
    /// None when compression does not make it smaller.
    brotli: Option<Bytes>,
    tag: HeaderValue,
}

impl Assets {
    /// The names of what is in `site`. Without a built site pages are served all the same, without style and live parts.
    pub fn open(site: &Path) -> Self {
        let mut files = BTreeMap::new();
        walk(site, Path::new(""), &mut files);
        let manifest = std::fs::read(site.join("manifest.json")).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        if manifest.is_none() {
            tracing::warn!(site = %site.display(), "no built site is there: pages have no style; build it with `cargo xtask build` or name it with --site");
        }
        Self { files: Arc::new(files), manifest: Arc::new(manifest.unwrap_or_default()) }
    }

    /// Addresses of the built files; empty without a built site.
    pub fn manifest(&self) -> &Arc<Manifest> {
        &self.manifest
    }

    /// Whether there is a file at that address.
    pub fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// The file at `path`, as the browser of `headers` takes it. It may read and compress: call it where blocking is allowed.
    pub fn answer(&self, path: &str, headers: &HeaderMap) -> Response {
        let Some(asset) = self.files.get(path) else { return StatusCode::NOT_FOUND.into_response() };
        let content = match asset.content.get() {
            Some(content) => content,
            None => match std::fs::read(&asset.path) {
                Ok(bytes) => asset.content.get_or_init(|| Content::new(bytes)),
                Err(error) => {
                    tracing::warn!(%error, path, "a file of the site cannot be read");
                    return StatusCode::NOT_FOUND.into_response();
                }
            },
        };
        let caching = if asset.hashed { "public, max-age=31536000, immutable" } else { "public, no-cache" };
        let mut answer = HeaderMap::new();
        answer.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
        answer.insert(header::ETAG, content.tag.clone());
        answer.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        if headers.get(header::IF_NONE_MATCH).is_some_and(|tag| tag == content.tag) {
            return (StatusCode::NOT_MODIFIED, answer).into_response();
        }
        answer.insert(header::CONTENT_TYPE, asset.kind.clone());
        let body = match &content.brotli {
            Some(brotli) if takes_brotli(headers) => {
                answer.insert(header::CONTENT_ENCODING, HeaderValue::from_static("br"));
                brotli
            }
            _ => &content.plain,
        };
        (answer, Body::from(body.clone())).into_response()
    }
}

impl Content {
    fn new(bytes: Vec<u8>) -> Self {
        let mut brotli = Vec::new();
        let compressed = brotli::BrotliCompress(&mut bytes.as_slice(), &mut brotli, &brotli::enc::BrotliEncoderParams::default());
        let brotli = (compressed.is_ok() && brotli.len() < bytes.len()).then(|| Bytes::from(brotli));
        let digest = hex::encode(Sha256::digest(&bytes));
        let tag = HeaderValue::from_str(&format!("\"{}\"", digest.get(..20).unwrap_or(&digest)));
        Self { plain: Bytes::from(bytes), brotli, tag: tag.unwrap_or(HeaderValue::from_static("\"\"")) }
    }
}

/// Whether the browser takes brotli; one that forbids it writes `br;q=0`.
fn takes_brotli(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accepted.split(',').map(str::trim).any(|coding| coding == "br" || (coding.starts_with("br;") && !coding.ends_with("q=0")))
}

fn walk(site: &Path, below: &Path, files: &mut BTreeMap<String, Asset>) {
    let Ok(entries) = std::fs::read_dir(site.join(below)) else { return };
    for entry in entries.flatten() {
        let relative = below.join(entry.file_name());
        if entry.path().is_dir() {
            walk(site, &relative, files);
        } else if let Some(kind) = media_type(&relative) {
            let address = format!("/{}", relative.to_string_lossy().replace('\\', "/"));
            let hashed = address.starts_with("/assets/") || address.starts_with("/pkg/");
            files.insert(address, Asset { path: entry.path(), kind: HeaderValue::from_static(kind), hashed, content: OnceLock::new() });
        }
    }
}

/// Files of other kinds are not served.
fn media_type(path: &Path) -> Option<&'static str> {
    Some(match path.extension()?.to_str()? {
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        "webmanifest" => "application/manifest+json",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site() -> tempfile::TempDir {
        let site = tempfile::tempdir().unwrap();
        std::fs::create_dir(site.path().join("assets")).unwrap();
        std::fs::write(site.path().join("assets/portal.0123456789.css"), "a{color:red}".repeat(50)).unwrap();
        std::fs::write(site.path().join("robots.txt"), "User-agent: *\n").unwrap();
        std::fs::write(site.path().join("manifest.json"), r#"{"style":"/assets/portal.0123456789.css","script":"","wasm":""}"#).unwrap();
        site
    }

    fn headers(name: header::HeaderName, value: HeaderValue) -> HeaderMap {
        HeaderMap::from_iter([(name, value)])
    }

    #[test]
    fn hashed_files_never_change_and_others_are_asked_for_again() {
        let site = site();
        let assets = Assets::open(site.path());
        let brotli = headers(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip, br"));
        let style = assets.answer(&assets.manifest().style, &brotli);
        assert_eq!(style.headers()["content-encoding"], "br");
        assert_eq!(style.headers()["cache-control"], "public, max-age=31536000, immutable");
        assert!(!assets.answer(&assets.manifest().style, &HeaderMap::new()).headers().contains_key("content-encoding"));
        let robots = assets.answer("/robots.txt", &HeaderMap::new());
        assert_eq!(robots.headers()["cache-control"], "public, no-cache");
        let again = assets.answer("/robots.txt", &headers(header::IF_NONE_MATCH, robots.headers()["etag"].clone()));
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
    }

    #[test]
    fn only_listed_files_are_served() {
        let site = site();
        let assets = Assets::open(site.path());
        for path in ["/manifest.json", "/../Cargo.toml", "/assets", "/", ""] {
            assert!(!assets.has(path), "{path}");
            assert_eq!(assets.answer(path, &HeaderMap::new()).status(), StatusCode::NOT_FOUND);
        }
    }
}
