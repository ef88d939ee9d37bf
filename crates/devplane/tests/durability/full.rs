//! A full disk: writes are refused with a sentence, nobody sees what was not kept, and with more room all goes on.

use http::{Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use witness::Door;

use crate::{
    device::Device,
    plane::{OnDisk, run},
};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

async fn send(plane: &OnDisk, method: &str, path: &str, body: Vec<u8>) -> (StatusCode, Value) {
    let request = Request::builder().method(method).uri(path).header("content-type", "application/json").body(body).unwrap();
    let answer = plane.send(request).await.unwrap();
    let code = answer.status();
    (code, serde_json::from_slice(&answer.into_body().collect().await.unwrap().to_bytes()).unwrap())
}

async fn create(plane: &OnDisk, name: &str, bytes: usize) -> (StatusCode, Value) {
    let body = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"text": "x".repeat(bytes)}});
    send(plane, "POST", MAPS, body.to_string().into_bytes()).await
}

#[test]
fn a_full_disk_is_told_and_nobody_sees_what_was_not_kept() {
    let device = Device::default();
    let kept = run(async {
        let plane = OnDisk::open(device.storage()).unwrap();
        assert_eq!(create(&plane, "first", 10).await.0, 201);
        device.limit(Some(device.len()));
        let mut kept = 0;
        let (code, refusal) = loop {
            let (code, answer) = create(&plane, &format!("m{kept}"), 100_000).await;
            if code != 201 {
                break (code, answer);
            }
            kept += 1;
            assert!(kept < 200, "the disk is never full");
        };
        let message = refusal["message"].as_str().unwrap();
        assert!(code == 500 && message.contains("the plane's storage does not take writes any more"), "{code} {message}");
        // The one that was refused is not there, what there was can be read, and nothing more is taken.
        assert_eq!(send(&plane, "GET", &format!("{MAPS}/m{kept}"), Vec::new()).await.0, 404);
        assert_eq!(send(&plane, "GET", &format!("{MAPS}/first"), Vec::new()).await.0, 200);
        let (code, list) = send(&plane, "GET", MAPS, Vec::new()).await;
        assert_eq!((code.as_u16(), list["items"].as_array().map(Vec::len)), (200, Some(kept + 1)));
        assert_eq!(create(&plane, "later", 10).await.0, 500);
        assert_eq!(send(&plane, "DELETE", &format!("{MAPS}/first"), Vec::new()).await.0, 500);
        assert_eq!(send(&plane, "GET", &format!("{MAPS}/first"), Vec::new()).await.0, 200, "its deletion was refused");
        kept
    });
    device.limit(None);
    run(async {
        let plane = OnDisk::open(device.storage()).unwrap();
        let (_, list) = send(&plane, "GET", MAPS, Vec::new()).await;
        assert_eq!(list["items"].as_array().map(Vec::len), Some(kept + 1));
        assert_eq!(create(&plane, "later", 100_000).await.0, 201);
    });
}
