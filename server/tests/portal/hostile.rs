//! Schemas and posts that are made to do harm, through the pages that show forms: every text is escaped, every answer is a sentence, and no page
//! grows beyond its bound.

use cluster::kinds::Promise;
use cluster::{Scope, WorkspacePath};
use http::{StatusCode, header};
use kube::api::{Api, PostParams};
use serde_json::{Value, json};

use crate::access::version;
use crate::browser::{Answer, Browser, HOST, Product, fill};

/// Ends attributes, texts and scripts, turns the direction of what follows, and looks like an entity.
const EVIL: &str = "\"'><img src=x onerror=pwn><script>pwn</script></textarea></style>&lt;b&gt;\u{202e}[a](javascript:pwn)";
const PROMISE: &str = "/w/root:acme:shop/promises/evil";
const FORM: &str = "/w/root:acme:shop/promises/evil/request";
const PREVIEW: &str = "/platform/promises/preview";
/// Maximum size of the page of an empty form.
const PAGE: usize = 400_000;

/// A promise with the text wherever one can stand.
fn evil() -> Value {
    let described = |mut node: Value| {
        node["description"] = json!(format!("{EVIL}\n\n{EVIL}"));
        node["title"] = json!(EVIL);
        node
    };
    let item = json!({"type": "object", "properties": {EVIL: {"type": "string"}, "plain": described(json!({"type": "string"}))}});
    json!({
        "apiVersion": promise::names::API_VERSION, "kind": "Promise", "metadata": {"name": "evil"},
        "spec": {
            "version": "1.0.0", "lifecycle": "published", "visibility": "descendants",
            "presentation": {"displayName": EVIL, "summary": EVIL, "description": EVIL, "category": "data", "maintainer": {"team": EVIL}},
            "parameters": {"type": "object", "required": ["text"], "properties": {
                "text": described(json!({"type": "string", "pattern": "^[^<>\"']*$|^<b>$", "examples": [EVIL]})),
                "choice": described(json!({"type": "string", "enum": [EVIL, "b"]})),
                "default": described(json!({"type": "string", "default": EVIL})),
                "list": described(json!({"type": "array", "items": {"type": "string"}, "default": [EVIL]})),
                "map": described(json!({"type": "object", "additionalProperties": {"type": "string"}, "default": {EVIL: EVIL}})),
                "rows": described(json!({"type": "array", "items": item.clone()})),
                "named": described(json!({"type": "object", "additionalProperties": item})),
                "open": described(json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})),
                EVIL: described(json!({"type": "string"})),
            }, "x-kubernetes-validations": [{"rule": "self.text != 'bad'", "message": EVIL}]},
            "form": {
                "groups": [{"title": EVIL, "description": EVIL, "fields": [".text", ".choice"]}],
                "fields": {
                    ".text": {"title": EVIL, "help": EVIL, "unit": EVIL},
                    ".choice": {"options": {EVIL: {"title": EVIL, "help": EVIL}}},
                },
                "presets": [{"name": "evil", "description": EVIL, "values": {"default": EVIL}}],
            },
            "implementation": {"resources": [{"id": "note", "template": {
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${request.name}"}, "data": {"text": "${parameters.text}"},
            }}]},
        },
    })
}

/// The tags of a page without the values of their attributes, and what follows each.
fn tags(html: &str) -> Vec<(String, &str)> {
    let mut found = Vec::new();
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        let (mut quote, mut tag, mut end) = (None, String::new(), rest.len());
        for (at, letter) in rest[start..].char_indices() {
            match (quote, letter) {
                (None, '"' | '\'') if tag.ends_with('=') => quote = Some(letter),
                (Some(open), _) if letter == open => quote = None,
                (None, _) => tag.push(letter),
                _ => {}
            }
            if quote.is_none() && letter == '>' {
                end = start + at + 1;
                break;
            }
        }
        rest = &rest[end..];
        found.push((tag, rest));
    }
    found
}

/// Fails where a page holds the text other than as a text.
fn escaped(what: &str, page: &Answer) {
    assert_eq!(page.status, StatusCode::OK, "{what}: {}", page.text);
    assert!(page.text.contains("pwn"), "{what} doesn't show it");
    for (tag, after) in tags(&page.text) {
        assert!(!tag.contains("pwn") && !tag.contains("onerror") && tag.len() < 2_000, "{what}: {tag}");
        assert!(!tag.starts_with("<script") || !after.starts_with("pwn"), "{what}: {tag}");
        assert!(!tag.starts_with("<img src"), "{what}: {tag}");
    }
    for raw in ["href=\"javascript:", "</textarea></style>"] {
        assert!(!page.text.contains(raw), "{what}: {raw}");
    }
    assert!(page.text.len() < PAGE, "{what}: {} bytes", page.text.len());
}

async fn publish(product: &Product, promise: Value) {
    let scope = Scope::Workspace(WorkspacePath::parse("root:platform").expect("a path"));
    let promises: Api<Promise> = Api::all(product.running.portal.endpoint.client(product.admin(), &scope));
    let promise = serde_json::from_value(promise).expect("a promise");
    promises.create(&PostParams::default(), &promise).await.expect("written");
}

/// Submits a form with the hidden inputs of its page, and shows what follows.
async fn press(browser: &mut Browser, address: &str, pairs: &[(&str, &str)], button: &str) -> Answer {
    let answer = fill(browser, address, pairs, button).await;
    browser.follow(answer).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn texts_of_schemas_and_of_people_are_texts_on_every_page() {
    let product = Product::open().await;
    product.publishes_samples().await;
    publish(&product, evil()).await;
    let mut browser = product.signed_in("dev-shop").await;
    let offered = browser.until(FORM, |answer| answer.text.contains("value=\"review\"")).await;
    escaped("the form", &offered);
    for page in ["", "?tab=fields", "?tab=changes", "?tab=policies"] {
        escaped(page, &browser.get(&format!("{PROMISE}{page}")).await);
    }
    escaped("the list", &browser.get("/w/root:acme:shop/catalog").await);
    let typed = [
        ("/name", "evil"),
        ("/reason", EVIL),
        ("/parameters/text", EVIL),
        ("/parameters/list/~shown", "1"),
        ("/parameters/list/0", EVIL),
        ("/parameters/map/~shown", "1"),
        ("/parameters/map/~rows/0/~key", EVIL),
        ("/parameters/map/~rows/0/~value", EVIL),
        ("/parameters/rows/0/plain", EVIL),
        ("/parameters/rows/0/~others", EVIL),
        ("/parameters/named/~rows/0/~key", EVIL),
        ("/parameters/named/~rows/0/~value/plain", EVIL),
        ("/parameters/open", EVIL),
        ("/parameters/~find", EVIL),
        (EVIL, EVIL),
    ];
    for button in ["check", "review", "submit", "yaml", "find:", "add:/parameters/rows/~items", EVIL, "preset:evil", "show:/parameters"] {
        escaped(button, &press(&mut browser, FORM, &typed, button).await);
    }
    let fine = [&[("/name", "evil"), ("/reason", EVIL), ("/parameters/text", "<b>")][..], &typed[3..9]].concat();
    let review = press(&mut browser, FORM, &fine, "review").await;
    assert!(review.text.contains("value=\"submit\""), "it can be submitted: {}", review.text);
    escaped("the review", &review);
    let created = press(&mut browser, FORM, &fine, "submit").await;
    assert!(created.text.contains("<title>evil"), "{}", created.text);
    for page in [
        "/w/root:acme:shop/requests/default/evil",
        "/w/root:acme:shop/requests/default/evil?view=yaml",
        "/w/root:acme:shop/requests/default/evil/edit",
    ] {
        escaped(page, &browser.get(page).await);
    }
    escaped("a rule", &press(&mut browser, FORM, &[("/name", "other"), ("/parameters/text", "bad")], "submit").await);
    let mut author = product.signed_in("org-owner").await;
    let document =
        json!({"apiVersion": promise::names::API_VERSION, "kind": "Promise", "metadata": {"name": "evil"}, "spec": evil()["spec"]})
            .to_string();
    for button in ["show", "check"] {
        let shown = preview(&mut author, &[("document", &document), ("/parameters/text", EVIL)], button).await;
        escaped("the preview", &shown);
    }
    for document in [EVIL, &json!({"kind": EVIL}).to_string(), &json!({"type": EVIL, "properties": {EVIL: {"type": EVIL}}}).to_string()] {
        let shown = preview(&mut author, &[("document", document)], "show").await;
        escaped("the preview", &shown);
    }
    product.running.close().await;
}

async fn preview(browser: &mut Browser, pairs: &[(&str, &str)], button: &str) -> Answer {
    let page = browser.get(PREVIEW).await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text);
    let token = page.hidden("_token");
    let all = [&[("_token", token.as_str()), ("_op", button)], pairs].concat();
    let answer = browser.post("/do/promises/preview", &all).await;
    browser.follow(answer).await
}

/// A document that an author could paste, none of which is a defect of ours.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn schemas_of_any_size_and_depth_are_previewed_or_refused() {
    let product = Product::quiet().await;
    let mut browser = product.signed_in("org-owner").await;
    let lines = |line: &dyn Fn(usize) -> String| (0..20_000).map(line).collect::<String>();
    let many = format!("type: object\nproperties:\n{}", lines(&|number| format!("  f{number}: {{type: string}}\n")));
    let values = lines(&|number| format!("    - value{number}\n"));
    let fields = format!("type: object\nproperties:\n  a:\n    type: string\n    enum:\n{values}");
    let nested = |levels: usize| {
        let open = "{type: object, required: [a], properties: {a: ".repeat(levels);
        format!("{open}{{type: string}}{}", "}}".repeat(levels))
    };
    let lists = |levels: usize| {
        format!("{{type: object, properties: {{a: {}{{type: string}}{}}}}}", "{type: array, items: ".repeat(levels), "}".repeat(levels))
    };
    let aliases = (1..12).fold("a0: &a0 {type: string}\n".to_owned(), |text, number| {
        let inner: String = (0..10).map(|key| format!("k{key}: *a{}, ", number - 1)).collect();
        format!("{text}a{number}: &a{number} {{type: object, properties: {{{inner}}}}}\n")
    });
    let aliases = format!("{aliases}type: object\nproperties: *a11\n");
    let refers = json!({"type": "object", "properties": {"a": {"$ref": "#"}, "b": {"$ref": "#/properties/b"}, "c": {"$ref": "https://example.org/x"}}});
    let patterns = json!({"type": "object", "properties": {
        "a": {"type": "string", "pattern": "^(a+)+$"}, "b": {"type": "string", "pattern": "(x{1000}){1000}"}, "c": {"type": "string", "pattern": "("},
    }});
    let strange = json!({"type": 7, "properties": {"a": {"type": ["string", 5], "enum": "x", "items": 3, "required": true, "minimum": "x", "pattern": {}, "default": []}, "b": 5, "c": null}});
    for (what, document, most) in [
        ("20,000 fields", many, PAGE + 700_000),
        ("20,000 choices", fields, 4_000_000),
        ("25 levels", nested(25), PAGE),
        ("90 levels", nested(90), PAGE),
        ("5,000 levels", nested(5_000), PAGE),
        ("25 lists", lists(25), PAGE),
        ("5,000 lists", lists(5_000), PAGE),
        ("aliases", aliases, PAGE),
        ("references", refers.to_string(), PAGE),
        ("patterns", patterns.to_string(), PAGE),
        ("types", strange.to_string(), PAGE),
        ("brackets", "[".repeat(200_000), PAGE + 500_000),
        ("nothing", "\u{0}".to_owned(), PAGE),
    ] {
        for button in ["show", "check", "show:/parameters/a", "find:"] {
            let pairs = [
                ("document", document.as_str()),
                ("/parameters/a", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"),
                ("/parameters/~find", "f19"),
            ];
            let shown = preview(&mut browser, &pairs, button).await;
            assert_eq!(shown.status, StatusCode::OK, "{what} {button}: {}", shown.text.chars().take(2_000).collect::<String>());
            // What was pasted is on the page again, once.
            assert!(shown.text.len() < most + 6 * document.len(), "{what} {button}: {} bytes for {}", shown.text.len(), document.len());
            assert!(!shown.text.contains("Something went wrong"), "{what} {button}");
        }
    }
    let answer = post_preview(&mut browser, &"a".repeat(10 << 20)).await;
    assert!(answer.status.is_client_error() && answer.text.contains("4 MiB"), "{}: {}", answer.status, answer.text);
    product.running.close().await;
}

async fn post_preview(browser: &mut Browser, document: &str) -> Answer {
    let token = browser.get(PREVIEW).await.hidden("_token");
    browser.post("/do/promises/preview", &[("_token", &token), ("_op", "show"), ("document", document)]).await
}

/// Bodies that no page sends.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_beyond_every_limit_and_in_other_encodings_end_in_a_sentence() {
    const FORM: &str = "/w/root:acme:shop/promises/postgresql/request";
    let product = Product::quiet().await;
    let mut browser = product.signed_in("dev-shop").await;
    let page = browser.get(FORM).await;
    let fixed = [
        ("_token", page.hidden("_token")),
        ("_cluster", page.hidden("_cluster")),
        ("_op", "submit".to_owned()),
        ("workspace", "root:acme:shop".to_owned()),
        ("promise", "postgresql".to_owned()),
        ("home", String::new()),
        ("/name", "hostile".to_owned()),
        // It can't be submitted, whatever else is in it.
        ("/parameters/storage", "lots".to_owned()),
    ];
    let start =
        form_urlencoded::Serializer::new(String::new()).extend_pairs(fixed.iter().map(|(name, value)| (*name, value.as_str()))).finish();
    let before = version(&product).await;
    let many: String = (0..100_000).map(|number| format!("&/parameters/x{number}=1")).collect();
    let empty = "&".repeat(500_000);
    let utf16: Vec<u8> = "&/parameters/database=db".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (what, tail, sentence) in [
        ("10 MB", format!("&/parameters/database={}", "x".repeat(10 << 20)).into_bytes(), "1 MiB"),
        ("10 MB of percent signs", "&a=%".repeat(10 << 18).into_bytes(), "1 MiB"),
        ("100,000 fields", many.into_bytes(), ""),
        ("fields without names", empty.into_bytes(), ""),
        ("bytes that aren't UTF-8", b"&/parameters/database=\xff\xfe".to_vec(), "UTF-8"),
        ("UTF-16", utf16, ""),
        ("an escaped surrogate", b"&/parameters/database=%ED%A0%80".to_vec(), ""),
        ("an overlong escape", b"&/parameters/database=%C0%AF%C0%80".to_vec(), ""),
        ("half an escape", b"&/parameters/database=%&%=%f".to_vec(), ""),
        ("a NUL", b"&/parameters/database=a%00b&%00=1".to_vec(), ""),
        ("a byte order mark", b"&/parameters/database=%EF%BB%BFa".to_vec(), ""),
        ("a pointer of 500 kB", format!("&/parameters{}=1", "/~rows/0/~value".repeat(35_000)).into_bytes(), ""),
        ("half a multipart body", b"--x\r\nContent-Disposition: form-data; name=\"/name\"\r\n\r\n".to_vec(), ""),
    ] {
        let mut request = browser.form("/do/requests/submit", &[]);
        request.headers_mut().insert(header::ORIGIN, format!("http://{HOST}").parse().expect("an origin"));
        *request.body_mut() = axum::body::Body::from([start.as_bytes(), &tail].concat());
        let answer = browser.send(request).await;
        assert!(answer.status.is_client_error() || answer.status == StatusCode::SEE_OTHER, "{what}: {} {}", answer.status, answer.text);
        assert!(answer.text.contains(sentence), "{what}: no {sentence} in {}", answer.text);
        let shown = browser.follow(answer).await;
        assert!(!shown.status.is_server_error() && shown.text.len() < PAGE, "{what}: {} {} bytes", shown.status, shown.text.len());
        assert!(!shown.text.contains("Something went wrong"), "{what}");
    }
    assert_eq!(version(&product).await, before, "nothing was written");
    product.running.close().await;
}
