// Bad input, with JavaScript and without: the form names the field and the fix, keeps what was typed, and the focus leads there.

import { test } from "node:test";
import assert from "node:assert/strict";
import { focused, publishEverything, signIn, stage, until, workspace } from "../portal.mjs";

const it = stage(async (it) => {
  const page = await signIn(it, "dev-shop");
  await publishEverything(it.portal, page);
  await page.context().close();
});

const form = `/w/${workspace}/promises/everything/request`;
/** What is typed, into which field; and what the form says about it. */
const wrong = [
  { what: "a wrong type", label: "Big", text: "many", says: /whole number/ },
  { what: "a number out of range", label: "High", text: "901", says: /900/ },
  { what: "a number below the range", label: "Ratio", text: "-1", says: /0/ },
  { what: "a text against the pattern", label: "Host", text: "Not A Host", says: /lower-case/i },
  { what: "a text that is too short", label: "Host", text: "a", says: /2/ },
  { what: "unreadable YAML", label: "Extra", text: "a: 1\n  b: 2", says: /line 2/ },
  { what: "what a rule over two fields forbids", label: "Low", text: "800", says: /not above the most/ },
];

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with JavaScript" : "without JavaScript";
  for (const { what, label, text, says } of wrong) {
    test(`${what} is named with its fix ${how}`, async () => {
      const page = await signIn(it, "dev-shop", { javaScriptEnabled });
      await page.goto(form);
      const fine = { Host: "example", Low: "1", High: "2" };
      await page.getByLabel("Name", { exact: true }).first().fill("kept-name");
      await page.getByLabel("Reason", { exact: true }).fill("typed once");
      for (const [field, value] of Object.entries({ ...fine, [label]: text })) await page.locator("#request").getByLabel(new RegExp(`^${field}( optional)?$`)).fill(value);
      await page.getByRole("button", { name: "Review request" }).click();

      const summary = page.getByRole("alert");
      await summary.waitFor();
      assert.match(await page.title(), /^Error: /);
      await focused(summary, "the summary");
      const field = page.locator("#request").getByLabel(new RegExp(`^${label}( optional)?$`));
      const [message, id] = await Promise.all([described(field), field.getAttribute("id")]);
      assert.match(message, says);
      assert.equal(await field.getAttribute("aria-invalid"), "true");
      const link = summary.getByRole("link").first();
      assert.equal(await link.getAttribute("href"), `#${id}`);
      assert.ok(message.includes((await link.textContent()).trim()), `the summary says the same as the field: ${message}`);

      assert.equal(await field.inputValue(), text, "what was typed is kept");
      assert.equal(await page.getByLabel("Name", { exact: true }).first().inputValue(), "kept-name");
      assert.equal(await page.getByLabel("Reason", { exact: true }).inputValue(), "typed once");
      await link.click();
      await focused(field, "the field that the link leads to");

      // The rest of the way: mended, it goes through.
      await field.fill(fine[label] ?? "");
      await page.getByRole("button", { name: "Review request" }).click();
      await page.getByRole("heading", { level: 1, name: "Review kept-name" }).waitFor();
      assert.deepEqual(page.complaints, []);
      await page.context().close();
    });
  }

  test(`rows of objects come, go and move, and keep what was typed ${how}`, async () => {
    const page = await signIn(it, "dev-shop", { javaScriptEnabled });
    await page.goto(form);
    // Buttons of a row carry what was typed in it as soon as the form was looked at.
    const press = (name) => page.getByRole("button", { name: new RegExp(`^${name}(, \\w+)?$`) }).click();
    const row = (name) => page.getByRole("group", { name });
    await press("Add port");
    await focused(row(/^Port 1/), "the new row");
    await row(/^Port 1/).getByLabel("Name").fill("web");
    await row(/^Port 1/).getByLabel("Port number").fill("http");
    await press("Add port");
    await row(/^Port 2/).getByLabel("Name").fill("dns");
    await row(/^Port 2/).getByLabel("Port number").fill("53");
    await row(/^Port 2/).getByLabel("UDP").check();
    await press("Move port 2 up");
    await until(async () => (await row(/^Port 1/).getByLabel("Name").inputValue()) === "dns", "the second port to be the first");
    assert.equal(await row(/^Port 2/).getByLabel("Port number").inputValue(), "http", "a text of a wrong type is kept as typed");
    await press("Add volume");
    await row(/^Volume 1/).getByLabel("Name of Volume 1").fill("cache");
    await row(/^Volume 1/).getByLabel("Size").fill("1Gi");
    await page.getByLabel("Name", { exact: true }).first().fill("rows");
    await page.getByLabel("Host", { exact: true }).fill("rows");
    await page.getByLabel("Low", { exact: true }).fill("1");
    await page.getByLabel("High", { exact: true }).fill("2");
    await page.getByRole("button", { name: "Review request" }).click();
    const summary = page.getByRole("alert");
    await summary.getByRole("link").first().click();
    await focused(page.locator('[name="/parameters/ports/1/port"]'), "the field that the link leads to");
    await press("Remove port 2");
    await row(/^Port 2/).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Review request" }).click();
    await page.getByRole("heading", { level: 1, name: "Review rows" }).waitFor();
    await page.getByRole("cell", { name: "UDP" }).waitFor();
    await page.getByRole("cell", { name: "1Gi" }).waitFor();
    await page.context().close();
  });

  test(`an example fills the form, losslessly ${how}`, async () => {
    const page = await signIn(it, "dev-shop", { javaScriptEnabled });
    await page.goto(`/w/${workspace}/promises/everything`);
    await page.getByRole("link", { name: "Use this example: Whole" }).click();
    await page.getByLabel("Name", { exact: true }).first().fill(javaScriptEnabled ? "whole" : "whole-plain");
    await page.getByRole("button", { name: "Review request" }).click();
    await page.getByRole("button", { name: "Submit request" }).click();
    await page.waitForURL("**/requests/default/whole*");
    await page.getByRole("link", { name: "YAML", exact: true }).click();
    const yaml = await page.getByRole("region", { name: "YAML", exact: true }).textContent();
    for (const line of ["big: 9007199254740993", "protocol: UDP", "readOnly: true", "zone: b", "odd/name.ü: odd", "deep: true"]) {
      assert.ok(yaml.includes(line), `${line} is in\n${yaml}`);
    }
    await page.context().close();
  });
}

test("an unknown field in a post is named, and nothing is written", async () => {
  const page = await signIn(it, "dev-shop", { javaScriptEnabled: false });
  await page.goto(form);
  const hidden = async (name) => page.locator(`#request input[name=${name}]`).inputValue();
  const named = { workspace: await hidden("workspace"), promise: await hidden("promise") };
  const fields = { ...named, _token: await hidden("_token"), _cluster: await hidden("_cluster"), "/name": "unknown", "/reason": "", "/parameters/host": "a-host", "/parameters/limits/low": "1", "/parameters/limits/high": "2", "/parameters/nosuch": "1", _op: "review" };
  const answer = await page.request.post("/do/requests/submit", { form: fields, headers: { Origin: it.portal.url } });
  const html = await answer.text();
  assert.match(html, /<title>Error: /);
  assert.match(html, /nosuch/);
  await page.goto(`/w/${workspace}/requests`);
  // It is a draft, and no request.
  assert.equal(await page.getByRole("table").getByRole("link", { name: "unknown" }).count(), 0);
  await page.context().close();
});

/** The words that describe a field to a screen reader. */
function described(field) {
  return field.evaluate((element) => (element.getAttribute("aria-describedby") ?? "").split(" ").filter(Boolean).map((id) => document.getElementById(id).textContent).join(" "));
}
