//! Why a message wasn't delivered, with arguments and without secrets. [`crate::texts`] words it.

use std::net::IpAddr;

/// A failed attempt to deliver a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Another attempt might help.
    Later(FailureReason),
    /// No attempt will help until someone fixes the cause.
    Never(FailureReason),
}

/// Why an attempt failed. `Display` words it as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FailureReason {
    /// Sending took too long.
    TimedOut {
        /// The limit in seconds.
        seconds: u64,
    },
    /// No mail server is configured.
    NoMailServer,
    /// The address isn't a mail address.
    InvalidMailAddress {
        /// The address.
        address: String,
    },
    /// The mail can't be built.
    NotComposed {
        /// The error of the mail library.
        error: String,
    },
    /// The mail server refuses the mail for good.
    MailRefused(MailAnswer),
    /// The mail server refuses the mail for now.
    MailDeferred(MailAnswer),
    /// The mail server didn't respond in time.
    MailTimedOut,
    /// The mail server can't be reached.
    MailUnreachable {
        /// The error of the mail library.
        error: String,
    },
    /// The webhook was removed from the configuration.
    WebhookRemoved {
        /// Its name.
        name: String,
    },
    /// The receiver of a webhook can't be reached.
    Unreachable {
        /// Name of the webhook.
        name: String,
    },
    /// The address of a webhook has no host.
    NoHost {
        /// Name of the webhook.
        name: String,
    },
    /// The address of a webhook is invalid.
    InvalidAddress {
        /// Name of the webhook.
        name: String,
    },
    /// No secure connection to the receiver of a webhook can be made.
    Untrusted {
        /// Name of the webhook.
        name: String,
        /// The error of the TLS library.
        error: String,
    },
    /// The receiver of a webhook closed the connection.
    Closed {
        /// Name of the webhook.
        name: String,
    },
    /// The receiver of a webhook responded with a status that isn't a success.
    Responded {
        /// Name of the webhook.
        name: String,
        /// The HTTP status.
        status: u16,
    },
    /// The receiver of a webhook responded with a redirect.
    Redirected {
        /// Name of the webhook.
        name: String,
        /// The HTTP status.
        status: u16,
    },
    /// The host has no address.
    Unresolved {
        /// The host.
        host: String,
    },
    /// The host has an address that isn't public.
    Private {
        /// The host.
        host: String,
        /// The address.
        address: IpAddr,
    },
}

/// The answer of a mail server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MailAnswer {
    /// The status code.
    pub code: Option<String>,
    /// The error of the mail library, which quotes the server.
    pub error: String,
}
