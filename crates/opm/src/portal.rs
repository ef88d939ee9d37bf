//! The connection to a portal: its address, the user's token, and the calls of its REST API.

mod events;
mod way;

use std::fmt::Write as _;

use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Uri, header};
use http_body_util::BodyExt as _;
use kube::Client;
use kube::client::Body;
use kube::config::{Config, KubeConfigOptions, Kubeconfig};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use promise::Problem;
use promise::rest::Page;
use secrecy::SecretString;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::{CONFLICT, DENIED, NO, NO_ANSWER, NOT_FOUND};
use crate::settings::{Settings, Store};
use crate::{Error, renewal};

pub use events::{Event, Events};
pub use way::Way;

/// What is encoded in a segment of a path: colons of workspaces stay.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b':');
/// Number of items in one part of a list.
const PART: &str = "200";
/// Media type of what commands send.
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Client for a portal that acts as one user.
pub struct Portal {
    client: Client,
    address: Uri,
    /// Path of the workspace that commands use without `--workspace`.
    workspace: Option<String>,
    /// What the user can do if the token isn't accepted.
    remedy: &'static str,
}

/// A response with the header fields that commands need.
pub struct Answer<T> {
    /// The body.
    pub body: T,
    /// Version of what was read, to change only that.
    pub etag: Option<String>,
}

impl Portal {
    /// Prepares the connection without sending anything.
    ///
    /// # Errors
    /// If the token can't be sent safely to this address, or the kubeconfig can't be used.
    pub async fn open(way: &Way) -> Result<Self, Error> {
        let store = way.store();
        let settings = store.settings()?;
        let address = way.address(&settings)?;
        // The workspace was chosen in the portal that it is remembered for.
        let remembered = settings.clone();
        let known = if settings.portal.as_deref() == Some(&*name(&address)) { remembered } else { Settings::default() };
        let mut config = Config::new(address.clone());
        let kept = if way.kubeconfig.is_none() && way.context.is_none() { store.credential(&name(&address))? } else { None };
        let (of_context, remedy) = match kept {
            Some(credential) => {
                let credential = renewal::renewed(way.now, &store, &name(&address), credential).await?;
                config.auth_info.token = Some(SecretString::from(credential.token));
                (None, "the portal doesn't accept the stored token; sign in again with `opm login`")
            }
            None => {
                let of_plane = kubeconfig(way, &known).await?;
                let workspace = of_plane.cluster_url.path().strip_prefix("/clusters/").map(|path| path.trim_end_matches('/').to_owned());
                // The user's identity comes from the kubeconfig; the trusted authorities are those of this machine, not those of the plane.
                config.auth_info = of_plane.auth_info;
                (workspace, "the portal doesn't accept the token of this kubeconfig")
            }
        };
        let unreachable = |error| Error::of_call(&name(&address), error);
        let client = Client::try_from(config).map_err(unreachable)?;
        let chosen = if way.context.is_some() { of_context.or(known.workspace) } else { known.workspace.or(of_context) };
        Ok(Self { client, address, workspace: way.workspace.clone().or(chosen), remedy })
    }

    /// Prepares a connection for what the portal tells everyone. It sends no token.
    ///
    /// # Errors
    /// If the address can't be used.
    pub fn anonymous(way: &Way) -> Result<Self, Error> {
        let address = way.address(&way.store().settings()?)?;
        let unreachable = |error| Error::of_call(&name(&address), error);
        let client = Client::try_from(Config::new(address.clone())).map_err(unreachable)?;
        Ok(Self { client, address, workspace: None, remedy: "the portal wants a token for what everyone can know" })
    }

    /// Returns the path of the workspace for this command.
    ///
    /// # Errors
    /// If there is none.
    pub fn workspace(&self) -> Result<&str, Error> {
        self.workspace.as_deref().ok_or(Error::NoWorkspace)
    }

    /// Returns the address without a slash at its end.
    pub fn name(&self) -> String {
        name(&self.address)
    }

    /// The error for an answer that isn't a portal's.
    pub fn is_unknown(&self) -> Error {
        Error::NoPortal(self.name())
    }

    /// Reads one object.
    ///
    /// # Errors
    /// If the portal can't be reached, or rejects the call.
    pub async fn get<T: DeserializeOwned>(&self, path: &str, query: &[(&str, &str)]) -> Result<Answer<T>, Error> {
        self.call(Method::GET, &with_query(path, query), HeaderMap::new(), Vec::new()).await
    }

    /// Reads a list, all parts of it.
    ///
    /// # Errors
    /// If the portal can't be reached, or rejects the call.
    pub async fn list<T: DeserializeOwned>(&self, path: &str, query: &[(&str, &str)]) -> Result<Page<T>, Error> {
        let first: Vec<(&str, &str)> = query.iter().copied().chain([("limit", PART)]).collect();
        let mut whole: Page<T> = self.get(path, &first).await?.body;
        while let Some(token) = whole.r#continue.take() {
            let next: Vec<(&str, &str)> = first.iter().copied().chain([("continue", token.as_str())]).collect();
            let part: Page<T> = self.get(path, &next).await?.body;
            whole.items.extend(part.items);
            whole.r#continue = part.r#continue;
        }
        Ok(whole)
    }

    /// Sends an object.
    ///
    /// # Errors
    /// If the portal can't be reached, or rejects the call.
    pub async fn send<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        fields: &[(header::HeaderName, &str)],
        body: &Value,
    ) -> Result<Answer<T>, Error> {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.insert(name, HeaderValue::from_str(value).map_err(|_| self.is_unknown())?);
        }
        if !body.is_null() {
            headers.insert(header::CONTENT_TYPE, JSON);
        }
        let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        self.call(method, path, headers, body).await
    }

    /// Posts a manifest as it was written, YAML or JSON.
    ///
    /// # Errors
    /// If the portal can't be reached, or rejects the call.
    pub async fn post_text(&self, path: &str, yaml: Vec<u8>) -> Result<Value, Error> {
        let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static("application/yaml"))]);
        Ok(self.call(Method::POST, path, headers, yaml).await?.body)
    }

    /// Opens a stream of events.
    ///
    /// # Errors
    /// If the portal can't be reached, or rejects the call.
    pub async fn events(&self, path: &str) -> Result<Events, Error> {
        let headers = HeaderMap::from_iter([(header::ACCEPT, HeaderValue::from_static("text/event-stream"))]);
        let response = self.response(Method::GET, path, headers, Vec::new()).await?;
        if response.status().is_success() {
            return Ok(Events::new(response.into_body()));
        }
        let (status, _, body) = self.read(response).await?;
        Err(self.refused(status, &body))
    }

    async fn call<T: DeserializeOwned>(&self, method: Method, path: &str, headers: HeaderMap, body: Vec<u8>) -> Result<Answer<T>, Error> {
        let response = self.response(method, path, headers, body).await?;
        let (status, headers, body) = self.read(response).await?;
        if !status.is_success() {
            return Err(self.refused(status, &body));
        }
        let body = if body.is_empty() { b"null".as_slice() } else { body.as_slice() };
        let body = serde_json::from_slice(body).map_err(|_| self.is_unknown())?;
        let etag = headers.get(header::ETAG).and_then(|etag| etag.to_str().ok()).map(str::to_owned);
        Ok(Answer { body, etag })
    }

    async fn response(&self, method: Method, path: &str, headers: HeaderMap, body: Vec<u8>) -> Result<Response<Body>, Error> {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in &headers {
            request = request.header(name, value);
        }
        let request = request.body(Body::from(body)).map_err(|_| self.is_unknown())?;
        self.client.send(request).await.map_err(|error| Error::of_call(&self.name(), error))
    }

    async fn read(&self, response: Response<Body>) -> Result<(StatusCode, HeaderMap, Vec<u8>), Error> {
        let (parts, body) = response.into_parts();
        let body = body.collect().await.map_err(|_| self.is_unknown())?.to_bytes();
        Ok((parts.status, parts.headers, body.to_vec()))
    }

    /// Returns the error for a problem (RFC 9457).
    fn refused(&self, status: StatusCode, body: &[u8]) -> Error {
        let code = match status {
            StatusCode::UNAUTHORIZED => return Error::refused(DENIED, self.remedy),
            StatusCode::FORBIDDEN => DENIED,
            StatusCode::NOT_FOUND | StatusCode::GONE => NOT_FOUND,
            StatusCode::CONFLICT | StatusCode::PRECONDITION_FAILED => CONFLICT,
            status if status.is_client_error() && status != StatusCode::TOO_MANY_REQUESTS => NO,
            _ => NO_ANSWER,
        };
        let problem: Value = serde_json::from_slice(body).unwrap_or_default();
        let Some(detail) = problem["detail"].as_str() else { return self.is_unknown() };
        let fields = problem["errors"].as_array().into_iter().flatten().filter_map(|error| {
            let message = error["message"].as_str()?.to_owned();
            Some(Problem { path: path_of(error["pointer"].as_str()?), message })
        });
        let problems: Vec<Problem> = fields.collect();
        // The detail repeats them.
        let message = if problems.is_empty() { detail } else { problem["title"].as_str().unwrap_or(detail) };
        let reason = serde_json::from_value(problem["reason"].clone()).ok().map(Box::new);
        Error::Refused { code, message: message.to_owned(), problems, reason }
    }
}

/// Returns a path of the API: the segments, encoded, below `/api/v1`.
pub fn api(segments: &[&str]) -> String {
    let mut path = "/api/v1".to_owned();
    for segment in segments {
        let _ = write!(path, "/{}", utf8_percent_encode(segment, SEGMENT));
    }
    path
}

/// Returns a path with a query, without parameters that are empty.
pub fn with_query(path: &str, query: &[(&str, &str)]) -> String {
    let mut text = path.to_owned();
    let given = query.iter().filter(|(_, value)| !value.is_empty());
    for (at, (name, value)) in given.enumerate() {
        let _ = write!(text, "{}{name}={}", if at == 0 { '?' } else { '&' }, utf8_percent_encode(value, SEGMENT));
    }
    text
}

/// Returns the path of a field from its JSON Pointer into a manifest: `/spec/parameters/size` is `.parameters.size`.
fn path_of(pointer: &str) -> String {
    let pointer = pointer.strip_prefix("/spec").filter(|rest| rest.starts_with("/parameters")).unwrap_or(pointer);
    let step = |text: &str| {
        let key = text.replace("~1", "/").replace("~0", "~");
        if key.is_empty() || key.contains(['.', '[', '"']) {
            format!("[\"{}\"]", key.replace('\\', "\\\\").replace('"', "\\\""))
        } else if key.bytes().all(|byte| byte.is_ascii_digit()) {
            format!("[{key}]")
        } else {
            format!(".{key}")
        }
    };
    pointer.split('/').skip(1).map(step).collect()
}

fn name(address: &Uri) -> String {
    address.to_string().trim_end_matches('/').to_owned()
}

/// Returns what the context says.
async fn kubeconfig(way: &Way, known: &Settings) -> Result<Config, Error> {
    let file = match way.kubeconfig.as_ref().or(known.kubeconfig.as_ref()) {
        Some(file) => Kubeconfig::read_from(file)?,
        None => Kubeconfig::read()?,
    };
    let context = way.context.clone().or_else(|| known.context.clone().filter(|_| way.kubeconfig.is_none()));
    let options = KubeConfigOptions { context, ..KubeConfigOptions::default() };
    Ok(Config::from_custom_kubeconfig(file, &options).await?)
}

impl Way {
    /// Returns the config directory.
    pub fn store(&self) -> Store {
        Store::open(self.config_dir.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_leave_their_segment() {
        assert_eq!(
            api(&["workspaces", "root:acme:shop", "promises", "a/../b?c"]),
            "/api/v1/workspaces/root:acme:shop/promises/a%2F..%2Fb%3Fc"
        );
        assert_eq!(with_query("/a", &[("q", "x&y=z"), ("limit", ""), ("state", "Ready")]), "/a?q=x%26y%3Dz&state=Ready");
    }

    #[test]
    fn problems_name_the_field_as_promises_write_it() {
        for (pointer, path) in [
            ("/spec/parameters/backup/enabled", ".parameters.backup.enabled"),
            ("/spec/parameters/hosts/2/a~1b", ".parameters.hosts[2].a/b"),
            ("/spec/parameters/labels/a.b", ".parameters.labels[\"a.b\"]"),
            ("/metadata/name", ".metadata.name"),
            ("", ""),
        ] {
            assert_eq!(path_of(pointer), path, "{pointer}");
        }
    }
}
