// Every link that a person is shown leads somewhere: crawled per person, by links alone, as without JavaScript.

import { test } from "node:test";
import assert from "node:assert/strict";
import { together } from "../portal.mjs";
import { gallery } from "../scenes.mjs";

const people = ["dev-shop", "dev-data", "viewer-shop", "approver", "platform-engineer", "org-owner", "finance"];

/** Filters of lists that many pages share. */
const ALONE = ["attention", "below", "label", "outcome", "week", "workspace"];

// Requests in every phase, so that their pages are walked too.
const it = gallery();

/** Addresses of lists, which are the same in every workspace. */
const LIST = /\/(catalog|requests|resources|promises|policies)$/;

/** How many pages are asked for at the same time. */
const TOGETHER = 3;

/** The pages that a person is shown links to, each once, and the links that lead nowhere. */
async function crawl(read) {
  const [seen, alike, waiting, broken] = [new Set(), new Set(), [], []];
  const found = (target, from) => {
    if (seen.has(target)) return;
    seen.add(target);
    waiting.push([target, from]);
  };
  const visit = async ([path, from]) => {
    const answer = await read(path);
    const text = await answer.text();
    if (!answer.ok) return void broken.push(`${answer.status} ${path} from ${from}`);
    if (!(answer.headers.get("content-type") ?? "").startsWith("text/html")) return;
    for (const link of new Set(Array.from(text.matchAll(/<a\b[^>]*?\bhref="([^"]*)"/g), ([, link]) => link))) {
      const target = new URL(link.replaceAll("&amp;", "&"), new URL(path, it.portal.url));
      if (target.origin !== it.portal.url) continue;
      if (target.hash && target.pathname + target.search === path) {
        const id = decodeURIComponent(target.hash.slice(1));
        if (!text.includes(`id="${id}"`)) broken.push(`#${id} is not on ${path}`);
      }
      // Where one came from makes no other page, and filters have as many combinations as one likes: two at once are walked.
      if (target.pathname === "/workspaces") target.searchParams.delete("from");
      // Many lists share these filters, so each is crawled alone.
      if (target.searchParams.size > 1 && ALONE.some((name) => target.searchParams.has(name))) continue;
      // Sorted lists are crawled without filters, and files without sorting or filters.
      if (target.pathname.endsWith(".csv") && target.searchParams.size > 0) continue;
      if (target.searchParams.size > (target.searchParams.has("sort") ? 1 : 2)) continue;
      // Each order of a list is walked in one workspace, and each pair of filters with one pair of values: every filter is walked with all of its own.
      if (LIST.test(target.pathname) && (target.searchParams.size > 1 || target.searchParams.has("sort"))) {
        const names = [...target.searchParams.keys()].sort().join("&");
        const shape = `${target.pathname.replace(/^\/w\/[^/]+/, "")}?${target.searchParams.has("sort") ? target.search : names}`;
        if (alike.has(shape)) continue;
        alike.add(shape);
      }
      found(target.pathname + target.search, path);
    }
  };
  found("/", "the start");
  while (waiting.length > 0) {
    assert.ok(seen.size < 2000, `the crawl does not end: ${waiting[0].join(" from ")}`);
    await together(TOGETHER, waiting.splice(0), visit);
  }
  return { seen, broken };
}

for (const person of people) {
  test(`every link shown to ${person} leads somewhere`, async () => {
    const { seen, broken } = await crawl(it.reader(person));
    console.log(`${person}: ${seen.size} pages`);
    assert.deepEqual(broken, []);
    assert.ok(seen.size > 5, `${person} is shown ${seen.size} pages only`);
  });
}
