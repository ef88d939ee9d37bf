//! Controllers over the plane: ordinary ones, and such as die, count, fail, hear late, or have rivals.

use futures::StreamExt as _;
use tokio::sync::watch;

use super::*;

impl Plane {
    /// The endpoint of a controller. On a real server it has connections of its own, because they end with the runtime of the controller: a
    /// pool that is shared with the test would hand them to its next call.
    fn endpoint_of_controller(&self) -> Endpoint {
        match &self.reached {
            Reached::Embedded(_) => self.endpoint.clone(),
            Reached::Server(turn) => Endpoint::from_kubeconfig("kube-apiserver", &turn.server().kubeconfig("admin")).unwrap().0,
        }
    }

    /// Starts a controller and waits until it works.
    pub async fn controller(&self) -> Running {
        self.controller_over(self.endpoint_of_controller()).await
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

    /// Starts a controller whose watches can be counted while they are open.
    pub async fn watched_controller(&self) -> (Running, Watches) {
        if let Reached::Server { .. } = &self.reached {
            let (controller, client) = (self.controller().await, self.client("admin", "cluster"));
            let own = metrics(&client).await;
            return (controller, Watches::Measured { client, own });
        }
        let (router, open) = (self.router(), Arc::<AtomicWatches>::default());
        let counts = open.clone();
        let service = tower::service_fn(move |request: http::Request<kube::client::Body>| {
            let (router, counts) = (router.clone(), counts.clone());
            // What it keeps for itself does not count: the lists of orphaned objects.
            let own = request.uri().path().contains("/namespaces/opm-system/");
            let watches = !own && request.uri().query().is_some_and(|query| query.contains("watch=true"));
            let resource = request.uri().path().rsplit('/').next().unwrap_or_default().to_owned();
            async move {
                let answer = router.oneshot(request).await?;
                if !watches {
                    return Ok(answer);
                }
                let open = OpenWatch::new(counts, resource);
                Ok::<_, std::convert::Infallible>(answer.map(|body| {
                    axum::body::Body::from_stream(body.into_data_stream().inspect(move |_| {
                        // It is open as long as its body is there to be read.
                        let _ = &open;
                    }))
                }))
            }
        });
        (self.controller_over(Endpoint::in_process("watched", service)).await, Watches::Counted(open))
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

    /// Starts a controller that cannot list or watch the resource `of` while the value is true; watches that are open end then.
    pub async fn blinded_controller(&self, of: &'static str) -> (Running, watch::Sender<bool>) {
        let (router, (blind, is_blind)) = (self.router(), watch::channel(false));
        let service = tower::service_fn(move |request: http::Request<kube::client::Body>| {
            let (router, mut is_blind) = (router.clone(), is_blind.clone());
            let is_meant = request.method() == http::Method::GET && request.uri().path().ends_with(of);
            async move {
                if is_meant && *is_blind.borrow() {
                    return Ok((http::StatusCode::INTERNAL_SERVER_ERROR, "the disk is full").into_response());
                }
                let answer = router.oneshot(request).await?;
                let end = async move { drop(is_blind.wait_for(|is_blind| *is_blind).await) };
                let part = |body: axum::body::Body| axum::body::Body::from_stream(body.into_data_stream().take_until(Box::pin(end)));
                Ok::<_, std::convert::Infallible>(if is_meant { answer.map(part) } else { answer })
            }
        });
        (self.controller_over(Endpoint::in_process("blinded", service)).await, blind)
    }

    /// Starts a controller that receives nothing about the resource `of` while the value is true, and everything once it is false.
    pub async fn uninformed_controller(&self, of: &'static str) -> (Running, watch::Sender<bool>) {
        let (router, (hold, is_held)) = (self.router(), watch::channel(false));
        let service = tower::service_fn(move |request: http::Request<kube::client::Body>| {
            let (router, is_held) = (router.clone(), is_held.clone());
            let is_meant = request.method() == http::Method::GET && request.uri().path().ends_with(of);
            async move {
                let answer = router.oneshot(request).await?;
                let late = move |part| {
                    let mut is_held = is_held.clone();
                    Box::pin(async move {
                        drop(is_held.wait_for(|is_held| !is_held).await);
                        part
                    })
                };
                let body = |body: axum::body::Body| axum::body::Body::from_stream(body.into_data_stream().then(late));
                Ok::<_, std::convert::Infallible>(if is_meant { answer.map(body) } else { answer })
            }
        });
        (self.controller_over(Endpoint::in_process("uninformed", service)).await, hold)
    }

    /// Starts a controller that trusts these homes, in this order, and waits until it works.
    pub async fn controller_trusting(&self, homes: &[&str]) -> Running {
        let homes = homes.iter().map(|home| path(home)).collect();
        let mut running = Running::begin(self.controller_access(self.endpoint_of_controller()), homes, Machine::default(), "test");
        running.until("working", |state| *state == ControllerState::Ready).await;
        running
    }

    fn controller_access(&self, endpoint: Endpoint) -> Access {
        Access { endpoint, token: self.token("opm-controller"), topology: self.topology.clone() }
    }

    /// Starts a controller whose clock is ahead, and waits until it works.
    pub async fn controller_ahead(&self, ahead: jiff::SignedDuration) -> Running {
        let clock = Machine::default();
        clock.advance(ahead);
        let mut running = self.beginning(self.endpoint_of_controller(), clock);
        running.until("working", |state| *state == ControllerState::Ready).await;
        running
    }

    pub async fn controller_over(&self, endpoint: Endpoint) -> Running {
        let mut running = self.beginning(endpoint, Machine::default());
        running.until("working", |state| *state == ControllerState::Ready).await;
        running
    }

    /// Starts a controller without waiting for anything.
    pub fn beginning_controller(&self) -> Running {
        self.beginning(self.endpoint_of_controller(), Machine::default())
    }

    fn beginning(&self, endpoint: Endpoint, clock: Machine) -> Running {
        self.beginning_as("test", endpoint, clock)
    }

    /// Starts a controller of another process, without waiting for anything.
    pub fn beginning_rival(&self, identity: &str, endpoint: Endpoint) -> Running {
        self.beginning_as(identity, endpoint, Machine::default())
    }

    fn beginning_as(&self, identity: &str, endpoint: Endpoint, clock: Machine) -> Running {
        Running::begin(self.controller_access(endpoint), self.topology.default_homes().unwrap(), clock, identity)
    }
}

/// Watches by resource.
type AtomicWatches = parking_lot::Mutex<BTreeMap<String, usize>>;

/// How many watches are open.
pub enum Watches {
    /// Those of one controller, counted on their way.
    Counted(Arc<AtomicWatches>),
    /// Those of namespaces, as the server counts them.
    Measured {
        client: Client,
        /// Its metrics when the controller had only what it keeps for itself.
        own: String,
    },
}

impl Watches {
    /// Waits until so many of a resource are open: a server learns that one ended when its connection does.
    pub async fn until(&self, resource: &str, count: usize) {
        let reached = async {
            while self.open(resource).await != count {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        let waited = tokio::time::timeout(PATIENCE, reached).await;
        assert!(waited.is_ok(), "{} watches of {resource} are open, and not {count}", self.open(resource).await);
    }

    /// Of a resource, by its plural name.
    pub async fn open(&self, resource: &str) -> usize {
        match self {
            Self::Counted(open) => open.lock().get(resource).copied().unwrap_or_default(),
            Self::Measured { client, own } => measured(&metrics(client).await, resource).saturating_sub(measured(own, resource)),
        }
    }
}

async fn metrics(client: &Client) -> String {
    client.request_text(http::Request::get("/metrics").body(Vec::new()).unwrap()).await.unwrap()
}

/// How many watches of a resource in namespaces a server's metrics count.
fn measured(metrics: &str, resource: &str) -> usize {
    let (resource, is) = (format!("resource=\"{resource}\""), "apiserver_longrunning_requests{");
    let ours = |line: &&str| line.starts_with(is) && [&*resource, "scope=\"namespace\"", "verb=\"WATCH\""].iter().all(|l| line.contains(l));
    metrics.lines().filter(ours).filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum::<f64>() as usize
}

/// A watch that is open as long as this is there.
struct OpenWatch(Arc<AtomicWatches>, String);

impl OpenWatch {
    fn new(open: Arc<AtomicWatches>, resource: String) -> Self {
        *open.lock().entry(resource.clone()).or_default() += 1;
        Self(open, resource)
    }
}

impl Drop for OpenWatch {
    fn drop(&mut self) {
        if let Some(count) = self.0.lock().get_mut(&self.1) {
            *count -= 1;
        }
    }
}
