// HTML and CSS of the first view, compressed: at most 16 kB on ordinary pages, 30 kB on any (architecture.md, invariant 6).

import { test } from "node:test";
import assert from "node:assert/strict";
import { brotliCompressSync } from "node:zlib";
import { signIn, stage } from "../portal.mjs";

const budget = 16_000;
const paths = [
  "/",
  "/w/root:acme:shop/catalog",
  "/w/root:acme:shop/promises/postgresql",
  "/w/root:acme:shop/promises/postgresql/request",
  "/w/root:acme:shop/requests",
  "/w/root:acme:shop/promises/postgresql?tab=policies",
  "/platform/policies",
  "/platform/policies/root:acme/production-baseline",
  "/platform/policies/new",
  "/workspaces",
  "/w/root:acme:shop/resources",
  "/notifications",
  "/notifications/settings",
  "/platform",
  "/cost?workspace=root:acme:shop",
];
/** Pages of many lines: 30 kB. */
const long = ["/w/root:acme:shop/promises/postgresql/request/adds"];

const it = stage();

test("HTML and CSS of each page fit the budget", async () => {
  const page = await signIn(it, "org-owner", { javaScriptEnabled: false });
  const heavy = [];
  for (const path of [...paths, ...long]) {
    const html = await (await page.request.get(path)).text();
    let bytes = brotliCompressSync(html).length;
    for (const [, href] of html.matchAll(/<link\b[^>]*\brel="stylesheet"[^>]*?\bhref="([^"]+)"|<link\b[^>]*\bhref="([^"]+)"[^>]*\brel="stylesheet"/g)) {
      bytes += brotliCompressSync(await (await page.request.get(href)).body()).length;
    }
    console.log(`${path}: ${bytes} bytes`);
    if (bytes > (long.includes(path) ? 30_000 : budget)) heavy.push(`${path}: ${bytes} bytes`);
  }
  assert.deepEqual(heavy, []);
});
