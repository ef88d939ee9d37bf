// axe finds nothing on any page, in both themes, wide and narrow: each once, or with OPM_EVERY_LOOK=1 each with each.

import { test } from "node:test";
import assert from "node:assert/strict";
import { violations } from "../portal.mjs";
import { gallery } from "../scenes.mjs";

const it = gallery();

const looks = [["light", 1440], ["dark", 390]];
const others = [["light", 390], ["dark", 1440]];

for (const [colorScheme, width] of process.env.OPM_EVERY_LOOK ? [...looks, ...others] : looks) {
  test(`axe finds nothing on any page, ${colorScheme}, ${width} px`, async () => {
    const found = await it.everywhere({ colorScheme, viewport: { width, height: 900 } }, async (page, name) => {
      const open = (which) => page.evaluate((which) => document.querySelectorAll(which).forEach((details) => (details.open = true)), which);
      await open("main details");
      const problems = await violations(page);
      if (name !== "home") return problems;
      // The menus of the head lie over the page while they are open, and are the same everywhere.
      await open("header details");
      return [...problems, ...(await violations(page, "header"))];
    });
    assert.deepEqual(found, []);
  });
}
