//! Answers: JSON with the fields that are wanted and an ETag, or 304 if the program has it already.

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use promise::rest::{Page, RequestDetail};
use promise::{Error, Result};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::fields::Fields;
use crate::cached::REVALIDATED;
use crate::error::HttpProblem;
use crate::web::response_cache::is_unchanged;

/// Result of a handler.
pub(crate) type Answer = std::result::Result<Response, HttpProblem>;

/// Bytes of a digest in an ETag.
const DIGEST: usize = 16;

fn text<T: Serialize>(value: &T, fields: &Fields) -> Result<Vec<u8>> {
    let written = if fields.is_all() {
        serde_json::to_vec(value)
    } else {
        serde_json::to_value(value).and_then(|value| serde_json::to_vec(&fields.of(&value)))
    };
    written.map_err(|error| {
        tracing::error!(%error, "an answer could not be written");
        Error::Internal
    })
}

/// Renders a value.
pub(super) fn value<T: Serialize>(headers: &HeaderMap, fields: &Fields, value: &T) -> Answer {
    Ok(rendered(headers, "", text(value, fields)?))
}

/// Renders a part of a list. Fields are selected of its items.
pub(super) fn page<T: Serialize>(headers: &HeaderMap, fields: &Fields, page: Page<T>) -> Answer {
    if fields.is_all() {
        return value(headers, fields, &page);
    }
    let select = |item: T| serde_json::to_value(item).map(|item| fields.of(&item)).map_err(|_| Error::Internal);
    let items = page.items.into_iter().map(select).collect::<Result<Vec<serde_json::Value>>>()?;
    let Page { total, total_at_least, r#continue, unread, as_of, .. } = page;
    value(headers, &Fields::default(), &Page { items, total, total_at_least, r#continue, unread, as_of })
}

/// Renders a request. Its ETag begins with its edition, which a change has to name.
pub(super) fn request(headers: &HeaderMap, fields: &Fields, detail: &RequestDetail) -> Answer {
    Ok(rendered(headers, &format!("{}.", detail.edition()), text(detail, fields)?))
}

fn rendered(headers: &HeaderMap, edition: &str, body: Vec<u8>) -> Response {
    let digest = Sha256::digest(&body);
    let tag = HeaderValue::try_from(format!("\"{edition}{}\"", hex::encode(digest.get(..DIGEST).unwrap_or(&digest)))).ok();
    let mut response = if is_unchanged(headers, tag.as_ref()) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response()
    };
    response.headers_mut().insert(header::CACHE_CONTROL, REVALIDATED);
    if let Some(tag) = tag {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;
    use serde_json::{Value, json};

    use super::*;

    async fn body(response: Response) -> Value {
        serde_json::from_slice(&response.into_body().collect().await.unwrap().to_bytes()).unwrap()
    }

    #[tokio::test]
    async fn what_a_program_has_already_is_not_sent_again() {
        let (none, fields) = (HeaderMap::new(), Fields::default());
        let first = value(&none, &fields, &json!({"a": 1})).unwrap();
        let tag = first.headers()[header::ETAG].clone();
        assert_eq!(body(first).await, json!({"a": 1}));
        let known: HeaderMap =
            [(header::IF_NONE_MATCH, format!("\"x\", W/{}", tag.to_str().unwrap()).parse().unwrap())].into_iter().collect();
        let again = value(&known, &fields, &json!({"a": 1})).unwrap();
        assert_eq!((again.status(), &again.headers()[header::ETAG]), (StatusCode::NOT_MODIFIED, &tag));
        assert!(again.into_body().collect().await.unwrap().to_bytes().is_empty());
        assert_eq!(value(&known, &fields, &json!({"a": 2})).unwrap().status(), StatusCode::OK);
    }

    #[tokio::test]
    async fn fields_are_selected_of_the_items_of_a_list() {
        let list = Page {
            items: vec![json!({"name": "a", "state": "ready"})],
            total: Some(7),
            total_at_least: None,
            r#continue: Some("next".into()),
            unread: Vec::new(),
            as_of: None,
        };
        let told = body(page(&HeaderMap::new(), &Fields::parse("name").unwrap(), list).unwrap()).await;
        assert_eq!(told, json!({"items": [{"name": "a"}], "total": 7, "continue": "next"}));
    }
}
