// Reload, Back and Forward at every step of journeys about requests, with JavaScript and without: nothing is posted or written by that, and nothing
// that was typed is lost. Without OPM_FULL most journeys are walked in one way only. Decisions and policies are in decisions.test.mjs.

import { test } from "node:test";
import assert from "node:assert/strict";
import { reaches, signIn, stage, until, workspace } from "../portal.mjs";
import { again, BOTH, button, expire, journey, label, link, saved, title, unfold, Walk, WITH, WITHOUT } from "../walk.mjs";

const it = stage();
const requests = `/w/${workspace}/requests`;

journey("a request: ordered, revealed, changed and deleted", BOTH, async ({ scripted, named }) => {
  const name = named("carts");
  const own = `${requests}/default/${name}`;
  const walk = await Walk.begin(it, "dev-shop", scripted);
  await walk.step("the catalog", async (page) => {
    await page.goto(`/w/${workspace}/catalog`);
    await title(page, "Catalog").waitFor();
  });
  await walk.step("the promise", async (page) => {
    await link(page, "Redis").click();
    await title(page, /^Redis/).waitFor();
  });
  await walk.step("the form", async (page) => {
    await link(page, "Request").click();
    await label(page, "Name").waitFor();
  });
  await walk.step("typed", async (page) => {
    await label(page, "Name").fill("Not A Name");
    await label(page, "Reason").fill("for the season");
    await page.getByLabel(/^Medium/).check();
    await saved(page, scripted);
  }, { unsaved: !scripted });
  await walk.step("refused", async (page) => {
    await button(page, "Review request").click();
    await page.getByRole("alert").waitFor();
    await page.waitForURL(/draft=/);
  }, { keeps: true });
  await walk.step("mended", async (page) => {
    await label(page, "Name").fill(name);
    await saved(page, scripted);
  }, { unsaved: !scripted });
  await walk.step("the manifests", async (page) => {
    await button(page, "Preview manifests").click();
    await title(page, "Manifest preview").waitFor();
  });
  await walk.step("the form again", async (page) => {
    await page.getByRole("link", { name: "Back to the form" }).click();
    await label(page, "Name").waitFor();
    assert.equal(await label(page, "Name").inputValue(), name);
  });
  await walk.step("the review", async (page) => {
    await button(page, "Review request").click();
    await title(page, `Review ${name}`).waitFor();
  });
  await walk.step("submitted", async (page) => {
    await button(page, "Submit request").click();
    await page.waitForURL(`**${own}`);
  }, { submits: true, back: 404 });
  await walk.step("ready", async (page) => {
    await reaches(it.portal, name, "Ready");
    await until(async () => (await page.reload(), await title(page, name).getByText("Ready", { exact: true }).isVisible()), "the page to say so");
  });
  await walk.step("a secret revealed", async (page) => {
    await button(page, "Reveal url").click();
    await page.getByText("redis://").first().waitFor();
  });
  await walk.step("the form of a change", async (page) => {
    await page.goto(own);
    await link(page, "Edit").click();
    await label(page, "Reason").waitFor();
  }, { hops: true });
  await walk.step("a change typed", async (page) => {
    await label(page, "Reason").fill("kept for the season");
    await page.getByLabel(/^Small/).check();
    await saved(page, scripted);
  }, { unsaved: !scripted });
  await walk.step("the review of the change", async (page) => {
    await button(page, "Review change").click();
    await title(page, /^Review changes to /).waitFor();
  });
  await walk.step("changed", async (page) => {
    await button(page, "Submit change").click();
    await page.waitForURL(`**${own}`);
    await page.getByRole("complementary").getByText("kept for the season").waitFor();
  }, { submits: true, back: 404 });
  await walk.step("about to be deleted", async (page) => {
    await reaches(it.portal, name, "Ready");
    await link(page, "Delete").click();
    await label(page, `Type ${name} to confirm`).waitFor();
  });
  await walk.step("a wrong confirmation typed", (page) => label(page, `Type ${name} to confirm`).fill("something else"), { unsaved: true });
  await walk.step("a wrong confirmation refused", async (page) => {
    await button(page, `Delete ${name}`).click();
    await page.waitForURL(/refused=/);
  }, { status: 422 });
  await walk.step("the confirmation typed", (page) => label(page, `Type ${name} to confirm`).fill(name), { unsaved: true, status: 422 });
  await walk.step("deleted", async (page) => {
    await button(page, `Delete ${name}`).click();
    await page.waitForURL(/deleted=/);
    await until(async () => (await page.request.get(own)).status() === 404, `${name} to be gone`);
  }, { submits: true, back: [404, 422] });
  await walk.end();
});

journey("a saved view: named, renamed and deleted", WITHOUT, async ({ scripted, named }) => {
  const walk = await Walk.begin(it, "dev-shop", scripted);
  const views = (page) => page.getByRole("navigation", { name: "Saved views" });
  const [first, second] = [named("What works"), named("What runs")];
  await walk.step("a filter", async (page) => {
    await page.goto(`${requests}?phase=Ready`);
    await title(page, "Requests").waitFor();
  });
  await walk.step("a name typed", async (page) => {
    await unfold(page, "Save this view");
    await label(page, "Name").fill(first);
  }, { unsaved: true });
  await walk.step("saved", async (page) => {
    await unfold(page, "Save this view");
    await button(page, "Save").click();
    await views(page).getByRole("link", { name: first }).waitFor();
  }, { submits: true });
  await walk.step("another name typed", async (page) => {
    await unfold(page, "Edit view");
    await label(page, "Name").fill(second);
  }, { unsaved: true });
  await walk.step("renamed", async (page) => {
    await unfold(page, "Edit view");
    await button(page, "Rename").click();
    await views(page).getByRole("link", { name: second }).waitFor();
  }, { submits: true });
  await walk.step("deleted", async (page) => {
    await unfold(page, "Edit view");
    await button(page, "Delete view").click();
    await page.waitForURL(`**${requests}`);
  }, { submits: true });
  await walk.end();
});

journey("a draft: saved, shared, opened by somebody else, and discarded", WITH, async ({ scripted, named }) => {
  const name = named("half-typed");
  const [walk, other] = [await Walk.begin(it, "dev-shop", scripted), await Walk.begin(it, "org-owner", scripted)];
  await walk.step("typed", async (page) => {
    await page.goto(`/w/${workspace}/promises/redis/request`);
    await label(page, "Name").fill(name);
    await label(page, "Reason").fill("not sure yet");
    if (scripted) return saved(page, scripted);
    await button(page, "Check").click();
    await page.waitForURL(/draft=/);
  });
  await walk.step("listed", async (page) => {
    await page.goto(requests);
    await button(page, `Share the draft ${name}`).waitFor();
  });
  await walk.step("shared", async (page) => {
    await button(page, `Share the draft ${name}`).click();
    await page.getByRole("link", { name: "Link to this draft" }).waitFor();
  });
  const address = await walk.page.getByRole("link", { name: "Link to this draft" }).getAttribute("href");
  await other.step("opened by somebody else", async (page) => {
    await page.goto(address);
    await title(page, /Redis/).waitFor();
    assert.equal(await label(page, "Reason").inputValue(), "not sure yet");
  });
  await other.step("continued", async (page) => {
    await label(page, "Reason").fill("sure");
    await saved(page, scripted);
  }, { unsaved: !scripted });
  await walk.step("not shared any more", async (page) => {
    await button(page, `Stop sharing the draft ${name}`).click();
    await button(page, `Share the draft ${name}`).waitFor();
  });
  await walk.step("continued from the list", async (page) => {
    await page.getByRole("link", { name, exact: true }).click();
    assert.equal(await label(page, "Reason").inputValue(), "not sure yet");
  });
  await walk.step("discarded", async (page) => {
    await page.goto(requests);
    await button(page, `Discard the draft ${name}`).click();
    await button(page, `Discard the draft ${name}`).waitFor({ state: "detached" });
  }, { submits: true, hops: true });
  await Promise.all([walk.end(), other.end()]);
});

journey("a session that ends in the middle of a form", BOTH, async ({ scripted, named }) => {
  const name = named("survives");
  const walk = await Walk.begin(it, "dev-shop", scripted);
  await walk.step("typed", async (page) => {
    await page.goto(`/w/${workspace}/promises/redis/request`);
    await label(page, "Name").fill(name);
    await label(page, "Reason").fill("typed before it ended");
    await saved(page, scripted);
  }, { unsaved: !scripted });
  const typed = await label(walk.page, "Reason").inputValue();
  await expire(it, walk.page);
  await walk.step("posted too late", async (page) => {
    await button(page, "Review request").click();
    await page.waitForURL("**/sign-in*");
    // The check of what was typed last can still be under way when the session ends.
  }, { hops: true, status: [401] });
  await walk.step("signed in again", async (page) => {
    await again(page, "dev-shop");
    await page.getByText("Your session had ended").waitFor();
    assert.equal(await label(page, "Name").inputValue(), name);
    assert.equal(await label(page, "Reason").inputValue(), typed);
  }, { hops: true });
  await walk.step("the review", async (page) => {
    await button(page, "Review request").click();
    await title(page, `Review ${name}`).waitFor();
  });
  await walk.step("signed out", async (page) => {
    await page.getByRole("banner").locator("details.menu").last().locator("summary").click();
    await button(page, "Sign out").click();
    await page.waitForURL("**/sign-in*");
  }, { hops: true });
  await walk.end();
});

journey("workspaces: switched, kept as favourites, and looked at in another theme", WITHOUT, async ({ scripted }) => {
  const walk = await Walk.begin(it, "org-owner", scripted);
  const menu = async (page) => {
    const place = page.getByRole("navigation", { name: "Workspace" });
    await place.locator("summary").click();
    return place;
  };
  await walk.step("requests of a team", async (page) => {
    await page.goto(requests);
    await title(page, "Requests").waitFor();
  });
  await walk.step("requests of another one", async (page) => {
    const place = await menu(page);
    await place.getByRole("searchbox", { name: "Find a workspace" }).fill("root:acme:data");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/w/root:acme:data/requests");
  });
  await walk.step("a favourite", async (page) => {
    await menu(page);
    await button(page, "Add to favourites").click();
    await page.getByRole("button", { name: "Remove from favourites", includeHidden: true }).waitFor({ state: "attached" });
  });
  await walk.step("no favourite any more", async (page) => {
    await menu(page);
    await button(page, "Remove from favourites").click();
    await page.getByRole("button", { name: "Add to favourites", includeHidden: true }).waitFor({ state: "attached" });
  });
  await walk.step("back by the list of recent ones", async (page) => {
    const place = await menu(page);
    await place.getByRole("link", { name: workspace }).click();
    await page.waitForURL(`**${requests}`);
  });
  await walk.step("in the dark", async (page) => {
    await page.getByRole("banner").locator("details.menu").last().locator("summary").click();
    await button(page, "Dark").click();
    await page.locator('html[data-theme="dark"]').waitFor();
  });
  await walk.end();
});

test("a walk finds a page that posts again", async () => {
  const page = await signIn(it, "dev-shop", { javaScriptEnabled: false });
  const walk = new Walk(it, page, false);
  // An answer at the address of a post, as the product has none.
  await page.route("**/posted", (route) => route.fulfill({ contentType: "text/html", body: `<main>${route.request().method()}</main>` }));
  await page.setContent(`<form method="post" action="${it.portal.url}/posted"><button>Post</button></form>`);
  const step = walk.step("posted", async () => {
    await button(page, "Post").click();
    await page.waitForURL("**/posted");
  });
  await assert.rejects(step, /post nothing/);
  await page.context().close();
});
