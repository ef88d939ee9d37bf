//! Planes that keep everything in memory, for tests with a clock of their own.

use super::*;

impl Plane {
    /// Everything installed and bound, in workspaces or in the namespace `shop`.
    pub async fn in_memory(namespaces: bool, clock: Arc<dyn devplane::Clock>) -> Self {
        let embedded = Self::embedded_on(devplane::Storage::Memory, clock, "https://127.0.0.1:1");
        if namespaces {
            return Self::bootstrapped(Reached::Embedded(embedded.0), embedded.1).await;
        }
        let plane = Self::unbound_over(embedded).await;
        plane.bind().await;
        plane.let_dana_in().await;
        plane
    }
}
