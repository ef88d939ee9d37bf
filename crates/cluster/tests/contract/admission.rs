//! The trust boundary (`domain.md` 10) as far as admission guards it: who asked, who changed it, and who cleans up.

use cluster::kinds::PromiseRequest;
use kube::ResourceExt;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use promise::identity::Changer;
use promise::names;
use serde_json::{Value, json};

use crate::behaviours;
use crate::ground::{Ground, refused, request, until};

behaviours![
    the_requester_is_stamped_whatever_is_sent,
    the_requester_is_frozen,
    who_changed_it_last_is_noted_whatever_is_sent,
    the_groups_of_who_changed_it_are_noted_whatever_is_sent,
    who_makes_a_request_takes_nobodys_place,
    only_the_controller_takes_its_finalizer_off,
];

const FINALIZER: &str = "platform.opmodel.dev/fulfilment";

/// Policies are learned by watching: the first request that is stamped shows that they are known.
async fn are_known(ground: &Ground) {
    let api = ground.requests("admin");
    let rehearsal = PostParams { dry_run: true, field_manager: None };
    until("the policies are known", || async { api.create(&rehearsal, &request("rehearsal")).await.unwrap().spec.requester.is_some() })
        .await;
}

async fn may_write(ground: &Ground) {
    ground.grant("requests", json!({"apiGroups": ["platform.opmodel.dev"], "resources": ["promiserequests"], "verbs": ["*"]})).await;
    let api = ground.requests("dana");
    until("the right counts", || async { api.get_opt("none").await.is_ok() }).await;
}

async fn the_requester_is_stamped_whatever_is_sent(ground: Ground) {
    are_known(&ground).await;
    may_write(&ground).await;
    let mut forged = request("a");
    forged.spec.requester = Some(serde_json::from_value(json!({"username": "admin", "groups": ["system:masters"]})).unwrap());
    let made = ground.requests("dana").create(&PostParams::default(), &forged).await.unwrap();
    let requester = made.spec.requester.unwrap();
    assert_eq!(requester.username, "dana");
    assert!(requester.groups.iter().all(|group| group != "system:masters"), "{:?}", requester.groups);

    let body = json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest", "metadata": {"name": "applied"},
        "spec": {"promise": {"name": "redis", "workspace": "root:platform"}, "requester": {"username": "admin", "groups": []}},
    });
    let applied = ground.requests("dana").patch("applied", &PatchParams::apply("kubectl"), &Patch::Apply(body)).await.unwrap();
    assert_eq!(applied.spec.requester.unwrap().username, "dana");
}

async fn the_requester_is_frozen(ground: Ground) {
    are_known(&ground).await;
    may_write(&ground).await;
    ground.requests("dana").create(&PostParams::default(), &request("a")).await.unwrap();
    for person in ["dana", "admin", "opm-controller"] {
        let api = ground.requests(person);
        for requester in [json!({"username": "admin"}), json!(null)] {
            let patch = json!({"spec": {"requester": requester}});
            let (code, _) = refused(api.patch("a", &PatchParams::default(), &Patch::Merge(patch)).await);
            assert_eq!(code, 422, "{person}");
        }
        let patch = json!({"spec": {"reason": person}});
        api.patch("a", &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
    }
}

/// Who changed a request last, as it is noted.
fn noted(request: &PromiseRequest) -> Option<String> {
    request.annotations().get(names::CHANGED_BY_ANNOTATION).cloned()
}

/// The same, once the policy that notes it is known.
async fn notes(ground: &Ground) {
    let api = ground.requests("admin");
    let rehearsal = PostParams { dry_run: true, field_manager: None };
    let mut forged = request("rehearsal");
    forged.annotations_mut().insert(names::CHANGED_BY_ANNOTATION.to_owned(), "erin".to_owned());
    until("the policy is known", || async { noted(&api.create(&rehearsal, &forged).await.unwrap()).is_none() }).await;
}

fn annotated(name: &str, value: Value) -> Value {
    json!({"metadata": {"annotations": {name: value}}})
}

async fn who_changed_it_last_is_noted_whatever_is_sent(ground: Ground) {
    are_known(&ground).await;
    notes(&ground).await;
    may_write(&ground).await;
    let mut forged = request("a");
    forged.annotations_mut().insert(names::CHANGED_BY_ANNOTATION.to_owned(), "erin".to_owned());
    let made = ground.requests("dana").create(&PostParams::default(), &forged).await.unwrap();
    assert_eq!(noted(&made), None, "nobody has changed it");
    let forgery = |who: Value| annotated(names::CHANGED_BY_ANNOTATION, who);
    let steps = [
        ("admin", forgery(json!("dana")), None, "a note alone is no change"),
        ("admin", json!({"spec": {"paused": true}}), None, "neither is pausing it"),
        ("admin", json!({"spec": {"parameters": {"size": "large"}}}), Some("admin"), "what is asked for"),
        ("dana", forgery(json!("dana")), Some("admin"), "a note is not changed by hand"),
        ("dana", forgery(json!("")), Some("admin"), "nor emptied"),
        ("dana", forgery(Value::Null), Some("admin"), "nor taken away"),
        ("dana", annotated("example.org/note", json!("a")), Some("admin"), "other annotations ask for nothing"),
        ("dana", json!({"spec": {"paused": false}}), Some("admin"), "nor does going on"),
        ("dana", json!({"spec": {"reason": "please"}}), Some("dana"), "the reason is a part of it"),
        ("admin", json!({"metadata": {"labels": {"stage": "one"}}}), Some("admin"), "so are labels"),
        ("dana", annotated(names::ASK_AGAIN_ANNOTATION, json!("t")), Some("dana"), "asking again"),
        ("admin", annotated(names::ROLL_OUT_ANNOTATION, json!("d")), Some("admin"), "rolling out"),
        ("dana", annotated(names::INPUTS_ANNOTATION, json!("1")), Some("dana"), "other secrets"),
        ("admin", annotated(names::INPUTS_ANNOTATION, Value::Null), Some("admin"), "and none any more"),
        ("dana", json!({"spec": {"reason": null}}), Some("dana"), "what is left out"),
        ("opm-controller", json!({"metadata": {"finalizers": [FINALIZER]}}), Some("dana"), "what is nobody's wish"),
        ("opm-controller", json!({"metadata": {"finalizers": null}}), Some("dana"), "and what is cleaned up"),
        ("opm-controller", json!({"spec": {"reason": "mine"}}), Some("opm-controller"), "whoever it is"),
    ];
    for (who, patch, wanted, what) in steps {
        let before = ground.requests("dana").get("a").await.unwrap().metadata.generation;
        let changed = ground.requests(who).patch("a", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();
        assert_eq!(noted(&changed).as_deref(), wanted, "{what}: {patch}");
        let same = changed.metadata.generation == before;
        assert_eq!(same, patch.get("spec").is_none(), "a note makes no generation: {patch}");
    }
    // Whoever replaces the object leaves the note where it was, and whoever applies one has it put right.
    let mut bare = ground.requests("admin").get("a").await.unwrap();
    bare.annotations_mut().remove(names::CHANGED_BY_ANNOTATION);
    let replaced = ground.requests("admin").replace("a", &PostParams::default(), &bare).await.unwrap();
    assert_eq!(noted(&replaced).as_deref(), Some("opm-controller"));
    let applied = |size: &str| {
        json!({
            "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest",
            "metadata": {"name": "a", "annotations": {names::CHANGED_BY_ANNOTATION: "erin"}},
            "spec": {"promise": {"name": "redis", "workspace": "root:platform"}, "parameters": {"size": size}},
        })
    };
    let params = PatchParams::apply("forger").force();
    let same = ground.requests("dana").patch("a", &params, &Patch::Apply(applied("large"))).await.unwrap();
    assert_eq!(noted(&same).as_deref(), Some("opm-controller"));
    let other = ground.requests("dana").patch("a", &params, &Patch::Apply(applied("small"))).await.unwrap();
    assert_eq!(noted(&other).as_deref(), Some("dana"));
}

/// With who changed it go their groups, and nobody adds to them or takes one away.
async fn the_groups_of_who_changed_it_are_noted_whatever_is_sent(ground: Ground) {
    are_known(&ground).await;
    notes(&ground).await;
    may_write(&ground).await;
    let mut forged = request("a");
    forged.annotations_mut().insert(names::CHANGED_BY_GROUPS_ANNOTATION.to_owned(), "owners".to_owned());
    forged.annotations_mut().insert(names::CHANGED_BY_CLUSTER_ANNOTATION.to_owned(), "a1".to_owned());
    let made = ground.requests("dana").create(&PostParams::default(), &forged).await.unwrap();
    assert_eq!(Changer::of(made.annotations()), None);
    assert!(made.annotations().keys().all(|name| !name.contains("changed-by")), "{:?}", made.annotations());
    let patch = async |patch: Value| {
        let changed = ground.requests("dana").patch("a", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();
        Changer::of(changed.annotations()).unwrap()
    };
    let edited = patch(json!({"spec": {"reason": "please"}})).await;
    let stamped = made.spec.requester.unwrap();
    assert_eq!((&edited.stamp, edited.has_groups), (&stamped, true), "the same as is stamped at creation");
    for name in [names::CHANGED_BY_GROUPS_ANNOTATION, names::CHANGED_BY_CLUSTER_ANNOTATION] {
        for value in [json!("owners"), json!(""), Value::Null] {
            assert_eq!(patch(annotated(name, value.clone())).await, edited, "{name}: {value}");
        }
    }
}

/// What the controller made for a promise and makes anew is nobody else's, and what somebody wrote into it may have stayed.
async fn who_makes_a_request_takes_nobodys_place(ground: Ground) {
    are_known(&ground).await;
    notes(&ground).await;
    may_write(&ground).await;
    let edit = |spec: Value| Patch::Merge(json!({"spec": spec}));
    let params = PatchParams::default();
    let maker = ground.requests("opm-controller");
    maker.create(&PostParams::default(), &request("made")).await.unwrap();
    let again = maker.patch("made", &params, &edit(json!({"parameters": {"size": "large"}}))).await.unwrap();
    assert_eq!(noted(&again), None);
    let theirs = ground.requests("dana").patch("made", &params, &edit(json!({"deletionPolicy": "Orphan"}))).await.unwrap();
    assert_eq!(noted(&theirs).as_deref(), Some("dana"));
    let put_back = maker.patch("made", &params, &edit(json!({"parameters": {"size": "small"}}))).await.unwrap();
    assert_eq!(noted(&put_back).as_deref(), Some("dana"));
}

async fn only_the_controller_takes_its_finalizer_off(ground: Ground) {
    are_known(&ground).await;
    may_write(&ground).await;
    let (theirs, ours) = (ground.requests("dana"), ground.requests("opm-controller"));
    theirs.create(&PostParams::default(), &request("a")).await.unwrap();
    let held = json!({"metadata": {"finalizers": [FINALIZER]}});
    ours.patch("a", &PatchParams::default(), &Patch::Merge(held)).await.unwrap();
    let bare = json!({"metadata": {"finalizers": null}});
    assert_eq!(refused(theirs.patch("a", &PatchParams::default(), &Patch::Merge(&bare)).await).0, 422);
    theirs.delete("a", &DeleteParams::default()).await.unwrap();
    assert_eq!(refused(theirs.patch("a", &PatchParams::default(), &Patch::Merge(&bare)).await).0, 422);
    assert!(theirs.get("a").await.unwrap().finalizers().iter().any(|finalizer| finalizer == FINALIZER));
    ours.patch("a", &PatchParams::default(), &Patch::Merge(&bare)).await.unwrap();
    assert!(theirs.get_opt("a").await.unwrap().is_none());
}
