// Every link that a person is shown leads somewhere: crawled per person, by links alone, as without JavaScript.

import { test } from "node:test";
import assert from "node:assert/strict";
import { signIn } from "../portal.mjs";
import { gallery } from "../scenes.mjs";

const people = ["dev-shop", "dev-data", "viewer-shop", "approver", "platform-engineer", "org-owner", "finance"];

/** Filters of lists that many pages share. */
const ALONE = ["attention", "below", "label", "outcome", "week", "workspace"];

// Requests in every phase, so that their pages are walked too.
const it = gallery();

for (const person of people) {
  test(`every link shown to ${person} leads somewhere`, async () => {
    const page = await signIn(it, person, { javaScriptEnabled: false });
    const seen = new Set();
    const waiting = [["/", "the start"]];
    const broken = [];
    while (waiting.length > 0) {
      const [path, from] = waiting.shift();
      if (seen.has(path)) continue;
      seen.add(path);
      assert.ok(seen.size < 2000, `the crawl of ${person} does not end: ${path} from ${from}`);
      const answer = await page.request.get(path, { maxRedirects: 5 });
      if (!answer.ok()) {
        broken.push(`${answer.status()} ${path} from ${from}`);
        continue;
      }
      if (!(answer.headers()["content-type"] ?? "").startsWith("text/html")) continue;
      const text = await answer.text();
      for (const [, link] of text.matchAll(/<a\b[^>]*?\bhref="([^"]*)"/g)) {
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
        waiting.push([target.pathname + target.search, path]);
      }
    }
    assert.deepEqual(broken, []);
    assert.ok(seen.size > 5, `${person} is shown ${seen.size} pages only`);
    await page.context().close();
  });
}
