// A choice between alternatives of an object, by keyboard, with JavaScript and without: only the chosen fields are shown and sent, and what was
// typed for another alternative is still there when it is chosen again.

import { test } from "node:test";
import assert from "node:assert/strict";
import { focused, signIn, stage, violations } from "../portal.mjs";

const it = stage();
const address = "/platform/promises/preview";

const text = (description) => ({ type: "string", ...(description && { description }) });
const schema = JSON.stringify({
  type: "object",
  required: ["source"],
  properties: {
    source: {
      type: "object",
      description: "Where the files come from.",
      properties: {
        git: { type: "object", required: ["url"], properties: { url: text("Address of the repository."), branch: text() } },
        image: text(),
        interval: text("How often it is fetched."),
      },
      oneOf: [{ required: ["git"] }, { required: ["image"] }],
    },
    contact: {
      type: "object",
      properties: { mail: text(), chat: text() },
      oneOf: [{ required: ["mail"] }, { required: ["chat"] }, { not: { anyOf: [{ required: ["mail"] }, { required: ["chat"] }] } }],
    },
  },
});

for (const javaScriptEnabled of [true, false]) {
  test(`one of several alternatives is chosen and filled in ${javaScriptEnabled ? "with JavaScript" : "without JavaScript"}`, async () => {
    const page = await signIn(it, "platform-engineer", { javaScriptEnabled, viewport: { width: 390, height: 844 } });
    await page.goto(address);
    await page.getByLabel("Schema", { exact: true }).fill(schema);
    await page.getByRole("button", { name: "Show form" }).press("Enter");
    const source = page.locator("#fields").getByRole("group", { name: "Source", exact: true });
    const choice = source.getByRole("group", { name: "Choose one", exact: true });
    const show = source.getByRole("button", { name: "Show fields of the chosen option" });
    const url = source.getByLabel("URL", { exact: true });
    const values = page.getByRole("complementary", { name: "Result" }).locator("section", { has: page.getByRole("heading", { name: "Values" }) });
    await choice.waitFor();
    assert.equal(await choice.getByRole("radio", { checked: true }).count(), 0, "nothing is chosen");
    assert.deepEqual(await source.getByRole("textbox").evaluateAll((fields) => fields.map((field) => field.name)), ["/parameters/source/interval"]);

    await page.getByRole("button", { name: "Check values" }).last().press("Enter");
    const problem = page.getByRole("alert").getByRole("link", { name: "Choose exactly one of source: git or image." });
    await problem.press("Enter");
    await focused(choice.getByRole("radio").first(), "the choice");

    await choice.getByRole("radio", { name: "Git" }).press("Space");
    await show.press("Enter");
    await url.waitFor();
    await focused(choice.getByRole("radio", { name: "Git" }), "the chosen option");
    await url.pressSequentially("https://example.org/shop.git");

    await choice.getByRole("radio", { name: "Git" }).press("ArrowRight");
    await show.press("Enter");
    const image = source.getByRole("textbox", { name: "Image" });
    await image.waitFor();
    assert.equal(await url.count(), 0, "the other fields go");
    await image.pressSequentially("registry.example.org/shop");
    await page.getByRole("button", { name: "Check values" }).last().press("Enter");
    await values.getByText("image: registry.example.org/shop").waitFor();
    assert.doesNotMatch(await values.textContent(), /git/);

    await choice.getByRole("radio", { name: "Git" }).press("Space");
    await show.press("Enter");
    assert.equal(await url.inputValue(), "https://example.org/shop.git", "what was typed is still there");
    await values.getByText("url: https://example.org/shop.git").waitFor();
    assert.doesNotMatch(await values.textContent(), /image/);

    await page.getByRole("button", { name: "Add contact" }).press("Enter");
    const contact = page.locator("#fields").getByRole("group", { name: "Contact", exact: true });
    await contact.getByRole("radio", { name: "None" }).waitFor();
    assert.ok(await contact.getByRole("radio", { name: "None" }).isChecked());
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than the page");
    if (javaScriptEnabled) assert.deepEqual(await violations(page), []);
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  });
}
