// A promise requires an instance of another one: its form leads to the form of that, and what was entered goes on from there. The outputs of
// the first are suggested in the second.

import { test } from "node:test";
import assert from "node:assert/strict";
import { kubectl, reaches, signIn, stage, until, violations, workspace } from "../portal.mjs";
import { promise, publish } from "../promises.mjs";

const it = stage();

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with JavaScript" : "without JavaScript";
  test(`what is required first is requested, and the form continues, ${how}`, async () => {
    const [base, app] = javaScriptEnabled ? ["base", "site"] : ["base-plain", "site-plain"];
    const outputs = [{ name: "host", description: "Where it is.", value: "${resources.note.metadata.name}" }];
    await publish(it.portal, promise(base, { outputs }));
    const dependent = promise(app, {
      requires: [{ promise: base }],
      parameters: { type: "object", properties: { host: { type: "string" } } },
      form: { fields: { ".host": { reference: { promise: base, output: "host" } } } },
    });
    await publish(it.portal, dependent);
    const page = await signIn(it, "dev-shop", { javaScriptEnabled });
    const checked = async () => javaScriptEnabled && assert.deepEqual(await violations(page), []);
    const offer = `/w/${workspace}/promises/${app}`;

    // The page of the promise links to what is required.
    const link = page.getByRole("link", { name: `Request The ${base}` });
    await until(async () => {
      await page.goto(offer);
      return (await link.count()) === 1;
    }, "the requirement to be listed");
    await page.getByText(`A working instance of ${base}`, { exact: true }).waitFor();
    await checked();
    await link.click();
    await page.getByRole("link", { name: `Back to ${app}` }).click();

    // The form keeps what was entered.
    await page.waitForURL(`**${offer}/request`);
    await page.getByLabel("Name", { exact: true }).first().fill(`${app}-1`);
    await page.getByRole("button", { name: `Request The ${base}` }).click();
    await page.waitForURL(`**/promises/${base}/request?for=*`);
    await page.getByText(`Required for ${app}`).waitFor();
    await checked();

    await page.getByLabel("Name", { exact: true }).first().fill(`${base}-1`);
    await page.getByRole("button", { name: "Review request" }).click();
    await page.getByRole("button", { name: "Submit request" }).click();
    await page.waitForURL(`**/requests/default/${base}-1?for=*`);
    await reaches(it.portal, `${base}-1`, "Ready");
    await until(async () => {
      if (!javaScriptEnabled) await page.reload();
      return (await page.getByText(`This request is ready. You can submit ${app} now.`).count()) === 1;
    }, "the page to say that it is ready");
    await checked();
    await page.getByRole("link", { name: `Continue with ${app}` }).click();

    // The draft is as it was, the requirement is met, and the output of the first request is suggested.
    await until(async () => {
      await page.reload();
      return (await page.getByText("Required first").count()) === 0;
    }, "the requirement to be met");
    assert.equal(await page.getByLabel("Name", { exact: true }).first().inputValue(), `${app}-1`);
    const host = page.getByLabel(/^Host/);
    const list = page.locator(`datalist#${await host.getAttribute("list")} option`);
    assert.deepEqual(await list.evaluateAll((options) => options.map((option) => [option.value, option.label])), [[`${base}-1`, `${base}-1`]]);
    await page.getByText("The value is copied when you submit").waitFor();
    await host.fill(`${base}-1`);
    await checked();
    await page.getByRole("button", { name: "Review request" }).click();
    await page.getByRole("button", { name: "Submit request" }).click();
    await page.waitForURL(`**/requests/default/${app}-1`);
    await reaches(it.portal, `${app}-1`, "Ready");
    const entered = ["get", `promiserequest/${app}-1`, "-o", "jsonpath={.spec.parameters.host}"];
    assert.equal(await kubectl(it.portal, `dev-shop@${workspace}`, entered), `${base}-1`);
    await page.context().close();
  });
}
