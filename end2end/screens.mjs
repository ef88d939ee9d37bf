// Photographs every page, in every phase and state, so that people can look at all of it at once:
//
//   node screens.mjs --out FOLDER [--width 1440,390] [--theme light,dark] [--only catalog,form] [--without-javascript] [--visible]
//
// A name of --only that ends with a dot is that page alone. --visible leaves out what one would have to scroll to. The pictures of the README are made by
//
//   node screens.mjs --out ../docs/images --width 1280 --visible --only form.,approvals.,home-owner.,cost.,request-ready.
//
// It starts a portal of its own. Environment as for the browser tests: OPM_PORTAL, OPM_CHROMIUM, OPM_KUBECTL.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { launchBrowser, startPortal } from "./portal.mjs";
import { arranged, scenes, states } from "./scenes.mjs";

const { values } = parseArgs({
  options: {
    out: { type: "string" },
    width: { type: "string", default: "1440,390" },
    theme: { type: "string", default: "light,dark" },
    only: { type: "string", default: "" },
    "without-javascript": { type: "boolean", default: false },
    visible: { type: "boolean", default: false },
  },
});
if (!values.out) throw new Error("say where to put the photographs: --out FOLDER");

const it = {};
try {
  it.portal = await startPortal((folder) => arranged(folder, it));
  it.browser = await launchBrowser();
  await mkdir(values.out, { recursive: true });
  const all = await scenes(it);
  const wanted = values.only.split(",").filter(Boolean);
  const pages = all.filter(({ name }) => wanted.length === 0 || wanted.some((word) => `${name}.`.startsWith(word)));
  const known = await states(it, pages);
  const complaints = [];
  for (const width of values.width.split(",").map(Number)) {
    for (const colorScheme of values.theme.split(",")) {
      for (const { name, path, person, press } of pages) {
        const context = await it.browser.newContext({
          baseURL: it.portal.url,
          storageState: known.get(person),
          colorScheme,
          viewport: { width, height: 900 },
          javaScriptEnabled: !values["without-javascript"],
        });
        const page = await context.newPage();
        page.on("console", (message) => message.type() === "error" && complaints.push(`${name}: ${message.text()}`));
        await page.goto(path);
        if (press) {
          // A revealed secret is shown for half a minute only, so each picture reveals it.
          const button = page.getByRole("button", { name: press, exact: true });
          await button.click();
          await button.waitFor({ state: "detached" });
        }
        await page.screenshot({ path: join(values.out, `${name}.${width}.${colorScheme}.png`), fullPage: !values.visible });
        await context.close();
      }
    }
  }
  await writeFile(join(values.out, "console.txt"), complaints.join("\n"));
  console.log(`${values.out}: ${pages.length} pages, ${complaints.length} complaints of the console`);
} finally {
  await it.browser?.close();
  await it.portal?.stop();
  await it.provider?.stop();
}
