// The form of a request as YAML, with JavaScript and without: what is entered goes to the text and back, comments stay, problems have their place,
// and it is submitted from there.

import { test } from "node:test";
import assert from "node:assert/strict";
import { kubectl, signIn, stage, violations, workspace } from "../portal.mjs";

const it = stage();
const form = `/w/${workspace}/promises/redis/request`;
const text = (page) => page.getByLabel("Request as YAML", { exact: true });
const side = (page, name) => page.getByRole("button", { name, exact: true });

/** Presses one of the two buttons that choose how a request is entered. */
async function show(page, name, there) {
  await side(page, name).click();
  await there.waitFor();
  assert.equal(await side(page, name).getAttribute("aria-pressed"), "true");
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with JavaScript" : "without JavaScript";
  test(`a request is entered as YAML and submitted, ${how}`, async () => {
    const name = javaScriptEnabled ? "carts" : "carts-plain";
    const page = await signIn(it, "dev-shop", { javaScriptEnabled });
    const field = page.getByLabel("Name", { exact: true });
    await page.goto(form);
    await field.fill(name);
    await page.getByLabel("Reason", { exact: true }).fill("for the season");
    await page.getByLabel(/^Medium/).check();
    await show(page, "YAML", text(page));
    const written = await text(page).inputValue();
    for (const line of [`  name: ${name}`, "    size: medium", "  reason: for the season"]) {
      assert.ok(written.split("\n").includes(line), `${line}: ${written}`);
    }

    // Not valid: it stays, with its place.
    await text(page).fill(written.replace("size: medium", "size: [medium"));
    await side(page, "Form").click();
    await page.getByRole("alert").getByRole("link", { name: /^Line \d+, column \d+$/ }).first().waitFor();
    assert.ok((await text(page).inputValue()).includes("size: [medium"));
    await text(page).fill(written.replace("size: medium", "size: enormous"));
    await page.getByRole("button", { name: "Check", exact: true }).click();
    const line = written.split("\n").findIndex((one) => one.startsWith("    size:")) + 1;
    const problem = page.getByRole("alert").getByRole("listitem").filter({ hasText: "spec.parameters.size" });
    await problem.getByRole("link", { name: `Line ${line}, column 5` }).waitFor();
    if (javaScriptEnabled) assert.deepEqual(await violations(page), []);

    const commented = `# by hand\n${written.replace("size: medium", "size: small # enough")}`;
    await text(page).fill(commented);
    await show(page, "Form", field);
    assert.ok(await page.getByLabel(/^Small/).isChecked());
    await show(page, "YAML", text(page));
    assert.equal(await text(page).inputValue(), commented);
    if (javaScriptEnabled) assert.deepEqual(await violations(page), []);
    await page.getByRole("button", { name: "Review request" }).click();
    await page.getByRole("button", { name: "Submit request" }).click();
    await page.waitForURL(`**/requests/default/${name}`);
    const stored = await kubectl(it.portal, `dev-shop@${workspace}`, ["get", `promiserequest/${name}`, "-o", "jsonpath={.spec.parameters}"]);
    assert.deepEqual(JSON.parse(stored), { size: "small" });
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  });
}

test("while the text is typed, it is checked and saved, and copied as it is", async () => {
  const page = await signIn(it, "dev-shop", { permissions: ["clipboard-read", "clipboard-write"] });
  await page.goto(form);
  await page.getByLabel("Name", { exact: true }).fill("sessions-2");
  await show(page, "YAML", text(page));
  const typed = (await text(page).inputValue()).replace("parameters:", "parameters:\n    size: enormous");
  await text(page).fill(typed);
  await page.getByText("Draft saved").waitFor();
  await page.getByRole("complementary", { name: "Preflight" }).getByRole("link", { name: /memory/i }).first().waitFor();
  await page.getByRole("button", { name: "Copy Request as YAML" }).click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), typed);
  await page.reload();
  assert.equal(await text(page).inputValue(), typed);
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});
