// What the first view of a list weighs where there are a thousand instances: what grows has pages, so it weighs no more than an ordinary page
// (architecture.md, invariant 6). The other pages are weighed by weight.test.mjs.

import { test } from "node:test";
import assert from "node:assert/strict";
import { brotliCompressSync } from "node:zlib";
import { command, signIn, stage } from "../portal.mjs";

const ordinary = 16_000;

const now = new Date();
const before = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1)).toISOString().slice(0, 7);

const it = stage(async () => {}, async (folder) => {
  await command("seed", "--data", folder, "--instances", "1000", "--workspaces", "40", "--ledger-days", "62");
  return [];
});

/** Who looks at what, and what says there that there is more. */
const pages = [
  { person: "finance", path: "/cost", more: true },
  { person: "finance", path: `/cost?month=${before}`, more: true },
  ...["team", "promise", "project", "owner"].map((by) => ({ person: "finance", path: `/cost?by=${by}&month=${before}` })),
  { person: "finance", path: `/cost?workspace=root:nordwind&month=${before}`, more: true },
  { person: "finance", path: `/cost?workspace=root:nordwind:nordwind-0001&month=${before}` },
  { person: "platform-engineer", path: "/cost", more: true },
  { person: "approver", path: "/approvals", more: true },
  { person: "approver", path: "/approvals?view=all", more: true },
  { person: "approver", path: "/approvals?view=decided" },
];

test("the first views of cost and approvals fit the budget at a thousand instances, and lead to the rest", async () => {
  const problems = [];
  const people = new Map();
  for (const { person, path, more } of pages) {
    if (!people.has(person)) people.set(person, await signIn(it, person, { javaScriptEnabled: false }));
    const page = people.get(person);
    const html = await (await page.request.get(path)).body();
    const style = html.toString().match(/\/assets\/portal\.[0-9a-f]+\.css/)[0];
    const sheet = await (await page.request.get(style)).body();
    const bytes = brotliCompressSync(html).length + brotliCompressSync(sheet).length;
    console.log(`${path} as ${person}: ${bytes} bytes`);
    if (bytes > ordinary) problems.push(`${path} as ${person}: ${bytes} bytes`);
    if (more) {
      await page.goto(path);
      const next = page.getByRole("link", { name: /^and [\d,]+ more$/ }).first();
      if ((await next.count()) === 0) problems.push(`${path} as ${person} doesn't lead to the rest`);
      else {
        await next.click();
        if (!/Page 2 of/.test(await page.locator("main").textContent())) problems.push(`${path} as ${person}: the rest isn't on the second page`);
      }
    }
  }
  assert.deepEqual(problems, []);
});
