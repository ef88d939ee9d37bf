//! The protobuf form of built-in kinds, in which typed Go clients write and read them (apimachinery
//! `runtime/serializer/protobuf`; field numbers are those of the `protobuf` tags of `k8s.io/api`).
//!
//! Nothing else in the plane knows it: bodies become the JSON that a client would have sent, answers are made from the JSON that it
//! would have got. What fields there are stands in a table, `protobuf/messages.txt`, which `examples/protobuf_table.rs` writes; what
//! else the table tells of the Go types, `go_names`, `schema`, `go_json` and `go_internal` read from it.

pub mod go_internal;
pub mod go_json;
mod read;
mod schemas;
mod table;
mod wire;
mod write;

use bytes::Bytes;
use serde_json::{Map, Value};

pub use read::is_zero;
pub use schemas::schema;
pub use table::go_names;
use wire::{Cursor, put_bytes};

/// The media type.
pub const MEDIA_TYPE: &str = "application/vnd.kubernetes.protobuf";
/// What every message begins with.
const MAGIC: &[u8] = b"k8s\0";

/// Why a body is no message of Kubernetes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProtobufError {
    /// The envelope is missing.
    #[error("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")]
    Prefix,
    /// It ends within a value.
    #[error("unexpected EOF")]
    Cut,
    /// A value has another form on the wire than its field.
    #[error("proto: wrong wireType for field {0}")]
    WireType(u32),
    /// Messages within messages, too many.
    #[error("proto: messages are nested too deep")]
    Depth,
    /// A text is not UTF-8, or raw JSON is none.
    #[error("proto: field {0} holds no valid text")]
    Text(&'static str),
    /// The kind has no protobuf form here.
    #[error("no kind \"{kind}\" is registered for version \"{api_version}\"")]
    UnknownKind {
        /// As the envelope says.
        api_version: String,
        /// As the envelope says.
        kind: String,
    },
}

/// Whether a kind has a protobuf form.
pub fn knows(api_version: &str, kind: &str) -> bool {
    table::message(api_version, kind).is_some()
}

/// The object of a body. Where the envelope does not say what it is, it is of this version and kind.
///
/// # Errors
/// When it is no message of a known kind.
pub fn decode(body: &[u8], api_version: &str, kind: &str) -> Result<Value, ProtobufError> {
    let mut envelope = Cursor::new(body.strip_prefix(MAGIC).ok_or(ProtobufError::Prefix)?);
    let (mut said, mut raw): (Option<Map<String, Value>>, &[u8]) = (None, &[]);
    while let Some((number, value)) = envelope.next()? {
        match number {
            1 => said = Some(read::type_meta(value.bytes(number)?)?),
            2 => raw = value.bytes(number)?,
            _ => {}
        }
    }
    let text = |field: &str, otherwise: &str| {
        let said = said.as_ref().and_then(|said| said.get(field)).and_then(Value::as_str).filter(|said| !said.is_empty());
        said.unwrap_or(otherwise).to_owned()
    };
    let (api_version, kind) = (text("apiVersion", api_version), text("kind", kind));
    let Some(message) = table::message(&api_version, &kind) else {
        return Err(ProtobufError::UnknownKind { api_version, kind });
    };
    let mut object = read::message(message, raw)?;
    object.insert("apiVersion".into(), api_version.into());
    object.insert("kind".into(), kind.into());
    Ok(Value::Object(object))
}

/// An object as a message; none for a kind without a protobuf form.
pub fn encode(object: &Value) -> Option<Bytes> {
    let (api_version, kind) = (object["apiVersion"].as_str()?, object["kind"].as_str()?);
    let message = table::message(api_version, kind)?;
    let mut raw = Vec::new();
    write::message(message, object, &mut raw);
    let mut type_meta = Vec::new();
    put_bytes(&mut type_meta, 1, api_version.as_bytes());
    put_bytes(&mut type_meta, 2, kind.as_bytes());
    let mut envelope = MAGIC.to_vec();
    put_bytes(&mut envelope, 1, &type_meta);
    put_bytes(&mut envelope, 2, &raw);
    // Encoding and content type of the content, both unsaid.
    put_bytes(&mut envelope, 3, &[]);
    put_bytes(&mut envelope, 4, &[]);
    Some(envelope.into())
}

/// An event of a watch, with the length in front that tells events apart.
pub fn encode_event(kind: &str, object: &Value) -> Option<Bytes> {
    let (mut raw, mut event) = (Vec::new(), Vec::new());
    put_bytes(&mut raw, 1, &encode(object)?);
    put_bytes(&mut event, 1, kind.as_bytes());
    put_bytes(&mut event, 2, &raw);
    let mut frame = u32::try_from(event.len()).ok()?.to_be_bytes().to_vec();
    frame.extend(event);
    Some(frame.into())
}

#[cfg(test)]
mod tests;
