//! What people can change through the portal.

/// One sort of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WriteOperation {
    /// A new session.
    SignIn,
    /// A session that ends.
    SignOut,
    /// A new PromiseRequest.
    CreateRequest,
    /// Another spec of a PromiseRequest.
    ChangeRequest,
    /// A PromiseRequest that goes.
    DeleteRequest,
    /// Typed secrets of a PromiseRequest.
    WriteInputs,
    /// Typed secrets of a PromiseRequest that was refused: they become what they were.
    RestoreInputs,
    /// Rules of today for a PromiseRequest.
    RollOut,
    /// A PromiseRequest about which no one has to decide any more.
    Withdraw,
    /// A PromiseRequest about which people are asked again.
    Resubmit,
    /// An Approval.
    Decide,
    /// A new Policy.
    CreatePolicy,
    /// Another text of a Policy.
    ChangePolicy,
    /// A comment about a PromiseRequest.
    Comment,
    /// Notifications that were read.
    MarkRead,
    /// How a person is notified.
    ChangeNotificationSettings,
    /// Who stands in for a person.
    NameStandIn,
    /// A stand-in that ends.
    EndStandIn,
    /// Messages that are sent again.
    RetryDelivery,
    /// A saved view.
    SaveView,
    /// Another title of a saved view.
    RenameView,
    /// A saved view that goes.
    DeleteView,
    /// A half-filled form.
    SaveDraft,
    /// A half-filled form that goes.
    DeleteDraft,
}

impl WriteOperation {
    /// All of them.
    pub const ALL: [Self; 24] = [
        Self::SignIn,
        Self::SignOut,
        Self::CreateRequest,
        Self::ChangeRequest,
        Self::DeleteRequest,
        Self::WriteInputs,
        Self::RestoreInputs,
        Self::RollOut,
        Self::Withdraw,
        Self::Resubmit,
        Self::Decide,
        Self::CreatePolicy,
        Self::ChangePolicy,
        Self::Comment,
        Self::MarkRead,
        Self::ChangeNotificationSettings,
        Self::NameStandIn,
        Self::EndStandIn,
        Self::RetryDelivery,
        Self::SaveView,
        Self::RenameView,
        Self::DeleteView,
        Self::SaveDraft,
        Self::DeleteDraft,
    ];

    /// Its name in records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SignIn => "sign-in",
            Self::SignOut => "sign-out",
            Self::CreateRequest => "create-request",
            Self::ChangeRequest => "change-request",
            Self::DeleteRequest => "delete-request",
            Self::WriteInputs => "write-inputs",
            Self::RestoreInputs => "restore-inputs",
            Self::RollOut => "roll-out",
            Self::Withdraw => "withdraw",
            Self::Resubmit => "resubmit",
            Self::Decide => "decide",
            Self::CreatePolicy => "create-policy",
            Self::ChangePolicy => "change-policy",
            Self::Comment => "comment",
            Self::MarkRead => "mark-read",
            Self::ChangeNotificationSettings => "change-notification-settings",
            Self::NameStandIn => "name-stand-in",
            Self::EndStandIn => "end-stand-in",
            Self::RetryDelivery => "retry-delivery",
            Self::SaveView => "save-view",
            Self::RenameView => "rename-view",
            Self::DeleteView => "delete-view",
            Self::SaveDraft => "save-draft",
            Self::DeleteDraft => "delete-draft",
        }
    }
}
