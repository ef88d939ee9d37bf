// A decision in two stages, with JavaScript and without, by the keyboard alone: an approver asks for changes, the requester edits, what was
// said before no longer counts and the difference is shown, both approve, and it is made. Everybody concerned gets mail, and a webhook hears of it.

import { after, test } from "node:test";
import assert from "node:assert/strict";
import { brotliCompressSync } from "node:zlib";
import { kubectl, order, reaches, signIn, stage, until, violations, workspace } from "../portal.mjs";
import { hooks, mailbox, sending } from "../receivers.mjs";

const it = stage(undefined, async (folder, it) => {
  [it.mailbox, it.hooks] = await Promise.all([mailbox(), hooks()]);
  return sending(folder, it.mailbox, it.hooks);
});
after(() => Promise.all([it.mailbox?.close(), it.hooks?.close()]));

/** The address of the portal that a mail or webhook leads to. */
const leads = (text) => {
  const link = new URL(text.match(/http:\/\/portal\.localhost\/approvals\/\S+/)[0]);
  return link.pathname + link.search;
};
const large = { tier: "production", size: "large", replicas: 2, storage: 50 };

/** Moves the focus to an element as somebody does who has no mouse: by Tab, from where it is, at most all the way round. */
async function tabTo(page, target, what) {
  let element = await target.elementHandle();
  for (let step = 0; step < 250; step += 1) {
    // What a live page has replaced meanwhile is looked up again, and not at each stop.
    const found = await element.evaluate((element) => (element.isConnected ? element === document.activeElement : undefined)).catch(() => undefined);
    if (found) return;
    if (found === undefined) element = await target.elementHandle();
    await page.keyboard.press("Tab");
  }
  throw new Error(`the keyboard does not reach ${what}`);
}

async function press(page, target, what) {
  await target.waitFor();
  await tabTo(page, target, what);
  await page.keyboard.press("Enter");
}

async function write(page, target, text, what) {
  await target.waitFor();
  await tabTo(page, target, what);
  await page.keyboard.press("Control+A");
  await page.keyboard.type(text);
}

const button = (page, name) => page.getByRole("button", { name, exact: true });
/** The button that approves: it says whether another one comes next. */
const approve = (page) => page.getByRole("button", { name: /^Approve( and next)?$/ });
const comment = (page) => page.getByLabel("Comment", { exact: true });

/** Opens the inbox until the request stands in it, and opens the request. */
async function opens(page, name) {
  await until(async () => {
    await page.goto("/approvals");
    return (await page.locator("[data-row]").filter({ hasText: name }).count()) > 0;
  }, `${name} to wait for a decision`);
  await press(page, page.locator("[data-row]").filter({ hasText: name }).first(), `the row of ${name}`);
  // The inbox shows its first row beside the list already: what comes next is about the page that the row leads to.
  await page.waitForURL((address) => address.pathname + address.search !== "/approvals");
  await page.getByRole("heading", { level: 2, name: new RegExp(`^${name}:`) }).waitFor();
}

/** Decides about what is open, and waits until it is written. */
async function approves(page, name, { keys }) {
  if (keys) {
    await page.keyboard.press("a");
    await approve(page).and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Enter");
  } else await press(page, approve(page), "the button that approves");
  await page.getByText(`${name}: you approved`).waitFor();
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with JavaScript" : "without JavaScript";
  const name = javaScriptEnabled ? "warehouse" : "warehouse-plain";

  test(`two stages decide, by keyboard alone, ${how}`, async () => {
    const options = { javaScriptEnabled };
    const people = ["dev-shop", "approver", "org-owner", "dev-data"];
    const [requester, approver, owner, stranger] = await Promise.all(people.map((person) => signIn(it, person, options)));
    await requester.goto(`/w/${workspace}/promises/postgresql/request?start=example:Orders`);
    await write(requester, requester.getByLabel("Name", { exact: true }).first(), name, "the name");
    await press(requester, button(requester, "Review request"), "the button that reviews");
    await press(requester, button(requester, "Submit request"), "the button that submits");
    await requester.waitForURL(`**/requests/default/${name}`);
    await reaches(it.portal, name, "AwaitingApproval");

    // The first stage is asked by mail and webhook; the link leads to the light page, and whoever may not decide finds nothing there.
    const asked = await it.mailbox.arrives("approver@acme.example", `${name} is waiting for approval`);
    assert.match(asked.text, /You're an approver for the policy/);
    const called = await it.hooks.arrives("approvalNeeded", name);
    assert.equal(leads(called.link), leads(asked.text));
    await approver.goto(leads(asked.text));
    await approve(approver).waitFor();
    assert.equal((await stranger.goto(leads(asked.text))).status(), 404, "a link gives no right");

    // The first stage sees everything on one screen.
    await opens(approver, name);
    for (const heading of ["Reason", "Requested", "Checks", "Manifests", "Policies", "Price", "Approvers"]) {
      await approver.getByRole("heading", { level: 3, name: heading }).waitFor();
    }
    await approver.getByText("Stage 2").first().waitFor();
    assert.deepEqual(approver.complaints, []);
    // The second stage is not asked yet.
    await owner.goto("/approvals?view=all");
    await owner.locator("[data-row]").filter({ hasText: name }).first().waitFor();
    assert.equal(await approve(owner).count(), 0, "it is not the turn of the second stage");

    // Asking needs a word; what is wrong is said at the field, and what was chosen stays.
    if (javaScriptEnabled) {
      await approver.keyboard.press("c");
      await comment(approver).and(approver.locator(":focus")).waitFor();
    }
    await press(approver, button(approver, "Request changes"), "the button that asks");
    await approver.getByText("Add a comment that says what to change").first().waitFor();
    assert.match(await approver.title(), /^Error: /);
    await write(approver, comment(approver), "Would 150 do?", "the comment");
    await press(approver, button(approver, "Request changes"), "the button that asks");
    await approver.getByText(`${name}: you requested changes`).waitFor();

    // It is the requester's turn: the mail says so, and the question stands on the request.
    const wish = await it.mailbox.arrives("dev-shop@acme.example", `Amara Okafor requested changes to ${name}`);
    assert.match(wish.text, /“Would 150 do\?”/);
    await until(async () => {
      await requester.goto(`/w/${workspace}/requests/default/${name}`);
      return requester.getByText("Would 150 do?").first().isVisible();
    }, "the wish for changes to arrive");
    await press(requester, requester.getByRole("link", { name: "Edit", exact: true }), "the way to edit");
    const storage = requester.getByLabel("Storage", { exact: false }).first();
    await write(requester, storage, "150", "the storage");
    await press(requester, requester.getByRole("button", { name: /^Review/ }), "the button that reviews");
    await press(requester, button(requester, "Submit change"), "the button that submits");
    await requester.waitForURL(`**/requests/default/${name}`);

    // What was said before is void: the difference is shown, and everybody is asked about the new content, by mail too.
    const again = await it.mailbox.arrives("approver@acme.example", `${name} is waiting for approval`, 1);
    assert.notEqual(leads(again.text), leads(asked.text), "it is another content");
    await opens(approver, name);
    const since = approver.locator(".since");
    await since.getByText("no longer counts").waitFor();
    await since.locator("del").getByText("200").waitFor();
    await since.locator("ins").getByText("150").waitFor();
    await approves(approver, name, { keys: javaScriptEnabled });
    await opens(owner, name);
    await approves(owner, name, { keys: javaScriptEnabled });

    await reaches(it.portal, name, "Ready");
    await it.mailbox.arrives("org-owner@acme.example", `${name} is waiting for approval`);
    for (const person of ["Amara Okafor", "Olga Brandt"]) await it.mailbox.arrives("dev-shop@acme.example", `${person} approved ${name}`);
    await it.mailbox.arrives("dev-shop@acme.example", `${name} is approved and being provisioned`);
    for (const event of ["changesRequested", "approved", "accepted", "ready"]) await it.hooks.arrives(event, name);
    const ids = it.mailbox.mails.map((mail) => mail.messageId);
    assert.equal(new Set(ids).size, ids.length, "no mail came twice");
    await owner.goto("/approvals?view=decided");
    await owner.locator("[data-row]").filter({ hasText: name }).first().waitFor();
    // A refused post is an answer with a status of its own, which browsers complain about.
    const complaints = (page) => page.complaints.filter((complaint) => !/status of 4\d\d/.test(complaint));
    assert.deepEqual([requester, approver, owner, stranger].flatMap(complaints), []);
    await Promise.all([requester, approver, owner, stranger].map((page) => page.context().close()));
  });
}

test("an approval of a content that has changed meanwhile is not taken, and the light page shows what changed", async () => {
  const name = "moving";
  await order(it.portal, name, "postgresql", { ...large, size: "small" });
  await reaches(it.portal, name, "AwaitingApproval");
  const request = JSON.parse(await kubectl(it.portal, `dev-shop@${workspace}`, ["get", `promiserequest/${name}`, "-o", "json"]));
  const approver = await signIn(it, "approver", { javaScriptEnabled: false });
  const light = `/approvals/${request.metadata.uid}`;
  await until(async () => (await approver.goto(light)).ok(), "the portal to know the question");
  await kubectl(it.portal, `dev-shop@${workspace}`, ["patch", `promiserequest/${name}`, "--type=merge", "-p", JSON.stringify({ spec: { parameters: { storage: 77 } } })]);
  await until(async () => {
    const now = JSON.parse(await kubectl(it.portal, `dev-shop@${workspace}`, ["get", `promiserequest/${name}`, "-o", "json"]));
    const { contentHash, state } = now.status.candidate;
    if (contentHash === request.status.candidate.contentHash || state !== "awaitingApproval") return false;
    // The portal hears of it a moment later; the page that is open does not.
    return (await (await approver.request.get(light)).text()).includes(contentHash);
  }, "the new content to be asked about");
  await comment(approver).fill("Seen");
  await approve(approver).click();
  await approver.getByText("Your decision wasn't saved", { exact: true }).waitFor();
  await approver.locator(".since ins").getByText("77").waitFor();
  assert.equal(await comment(approver).inputValue(), "Seen", "what was typed stays");
  await approve(approver).click();
  await approver.getByText(`${name}: you approved`).waitFor();
  await reaches(it.portal, name, "Ready");
  await approver.context().close();
});

test("the keys move between rows, and can be turned off", async () => {
  for (const name of ["first", "second"]) {
    await order(it.portal, name, "postgresql", { ...large, size: "small" });
    await reaches(it.portal, name, "AwaitingApproval");
  }
  const approver = await signIn(it, "approver");
  await until(async () => {
    await approver.goto("/approvals");
    return (await approver.locator("[data-row]").count()) >= 2;
  }, "both to wait");
  const current = () => approver.locator('[data-row][aria-current="true"] b').textContent();
  const first = await current();
  await approver.keyboard.press("j");
  // A row is another page, which hears keys when it has come.
  await until(async () => (await current()) !== first, "the next row");
  await approver.waitForLoadState();
  await approver.keyboard.press("k");
  await until(async () => (await current()) === first, "the row before");
  await approver.waitForLoadState();
  await approver.keyboard.press("?");
  await approver.getByLabel("Turn off shortcuts").check();
  await approver.locator("h1").click();
  await approver.keyboard.press("j");
  assert.equal(await current(), first, "nothing moves any more");
  assert.deepEqual(approver.complaints, []);
  await approver.context().close();
});

test("axe finds nothing on inbox and light page, in both themes, wide and narrow", async () => {
  await order(it.portal, "looked-at", "postgresql", large);
  await reaches(it.portal, "looked-at", "AwaitingApproval");
  const request = JSON.parse(await kubectl(it.portal, `dev-shop@${workspace}`, ["get", "promiserequest/looked-at", "-o", "json"]));
  const light = `/approvals/${request.metadata.uid}`;
  const found = [];
  const approver = await signIn(it, "approver");
  await until(async () => (await approver.goto(light)).ok(), "the portal to know the question");
  for (const path of ["/approvals", `/approvals?view=all&open=${request.metadata.uid}`, "/approvals?view=decided", light, `${light}/alike`]) {
    await approver.goto(path);
    await approver.evaluate(() => document.querySelectorAll("main details").forEach((details) => (details.open = true)));
    for (const colorScheme of ["light", "dark"]) {
      for (const width of [1440, 390]) {
        await approver.emulateMedia({ colorScheme });
        await approver.setViewportSize({ width, height: 900 });
        for (const problem of await violations(approver)) found.push(`${path} ${colorScheme} ${width}: ${problem}`);
        const sideways = await approver.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        if (sideways > 0) found.push(`${path} ${width}: scrolls sideways by ${sideways} px`);
      }
    }
  }
  await approver.context().close();
  assert.deepEqual(found, []);
});

test("the light page has no shell and stays under 30 kB, and so does the inbox", async () => {
  const approver = await signIn(it, "approver", { javaScriptEnabled: false });
  const { metadata } = JSON.parse(await kubectl(it.portal, `dev-shop@${workspace}`, ["get", "promiserequest/looked-at", "-o", "json"]));
  for (const path of [`/approvals/${metadata.uid}`, `/approvals?view=all&open=${metadata.uid}`]) {
    const html = await (await approver.request.get(path)).text();
    const [, style] = html.match(/<link rel="stylesheet" href="([^"]+)"/);
    const css = await (await approver.request.get(style)).body();
    const bytes = brotliCompressSync(html).length + brotliCompressSync(css).length;
    console.log(`${path.split("?")[0]}: ${bytes} bytes`);
    assert.ok(bytes <= 30_000, `${path}: ${bytes} bytes`);
    if (path.startsWith("/approvals/")) assert.ok(!html.includes('class="sidenav"') && !html.includes("<script"), "no shell, no script");
  }
  await approver.context().close();
});
