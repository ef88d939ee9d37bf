//! The port [`Account`]: the signed-in user and the work waiting for them.

use app::backend::Account;
use app::view::{Home, Viewer};
use async_trait::async_trait;
use promise::Result;

use crate::auth::Caller;

#[async_trait]
impl Account for Caller {
    fn viewer(&self) -> Viewer {
        let identity = self.identity();
        let person = self.portal().person(&identity.person);
        let username = self.portal().called(&identity.person);
        Viewer {
            display_name: person.map_or_else(|| username.clone(), |person| person.display_name.clone()),
            username,
            groups: identity.groups.clone(),
            form_token: self.form_token().to_owned(),
        }
    }

    async fn home(&self) -> Result<Home> {
        super::home::page(self).await
    }
}
