// What a screen reader is told on the five main journeys: the accessibility tree of each step, as Chromium computes it, and what live regions
// announce while things change.

import { test } from "node:test";
import assert from "node:assert/strict";
import { becomes, order, reaches, resume, signIn, stage, until, workspace } from "../portal.mjs";

const it = stage();
const large = { tier: "production", size: "large", replicas: 2, storage: 50 };

/** Roles of what people operate; each needs a name. */
const OPERATED = ["button", "checkbox", "combobox", "link", "listbox", "menuitem", "option", "radio", "searchbox", "slider", "spinbutton", "switch", "tab", "textbox"];
/** Roles that group what stands in them, and need a name to be told apart. */
const NAMED = ["group", "navigation", "radiogroup", "region", "table"];

/** The accessibility tree of a page: `{ role, name, level, parent }` of each node that isn't ignored. */
async function tree(page) {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  await session.detach();
  const known = new Map(nodes.map((node) => [node.nodeId, node]));
  const parent = (node) => {
    for (let above = known.get(node.parentId); above; above = known.get(above.parentId)) if (!above.ignored) return above.role?.value;
  };
  const property = (node, name) => node.properties?.find((one) => one.name === name)?.value.value;
  return nodes
    .filter((node) => !node.ignored)
    .map((node) => ({ role: node.role?.value, name: node.name?.value?.trim() ?? "", level: property(node, "level"), parent: parent(node) }));
}

/** What is wrong with a tree, whatever page it is of; `written` is the number of tables in texts of authors, which Markdown gives no name. */
function problems(nodes, written) {
  const found = [];
  const of = (role) => nodes.filter((node) => node.role === role);
  for (const node of nodes.filter(({ role }) => OPERATED.includes(role))) if (!node.name) found.push(`a ${node.role} without a name in ${node.parent}`);
  // Nothing behind a modal dialog is said.
  const modal = of("dialog").length > 0;
  if (!modal) for (const role of ["main", "banner"]) if (of(role).length !== 1) found.push(`${of(role).length} × ${role}`);
  for (const role of NAMED) {
    const names = of(role).map(({ name }) => name);
    const unnamed = names.filter((name) => !name).length;
    if (role !== "group" && unnamed > (role === "table" ? written : 0)) found.push(`a ${role} without a name`);
    if (role === "navigation" && new Set(names).size < names.length) found.push(`navigations of one name: ${names.join(", ")}`);
  }
  for (const node of [...of("image"), ...of("img")]) if (!node.name) found.push(`an image without a name in ${node.parent}`);
  const levels = of("heading").map(({ level }) => level);
  if (!modal && levels.filter((level) => level === 1).length !== 1) found.push(`headings of level 1: ${levels.filter((level) => level === 1).length}`);
  levels.forEach((level, index) => {
    if (index > 0 && level > levels[index - 1] + 1) found.push(`a heading of level ${level} after one of level ${levels[index - 1]}: ${of("heading")[index].name}`);
  });
  return found;
}

/** Checks the tree of a page, and that these nodes are in it: `[role, name]`. */
async function says(page, step, ...expected) {
  // The page that the last click opens might still be loading.
  await until(() => holds(page, step, expected), step);
}

async function holds(page, step, expected) {
  await page.waitForLoadState();
  const nodes = await tree(page);
  assert.deepEqual(problems(nodes, await page.locator(".prose table").count()), [], `${step}: ${page.url()}`);
  for (const [role, name] of expected) {
    const fits = (text) => (name instanceof RegExp ? name.test(text) : text === name);
    const same = nodes.filter((node) => node.role === role);
    assert.ok(same.some((node) => fits(node.name)), `${step}: no ${role} ${name} among ${same.map((node) => node.name).join(" | ")}`);
  }
  return true;
}

/**
 * Notes what the live regions of a page announce from now on, in `window.announced`: only regions that are there already, because a region that
 * comes with its text is silent.
 */
async function listen(page) {
  await page.evaluate(() => {
    window.announced = [];
    for (const region of document.querySelectorAll("[role=status], [role=alert], [aria-live]")) {
      const changed = () => region.isConnected && region.checkVisibility() && window.announced.push(region.innerText);
      new MutationObserver(changed).observe(region, { attributes: true, characterData: true, childList: true, subtree: true });
    }
  });
}

const announces = (page, text) =>
  until(() => page.evaluate((text) => window.announced.some((said) => said.includes(text)), text), `the page to announce "${text}"`);


test("ordering: catalog, promise, form with its preflight, review", async () => {
  const page = await signIn(it, "dev-shop");
  await page.goto(`/w/${workspace}/catalog`);
  await says(page, "catalog", ["heading", "Catalog"], ["link", "PostgreSQL"], ["searchbox", /.+/], ["navigation", "Main"]);
  await page.getByRole("main").getByRole("link", { name: "PostgreSQL", exact: true }).click();
  await says(page, "promise", ["heading", /^PostgreSQL/], ["link", "Request"]);
  await page.getByRole("main").getByRole("link", { name: "Request", exact: true }).click();
  await says(page, "form", ["textbox", "Name"], ["group", "Purpose"], ["radio", /Production/i], ["button", "Review request"], ["complementary", "Preflight"], ["status", ""]);
  await listen(page);
  await page.getByLabel("Name", { exact: true }).fill("orders-db");
  await page.getByRole("radio", { name: /Production/i }).check();
  await announces(page, "Needs approval");
  await page.getByRole("button", { name: "Review request" }).click();
  await says(page, "review", ["heading", "Review orders-db"], ["button", "Submit request"]);
  await page.context().close();
});

test("a refused form: the summary is an alert that has the focus and leads to the field", async () => {
  const page = await signIn(it, "dev-shop");
  await page.goto(`/w/${workspace}/promises/postgresql/request`);
  await page.getByLabel("Name", { exact: true }).fill("Not A Name");
  await page.getByRole("button", { name: "Review request" }).click();
  await page.getByRole("alert").waitFor();
  await says(page, "refused form", ["alert", /.+/], ["textbox", "Name"]);
  const described = await page.getByLabel("Name", { exact: true }).evaluate((field) => {
    const ids = `${field.getAttribute("aria-describedby") ?? ""} ${field.getAttribute("aria-errormessage") ?? ""}`.split(" ").filter(Boolean);
    return { invalid: field.getAttribute("aria-invalid"), text: ids.map((id) => document.getElementById(id)?.textContent ?? "").join(" ") };
  });
  assert.equal(described.invalid, "true");
  assert.ok(described.text.trim(), "the field says what is wrong with it");
  await page.context().close();
});

test("following: the page of a request announces that it is ready", async () => {
  const page = await signIn(it, "dev-shop");
  await page.goto(`/w/${workspace}/requests`);
  await says(page, "no requests yet", ["heading", "Requests"]);
  // Paused, it can't be ready before the page listens.
  await order(it.portal, "session-store", "redis", {}, { paused: true });
  await page.goto(`/w/${workspace}/requests/default/session-store`);
  await listen(page);
  await resume(it.portal, "session-store");
  await says(page, "request", ["heading", /session-store/], ["navigation", /.+/], ["complementary", "Details"]);
  await reaches(it.portal, "session-store", "Ready");
  await page.getByRole("heading", { level: 1 }).getByText("Ready", { exact: true }).waitFor();
  await announces(page, "Ready to use");
  await page.goto(`/w/${workspace}/requests`);
  await says(page, "requests", ["table", /.+/], ["columnheader", /State/], ["link", "session-store"]);
  await page.context().close();
});

test("approving: the inbox and the decision", async () => {
  await order(it.portal, "payments-db", "postgresql", large);
  await reaches(it.portal, "payments-db", "AwaitingApproval");
  const page = await signIn(it, "approver");
  await until(async () => (await page.goto("/approvals"), await page.getByRole("link", { name: /payments-db/ }).count()) > 0, "the request in the inbox");
  await page.getByRole("link", { name: /payments-db/ }).first().click();
  await says(page, "approval", ["heading", /payments-db/], ["textbox", "Comment"], ["button", "Approve"], ["button", /Reject/], ["button", /Request changes/]);
  const requester = await signIn(it, "dev-shop");
  await requester.goto(`/w/${workspace}/requests/default/payments-db`);
  await listen(requester);
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  await page.getByText("payments-db: you approved").waitFor();
  await says(page, "decided", ["status", ""]);
  await announces(requester, "acme-owners must approve");
  assert.ok(!(await requester.evaluate(() => window.announced.some((said) => said.includes("just now")))), "times aren't announced");
  await requester.context().close();
  await page.context().close();
});

test("changing and deleting: form, review, confirmation", async () => {
  const page = await signIn(it, "dev-shop");
  await page.goto(`/w/${workspace}/promises/redis/request`);
  await page.getByLabel("Name", { exact: true }).fill("carts");
  await page.getByRole("button", { name: "Review request" }).click();
  await page.getByRole("button", { name: "Submit request" }).click();
  await page.waitForURL(/\/requests\/default\/carts/);
  await reaches(it.portal, "carts", "Ready");
  await page.goto(`/w/${workspace}/requests/default/carts`);
  await page.getByRole("main").getByRole("link", { name: "Edit", exact: true }).click();
  await says(page, "edit", ["heading", /carts/], ["button", "Review change"], ["complementary", "Preflight"]);
  await page.getByRole("radio", { name: /^2/ }).check();
  await page.getByLabel("Reason", { exact: true }).fill("for the season");
  await page.getByRole("button", { name: "Review change" }).click();
  await says(page, "review of the change", ["heading", /carts/], ["button", "Submit change"]);
  await page.getByRole("button", { name: "Submit change" }).click();
  await page.waitForURL(/\/requests\/default\/carts/);
  await becomes(page, "Ready", true);
  await page.getByRole("main").getByRole("link", { name: "Delete", exact: true }).click();
  await says(page, "deletion", ["textbox", "Type carts to confirm"], ["button", "Delete carts"]);
  await page.context().close();
});

test("overseeing: cost, the platform, and what everything is found by", async () => {
  const page = await signIn(it, "org-owner");
  for (const [address, ...expected] of [
    ["/", ["heading", /.+/]],
    ["/cost", ["heading", "Cost"]],
    ["/platform", ["heading", /.+/]],
    ["/platform/policies", ["heading", "Policies"], ["searchbox", /.+/]],
    ["/notifications", ["heading", "Notifications"]],
    ["/workspaces", ["heading", "Workspaces"]],
    ["/search?q=redis", ["heading", "Search"], ["searchbox", /.+/]],
  ]) {
    await page.goto(address);
    await says(page, address, ...expected);
  }
  await page.keyboard.press("/");
  await page.getByRole("dialog").waitFor();
  await says(page, "palette", ["dialog", /.+/], ["combobox", /.+/]);
  await listen(page);
  await page.getByRole("combobox").fill("redis");
  await announces(page, "Choices: ");
  await page.context().close();
});
