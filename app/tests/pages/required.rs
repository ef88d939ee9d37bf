//! What is required first, and requests that are created again.

use crate::page;

#[test]
fn what_is_required_first_leads_to_its_form_and_back() {
    let html = &page("promise-required").html;
    let form = "href=\"/w/root:acme:shop/promises/postgresql/request?for=form:redis\"";
    assert!(html.contains("Required first") && html.contains(form), "the link says what it is for: {html}");
    for way in
        ["A working instance of vault", "It isn't offered in this workspace. Ask the platform team.", "The platform team can provide it."]
    {
        assert!(html.contains(way) || html.contains(&way.replace('\'', "&#x27;")), "{way}: {html}");
    }
    // On a form, what was entered is saved first.
    let html = &page("request-required").html;
    assert!(html.contains("form=\"request\" name=\"_op\" value=\"require:postgresql\""), "{html}");
    let html = &page("request-needed").html;
    assert!(html.contains("name=\"_for\" value=\"form:web-application\""), "{html}");
    assert!(html.contains("<a href=\"/w/root:acme:shop/promises/web-application/request\">Back to web-application</a>"), "{html}");
    assert!(page("request-continued").html.contains("Continue with web-application"));
    let form = "/w/root:acme:shop/promises/postgresql/request?for=request:default%2Forders-db";
    assert!(page("request-refused").html.contains(form), "a request that waits links to it, too");
}

#[test]
fn the_deletion_of_what_is_created_again_says_so() {
    let html = &page("delete-unagreed").html;
    assert!(html.contains("shop-stack created this request and creates it again"), "{html}");
    assert!(html.contains("href=\"/w/root:acme:shop/requests/default/shop-stack\""), "{html}");
    assert!(!page("delete").html.contains("creates it again"));
}
