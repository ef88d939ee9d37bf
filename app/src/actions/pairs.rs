//! Arguments of actions: the ordered name/value pairs of a posted form, so that every action works from a plain `<form>`.

use leptos::server_fn::codec::{Encoding, FromReq, IntoReq};
use leptos::server_fn::error::{FromServerFnError, IntoAppError, ServerFnErrorErr};
use leptos::server_fn::request::Req;
use leptos::server_fn::{ContentType, Http, codec::Json};
use serde::de::value::{Error, SeqDeserializer, StringDeserializer};
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize, forward_to_deserialize_any};

/// The encoding: `application/x-www-form-urlencoded`, read as pairs whose names can repeat and whose order matters.
pub struct Pairs;

/// The protocol of every action: form pairs in, JSON out.
pub type Form = Http<Pairs, Json>;

impl ContentType for Pairs {
    const CONTENT_TYPE: &'static str = "application/x-www-form-urlencoded";
}

impl Encoding for Pairs {
    const METHOD: http::Method = http::Method::POST;
}

/// Posted arguments: an argument takes the value of the field with its name, [`Fields`] takes all of them. A field that wasn't sent is
/// empty.
pub struct Posted<T>(pub T);

/// Every field of the form, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fields(pub Vec<(String, String)>);

impl Fields {
    /// Returns the first value with that name, or an empty string.
    pub fn first(&self, name: &str) -> &str {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str()).unwrap_or_default()
    }

    /// Name of the type in serde.
    const NAME: &'static str = "Fields";
}

impl<T, R, E> FromReq<Pairs, R, E> for Posted<T>
where
    R: Req<E> + Send + 'static,
    T: DeserializeOwned,
    E: FromServerFnError + Send,
{
    async fn from_req(request: R) -> Result<Self, E> {
        let body = request.try_into_bytes().await?;
        let pairs: Vec<(String, String)> = form_urlencoded::parse(&body).into_owned().collect();
        let arguments = T::deserialize(Arguments(&pairs));
        arguments.map(Self).map_err(|error| ServerFnErrorErr::Args(error.to_string()).into_app_error())
    }
}

impl<T, R, E: FromServerFnError> IntoReq<Pairs, R, E> for Posted<T> {
    /// In the browser, only plain forms call actions.
    fn into_req(self, path: &str, _accepts: &str) -> Result<R, E> {
        Err(ServerFnErrorErr::Request(format!("{path} is called by forms alone")).into_app_error())
    }
}

/// Deserializes the arguments of a server function, which are the fields of one struct, from pairs.
struct Arguments<'a>(&'a [(String, String)]);

impl<'de> Deserializer<'de> for Arguments<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_struct("", &[], visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(self, _name: &str, names: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        visitor.visit_map(Structure { pairs: self.0, names: names.iter(), current: "" })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq tuple tuple_struct
        map enum identifier ignored_any
    }
}

struct Structure<'a> {
    pairs: &'a [(String, String)],
    names: std::slice::Iter<'static, &'static str>,
    current: &'static str,
}

impl<'de> MapAccess<'de> for Structure<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some(name) = self.names.next() else { return Ok(None) };
        self.current = name;
        seed.deserialize(name.into_deserializer()).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(Argument { pairs: self.pairs, name: self.current })
    }
}

/// Deserializes one argument.
struct Argument<'a> {
    pairs: &'a [(String, String)],
    name: &'static str,
}

impl Argument<'_> {
    fn values(&self) -> impl Iterator<Item = &String> {
        self.pairs.iter().filter(|(name, _)| name == self.name).map(|(_, value)| value)
    }
}

impl<'de> Deserializer<'de> for Argument<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let first: StringDeserializer<Error> = self.values().next().cloned().unwrap_or_default().into_deserializer();
        first.deserialize_any(visitor)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_bool(self.values().next().is_some_and(|value| value == "true"))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(SeqDeserializer::new(self.values().cloned()))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Error> {
        if name != Fields::NAME {
            return visitor.visit_newtype_struct(self);
        }
        let pairs = serde_json::to_value(self.pairs).map_err(serde::de::Error::custom)?;
        visitor.visit_newtype_struct(pairs).map_err(serde::de::Error::custom)
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct tuple tuple_struct map struct enum
        identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Vote {
        decision: String,
        emergency: bool,
        field: Vec<String>,
        back: String,
        form: Fields,
    }

    fn pairs(of: &[(&str, &str)]) -> Vec<(String, String)> {
        of.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn an_argument_takes_the_field_with_its_name_and_all_of_them_stay_in_order() {
        let all = pairs(&[("field", ".a"), ("decision", "approve"), ("field", ".b"), ("decision", "reject"), ("emergency", "true")]);
        let vote = Vote::deserialize(Arguments(&all)).unwrap();
        assert_eq!((vote.decision.as_str(), vote.emergency, vote.back.as_str()), ("approve", true, ""));
        assert_eq!(vote.field, [".a", ".b"]);
        assert_eq!(vote.form.0, all);
        let nothing = Vote::deserialize(Arguments(&[])).unwrap();
        assert_eq!((nothing.emergency, nothing.field.len(), nothing.form), (false, 0, Fields::default()));
    }
}
