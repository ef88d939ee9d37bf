// Charts over a world with a past, in both themes, wide and narrow: each has a name, a description and the same numbers as a table; no words lie
// on others, nothing is drawn outside, and series differ. On paper they are there, and what one presses is not. A page with a fault is kept as a
// picture in end2end/artefacts, or in the folder that OPM_SHOTS names, where every page is kept then. Contrast is looked at by accessibility.test.mjs.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { command, signIn, stage } from "../portal.mjs";

// Of the present month there is nothing before its first hour is counted: charts of cost are expected in the month before.
const now = new Date();
const before = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1)).toISOString().slice(0, 7);
const team = "root:nordwind:nordwind-0001";

/** Who looks at what, and what is drawn there at least: charts, meters, budgets beside them. */
const pages = [
  { person: "platform-engineer", path: "/", charts: 1, meters: 1 },
  { person: "platform-engineer", path: "/platform", charts: 1, meters: 1 },
  { person: "platform-engineer", path: "/platform?range=month", charts: 1 },
  { person: "platform-engineer", path: "/platform?range=year", charts: 1 },
  { person: "finance", path: "/", meters: 1 },
  { person: "finance", path: "/cost" },
  { person: "finance", path: `/cost?month=${before}`, charts: 2 },
  { person: "finance", path: `/cost?month=${before}&table=true`, charts: 2 },
  { person: "finance", path: "/cost?by=team&table=true" },
  ...["promise", "project", "owner"].map((by) => ({ person: "finance", path: `/cost?by=${by}&month=${before}`, charts: 2 })),
  { person: "finance", path: `/cost?workspace=root:nordwind&month=${before}`, charts: 1 },
  { person: "finance", path: `/cost?workspace=${team}&month=${before}`, charts: 1, budgets: 1 },
  { person: "finance", path: `/cost?workspace=${team}` },
  { person: "finance", path: "/dev/ui", charts: 3, meters: 1 },
];

const it = stage(async () => {}, async (folder) => {
  await command("seed", "--data", folder, "--instances", "80", "--workspaces", "4", "--ledger-days", "62");
  return [];
});

/** What is drawn on a page, and what is wrong with it; runs in the browser. */
function drawn() {
  const problems = [];
  const isThere = (element) => element.getClientRects().length > 0;
  const words = (element) => (element?.textContent ?? "").trim();
  const inside = (svg, name) => {
    const frame = svg.getBoundingClientRect();
    for (const part of [...svg.querySelectorAll("rect, path, circle, text")].filter(isThere)) {
      const box = part.getBoundingClientRect();
      const out = Math.max(frame.left - box.left, box.right - frame.right, frame.top - box.top, box.bottom - frame.bottom);
      if (out > 1) problems.push(`${name}: ${part.tagName} “${words(part)}” is ${out.toFixed(1)} px outside`);
    }
  };
  const apart = (svg, name) => {
    const texts = [...svg.querySelectorAll("text")].filter(isThere).map((text) => ({ text: words(text), box: text.getBoundingClientRect() }));
    if (texts.length < 2) problems.push(`${name}: the axes have no words`);
    texts.forEach((one, index) => {
      for (const other of texts.slice(index + 1)) {
        const wide = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
        const high = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
        if (wide > 0.5 && high > 0.5) problems.push(`${name}: “${one.text}” lies on “${other.text}”`);
      }
    });
  };

  const charts = [...document.querySelectorAll("svg.chart")];
  for (const chart of charts) {
    const named = (chart.getAttribute("aria-labelledby") ?? "").split(" ").map((id) => document.getElementById(id));
    const name = words(named[0]);
    const [title, description] = ["title", "desc"].map((tag) => named.find((part) => part?.localName === tag && chart.contains(part)));
    // An image has no links: a chart whose bars lead to lists is a group.
    const role = chart.querySelector("a") ? "group" : "img";
    if (chart.getAttribute("role") !== role || !words(title) || !words(description)) problems.push(`chart “${name}” has no title or no description`);
    const figure = chart.closest("figure");
    const cells = new Set();
    for (const row of figure?.querySelectorAll("table tbody tr") ?? []) {
      const label = words(row.querySelector("th"));
      for (const cell of row.querySelectorAll("td")) cells.add(`${label}, ${cell.dataset.label}: ${words(cell)}`);
    }
    const elsewhere = figure?.querySelector('a[href*="table=true"]');
    if (!figure?.querySelector("table") && !elsewhere) problems.push(`${name}: its numbers are in no table`);
    const marks = [...chart.querySelectorAll("rect > title, circle > title")].map(words);
    if (marks.length === 0) problems.push(`${name}: nothing is drawn`);
    for (const mark of elsewhere ? [] : marks) if (!cells.has(mark)) problems.push(`${name}: “${mark}” is not in the table`);
    const tones = [...(figure?.querySelectorAll(".legend rect") ?? [])].map((key) => getComputedStyle(key)).map(({ fill, fillOpacity }) => `${fill} ${fillOpacity}`);
    if (new Set(tones).size !== tones.length) problems.push(`${name}: two series look the same: ${tones.join(", ")}`);
    apart(chart, name);
    inside(chart, name);
  }
  const meters = [...document.querySelectorAll("svg.meter-bar")];
  for (const meter of meters) {
    const name = words(meter.parentElement);
    if (meter.getAttribute("aria-hidden") !== "true" || !name) problems.push(`${meter.outerHTML.slice(0, 80)} stands without words`);
    inside(meter, name);
  }
  return { problems, charts: charts.length, meters: meters.length, budgets: document.querySelectorAll(".legend .chart-level").length };
}

/** What a page lacks of what is to be drawn there. */
function lacks(found, wanted) {
  return ["charts", "meters", "budgets"].filter((what) => found[what] < (wanted[what] ?? 0)).map((what) => `${found[what]} ${what} instead of ${wanted[what]}`);
}

async function keep(page, name) {
  const folder = process.env.OPM_SHOTS ?? fileURLToPath(new URL("../artefacts", import.meta.url));
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `charts${name.replaceAll(/[^a-z0-9]+/gi, "-")}.png`), fullPage: true });
}

/** What is wrong with the charts of a page. */
async function chartsOf(page, wanted) {
  const found = await page.evaluate(drawn);
  return [...found.problems, ...lacks(found, wanted)];
}

/** What of a page is printed that should not be, or is missing on paper. */
async function printed(page, wanted) {
  // The gallery shows what one presses.
  if (wanted.path === "/dev/ui") return [];
  const controls = "button, summary, select, textarea, input:not([type=hidden]), .actions, .chips";
  const seen = () =>
    page.evaluate((controls) => {
      const isSeen = (element) => element.checkVisibility() && element.getBoundingClientRect().height > 1;
      const all = (which) => [...document.querySelectorAll(which)].filter(isSeen);
      return { charts: all("svg.chart").length, meters: all("svg.meter-bar").length, controls: all(controls).map((one) => one.outerHTML.slice(0, 80)) };
    }, controls);
  const onScreen = await seen();
  await page.emulateMedia({ media: "print" });
  const onPaper = await seen();
  await page.emulateMedia({ media: "screen" });
  const problems = onPaper.controls.map((control) => `${control} is printed`);
  if (onScreen.controls.length === 0) problems.push("nothing can be pressed on the screen either");
  for (const what of ["charts", "meters"]) if (onPaper[what] !== onScreen[what]) problems.push(`${onPaper[what]} of ${onScreen[what]} ${what} are printed`);
  return [...problems, ...lacks({ ...onPaper, budgets: Infinity }, wanted)];
}

/** Ways to look at a page, which is opened once. */
const looks = [
  ...["light", "dark"].flatMap((colorScheme) =>
    [1440, 390].map((width) => ({
      name: `charts say in words what they draw, and draw it where it belongs, ${colorScheme}, ${width} px`,
      shot: `${width}.${colorScheme}`,
      colorScheme,
      width,
      find: chartsOf,
    })),
  ),
  { name: "on paper the charts are there, and what one presses is not", shot: "print", colorScheme: "light", width: 1440, find: printed },
];

/** Visits every page, and looks at it in each way; answers what each look found wrong. */
async function everywhere() {
  const [found, people] = [new Map(looks.map(({ name }) => [name, []])), new Map()];
  for (const wanted of pages) {
    const { person, path } = wanted;
    if (!people.has(person)) people.set(person, await signIn(it, person));
    const page = people.get(person);
    await page.goto(path);
    for (const { name, shot, colorScheme, width, find } of looks) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      const problems = [...(await find(page, wanted)), ...page.complaints.splice(0)];
      if (problems.length > 0 || process.env.OPM_SHOTS) await keep(page, `${path}.${person}.${shot}`);
      found.get(name).push(...problems.map((problem) => `${path} as ${person}: ${problem}`));
    }
  }
  for (const page of people.values()) await page.context().close();
  return found;
}
let seen;

for (const { name } of looks) {
  test(name, async () => {
    seen ??= everywhere();
    assert.deepEqual((await seen).get(name), []);
  });
}
