//! Signatures of JSON Web Tokens: `jsonwebtoken` reads them, `ring` verifies them. Nothing is signed here.
//! Source: apiserver `plugin/pkg/authenticator/token/oidc/oidc.go` for the algorithms that count.
//!
//! Only algorithms with a public key count, so that no key of an issuer can be mistaken for a secret, and `none` doesn't exist. ES512 is
//! missing: `ring` doesn't know its curve.

use jsonwebtoken::crypto::{CryptoProvider, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind};
use jsonwebtoken::jwk::{AlgorithmParameters, Jwk};
use jsonwebtoken::signature::{self, Verifier};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, DecodingKeyKind, EncodingKey, Header, Validation};
use ring::signature::{self as algorithms, EcdsaVerificationAlgorithm, RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey};
use serde_json::{Map, Value};

/// How many keys of one issuer count. A token without the ID of its key is tried with each.
const MAX_KEYS: usize = 100;

/// A public key of an issuer.
#[derive(Clone)]
pub struct Key {
    id: Option<String>,
    key: DecodingKey,
}

/// Why a set of keys can't be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeysError {
    /// It isn't one.
    #[error("it isn't a JSON Web Key Set")]
    Form,
    /// There are more than count.
    #[error("it has more than {MAX_KEYS} keys")]
    TooMany,
}

/// The keys of a JSON Web Key Set. Those of other kinds are left out: an issuer can have some for other purposes.
///
/// # Errors
/// If it isn't one, or has too many keys.
pub fn keys(set: &[u8]) -> Result<Vec<Key>, KeysError> {
    let set: Value = serde_json::from_slice(set).map_err(|_| KeysError::Form)?;
    let keys = set["keys"].as_array().ok_or(KeysError::Form)?;
    if keys.len() > MAX_KEYS {
        return Err(KeysError::TooMany);
    }
    Ok(keys.iter().filter_map(key).collect())
}

fn key(value: &Value) -> Option<Key> {
    // What its members beside these say doesn't count, as upstream.
    let id = value["kid"].as_str().filter(|id| !id.is_empty()).map(str::to_owned);
    let jwk: Jwk = serde_json::from_value(value.clone()).ok()?;
    let is_public = matches!(jwk.algorithm, AlgorithmParameters::RSA(_) | AlgorithmParameters::EllipticCurve(_));
    Some(Key { id, key: DecodingKey::from_jwk(&jwk).ok().filter(|_| is_public)? })
}

/// Why a token doesn't count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unverified {
    /// It isn't a JSON Web Token, or requires what isn't understood.
    Malformed,
    /// It is signed in a way that doesn't count.
    Algorithm,
    /// None of the keys made its signature.
    Key,
}

/// A token whose signature is still to be verified.
pub struct Signed<'a> {
    token: &'a str,
    header: Header,
}

impl<'a> Signed<'a> {
    /// Reads the header of a token.
    ///
    /// # Errors
    /// If it can't be read, or names an algorithm that doesn't count.
    pub fn read(token: &'a str) -> Result<Self, Unverified> {
        let header = jsonwebtoken::decode_header(token).map_err(|error| match error.kind() {
            // Algorithms that `jsonwebtoken` doesn't know, `none` among them.
            ErrorKind::Json(_) | ErrorKind::InvalidAlgorithmName => Unverified::Algorithm,
            _ => Unverified::Malformed,
        })?;
        if parameters(header.alg).is_none() {
            return Err(Unverified::Algorithm);
        }
        if header.crit.as_ref().is_some_and(|required| !required.is_empty()) {
            return Err(Unverified::Malformed);
        }
        Ok(Self { token, header })
    }

    /// The claims, if one of the keys made the signature: that which the token names, or any if it names none.
    ///
    /// # Errors
    /// If no key did.
    pub fn claims(&self, keys: &[Key]) -> Result<Map<String, Value>, Unverified> {
        let named = self.header.kid.as_deref().filter(|id| !id.is_empty());
        let fits = |key: &&Key| key.key.family() == self.header.alg.family() && (named.is_none() || key.id.as_deref() == named);
        let mut validation = Validation::new(self.header.alg);
        // What claims say is judged as upstream does, by the plane's own clock.
        (validation.validate_exp, validation.validate_aud) = (false, false);
        validation.required_spec_claims.clear();
        install();
        for key in keys.iter().filter(fits) {
            match jsonwebtoken::decode::<Map<String, Value>>(self.token, &key.key, &validation) {
                Ok(data) => return Ok(data.claims),
                Err(error) if matches!(error.kind(), ErrorKind::Json(_) | ErrorKind::Utf8(_)) => return Err(Unverified::Malformed),
                Err(_) => {}
            }
        }
        Err(Unverified::Key)
    }
}

/// Has `jsonwebtoken` verify with `ring`, in the whole process. Where another part of it chose first, that choice verifies.
fn install() {
    let _ = PROVIDER.install_default();
}

static PROVIDER: CryptoProvider =
    CryptoProvider { signer_factory: no_signer, verifier_factory: verifier, key_utils: KeyUtils::new_unimplemented() };

fn no_signer(_: &Algorithm, _: &EncodingKey) -> Result<Box<dyn jsonwebtoken::crypto::JwtSigner>, Error> {
    Err(ErrorKind::UnsupportedAlgorithm.into())
}

fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>, Error> {
    let parameters = parameters(*algorithm).ok_or(ErrorKind::UnsupportedAlgorithm)?;
    if key.family() != algorithm.family() {
        return Err(ErrorKind::InvalidKeyFormat.into());
    }
    Ok(Box::new(ByRing { algorithm: *algorithm, parameters, key: key.clone() }))
}

/// How an algorithm verifies.
#[derive(Clone, Copy)]
enum Parameters {
    Rsa(&'static RsaParameters),
    Curve(&'static EcdsaVerificationAlgorithm),
}

fn parameters(algorithm: Algorithm) -> Option<Parameters> {
    Some(match algorithm {
        Algorithm::RS256 => Parameters::Rsa(&algorithms::RSA_PKCS1_2048_8192_SHA256),
        Algorithm::RS384 => Parameters::Rsa(&algorithms::RSA_PKCS1_2048_8192_SHA384),
        Algorithm::RS512 => Parameters::Rsa(&algorithms::RSA_PKCS1_2048_8192_SHA512),
        Algorithm::PS256 => Parameters::Rsa(&algorithms::RSA_PSS_2048_8192_SHA256),
        Algorithm::PS384 => Parameters::Rsa(&algorithms::RSA_PSS_2048_8192_SHA384),
        Algorithm::PS512 => Parameters::Rsa(&algorithms::RSA_PSS_2048_8192_SHA512),
        Algorithm::ES256 => Parameters::Curve(&algorithms::ECDSA_P256_SHA256_FIXED),
        Algorithm::ES384 => Parameters::Curve(&algorithms::ECDSA_P384_SHA384_FIXED),
        _ => return None,
    })
}

struct ByRing {
    algorithm: Algorithm,
    parameters: Parameters,
    key: DecodingKey,
}

impl Verifier<Vec<u8>> for ByRing {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), signature::Error> {
        let verified = match (self.parameters, self.key.kind()) {
            (Parameters::Rsa(parameters), DecodingKeyKind::RsaModulusExponent { n, e }) => {
                // Some issuers write numbers with leading zeros.
                let [n, e] = [n, e].map(|number| &number[number.iter().take_while(|byte| **byte == 0).count()..]);
                RsaPublicKeyComponents { n, e }.verify(parameters, message, signature)
            }
            (Parameters::Curve(curve), DecodingKeyKind::SecretOrDer(point)) if self.key.family() == AlgorithmFamily::Ec => {
                UnparsedPublicKey::new(curve, point).verify(message, signature)
            }
            _ => Err(ring::error::Unspecified),
        };
        verified.map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for ByRing {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}
