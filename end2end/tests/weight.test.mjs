// What the first view of a page weighs, compressed (architecture.md, invariant 6): HTML and CSS at most 16 kB on ordinary pages, 30 kB on any;
// script and wasm at most 60 kB, and on live pages alone; the light page of a decision at most 30 kB with everything that it loads. Every scene
// is weighed, and every page of the route table has one.

import { test } from "node:test";
import assert from "node:assert/strict";
import { brotliCompressSync } from "node:zlib";
import { byRoute } from "../routes.mjs";
import { gallery } from "../scenes.mjs";

const [ordinary, most] = [16_000, 30_000];
/** Script of a page that is not live: `app/browser/page.js` alone. */
const plain = 5_000;
const live = 60_000;

/** Scenes that are no ordinary pages, and why. */
const long = {
  adds: "every line of every object",
  "adds-policy": "the same, of one origin",
  "approvals-open": "the same of the request that is decided about",
  "edit-adds": "the same of a change",
  "request-adds": "the same of what was made",
  "form-everything": "a field of every kind, in a promise of the tests alone",
  "form-example": "the same, filled in",
  "form-refused": "the same, with what is wrong",
  gallery: "every part of the design system",
};

const it = gallery();
let shown;
/** What is weighed; all of it is fetched once. */
const scenes = () => (shown ??= it.shown());

/** Files of the site that a page names: those that end so. */
const files = (html, ...ends) => [...new Set(html.match(/\/(?:assets|pkg)\/portal\.[0-9a-f]+\.\w+/g))].filter((file) => ends.some((end) => file.endsWith(end)));

/** What files of the site weigh together. */
async function weight(files) {
  let bytes = 0;
  for (const file of files) {
    const answer = await fetch(new URL(file, it.portal.url));
    assert.ok(answer.ok, `${file} answers ${answer.status}`);
    bytes += brotliCompressSync(Buffer.from(await answer.arrayBuffer())).length;
  }
  return bytes;
}

test("every page of the route table has a scene that shows it", async () => {
  await byRoute(await scenes());
});

test("HTML and CSS of each page fit the budget", async () => {
  const heavy = [];
  for (const { name, path, html } of await scenes()) {
    const style = files(html, ".css");
    assert.equal(style.length, 1, `${name} has one style sheet`);
    const bytes = brotliCompressSync(html).length + (await weight(style));
    console.log(`${name}: ${bytes} bytes`);
    if (bytes > (name in long ? most : ordinary)) heavy.push(`${name}, ${path}: ${bytes} bytes`);
  }
  assert.deepEqual(heavy, []);
  const names = (await scenes()).map(({ name }) => name);
  assert.deepEqual(Object.keys(long).filter((name) => !names.includes(name)), [], "exceptions without a scene");
});

test("only live pages load the live part, and no page more script than its budget", async () => {
  const problems = [];
  const streams = (await scenes()).filter(({ html }) => html.includes("/live?topic="));
  assert.ok(streams.length > 0, "there are live pages");
  for (const scene of await scenes()) {
    const scripts = files(scene.html, ".js", ".wasm");
    const [bytes, is] = [await weight(scripts), streams.includes(scene)];
    if (scripts.some((file) => file.endsWith(".wasm")) !== is) problems.push(`${scene.name} ${is ? "follows a stream without" : "loads"} the live part`);
    if (bytes > (is ? live : plain)) problems.push(`${scene.name} loads ${bytes} bytes of script`);
  }
  assert.deepEqual(problems, []);
});

test("the light page of a decision fits its budget with everything that it loads", async () => {
  const light = (await byRoute(await scenes())).get("/approvals/{uid}");
  for (const { name, html } of light) {
    const bytes = brotliCompressSync(html).length + (await weight(files(html, ".css", ".js", ".wasm")));
    assert.ok(bytes <= most, `${name}: ${bytes} bytes`);
  }
});
