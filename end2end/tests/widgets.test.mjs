// Controls of a form that browsers or scripts take part in: several choices at once, one of many, files; with JavaScript and without.

import { test } from "node:test";
import assert from "node:assert/strict";
import { kubectl, order, publishEverything, reaches, signIn, stage, until, violations, workspace } from "../portal.mjs";

const it = stage(async (it) => {
  const page = await signIn(it, "dev-shop");
  await publishEverything(it.portal, page, "widgets");
  await order(it.portal, "sessions", "redis", {});
  await reaches(it.portal, "sessions", "Ready");
  const settings = ["create", "configmap", "colours", "--from-literal=a=b"];
  await kubectl(it.portal, `plane-admin@${workspace}`, settings);
  await page.context().close();
});

const form = `/w/${workspace}/promises/widgets/request`;
const field = (page, label) => page.locator("#request").getByLabel(new RegExp(`^${label}( optional)?$`));
const box = (page, group, label) => page.getByRole("group", { name: group, exact: true }).getByRole("checkbox", { name: new RegExp(`^${label}`) });

/** Submits the form and answers the stored parameters. */
async function submitted(page, name) {
  await page.getByRole("button", { name: "Review request" }).click();
  await page.getByRole("button", { name: "Submit request" }).click();
  await page.waitForURL(`**/requests/default/${name}`);
  const stored = await kubectl(it.portal, `dev-shop@${workspace}`, ["get", `promiserequest/${name}`, "-o", "jsonpath={.spec.parameters}"]);
  return JSON.parse(stored || "{}");
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with JavaScript" : "without JavaScript";
  const name = (what) => (javaScriptEnabled ? what : `${what}-plain`);

  test(`several choices are checked, and keep their order when they are edited, ${how}`, async () => {
    const page = await signIn(it, "dev-shop", { javaScriptEnabled });
    await page.goto(`${form}?start=example:Whole`);
    assert.ok((await box(page, "Zones", "Amsterdam").isChecked()) && !(await box(page, "Zones", "Berlin").isChecked()));
    await box(page, "Zones", "Berlin").press("Space");
    for (const day of ["Saturday", "Sunday"]) await box(page, "Days", day).uncheck();
    await page.getByLabel("Name", { exact: true }).first().fill(name("checked"));
    await page.getByRole("button", { name: "Check", exact: true }).click();
    await until(async () => !(await box(page, "Days", "Sunday").isChecked()), "the form to show what was checked");
    assert.ok(await box(page, "Zones", "Berlin").isChecked());
    const { zones, days, timeout } = await submitted(page, name("checked"));
    assert.deepEqual([zones, days, timeout], [["c", "a", "b"], undefined, "90m"]);

    await page.goto(`/w/${workspace}/requests/default/${name("checked")}/edit`);
    await box(page, "Zones", "Copenhagen").uncheck();
    await page.getByLabel("Reason", { exact: true }).fill("fewer zones");
    await page.getByRole("button", { name: "Review change" }).click();
    await page.getByRole("button", { name: "Submit change" }).click();
    await page.waitForURL(`**/requests/default/${name("checked")}`);
    const stored = await kubectl(it.portal, `dev-shop@${workspace}`, ["get", `promiserequest/${name("checked")}`, "-o", "jsonpath={.spec.parameters.zones}"]);
    assert.deepEqual(JSON.parse(stored), ["a", "b"]);
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  });

  test(`one of many is typed, by its value or its label, and a wrong one is named with the one that is meant, ${how}`, async () => {
    const page = await signIn(it, "dev-shop", { javaScriptEnabled });
    await page.goto(form);
    const site = field(page, "Site");
    const options = page.locator(`#${escaped(await site.getAttribute("list"))} option`);
    assert.equal(await options.count(), 29);
    await page.getByLabel("Name", { exact: true }).first().fill(name("site"));
    await site.fill("eu-wset-1");
    await page.getByRole("button", { name: "Review request" }).click();
    await page.getByRole("alert").getByRole("link", { name: /Did you mean eu-west-1\?$/ }).click();
    await site.fill("frankfurt");
    assert.deepEqual(await submitted(page, name("site")), { site: "eu-central-1" });
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  });

  test(`names of objects that the person can list are suggested, ${how}`, async () => {
    const page = await signIn(it, "dev-shop", { javaScriptEnabled });
    await page.goto(form);
    const suggestions = async (label) => {
      const list = await field(page, label).getAttribute("list");
      return page.locator(`#${escaped(list)} option`).evaluateAll((options) => options.map((option) => option.value));
    };
    assert.ok((await suggestions("Settings")).includes("colours"));
    assert.ok((await suggestions("Cache")).some((host) => host.startsWith("sessions")));
    await page.context().close();
  });
}

test("a file is opened into its field, as text or in base64", async () => {
  const page = await signIn(it, "dev-shop");
  await page.goto(form);
  const file = (label) => page.locator("#request").getByLabel(new RegExp(`^Open a file: ?\\(${label}\\)`));
  const bytes = Buffer.from([0, 255, 10, 200]);
  await file("Policy").setInputFiles({ name: "rules.yaml", mimeType: "text/yaml", buffer: Buffer.from("allow: all\n") });
  await file("Authority").setInputFiles({ name: "ca.der", mimeType: "application/octet-stream", buffer: bytes });
  await until(async () => (await field(page, "Authority").inputValue()) === bytes.toString("base64"), "the file to be read");
  assert.equal(await field(page, "Policy").inputValue(), "allow: all\n");
  assert.deepEqual(await violations(page), []);
  await page.getByLabel("Name", { exact: true }).first().fill("opened");
  assert.deepEqual(await submitted(page, "opened"), { authority: bytes.toString("base64"), policy: "allow: all\n" });
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test("without JavaScript, a file's text is pasted, and its input isn't shown", async () => {
  const page = await signIn(it, "dev-shop", { javaScriptEnabled: false });
  await page.goto(form);
  assert.equal(await page.locator("#request input[type=file]:visible").count(), 0);
  await field(page, "Authority").fill("aGVs\nbG8=\n");
  await page.getByLabel("Name", { exact: true }).first().fill("pasted");
  assert.deepEqual(await submitted(page, "pasted"), { authority: "aGVsbG8=" });
  await page.context().close();
});

/** An id as a selector takes it. */
function escaped(id) {
  return id.replace(/[^\w-]/g, "\\$&");
}
