// Pages at the width of a phone: what is chosen is in sight, and nothing covers or squeezes what people read.

import { test } from "node:test";
import assert from "node:assert/strict";
import { gallery } from "../scenes.mjs";

const it = gallery();
const phone = { viewport: { width: 390, height: 844 } };

/** Opens a scene on a phone, lets `look` look at it, and closes it. */
async function on(name, look, options = {}) {
  const scene = it.scene(name);
  const page = await it.open(scene, { ...phone, ...options });
  await page.goto(scene.path);
  await look(page);
  await page.context().close();
}

for (const name of ["request-yaml", "promise-used-by", "audit", "approvals-decided"]) {
  test(`the current tab is in sight without scripts: ${name}`, async () => {
    await on(name, async (page) => {
      const tab = await page.locator(".tabs [aria-current]").first().boundingBox();
      assert.ok(tab.x >= 0 && tab.x + tab.width <= phone.viewport.width, JSON.stringify(tab));
      assert.equal(await page.evaluate(() => window.scrollY), 0, "the page begins at its top");
    }, { javaScriptEnabled: false });
  });
}

test("the button that copies covers no line", async () => {
  await on("request-yaml", async (page) => {
    const codes = page.locator(".code:has(> .copy)");
    assert.ok((await codes.count()) > 1);
    for (const code of await codes.all()) {
      const [lines, button] = [await code.locator("pre").boundingBox(), await code.locator(".copy").boundingBox()];
      assert.ok(button.x >= lines.x + lines.width, `${JSON.stringify(button)} is beside ${JSON.stringify(lines)}`);
    }
  });
});

test("the time of what a request waits for is below the sentence", async () => {
  await on("request-to-decide", async (page) => {
    // Both at one moment: what is above becomes a little lower once the page is live.
    const [sentence, time] = await page.locator(".ball").evaluate((ball) => [ball.querySelector(":scope > div"), ball.lastElementChild].map((part) => part.getBoundingClientRect().toJSON()));
    assert.ok(time.y >= sentence.bottom && Math.abs(time.x - sentence.x) < 1, `${JSON.stringify(time)} is below ${JSON.stringify(sentence)}`);
  });
});
