//! What the identity provider says about sign-ins on other devices (RFC 8628), and how it revokes tokens (RFC 7009).

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use axum::Form;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use http::StatusCode;
use serde_json::json;

use super::issuer::{DEVICE, Issuer, Mind, answer, refused};

/// The grant type of the flow.
pub const GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";

/// Codes for other devices.
#[derive(Default)]
pub struct Devices {
    /// Device codes, each with the code that a person enters, and the person who entered it.
    codes: BTreeMap<String, (String, Option<String>)>,
    /// What it answers to the next questions, in the place of the truth.
    answers: VecDeque<&'static str>,
    /// Where codes are entered, in the place of its own address.
    address: Option<String>,
}

impl Devices {
    /// The person who entered the code, once; or the code of the error.
    pub fn entered(&mut self, device: &str) -> Result<String, &'static str> {
        if let Some(answer) = self.answers.pop_front() {
            return Err(answer);
        }
        match self.codes.get(device) {
            None => Err("invalid_grant"),
            Some((_, None)) => Err("authorization_pending"),
            Some((_, Some(person))) => {
                let person = person.clone();
                self.codes.remove(device);
                Ok(person)
            }
        }
    }
}

impl Issuer {
    /// A person enters the code that waits; returns it. `None` if none does.
    pub fn enters(&self, person: &str) -> Option<String> {
        let mut devices = self.mind.devices.lock();
        let (code, entered) = devices.codes.values_mut().find(|(_, entered)| entered.is_none())?;
        *entered = Some(person.to_owned());
        Some(code.clone())
    }

    /// Answers the next questions about codes with these errors.
    pub fn says_of_codes(&self, answers: &[&'static str]) {
        self.mind.devices.lock().answers.extend(answers);
    }

    /// Sends people somewhere else to enter codes.
    pub fn enters_codes_at(&self, address: &str) {
        self.mind.devices.lock().address = Some(address.to_owned());
    }

    /// How many refresh tokens count.
    pub fn counting(&self) -> usize {
        self.mind.refresh.lock().len()
    }
}

/// Issues a code.
pub async fn begin(State(mind): State<Arc<Mind>>, Form(asked): Form<BTreeMap<String, String>>) -> Response {
    let of = |name: &str| asked.get(name).map(String::as_str).unwrap_or_default();
    if of("client_id") != DEVICE {
        return refused("invalid_client");
    }
    if !of("scope").split(' ').any(|scope| scope == "openid") {
        return refused("invalid_scope");
    }
    let mut devices = mind.devices.lock();
    let number = devices.codes.len();
    let (device, user) = (format!("device-{number}"), format!("WDJB-{number}"));
    devices.codes.insert(device.clone(), (user.clone(), None));
    let address = devices.address.clone().unwrap_or_else(|| format!("{}/device", mind.url));
    drop(devices);
    answer(&mind, json!({"device_code": device, "user_code": user, "verification_uri": address, "expires_in": 300, "interval": 1}))
}

/// Revokes a refresh token.
pub async fn revoke(State(mind): State<Arc<Mind>>, Form(asked): Form<BTreeMap<String, String>>) -> Response {
    let of = |name: &str| asked.get(name).map(String::as_str).unwrap_or_default();
    if of("client_id") != DEVICE {
        return refused("invalid_client");
    }
    mind.refresh.lock().remove(of("token"));
    StatusCode::OK.into_response()
}
