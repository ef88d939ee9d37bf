//! What a preview remembers between two pages. Its document is compressed, because schemas are long and say the same things again and again.

use promise::form::Draft;
use serde::{Deserialize, Serialize};

/// A document and what was typed into its form, without secrets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct PreviewDraft {
    /// The document, YAML or JSON.
    #[serde(with = "compressed")]
    pub(super) document: String,
    /// Position of the schema in the document.
    pub(super) version: usize,
    /// What was typed into the form. Absent before anything was.
    pub(super) entered: Option<Draft>,
    /// Id of the input that gets the focus.
    pub(super) focus: Option<String>,
    /// Whether problems are shown.
    pub(super) checked: bool,
}

/// A text as base64 of its gzip.
mod compressed {
    use std::io::{Read as _, Write as _};

    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use flate2::Compression;
    use flate2::read::GzDecoder;
    use flate2::write::GzEncoder;
    use serde::de::Error as _;
    use serde::ser::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    use crate::auth::csrf::MAX_DOCUMENT;

    pub(super) fn serialize<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text.as_bytes()).map_err(S::Error::custom)?;
        serializer.serialize_str(&STANDARD.encode(encoder.finish().map_err(S::Error::custom)?))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
        let bytes = STANDARD.decode(String::deserialize(deserializer)?).map_err(D::Error::custom)?;
        let mut text = String::new();
        GzDecoder::new(bytes.as_slice()).take(MAX_DOCUMENT as u64).read_to_string(&mut text).map_err(D::Error::custom)?;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::PreviewDraft;

    #[test]
    fn a_long_document_takes_little_room_and_comes_back() {
        let draft =
            PreviewDraft { document: "description: The name – of the host.\n".repeat(40_000), version: 2, ..PreviewDraft::default() };
        let kept = serde_json::to_string(&draft).unwrap();
        assert!(kept.len() < store::MAX_DRAFT_BYTES / 10, "{}", kept.len());
        assert_eq!(serde_json::from_str::<PreviewDraft>(&kept).unwrap(), draft);
    }
}
