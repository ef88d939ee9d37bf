//! Style sheet, scripts, wasm and icon: the files of [`site`], compressed once and cached.
//!
//! Files under `assets/` and `pkg/` have a content hash in their names and never change; browsers revalidate all others with their ETag.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use app::backend::Assets as Manifest;
use app::ui::{SPRITE, SPRITE_ADDRESS};
use axum::body::{Body, Bytes};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use sha2::{Digest as _, Sha256};
use store::SiteFile;

use super::site::{self, File};

/// How long browsers keep a file whose address names its content.
const IMMUTABLE: &str = "public, max-age=31536000, immutable";
/// Bytes of the longest address that is looked up among the files of other versions.
const LONGEST_ADDRESS: usize = 64;

/// The files of the site, by address.
#[derive(Clone)]
pub struct Assets {
    files: Arc<BTreeMap<String, Asset>>,
    manifest: Arc<Manifest>,
}

struct Asset {
    bytes: &'static [u8],
    kind: HeaderValue,
    hashed: bool,
    tag: HeaderValue,
    /// Compressed on first use, because most browsers have the file already. The inner value is `None` if compression doesn't make it
    /// smaller.
    brotli: OnceLock<Option<Bytes>>,
}

impl Assets {
    /// Returns the files embedded in this binary, under names that contain their content hashes.
    pub fn of_this_binary() -> Self {
        let mut files = BTreeMap::new();
        let mut serve = |file: &File| {
            let asset = Asset::new(file);
            let address = asset.address(file);
            files.insert(address.clone(), asset);
            address
        };
        let manifest = Manifest {
            style: serve(&site::STYLE),
            page: serve(&site::PAGE),
            morph: serve(&site::MORPH),
            inbox: serve(&site::INBOX),
            keys: serve(&site::KEYS),
            palette: serve(&site::PALETTE),
            palette_wasm: serve(&site::PALETTE_WASM),
            islands: serve(&site::ISLANDS),
            islands_wasm: serve(&site::ISLANDS_WASM),
            script: serve(&site::SCRIPT),
            wasm: serve(&site::WASM),
        };
        serve(&site::ICON);
        let sprite = File { folder: "/assets", name: "icons.svg", bytes: SPRITE.as_bytes() };
        files.insert(SPRITE_ADDRESS.clone(), Asset::new(&sprite));
        Self { files: Arc::new(files), manifest: Arc::new(manifest) }
    }

    /// Returns the addresses of the files that pages refer to.
    pub fn manifest(&self) -> &Arc<Manifest> {
        &self.manifest
    }

    /// Checks whether there is a file at this address.
    pub fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// Returns the files whose addresses name their content, for replicas of other versions.
    pub fn versioned(&self) -> Vec<SiteFile> {
        let versioned = self.files.iter().filter(|(_, asset)| asset.hashed);
        let file = |(address, asset): (&String, &Asset)| SiteFile {
            address: address.clone(),
            kind: asset.kind.to_str().unwrap_or_default().to_owned(),
            content: asset.bytes.to_vec(),
        };
        versioned.map(file).collect()
    }

    /// Checks whether a file of another version can have this address.
    pub fn can_be_versioned(path: &str) -> bool {
        ["/assets/", "/pkg/"].iter().any(|folder| path.starts_with(folder)) && path.len() <= LONGEST_ADDRESS
    }

    /// Returns a file of another version. It is sent as it is: few browsers ask for one.
    pub fn answer_former(file: SiteFile) -> Response {
        let Ok(kind) = HeaderValue::from_str(&file.kind) else { return StatusCode::NOT_FOUND.into_response() };
        ([(header::CACHE_CONTROL, HeaderValue::from_static(IMMUTABLE)), (header::CONTENT_TYPE, kind)], file.content).into_response()
    }

    /// Returns the file at `path` in an encoding that the browser of `headers` accepts. It might compress, so call it where blocking is
    /// allowed.
    pub fn answer(&self, path: &str, headers: &HeaderMap) -> Response {
        let Some(asset) = self.files.get(path) else { return StatusCode::NOT_FOUND.into_response() };
        let caching = if asset.hashed { IMMUTABLE } else { "public, no-cache" };
        let mut answer = HeaderMap::new();
        answer.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
        answer.insert(header::ETAG, asset.tag.clone());
        answer.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        if headers.get(header::IF_NONE_MATCH).is_some_and(|tag| tag == asset.tag) {
            return (StatusCode::NOT_MODIFIED, answer).into_response();
        }
        answer.insert(header::CONTENT_TYPE, asset.kind.clone());
        let body = match asset.brotli.get_or_init(|| compressed(asset.bytes)) {
            Some(brotli) if takes_brotli(headers) => {
                answer.insert(header::CONTENT_ENCODING, HeaderValue::from_static("br"));
                brotli.clone()
            }
            _ => Bytes::from_static(asset.bytes),
        };
        (answer, Body::from(body)).into_response()
    }
}

impl Asset {
    fn new(file: &File) -> Self {
        let tag = HeaderValue::from_str(&format!("\"{}\"", digest(file.bytes, 20))).unwrap_or(HeaderValue::from_static("\"\""));
        let kind = HeaderValue::from_static(file.media_type());
        Self { bytes: file.bytes, kind, hashed: !file.folder.is_empty(), tag, brotli: OnceLock::new() }
    }

    fn address(&self, file: &File) -> String {
        match file.name.split_once('.') {
            Some((stem, extension)) if self.hashed => format!("{}/{stem}.{}.{extension}", file.folder, digest(file.bytes, 8)),
            _ => format!("{}/{}", file.folder, file.name),
        }
    }
}

/// Returns the first hexadecimal digits of the SHA-256.
fn digest(bytes: &[u8], digits: usize) -> String {
    let mut digest = hex::encode(Sha256::digest(bytes));
    digest.truncate(digits);
    digest
}

fn compressed(mut bytes: &[u8]) -> Option<Bytes> {
    let plain = bytes.len();
    let mut brotli = Vec::new();
    let result = brotli::BrotliCompress(&mut bytes, &mut brotli, &brotli::enc::BrotliEncoderParams::default());
    (result.is_ok() && brotli.len() < plain).then(|| Bytes::from(brotli))
}

/// Checks whether the browser accepts brotli; one that doesn't can send `br;q=0`.
fn takes_brotli(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accepted.split(',').map(str::trim).any(|coding| coding == "br" || (coding.starts_with("br;") && !coding.ends_with("q=0")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: header::HeaderName, value: HeaderValue) -> HeaderMap {
        HeaderMap::from_iter([(name, value)])
    }

    #[test]
    fn hashed_files_never_change_and_others_are_asked_for_again() {
        let assets = Assets::of_this_binary();
        let brotli = headers(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip, br"));
        let style = assets.answer(&assets.manifest().style, &brotli);
        assert_eq!(style.headers()["content-encoding"], "br");
        assert_eq!(style.headers()["cache-control"], "public, max-age=31536000, immutable");
        assert!(!assets.answer(&assets.manifest().style, &HeaderMap::new()).headers().contains_key("content-encoding"));
        let icon = assets.answer("/icon.svg", &HeaderMap::new());
        assert_eq!(icon.headers()["cache-control"], "public, no-cache");
        let again = assets.answer("/icon.svg", &headers(header::IF_NONE_MATCH, icon.headers()["etag"].clone()));
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
    }

    #[test]
    fn only_listed_files_are_served() {
        let assets = Assets::of_this_binary();
        for path in ["/portal.css", "/../Cargo.toml", "/assets", "/", ""] {
            assert!(!assets.has(path), "{path}");
            assert_eq!(assets.answer(path, &HeaderMap::new()).status(), StatusCode::NOT_FOUND);
        }
    }
}
