// What the first view of a page weighs, compressed (architecture.md, invariant 6): HTML and CSS at most 16 kB on ordinary pages, 30 kB on any;
// script and wasm at most 60 kB, on live pages and on those with islands alone; the light page of a decision at most 30 kB with everything that it loads. Every scene
// is weighed, and every page of the route table has one.

import { test } from "node:test";
import assert from "node:assert/strict";
import { brotliCompressSync } from "node:zlib";
import { byRoute } from "../routes.mjs";
import { gallery, hasIslands, isLive } from "../scenes.mjs";

const [ordinary, most] = [16_000, 30_000];
/** Script of a page that is neither live nor has an island: modules of `app/browser` alone. */
const plain = 5_000;
/** Everything else, with the live part and islands. The palette is loaded when it is first opened. */
const moving = 60_000;

/** Scenes that are no ordinary pages, and why. */
const long = {
  adds: "every line of every object",
  "adds-policy": "the same, of one origin",
  "approvals-open": "the same of the request that is decided about",
  edit: "a large form with its presets, terms, and who set each value",
  "edit-adds": "the same of a change",
  "request-adds": "the same of what was made",
  "form-everything": "a field of every kind, in a promise of the tests alone",
  "form-example": "the same, filled in",
  "form-refused": "the same, with what is wrong",
  "form-widgets": "a text of every kind, in a promise of the tests alone",
  "form-widgets-refused": "the same, with what is wrong",
  gallery: "every part of the design system",
  preview: "the document of a promise, with its form",
  "rest-api": "every operation of the API, on one page that one can search",
};

const it = gallery();
let shown;
/** What is weighed; all of it is fetched once. */
const scenes = () => (shown ??= it.shown());

/** Files of the site that a page names and loads by itself: those that end so. */
function files(html, ...ends) {
  const [islands, live] = [hasIslands(html), isLive(html)];
  // One entry has the islands and the live part, another the live part alone.
  const later = { palette: true, islands: !islands, portal: islands || !live, morph: !islands && !live };
  const named = [...new Set(html.match(/\/(?:assets|pkg)\/\w+\.[0-9a-f]+\.\w+/g))];
  return named.filter((file) => ends.some((end) => file.endsWith(end)) && (file.endsWith(".css") || !later[file.split("/").pop().split(".")[0]]));
}

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

test("only live pages and those with islands load wasm, and no page more script than its budget", async () => {
  const problems = [];
  const seen = new Set();
  for (const { name, html } of await scenes()) {
    const scripts = files(html, ".js", ".wasm");
    const [bytes, moves] = [await weight(scripts), isLive(html) || hasIslands(html)];
    seen.add(`${isLive(html)} ${hasIslands(html)}`);
    if (scripts.some((file) => file.endsWith(".wasm")) !== moves) problems.push(`${name} ${moves ? "doesn't load" : "loads"} wasm`);
    if (bytes > (moves ? moving : plain)) problems.push(`${name} loads ${bytes} bytes of script`);
  }
  assert.deepEqual(problems, []);
  assert.equal(seen.size, 4, "there are pages that are live, that have islands, with both and with neither");
});

test("the light page of a decision fits its budget with everything that it loads", async () => {
  const light = (await byRoute(await scenes())).get("/approvals/{uid}");
  for (const { name, html } of light) {
    const bytes = brotliCompressSync(html).length + (await weight(files(html, ".css", ".js", ".wasm")));
    assert.ok(bytes <= most, `${name}: ${bytes} bytes`);
  }
});
