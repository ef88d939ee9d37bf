// Every page for everybody: axe finds nothing; nothing scrolls sideways, also at 400 %; the keyboard reaches everything in order and never gets
// stuck; targets are large enough; what moves stops when asked; the browser never complains.

import { test } from "node:test";
import assert from "node:assert/strict";
import { focused, signIn, violations, workspace } from "../portal.mjs";
import { byRoute } from "../routes.mjs";
import { gallery } from "../scenes.mjs";

const it = gallery();

/** What is wrong on a page, in the browser. */
const targets = () => {
  const inline = (element) => getComputedStyle(element).display === "inline";
  const targets = [...document.querySelectorAll("a, button, summary, select, input:not([type=hidden]), textarea")];
  return targets.flatMap((target) => {
    // A radio or tick counts with the label around it; links in sentences are exempt.
    const box = (target.closest("label") ?? target).getBoundingClientRect();
    const shown = box.width > 1 && box.height > 1 && target.checkVisibility({ checkOpacity: false });
    if (!shown || inline(target) || target.matches(".vh")) return [];
    return box.width < 24 || box.height < 24 ? [`${target.outerHTML.slice(0, 80)} is ${Math.round(box.width)} × ${Math.round(box.height)} px`] : [];
  });
};

const motion = () =>
  [...document.querySelectorAll("*")].flatMap((element) => {
    const style = getComputedStyle(element);
    const moves = [style.transitionDuration, style.animationDuration].flatMap((text) => text.split(",")).some((text) => parseFloat(text) > 0);
    return moves ? [`${element.outerHTML.slice(0, 60)} moves`] : [];
  });

const colours = () => {
  const bare = [...document.querySelectorAll(".btn:not(.btn-ghost), .input, .card, .choice")].filter((element) => element.checkVisibility() && parseFloat(getComputedStyle(element).borderTopWidth) === 0);
  const unmarked = [...document.querySelectorAll("[aria-current]")].filter((element) => {
    const other = [...(element.closest("ul, nav")?.querySelectorAll("a") ?? [])].find((one) => !one.hasAttribute("aria-current"));
    if (!other || !element.matches("a")) return false;
    const [mine, theirs] = [getComputedStyle(element), getComputedStyle(other)];
    return ["borderTopWidth", "borderBottomWidth", "fontWeight", "outlineWidth", "backgroundColor", "color", "borderBottomColor"].every((property) => mine[property] === theirs[property]);
  });
  return [...bare.map((element) => `no edge: ${element.outerHTML.slice(0, 80)}`), ...unmarked.map((element) => `not told apart: ${element.outerHTML.slice(0, 80)}`)];
};

async function sideways(page) {
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  return wider > 0 ? [`scrolls sideways by ${wider} px`] : [];
}

async function axe(page, name) {
  const open = (which) => page.evaluate((which) => document.querySelectorAll(which).forEach((details) => (details.open = true)), which);
  await open("main details:not(.sort-menu)");
  const problems = await violations(page);
  // The menu of orders lies over the rows while it is open.
  if (await page.locator(".sort-menu:visible").count()) {
    await open(".sort-menu");
    problems.push(...(await violations(page, ".sort-menu")));
  }
  if (name !== "home") return problems;
  // The menus of the head lie over the page while they are open, and are the same everywhere.
  await open("header details");
  return [...problems, ...(await violations(page, "header"))];
}

const keyboard = async (page, name) => {
  const problems = [];
  const expected = await page.evaluate(() => {
    const able = "a[href]:not([tabindex='-1']), button:not([tabindex='-1']), summary, select, input:not([type=hidden]), textarea, [tabindex='0']";
    const radios = new Set();
    return [...document.querySelectorAll(able)].filter((element) => {
      if (!element.checkVisibility({ visibilityProperty: true }) || element.disabled) return false;
      // Of a group of radios one is in the order: the chosen one, else the first and the last way in.
      if (element.type !== "radio") return true;
      const seen = radios.has(element.name);
      radios.add(element.name);
      return !seen;
    }).length;
  });
  const reached = [];
  // What asks for the focus gets it when the page is drawn: later it would begin the walk there.
  const own = page.locator("[autofocus]:visible");
  if ((await own.count()) > 0) await focused(own.first(), "what asks for it");
  // From the top, wherever the page has put the focus.
  await page.evaluate(() => {
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.removeAttribute("tabindex");
  });
  // The key goes down as often as there are stops; that it comes up again moves nothing, and takes as long.
  const devtools = await page.context().newCDPSession(page);
  const tab = { type: "rawKeyDown", key: "Tab", code: "Tab", windowsVirtualKeyCode: 9, nativeVirtualKeyCode: 9 };
  // Dates and times have a stop for each of their parts.
  for (let step = 0; step <= 5 * expected + 5; step += 1) {
    await devtools.send("Input.dispatchKeyEvent", tab);
    const at = await page.evaluate(() => {
      const element = document.activeElement;
      if (!element || element === document.body) return null;
      const style = getComputedStyle(element);
      // Radios of segments and cards, and links over cards, draw their ring on what is seen.
      const drawn = [element, element.closest("label"), element.nextElementSibling].filter(Boolean).map((one) => getComputedStyle(one));
      const after = getComputedStyle(element, "::after");
      const visible = [...drawn, after].some((one) => one.outlineStyle !== "none" && parseFloat(one.outlineWidth) >= 1);
      element.dataset.reached ??= "";
      const again = element.dataset.reached === "yes";
      element.dataset.reached = "yes";
      const part = again && element.matches("[type=date], [type=time]");
      return { what: element.outerHTML.slice(0, 90), visible: visible || style.outlineStyle !== "none", again, part };
    });
    if (at?.part) continue;
    if (at === null || at.again) break;
    reached.push(at.what);
    if (!at.visible) problems.push(`the focus is not seen on ${at.what}`);
    if (reached.length === 1 && !name.startsWith("sign") && !at.what.includes('class="skip"')) problems.push(`the first stop is ${at.what}`);
  }
  await devtools.detach();
  if (reached.length < expected) problems.push(`${reached.length} of ${expected} stops were reached, the last ${reached.at(-1)}`);
  return problems;
};

/**
 * Ways to look at a page that is opened once: what opens its details comes last. Without OPM_FULL axe sees each page once: one half of them light
 * and wide, the other half dark and narrow.
 */
const looks = [
  { name: "nothing scrolls sideways, down to 320 px, which is 1280 px at 400 %", width: 320, height: 256, find: sideways },
  { name: "targets are at least 24 px large, or have that room around them", width: 390, find: (page) => page.evaluate(targets) },
  { name: "nothing moves for those who asked for that", width: 1440, media: { reducedMotion: "reduce" }, find: (page) => page.evaluate(motion) },
  {
    name: "in forced colours every control keeps an edge and every chosen one is told apart",
    width: 1440,
    // Without transitions a colour is there at once.
    media: { forcedColors: "active", reducedMotion: "reduce" },
    find: (page) => page.evaluate(colours),
  },
  ...[["light", 1440], ["dark", 390], ["light", 390], ["dark", 1440]].slice(0, process.env.OPM_FULL ? 4 : 2).map(([colorScheme, width], half) => ({
    name: `axe finds nothing on any page, ${colorScheme}, ${width} px`,
    of: (scenes) => scenes.filter((_, index) => process.env.OPM_FULL || index % 2 === half),
    width,
    media: { colorScheme },
    find: axe,
  })),
];
let seen;

for (const { name } of looks) {
  test(name, async () => {
    seen ??= it.everywhere(looks, { hasTouch: true });
    assert.deepEqual((await seen).get(name), []);
  });
}

test("the keyboard reaches everything in the order of the page, always visibly, and leaves it again", async () => {
  // Without OPM_FULL one scene of every page.
  const of = async (scenes) => (process.env.OPM_FULL ? scenes : [...(await byRoute(scenes)).values()].map(([scene]) => scene));
  // Without scripting nothing changes under the walk.
  const walk = { name: "keyboard", of, width: 1440, find: keyboard };
  assert.deepEqual((await it.everywhere([walk], { javaScriptEnabled: false })).get(walk.name), []);
});

test("the skip link leads to the content", async () => {
  const page = await signIn(it, "dev-shop");
  await page.goto(`/w/${workspace}/catalog`);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await focused(page.locator("#main"), "the content");
  await page.context().close();
});

test("the workspace switcher is found, typed into and followed by the keyboard alone", async () => {
  const page = await signIn(it, "org-owner", { javaScriptEnabled: false });
  await page.goto("/w/root:acme:shop/requests");
  await page.getByRole("navigation", { name: "Workspace" }).locator("summary").focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await focused(page.getByRole("searchbox", { name: "Find a workspace" }), "the field to type into");
  await page.keyboard.type("root:acme:data");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/w/root:acme:data/requests");
  await page.context().close();
});

