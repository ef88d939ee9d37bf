// Reload, Back and Forward at every step of journeys about decisions, policies and settings, with JavaScript and without: nothing is posted or
// written by that, and nothing that was typed is lost. Without OPM_FULL each is walked in one way only. Requests are in steps.test.mjs.

import assert from "node:assert/strict";
import { agree, order, reaches, requested, stage, until, workspace } from "../portal.mjs";
import { again, button, expire, journey, label, saved, title, unfold, Walk, WITH, WITHOUT } from "../walk.mjs";

const it = stage();
const requests = `/w/${workspace}/requests`;
const large = { tier: "production", size: "small", replicas: 2, storage: 50 };

const uidOf = async (name) => (await requested(it.portal, name)).metadata.uid;

journey("an approval: changes requested, commented, withdrawn, asked for again, rejected and approved", WITHOUT, async ({ scripted, named }) => {
  const name = named("orders-db");
  await order(it.portal, name, "postgresql", large);
  await reaches(it.portal, name, "AwaitingApproval");
  const [approver, requester] = [await Walk.begin(it, "approver", scripted), await Walk.begin(it, "dev-shop", scripted)];
  const own = `${requests}/default/${name}`;
  const decided = (page, what) => page.getByText(`${name}: you ${what}`).waitFor();
  const comment = (page) => label(page, "Comment");
  const row = (page) => page.locator("[data-row]").filter({ hasText: name }).first();

  await approver.step("the inbox", async (page) => {
    await until(async () => (await page.goto("/approvals"), await row(page).count()) > 0, `${name} to wait for a decision`);
  });
  await approver.step("a row", async (page) => {
    await row(page).click();
    await page.waitForURL(/open=/);
    await page.getByRole("heading", { level: 2, name: new RegExp(`^${name}:`) }).waitFor();
  });
  await approver.step("refused without a word", async (page) => {
    await button(page, "Request changes").click();
    await page.getByText("Add a comment that says what to change").first().waitFor();
  }, { status: 422 });
  await approver.step("a comment typed", (page) => comment(page).fill("Would 150 do?"), { status: 422, unsaved: true });
  await approver.step("changes requested", async (page) => {
    await button(page, "Request changes").click();
    await decided(page, "requested changes");
  }, { submits: true });

  await requester.step("the question", async (page) => {
    await until(async () => (await page.goto(own), await page.getByText("Would 150 do?").first().isVisible()), "the wish for changes to arrive");
  });
  await requester.step("an answer typed", async (page) => {
    await unfold(page, "Add a comment");
    await label(page, "New comment").fill("No, but 60 would");
  }, { unsaved: true });
  await requester.step("an answer given", async (page) => {
    await button(page, "Add comment").click();
    await page.locator(".thread").getByText("No, but 60 would").waitFor();
  }, { submits: true });
  await requester.step("withdrawn", async (page) => {
    await button(page, "Withdraw").click();
    await until(async () => (await page.goto(own), await button(page, "Resubmit").isVisible()), "the request to be withdrawn");
  }, { hops: true });
  await requester.step("asked for again", async (page) => {
    await button(page, "Resubmit").click();
    await until(async () => (await page.goto(own), await button(page, "Withdraw").isVisible()), "the approval to be open again");
  }, { hops: true });

  await approver.step("the light page", async (page) => {
    await until(async () => (await page.goto(`/approvals/${await uidOf(name)}`)).ok() && (await comment(page).count()) > 0, "the question to be asked again");
  }, { hops: true });
  await approver.step("a reason typed", (page) => comment(page).fill("Not this year"), { unsaved: true });
  await approver.step("rejected", async (page) => {
    await button(page, "Reject").click();
    await decided(page, "rejected");
  }, { submits: true });

  await requester.step("asked for a third time", async (page) => {
    await until(async () => (await page.goto(own), await button(page, "Resubmit").isVisible()), "the rejection to arrive");
    await button(page, "Resubmit").click();
    await until(async () => (await page.goto(own), await button(page, "Withdraw").isVisible()), "the approval to be open again");
  }, { hops: true });

  await approver.step("the page of the request", async (page) => {
    await until(async () => (await page.goto(own), await comment(page).count()) > 0, "the question to be asked again");
  }, { hops: true });
  await approver.step("a word typed", (page) => comment(page).fill("Fine for the season"), { unsaved: true });
  await approver.step("approved", async (page) => {
    await button(page, "Approve").first().click();
    await reaches(it.portal, name, "Ready");
    await page.goto(own);
    // An approval that is settled is one line, which unfolds.
    await page.locator("summary:has(#approvals)").click();
    await page.getByText("Fine for the season").first().waitFor();
  }, { submits: true, hops: true });

  await requester.step("notifications", async (page) => {
    await page.goto("/notifications");
    await button(page, "Mark all as read").waitFor();
  }, { hops: true });
  await requester.step("notifications read", async (page) => {
    await button(page, "Mark all as read").click();
    await page.getByRole("heading", { name: "You're all caught up" }).first().waitFor();
  });
  await Promise.all([approver.end(), requester.end()]);
});

journey("approvals of several requests together", WITH, async ({ scripted, named }) => {
  const names = ["one", "other"].map((which) => named(`alike-${which}`));
  for (const name of names) {
    await order(it.portal, name, "postgresql", { ...large, storage: scripted ? 31 : 32 });
    await reaches(it.portal, name, "AwaitingApproval");
  }
  const like = await uidOf(names[0]);
  const walk = await Walk.begin(it, "approver", scripted);
  const comment = (page) => label(page, "Comment");
  await walk.step("all of them", async (page) => {
    await until(async () => (await page.goto(`/approvals/${like}/alike`)).ok() && (await page.getByRole("checkbox").count()) === 2, "both to be listed");
  });
  await walk.step("one chosen", (page) => page.getByRole("checkbox").last().uncheck(), { unsaved: true });
  await walk.step("refused without a word", async (page) => {
    await button(page, "Reject").click();
    await page.getByRole("alert").waitFor();
  }, { status: 422 });
  await walk.step("a word typed", (page) => comment(page).fill("Both are fine"), { status: 422, unsaved: true });
  await walk.step("approved", async (page) => {
    await button(page, "Approve selected").click();
    await page.waitForURL(/together=/);
  }, { submits: true, back: [404, 409, 422] });
  for (const name of names) await reaches(it.portal, name, "Ready");
  await walk.end();
});

journey("a policy: made with the form, refused, saved, disabled, enabled and deleted", WITH, async ({ scripted, named }) => {
  const name = named("few-copies");
  const [headline, own] = [scripted ? "Few copies" : "Few copies plain", `/platform/policies/root:acme/${name}`];
  const walk = await Walk.begin(it, "org-owner", scripted);
  const check = async (page) => {
    await button(page, "Check").click();
    await page.waitForURL(/draft=/);
  };
  await walk.step("the list", async (page) => {
    await page.goto("/platform/policies");
    await title(page, "Policies").waitFor();
  });
  await walk.step("the form", async (page) => {
    await page.getByRole("link", { name: "New policy" }).click();
    await page.getByLabel("Set at").waitFor();
  });
  await walk.step("a field chosen", async (page) => {
    await page.getByLabel("Set at").selectOption("root:acme");
    await page.getByLabel("Field", { exact: false }).first().selectOption(".replicas");
    if (scripted) await saved(page, scripted);
    else await check(page);
  }, { hops: !scripted, status: scripted ? undefined : 422 });
  await walk.step("typed", async (page) => {
    await page.getByLabel("Title", { exact: false }).fill(headline);
    await page.getByLabel("Maximum", { exact: false }).fill("many");
    await saved(page, scripted);
  }, { unsaved: !scripted, status: scripted ? undefined : 422 });
  await walk.step("refused", async (page) => {
    await button(page, "Create policy").click();
    await page.getByRole("alert").waitFor();
  }, { status: 422, keeps: true });
  await walk.step("mended", async (page) => {
    await page.getByLabel("Maximum", { exact: false }).fill("6");
    await saved(page, scripted);
  }, { status: 422, unsaved: !scripted });
  await walk.step("checked", async (page) => {
    await button(page, "Check").click();
    await page.getByText("must be at most 6.").first().waitFor();
    await page.getByRole("alert").waitFor({ state: "detached" });
  }, { keeps: true });
  await walk.step("created", async (page) => {
    await button(page, "Create policy").click();
    await title(page, headline).waitFor();
    await until(async () => (await page.reload(), await page.getByText("In force").first().isVisible()), "the policy to be looked at");
  }, { submits: true, back: 404 });
  await walk.step("disabled", async (page) => {
    await button(page, "Disable").click();
    await until(async () => (await page.goto(own), await page.getByText("This policy is disabled").isVisible()), "the policy to be disabled");
  }, { hops: true });
  await walk.step("enabled", async (page) => {
    await button(page, "Enable").click();
    await until(async () => (await page.goto(own), await button(page, "Disable").isVisible()), "the policy to be enabled");
  }, { hops: true });
  await walk.step("the form of a change", async (page) => {
    await page.getByRole("link", { name: "Edit", exact: true }).first().click();
    await page.getByLabel("Maximum", { exact: false }).waitFor();
  });
  await walk.step("a change typed", async (page) => {
    await page.getByLabel("Maximum", { exact: false }).fill("5");
    await saved(page, scripted);
  }, { unsaved: !scripted });
  await walk.step("as YAML", async (page) => {
    await button(page, "Edit YAML").click();
    await label(page, "Policy").waitFor();
    assert.match(await label(page, "Policy").inputValue(), /maximum: 5/);
  });
  await walk.step("saved", async (page) => {
    await button(page, "Save policy").click();
    await title(page, headline).waitFor();
  }, { submits: true, back: 404 });
  await walk.step("about to be deleted", async (page) => {
    await page.getByRole("link", { name: "Delete" }).click();
    await label(page, `Type ${name} to confirm`).waitFor();
  });
  await walk.step("the confirmation typed", (page) => label(page, `Type ${name} to confirm`).fill(name), { unsaved: true });
  await walk.step("deleted", async (page) => {
    await button(page, `Delete ${headline}`).click();
    await page.getByText(`${name} was deleted from root:acme`).waitFor();
  }, { submits: true, back: 404 });
  await walk.end();
});

journey("notification settings: refused and saved", WITHOUT, async ({ scripted }) => {
  const walk = await Walk.begin(it, "finance", scripted);
  await walk.step("the settings", async (page) => {
    await page.goto("/notifications/settings");
    await title(page, "Notification settings").waitFor();
  });
  await walk.step("typed", async (page) => {
    await page.getByLabel("Use quiet hours").check();
    await label(page, "From").fill("22:15");
    await label(page, "To").fill("06:45");
    await page.getByLabel(/^Time zone/).fill("Nowhere/Land");
    await label(page, "Frequency").selectOption("weekly");
  }, { unsaved: true });
  await walk.step("refused", async (page) => {
    await button(page, "Save settings").click();
    await page.getByRole("alert").waitFor();
  }, { status: 422, keeps: true });
  await walk.step("mended", (page) => page.getByLabel(/^Time zone/).fill("Europe/Dublin"), { status: 422, unsaved: true });
  await walk.step("saved", async (page) => {
    await button(page, "Save settings").click();
    await page.getByRole("alert").waitFor({ state: "detached" });
  }, { keeps: true });
  await walk.end();
});

journey("a stand-in: refused, named, and ended", WITH, async ({ scripted }) => {
  const day = (days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const walk = await Walk.begin(it, "approver", scripted);
  await walk.step("nobody", async (page) => {
    await page.goto("/notifications/stand-in");
    await title(page, "Delegate").waitFor();
  });
  await walk.step("typed", async (page) => {
    await label(page, "Username").fill("org-owner");
    await label(page, "First day").fill(day(3));
    await label(page, "Last day").fill(day(1));
  }, { unsaved: true });
  await walk.step("refused", async (page) => {
    await button(page, "Set delegate").click();
    await page.getByRole("alert").waitFor();
  }, { status: 422, keeps: true });
  await walk.step("mended", (page) => label(page, "Last day").fill(day(5)), { status: 422, unsaved: true });
  await walk.step("named", async (page) => {
    await button(page, "Set delegate").click();
    await page.getByRole("heading", { name: / is your delegate$/ }).waitFor();
  }, { submits: true });
  await walk.step("ended", async (page) => {
    await button(page, "End delegation").click();
    await page.getByRole("heading", { name: / is your delegate$/ }).waitFor({ state: "detached" });
  }, { submits: true });
  await walk.end();
});

journey("a session that ends before a decision, a policy and settings are posted", WITHOUT, async ({ scripted, named }) => {
  const name = named("decided-late");
  await order(it.portal, name, "postgresql", { ...large, storage: 41 });
  await reaches(it.portal, name, "AwaitingApproval");
  const uid = await uidOf(name);
  const late = async (person, { open, type, post, kept }) => {
    const walk = await Walk.begin(it, person, scripted);
    await walk.step("typed", async (page) => {
      await open(page);
      await type(page);
    }, { unsaved: true });
    await expire(it, walk.page);
    await walk.step("posted too late", async (page) => {
      await post(page);
      await page.waitForURL("**/sign-in*");
    }, { hops: true });
    await walk.step("signed in again", async (page) => {
      await again(page, person);
      await page.getByText("Your session had ended").first().waitFor();
      await kept(page);
    }, { hops: true, status: [409, 422] });
    await walk.end();
  };
  await late("approver", {
    open: (page) => until(async () => (await page.goto(`/approvals/${uid}`)).ok() && (await label(page, "Comment").count()) > 0, "the question to be asked"),
    type: (page) => label(page, "Comment").fill("Read to the last line"),
    post: (page) => button(page, "Approve").click(),
    kept: async (page) => assert.equal(await label(page, "Comment").inputValue(), "Read to the last line"),
  });
  await late("approver", {
    open: (page) => page.goto("/notifications/settings"),
    type: (page) => page.getByLabel(/^Time zone/).fill("Europe/Lisbon"),
    post: (page) => button(page, "Save settings").click(),
    kept: async (page) => assert.equal(await page.getByLabel(/^Time zone/).inputValue(), "Europe/Lisbon"),
  });
  await late("org-owner", {
    open: (page) => page.goto("/platform/policies/new?view=yaml"),
    type: (page) => label(page, "Policy").fill("# half of a policy"),
    post: (page) => button(page, "Check").click(),
    kept: async (page) => assert.equal(await label(page, "Policy").inputValue(), "# half of a policy"),
  });
  await agree(it.portal, name);
});
