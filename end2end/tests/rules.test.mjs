// What will happen, before it happens: choosing production narrows, locks, announces and prices; what was announced is what comes.

import { test } from "node:test";
import assert from "node:assert/strict";
import { kubectl, order, reaches, signIn, stage, until, workspace } from "../portal.mjs";

const it = stage();
const form = `/w/${workspace}/promises/postgresql/request`;

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with JavaScript" : "without JavaScript";
  const name = javaScriptEnabled ? "ruled" : "ruled-plain";

  test(`production narrows, locks, announces and prices ${how}; what was announced is what comes`, async () => {
    const page = await signIn(it, "dev-shop", { javaScriptEnabled });
    await page.goto(form);
    const rail = page.getByRole("complementary", { name: "Preflight" });
    const settle = async () => {
      if (!javaScriptEnabled) return page.getByRole("button", { name: "Check", exact: true }).click();
      // What stands there may be the answer to what was typed before.
      return rail.locator(".typing").waitFor({ state: "hidden" });
    };
    await page.getByLabel("Name", { exact: true }).first().fill(name);
    await settle();
    await rail.getByText("Ready to submit", { exact: true }).waitFor();
    const before = await rail.locator(".total").textContent();

    await page.getByLabel(/^Production/).check();
    await settle();
    const replicas = page.locator('[data-key="f-replicas"]');
    await replicas.getByText("2 to 5").waitFor();
    // One replica isn't allowed any more. It was a default, and the policy has another one for production, so the form says so.
    await page.getByText(/is set to 2, the default of .+ here\./).waitFor();
    assert.ok(await replicas.getByRole("radio", { name: "2", exact: true }).isChecked());
    await replicas.getByRole("radio", { name: "3", exact: true }).check();
    await settle();
    await rail.getByText("Needs approval").waitFor();
    // Narrowed, with its source, and a way to the rule and to the policy.
    const why = replicas.getByRole("link", { name: /^Why\?/ }).first();
    const anchor = await why.getAttribute("href");
    assert.equal(await page.locator(anchor).count(), 1, "why leads to the rule");
    // Locked, with the reason.
    const backup = page.locator('[data-key="f-backup-enabled"]');
    await backup.locator(".locked").getByText("On").waitFor();
    await backup.getByText(/^Locked ·/).waitFor();
    // Announced and priced.
    await rail.getByRole("heading", { name: "Approval" }).waitFor();
    await rail.getByText(/must approve/).first().waitFor();
    const after = await rail.locator(".total").textContent();
    assert.notEqual(after, before, "the price is another one");
    assert.match(await page.locator('[data-key="f-size"]').textContent(), /\+€[\d.,]+\/month/, "options say what they change in the price");
    if (javaScriptEnabled) {
      assert.match(await page.evaluate(() => document.activeElement.id), /^f-replicas/, "the focus stays where one types");
      await rail.getByText("Dry run passed").waitFor();
    }

    await page.getByRole("button", { name: "Review request" }).click();
    await page.getByRole("heading", { level: 1, name: `Review ${name}` }).waitFor();
    await rail.getByText("Needs approval").waitFor();
    assert.equal(await rail.locator(".total").textContent(), after, "the review says the same price");
    await page.getByRole("button", { name: "Submit request" }).click();
    await page.waitForURL(`**/requests/default/${name}`);
    await reaches(it.portal, name, "AwaitingApproval");
    await comesToTheSame(name);
    await until(async () => {
      await page.reload();
      return page.getByRole("heading", { name: "Approval", exact: true }).isVisible();
    }, "the request to say who decides");
    assert.match(await page.getByRole("complementary", { name: "Details" }).textContent(), new RegExp(after.match(/€[\d.,]+/)[0].replace(".", "\\.")), "the request says the same price");
    await page.getByRole("link", { name: /^Policies/ }).click();
    await page.getByRole("cell", { name: /Limited/ }).first().waitFor();
    await page.getByRole("cell", { name: /Locked/ }).first().waitFor();
    assert.equal(await page.getByRole("button", { name: "Approve" }).count(), 0, "who asks does not decide");
    assert.deepEqual(page.complaints, []);
    await page.context().close();

    const decider = await signIn(it, "approver", { javaScriptEnabled });
    await decider.goto(`/w/${workspace}/requests/default/${name}`);
    await decider.getByLabel("Comment").first().fill("Fine for the season");
    await decider.getByRole("button", { name: "Approve" }).first().click();
    await decider.waitForURL(`**/requests/default/${name}`);
    await reaches(it.portal, name, "Ready");
    await decider.goto(`/w/${workspace}/requests/default/${name}`);
    // An approval that is settled is one line, which unfolds.
    await decider.locator("summary:has(#approvals)").click();
    await decider.getByText("Fine for the season").first().waitFor();
    await decider.context().close();
  });

  test(`every line of what the platform adds says where it comes from ${how}`, async () => {
    const page = await signIn(it, "dev-shop", { javaScriptEnabled });
    await page.goto(form);
    await page.getByLabel("Name", { exact: true }).first().fill("lines");
    await page.getByLabel("Storage", { exact: false }).first().fill("77");
    if (!javaScriptEnabled) await page.getByRole("button", { name: "Check", exact: true }).click();
    await page.getByRole("button", { name: "Preview manifests" }).click();
    await page.getByRole("heading", { level: 1, name: "Manifest preview" }).waitFor();
    const origins = page.getByRole("navigation", { name: "Origins" });
    await origins.getByRole("link", { name: /^You/ }).click();
    await page.waitForURL((address) => address.searchParams.get("origin") === "you");
    const rows = page.getByRole("row").filter({ has: page.getByRole("rowheader") });
    assert.ok((await rows.count()) > 0);
    for (const row of await rows.all()) assert.match(await row.getByRole("rowheader").textContent(), /You/);
    assert.ok((await page.getByRole("main").textContent()).includes("77"), "what was typed is among them");
    await page.getByRole("link", { name: "Back to the form" }).click();
    assert.equal(await page.getByLabel("Name", { exact: true }).first().inputValue(), "lines", "what was typed is kept");
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  });
}

/** The same request as one of a form that waits for people, by kubectl: it waits for the same ones, and is refused for the same reason. */
async function comesToTheSame(name) {
  const shop = `dev-shop@${workspace}`;
  const read = async (what) => JSON.parse(await kubectl(it.portal, shop, ["get", what, "-o", "json"]));
  const made = await read(`promiserequest/${name}`);
  const again = { ...made.spec, requester: undefined };
  const write = (as, spec) => {
    const request = { apiVersion: made.apiVersion, kind: made.kind, metadata: { name: as, namespace: "default" }, spec };
    return kubectl(it.portal, shop, ["create", "-f", "-"], JSON.stringify(request));
  };
  await write(`${name}-again`, again);
  await reaches(it.portal, `${name}-again`, "AwaitingApproval");
  const repeated = await read(`promiserequest/${name}-again`);
  const told = ({ status: { approvals, policies, cost } }) => ({ asked: approvals.map(({ rule, source, stage, state }) => ({ rule, source, stage, state })), policies, cost });
  assert.deepEqual(told(repeated), told(made), "the same rules do the same, ask the same people, at the same price");
  assert.ok(told(made).asked.length > 0);
  const [one, other] = [await read(`promiserelease/${made.status.candidate.release}`), await read(`promiserelease/${repeated.status.candidate.release}`)];
  assert.deepEqual(other.spec.parameters, one.spec.parameters);
  const named = (objects) => JSON.stringify(objects).replaceAll(`${name}-again`, name);
  assert.equal(named(other.spec.objects), named(one.spec.objects));

  await write(`${name}-few`, { ...again, parameters: { ...again.parameters, replicas: 1 } });
  await kubectl(it.portal, shop, ["wait", `promiserequest/${name}-few`, "--for=condition=PoliciesSatisfied=False", "--timeout=120s"]);
  const few = await read(`promiserequest/${name}-few`);
  const { message } = few.status.conditions.find(({ type }) => type === "PoliciesSatisfied");
  assert.match(message, /must be at least 2\. The policy Production baseline at root:acme/, "what is chosen by hand is refused");
  assert.equal(few.status.candidate, undefined, "nobody is asked about it");
}

test("a policy that cannot be applied is refused with its path, and what was typed stays", async () => {
  const page = await signIn(it, "org-owner", { javaScriptEnabled: false });
  await page.goto("/platform/policies/new?view=yaml");
  const text = await page.getByLabel("Policy", { exact: true }).inputValue();
  await page.getByLabel("Set at").selectOption("root:acme");
  const wrong = text.replace("constrain:", "validate:").replace("parameter: .replicas", "message: Not so").replace("maximum: 5", "expression: \"1 +\"");
  await page.getByLabel("Policy", { exact: true }).fill(wrong);
  await page.getByRole("button", { name: "Create policy" }).click();
  const summary = page.getByRole("alert");
  await summary.waitFor();
  assert.match(await page.title(), /^Error: /);
  assert.match(await summary.textContent(), /Line \d+\. .*rules\[0\]/);
  assert.equal(await page.getByLabel("Policy", { exact: true }).inputValue(), wrong, "what was typed stays");
  await assert.rejects(kubectl(it.portal, "org-owner@root:acme", ["get", "policy", "my-policy"]), /NotFound/);

  await page.getByLabel("Policy", { exact: true }).fill(text);
  await page.getByRole("button", { name: "Check", exact: true }).click();
  await page.getByText("This policy is valid").waitFor();
  await page.getByRole("button", { name: "Create policy" }).click();
  await page.getByRole("heading", { level: 1, name: "A short title" }).waitFor();
  await until(async () => {
    await page.reload();
    return page.getByText("In force").first().isVisible();
  }, "the policy to be looked at");
  // Sample values tell what it would do.
  await page.getByLabel("Values", { exact: true }).fill("replicas: 6");
  await page.getByRole("button", { name: "Try" }).click();
  await page.getByText("Would be blocked").waitFor();
  await kubectl(it.portal, "org-owner@root:acme", ["delete", "policy", "my-policy"]);
  await page.context().close();
});

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with JavaScript" : "without JavaScript";
  const title = javaScriptEnabled ? "Few copies" : "Few plain copies";
  const name = title.toLowerCase().replaceAll(" ", "-");

  test(`a policy made with the form says its sentence and effect before it is saved, and can be disabled and deleted ${how}`, async () => {
    const page = await signIn(it, "org-owner", { javaScriptEnabled });
    const preview = page.getByRole("complementary", { name: "Preview" });
    const settle = async () => {
      if (!javaScriptEnabled) return page.getByRole("button", { name: "Check", exact: true }).click();
      return preview.locator(".typing").waitFor({ state: "hidden" });
    };
    await page.goto("/platform/policies");
    await page.getByRole("link", { name: "New policy" }).click();
    await page.getByLabel("Set at").selectOption("root:acme");
    await page.getByLabel("Field", { exact: false }).first().selectOption(".replicas");
    await settle();
    await page.getByLabel("Title", { exact: false }).fill(title);
    await page.getByLabel("Maximum", { exact: false }).fill("6");
    await settle();
    await preview.getByText("must be at most 6.").first().waitFor();
    await preview.getByText(/^Affects \d+ of \d+ instances?$/).waitFor();
    await page.getByRole("button", { name: "Create policy" }).click();
    await page.getByRole("heading", { level: 1, name: title }).waitFor();
    const made = JSON.parse(await kubectl(it.portal, "org-owner@root:acme", ["get", "policy", name, "-o", "json"]));
    assert.deepEqual(made.spec.rules.map(({ constrain }) => constrain), [{ parameter: ".replicas", maximum: 6 }]);
    await page.getByText("org-owner created the policy").waitFor();

    await page.getByRole("button", { name: "Disable" }).click();
    await until(async () => {
      await page.reload();
      return page.getByText("This policy is disabled").isVisible();
    }, "the policy to be disabled");
    await page.getByRole("link", { name: "Delete" }).click();
    await page.getByLabel(`Type ${name} to confirm`).fill(name);
    await page.getByRole("button", { name: `Delete ${title}` }).click();
    await page.getByText(`${name} was deleted from root:acme`).waitFor();
    await assert.rejects(kubectl(it.portal, "org-owner@root:acme", ["get", "policy", name]), /NotFound/);
    // A draft with something wrong answers 422.
    assert.deepEqual(page.complaints.filter((complaint) => !complaint.includes("422")), []);
    await page.context().close();
  });
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with JavaScript" : "without JavaScript";
  const title = javaScriptEnabled ? "Nightly backups" : "Nightly plain backups";
  const name = title.toLowerCase().replaceAll(" ", "-");

  test(`a schedule made with the form names its next times and what is wrong with it ${how}`, async () => {
    const page = await signIn(it, "org-owner", { javaScriptEnabled });
    const preview = page.getByRole("complementary", { name: "Preview" });
    const check = () => page.getByRole("button", { name: "Check", exact: true }).click();
    const field = (key) => page.locator(`[data-key="f-rule-${key}"]`);
    await page.goto("/platform/policies/new");
    await page.getByLabel("Set at").selectOption("root:acme");
    await page.getByLabel("Kind of rule").selectOption("schedule");
    if (!javaScriptEnabled) await page.locator("button[value=change]").first().click();
    await field("action").locator("select").selectOption("backup");
    await field("cron").getByRole("textbox").fill("30 2 * *");
    await page.getByLabel("Title", { exact: false }).fill(title);
    await check();
    await field("cron").getByText(/isn't a cron schedule/).waitFor();
    await field("cron").getByRole("textbox").fill("30 2 * * *");
    await field("timezone").getByRole("textbox").fill("Europe/Berlin");
    await check();
    await preview.getByText("The platform runs backup every day at 02:30 (Europe/Berlin).").waitFor();
    await preview.getByText(/^Next: .* 02:30 \(Europe\/Berlin\)\.$/).waitFor();
    await preview.getByText(/^Affects \d+ of \d+ instances?$/).waitFor();
    await page.getByRole("button", { name: "Create policy" }).click();
    await page.getByRole("heading", { level: 1, name: title }).waitFor();
    const made = JSON.parse(await kubectl(it.portal, "org-owner@root:acme", ["get", "policy", name, "-o", "json"]));
    const schedule = { action: "backup", cron: "30 2 * * *", timezone: "Europe/Berlin" };
    assert.deepEqual(made.spec.rules.map(({ schedule }) => schedule), [schedule]);
    await kubectl(it.portal, "org-owner@root:acme", ["delete", "policy", name]);
    assert.deepEqual(page.complaints.filter((complaint) => !complaint.includes("422")), []);
    await page.context().close();
  });
}

test("who may not read policies reads what concerns them, and nothing else", async () => {
  const page = await signIn(it, "dev-shop", { javaScriptEnabled: false });
  assert.equal(await page.getByRole("link", { name: "Platform" }).count(), 0);
  await page.goto(form);
  await page.locator("#preflight").getByRole("link", { name: "Production baseline" }).first().click();
  await page.getByRole("heading", { level: 1, name: "Production baseline" }).waitFor();
  assert.equal(await page.getByRole("heading", { name: "YAML" }).count(), 0);
  const answer = await page.goto("/platform/policies/root:acme/production-baseline");
  assert.equal(answer.status(), 404, "without a workspace that it concerns there is no such page");
  await page.context().close();
});

test("a changed policy changes nothing that runs before somebody rolls it out, and then exactly what was seen", async () => {
  await order(it.portal, "rolled", "redis", { replicas: 1 });
  await reaches(it.portal, "rolled", "Ready");
  const policy = (name, maximum) => JSON.stringify({
    apiVersion: "platform.opmodel.dev/v1alpha1", kind: "Policy", metadata: { name },
    spec: {
      title: "Small caches", enforcement: "block", appliesTo: { promises: ["redis"] },
      rules: [{ name: "few-copies", constrain: { parameter: ".replicas", maximum } }],
    },
  });
  const write = maximum => kubectl(it.portal, "org-owner@root:acme", ["apply", "-f", "-"], policy("small-caches", maximum));
  const release = async () => JSON.parse(await kubectl(it.portal, "dev-shop@root:acme:shop", ["get", "promiserequest", "rolled", "-o", "json"])).status.current.release;
  await write(4);

  const page = await signIn(it, "dev-shop", { javaScriptEnabled: false });
  const address = `/w/${workspace}/requests/default/rolled`;
  const told = page.getByText("Running resources don't change until someone rolls out the update.");
  await until(async () => {
    await page.goto(address);
    return told.isVisible();
  }, "the request to say that its policies have changed");
  const before = await release();

  // What was seen is not what counts any more: the button of the old page does nothing.
  const seen = await page.locator('form[action$="/roll-out"] input[name="hash"]').inputValue();
  await write(3);
  const other = await signIn(it, "dev-shop", { javaScriptEnabled: false });
  await until(async () => {
    await other.goto(address);
    const field = other.locator('form[action$="/roll-out"] input[name="hash"]');
    return (await field.count()) === 1 && (await field.inputValue()) !== seen;
  }, "the request to name the newer rules");
  const rollOut = async pressed => {
    const answered = pressed.waitForResponse(answer => answer.request().redirectedFrom()?.method() === "POST");
    await pressed.getByRole("button", { name: "Roll out" }).click();
    const status = (await answered).status();
    await pressed.waitForLoadState();
    return status;
  };
  assert.equal(await rollOut(page), 409);
  await page.getByText("policies changed again after you opened this page").waitFor();
  assert.equal(await release(), before, "nothing was made anew");

  assert.equal(await rollOut(other), 200);
  await until(async () => {
    await other.goto(address);
    return (await other.getByText("Running resources don't change").count()) === 0 && (await release()) !== before;
  }, "the change to be rolled out");
  await reaches(it.portal, "rolled", "Ready");
  await kubectl(it.portal, "org-owner@root:acme", ["delete", "policy", "small-caches"]);
  await page.context().close();
  await other.context().close();
});
