//! Traces of the built program, as a collector of OpenTelemetry gets them.

use http::StatusCode;

use crate::browser::Browser;
use crate::process::Process;
use crate::receivers::{Call, Receiver, hooks};
use crate::replicas::site::Proxy;

/// A trace that a request says it belongs to (W3C Trace Context).
const NAMED: &str = "0af7651916cd43dd8448eb211c80319c";
const ROUTE: &str = "GET /w/{workspace}/requests";

fn bytes(hexadecimal: &str) -> Vec<u8> {
    hex::decode(hexadecimal).expect("hexadecimal digits")
}

fn contains(call: &Call, part: &[u8]) -> bool {
    call.bytes.windows(part.len()).any(|window| window == part)
}

async fn spans(collector: &Receiver<Call>, name: &str) -> Call {
    collector.until(name, |call| call.headers["request"].starts_with("POST /v1/traces ") && contains(call, name.as_bytes())).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_has_a_span_with_its_route_and_nothing_that_people_wrote() {
    for (propagators, continues) in [("", false), ("tracecontext,baggage", true)] {
        let (collector, data) = (hooks().await, tempfile::tempdir().expect("a folder"));
        let endpoint = format!("http://127.0.0.1:{}", collector.port);
        let environment = [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str()),
            ("OTEL_BSP_SCHEDULE_DELAY", "50"),
            ("OTEL_SERVICE_NAME", "front-door"),
            ("OTEL_PROPAGATORS", propagators),
        ];
        let process = Process::start_in(data.path(), &["--trusted-proxy", "127.0.0.1"], &environment).await;
        let mut browser = Browser::at(Proxy::of_ports(&[process.port().await]).router()).signs_in("dev-shop").await;
        let page =
            browser.get_with("/w/root:acme:shop/requests?q=hunter2", "traceparent", &format!("00-{NAMED}-b7ad6b7169203331-01")).await;
        assert_eq!(page.status, StatusCode::OK, "{}", page.text);

        let call = spans(&collector, ROUTE).await;
        assert!(contains(&call, b"front-door") && contains(&call, b"http.response.status_code"));
        assert_eq!(call.headers["content-type"], "application/x-protobuf");
        spans(&collector, "plane get").await;
        spans(&collector, "reconcile").await;
        for call in collector.all() {
            for private in ["hunter2", "dev-shop", "root:acme", "orders-db"] {
                assert!(!contains(&call, private.as_bytes()), "{private}: {}", call.body);
            }
        }
        assert_eq!(collector.all().iter().any(|call| contains(call, &bytes(NAMED))), continues, "{propagators}");
    }
}
