//! Controllers over the plane: ordinary ones, and such as die, count, fail, or have rivals.

use super::*;

impl Plane {
    /// Starts a controller and waits until it works.
    pub async fn controller(&self) -> Running {
        self.controller_over(self.endpoint.clone()).await
    }

    /// Starts a controller that gets no further than `writes` writes into workspaces, events apart, and says when it hangs at the next.
    pub async fn mortal_controller(&self, writes: usize) -> (Running, Arc<Notify>) {
        let (router, left, hanging) = (self.router(), Arc::new(AtomicUsize::new(writes)), Arc::new(Notify::new()));
        let hangs = hanging.clone();
        let service = tower::service_fn(move |request: http::Request<kube::client::Body>| {
            let (router, left, hangs) = (router.clone(), left.clone(), hangs.clone());
            async move {
                // What it keeps for itself does not count.
                let own = ["/namespaces/opm-system/", "/clusters/root:opm/"].iter().any(|own| request.uri().path().contains(own));
                let write = request.method() != http::Method::GET && !own;
                // Events come beside the fulfilment, whenever there is time.
                let counts = write && !request.uri().path().contains("/events");
                if counts && left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_err() {
                    hangs.notify_one();
                    std::future::pending::<()>().await;
                }
                router.oneshot(request).await
            }
        });
        (self.controller_over(Endpoint::in_process("mortal", service)).await, hanging)
    }

    /// Starts a controller and counts its reads of the paths that `counts` names.
    pub async fn counting_controller(&self, counts: impl Fn(&str) -> bool + Clone + Send + Sync + 'static) -> (Running, Arc<AtomicUsize>) {
        let (router, read) = (self.router(), Arc::new(AtomicUsize::new(0)));
        let count = read.clone();
        let service = tower::service_fn(move |request: http::Request<kube::client::Body>| {
            if request.method() == http::Method::GET && counts(request.uri().path()) {
                count.fetch_add(1, Ordering::SeqCst);
            }
            router.clone().oneshot(request)
        });
        (self.controller_over(Endpoint::in_process("counting", service)).await, read)
    }

    /// Starts a controller whose creations of the resource `of` fail from the moment on in which the flag is set.
    pub async fn failing_controller(&self, of: &'static str) -> (Running, Arc<AtomicBool>) {
        let (router, fails) = (self.router(), Arc::new(AtomicBool::new(false)));
        let is_set = fails.clone();
        let service = tower::service_fn(move |request: http::Request<kube::client::Body>| {
            let (router, path) = (router.clone(), request.uri().path().to_owned());
            let fails = is_set.load(Ordering::SeqCst) && request.method() == http::Method::POST && path.ends_with(of);
            async move {
                match fails {
                    true => Ok((http::StatusCode::INTERNAL_SERVER_ERROR, "the disk is full").into_response()),
                    false => router.oneshot(request).await,
                }
            }
        });
        (self.controller_over(Endpoint::in_process("failing", service)).await, fails)
    }

    /// Starts a controller whose clock is ahead, and waits until it works.
    pub async fn controller_ahead(&self, ahead: jiff::SignedDuration) -> Running {
        let clock = Machine::default();
        clock.advance(ahead);
        let mut running = self.beginning(self.endpoint.clone(), clock);
        running.until("working", |standing| *standing == Standing::Working).await;
        running
    }

    pub async fn controller_over(&self, endpoint: Endpoint) -> Running {
        let mut running = self.beginning(endpoint, Machine::default());
        running.until("working", |standing| *standing == Standing::Working).await;
        running
    }

    /// Starts a controller without waiting for anything.
    pub fn beginning_controller(&self) -> Running {
        self.beginning(self.endpoint.clone(), Machine::default())
    }

    fn beginning(&self, endpoint: Endpoint, clock: Machine) -> Running {
        self.beginning_as("test", endpoint, clock)
    }

    /// Starts a controller of another process, without waiting for anything.
    pub fn beginning_rival(&self, identity: &str, endpoint: Endpoint) -> Running {
        self.beginning_as(identity, endpoint, Machine::default())
    }

    fn beginning_as(&self, identity: &str, endpoint: Endpoint, clock: Machine) -> Running {
        let access = Access { endpoint, token: self.token("opm-controller"), topology: self.topology.clone() };
        Running::begin(access, self.topology.default_homes().unwrap(), clock, identity)
    }
}
