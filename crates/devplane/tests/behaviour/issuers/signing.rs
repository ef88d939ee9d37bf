//! Keys of issuers, and tokens signed with them: good ones, and any others.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use hmac::{Hmac, KeyInit, Mac};
use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, KeyPair, RSA_PKCS1_SHA256, RSA_PKCS1_SHA384,
    RSA_PKCS1_SHA512, RSA_PSS_SHA256, RSA_PSS_SHA384, RSA_PSS_SHA512, RsaEncoding, RsaKeyPair,
};
use rustls::pki_types::{PrivatePkcs8KeyDer, pem::PemObject};
use serde_json::{Value, json};
use sha2::Sha256;

enum Pair {
    Rsa(RsaKeyPair),
    P256(EcdsaKeyPair),
    P384(EcdsaKeyPair),
}

/// A key of an issuer.
pub struct SigningKey {
    id: &'static str,
    pair: Pair,
}

impl SigningKey {
    /// An RSA key; there are two.
    pub fn rsa(id: &'static str, which: usize) -> Self {
        let pem = [include_str!("../../keys/first.pem"), include_str!("../../keys/second.pem")][which];
        let der = PrivatePkcs8KeyDer::from_pem_slice(pem.as_bytes()).unwrap();
        Self { id, pair: Pair::Rsa(RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()).unwrap()) }
    }

    /// A new key on the curve P-256, or P-384.
    pub fn curve(id: &'static str, bits: u32) -> Self {
        let random = SystemRandom::new();
        let algorithm = if bits == 256 { &ECDSA_P256_SHA256_FIXED_SIGNING } else { &ECDSA_P384_SHA384_FIXED_SIGNING };
        let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random).unwrap();
        Self { id, pair: if bits == 256 { Pair::P256(pair) } else { Pair::P384(pair) } }
    }

    /// Its public half, as an issuer publishes it.
    pub fn published(&self) -> Value {
        let mut key = match &self.pair {
            Pair::Rsa(pair) => {
                let PublicKeyComponents { n, e } = PublicKeyComponents::<Vec<u8>>::from(pair.public());
                json!({"kty": "RSA", "n": BASE64.encode(n), "e": BASE64.encode(e)})
            }
            Pair::P256(pair) => point("P-256", pair),
            Pair::P384(pair) => point("P-384", pair),
        };
        key["use"] = json!("sig");
        if !self.id.is_empty() {
            key["kid"] = json!(self.id);
        }
        key
    }

    /// A token with these claims, signed as the algorithm says.
    pub fn token(&self, algorithm: &str, claims: &Value) -> String {
        self.token_with(&json!({"alg": algorithm, "kid": self.id, "typ": "JWT"}), claims)
    }

    /// A token with this header, signed as it says.
    pub fn token_with(&self, header: &Value, claims: &Value) -> String {
        let signed = format!("{}.{}", BASE64.encode(header.to_string()), BASE64.encode(claims.to_string()));
        let signature = self.signature(header["alg"].as_str().unwrap_or_default(), signed.as_bytes());
        format!("{signed}.{}", BASE64.encode(signature))
    }

    fn signature(&self, algorithm: &str, message: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match &self.pair {
            Pair::Rsa(pair) => {
                let encoding: &dyn RsaEncoding = match algorithm {
                    "RS384" => &RSA_PKCS1_SHA384,
                    "RS512" => &RSA_PKCS1_SHA512,
                    "PS256" => &RSA_PSS_SHA256,
                    "PS384" => &RSA_PSS_SHA384,
                    "PS512" => &RSA_PSS_SHA512,
                    _ => &RSA_PKCS1_SHA256,
                };
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(encoding, &random, message, &mut signature).unwrap();
                signature
            }
            Pair::P256(pair) | Pair::P384(pair) => pair.sign(&random, message).unwrap().as_ref().to_vec(),
        }
    }
}

fn point(curve: &str, pair: &EcdsaKeyPair) -> Value {
    let (x, y) = pair.public_key().as_ref()[1..].split_at((pair.public_key().as_ref().len() - 1) / 2);
    json!({"kty": "EC", "crv": curve, "x": BASE64.encode(x), "y": BASE64.encode(y)})
}

/// A token signed with a secret.
pub fn by_secret(key_id: &str, claims: &Value, secret: &[u8]) -> String {
    let header = json!({"alg": "HS256", "kid": key_id, "typ": "JWT"});
    let signed = format!("{}.{}", BASE64.encode(header.to_string()), BASE64.encode(claims.to_string()));
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).unwrap();
    mac.update(signed.as_bytes());
    format!("{signed}.{}", BASE64.encode(mac.finalize().into_bytes()))
}

/// An unsigned token.
pub fn unsigned(algorithm: &str, claims: &Value) -> String {
    format!("{}.{}.", BASE64.encode(json!({"alg": algorithm, "typ": "JWT"}).to_string()), BASE64.encode(claims.to_string()))
}
