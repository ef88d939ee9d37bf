// A person on a journey who reloads the page after every step, and goes back and forward again: that posts nothing, changes nothing on the plane,
// and loses nothing that was typed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, signIn } from "./portal.mjs";

/** Ways to walk a journey: with JavaScript, without, or once each. */
export const [WITH, WITHOUT, BOTH] = [[true], [false], [true, false]];

/** Declares a journey in these ways, at full size in both; what it makes has a name of its own in each. */
export function journey(name, ways, walk) {
  for (const scripted of process.env.OPM_FULL ? BOTH : ways) {
    const named = (base) => (scripted ? base : `${base}-plain`);
    test(`${name}, ${scripted ? "with JavaScript" : "without JavaScript"}`, () => walk({ scripted, named }));
  }
}

export const button = (page, name) => page.getByRole("button", { name, exact: true });
export const link = (page, name) => page.getByRole("main").getByRole("link", { name, exact: true });
export const label = (page, name) => page.getByLabel(name, { exact: true });
export const title = (page, name) => page.getByRole("heading", { level: 1, name });

/** Waits until what was typed is saved, where a script saves it; without one it is kept by the browser until it is posted. */
export async function saved(page, scripted) {
  if (!scripted) return;
  await page.locator("#preflight .typing").waitFor({ state: "hidden" });
  await page.getByText("Draft saved").waitFor();
  await page.waitForURL(/[?&]draft=[0-9a-f]{32}/);
}

/** Opens what is folded, so that somebody can type in it. */
export async function unfold(page, summary) {
  const details = page.locator("details").filter({ has: page.locator("summary").filter({ hasText: summary }) }).last();
  if ((await details.getAttribute("open")) === null) await details.locator("summary").first().click();
}

/** Ends the session of a browser on the server, while its cookie stays: as if its time were up. */
export async function expire(it, page) {
  const context = await it.browser.newContext({ baseURL: it.portal.url, javaScriptEnabled: false, storageState: await page.context().storageState() });
  const other = await context.newPage();
  await other.goto("/workspaces");
  await other.getByRole("banner").locator("details.menu").last().locator("summary").click();
  await button(other, "Sign out").click();
  await other.waitForURL("**/sign-in*");
  await context.close();
}

/** Signs in again on the page that asks for it. */
export async function again(page, person) {
  await page.getByRole("button", { name: new RegExp(`\\b${person}\\b`) }).click();
  await page.waitForURL((address) => !address.pathname.startsWith("/sign-in"));
}

/** What a page posts by itself while somebody types: it checks and saves a draft, and submits nothing. */
const BY_ITSELF = /\/preflight$/;

/** Kinds of objects that journeys write, and the workspaces that hold them. */
const WRITTEN = [
  ["root:acme:shop", "promiserequests"],
  ["root:acme", "approvals"],
  ["root:acme", "policies"],
];

/** What stands on the plane: each object by its kind and name, with what changes when somebody writes it. */
async function written(portal) {
  const lists = await Promise.all(WRITTEN.map(async ([workspace, kind]) => [kind, (await ask(portal, `plane-admin@${workspace}`, "GET", kind)).items]));
  return new Map(lists.flatMap(([kind, items]) => items.map(({ metadata: { name, uid, generation } }) => [`${kind} ${name}`, `${uid} ${generation}`])));
}

/** What is typed and chosen on a page: each field by its name and place among those of that name; runs in the browser. */
function fields() {
  const [found, times] = [{}, new Map()];
  for (const field of document.querySelectorAll("main :is(input, select, textarea)")) {
    // What nobody types isn't kept by a browser, and a secret must not be.
    if (["hidden", "submit", "button", "password"].includes(field.type)) continue;
    const ticked = field.type === "radio" || field.type === "checkbox";
    const name = ticked ? `${field.name} ${field.value}` : field.name || field.id;
    const time = times.get(name) ?? 0;
    times.set(name, time + 1);
    found[time > 0 ? `${name} (${time + 1})` : name] = ticked ? field.checked : field.value;
  }
  return found;
}

/** What of `before` is another now. A field that is empty can go: live pages ask for less when there is nothing to decide any more. */
function lost(before, now) {
  const gone = Object.entries(before).filter(([name, value]) => (name in now ? now[name] !== value : value !== "" && value !== false));
  return gone.map(([name, value]) => `${name} was ${JSON.stringify(value)} and is ${JSON.stringify(now[name])}`);
}

const addressOf = (page) => {
  const { pathname, search } = new URL(page.url());
  return pathname + search;
};

/** A person in a browser, on a journey through a portal. */
export class Walk {
  #portal;
  #posts = [];
  #refused = [];
  /** The page before this one, as it was left. */
  #before;
  /** This page, as it was found last. */
  #here;

  constructor(it, page, scripted) {
    [this.page, this.scripted] = [page, scripted];
    this.#portal = it.portal;
    page.on("request", (request) => request.method() === "POST" && this.#posts.push(new URL(request.url()).pathname));
    page.on("response", (answer) => answer.status() > 399 && this.#refused.push({ status: answer.status(), path: new URL(answer.url()).pathname }));
  }

  /** Signs somebody in. */
  static async begin(it, person, scripted) {
    return new Walk(it, await signIn(it, person, { javaScriptEnabled: scripted }), scripted);
  }

  /**
   * Takes a step, then reloads, goes back and forward again. `does` waits for what it leads to. `status` is that of the page if it is refused,
   * `back` that of the page before from now on. What was typed is expected on the page before unless the step `submits` it or leads there by way
   * of others (`hops`), and on the page after if it is the same form once more (`keeps`). What is `unsaved` so far is the browser's affair: it comes
   back with the page, but a reload right after the last key is before the browser notes it.
   */
  async step(name, does, { status, back, submits = false, hops = false, keeps = false, unsaved = false } = {}) {
    const { page } = this;
    const left = this.#here && (await this.#look(this.#here.status));
    await does(page);
    await page.waitForLoadState();
    const here = await this.#look(status);
    const told = `${name} (${here.address})`;
    // A page that replaces the one before it in the history, or is that page once more, leaves what comes before as it is.
    const pages = left ? here.length - left.length : 0;
    if (pages > 0) this.#before = { ...left, hops: hops || pages > 1, submits, status: back ?? left.status };
    this.#check(told, "the step itself", [status]);
    if (keeps) assert.deepEqual(lost(left.typed, here.typed), [], `${told}: what was typed is kept`);
    const world = await written(this.#portal);
    this.#posts.length = 0;

    if (!unsaved) {
      await page.reload();
      await this.#stays(told, "after a reload", here);
    }
    const before = this.#before;
    if (before) {
      await page.goBack();
      this.#check(told, "going back", [before.status, status]);
      if (!before.hops) {
        assert.equal(addressOf(page), before.address, `${told}: Back leads to the page before`);
        if (!before.submits) assert.deepEqual(lost(before.typed, await page.evaluate(fields)), [], `${told}: Back loses nothing of ${before.address}`);
      }
      await page.goForward();
      await this.#stays(told, "after Back and Forward", here);
    }

    assert.deepEqual(this.#posts.filter((path) => !this.scripted || !BY_ITSELF.test(path)), [], `${told}: reload, Back and Forward post nothing`);
    const now = await written(this.#portal);
    const changed = [...now].filter(([object, state]) => world.get(object) !== state).map(([object]) => object);
    assert.deepEqual(changed, [], `${told}: reload, Back and Forward write nothing`);
    this.#here = here;
  }

  async end() {
    await this.page.context().close();
  }

  async #look(status) {
    return { address: addressOf(this.page), typed: await this.page.evaluate(fields), length: await this.page.evaluate(() => history.length), status };
  }

  async #stays(told, when, here) {
    const now = await this.#look();
    assert.equal(now.address, here.address, `${told}: the address ${when}`);
    assert.deepEqual(lost(here.typed, now.typed), [], `${told}: what was typed, ${when}`);
    this.#check(told, when, [here.status]);
  }

  /** Nothing was refused besides what is expected, and the browser has nothing to complain about. */
  #check(told, when, expected) {
    const unexpected = this.#refused.splice(0).filter(({ status }) => !expected.flat().includes(status));
    assert.deepEqual(unexpected, [], `${told}: refused ${when}`);
    // What was refused is known by its status already.
    const complaints = this.page.complaints.splice(0).filter((complaint) => !/status of 4\d\d/.test(complaint));
    assert.deepEqual(complaints, [], `${told}: the console ${when}`);
  }
}
