// Keyboard shortcuts of every page, and its islands: the palette, which is loaded when it is first opened, and those of this page. Everything they
// do is also a link or a button.

/** Keys after `g`, and the entry of the navigation that each opens. */
const PAGES = { h: "home", c: "catalog", r: "requests", o: "resources", a: "approvals", w: "workspaces", n: "notifications" };
/** How long the second key is waited for, in milliseconds. */
const SECOND = 1500;

/** Seconds for which the browser keeps the time zone. */
const YEAR = 365 * 24 * 3600;

/** Tells the portal the time zone of the browser: the next page shows times in it. */
function zone() {
  const pair = `zone=${Intl.DateTimeFormat().resolvedOptions().timeZone}`;
  const secure = location.protocol === "https:" ? "; Secure" : "";
  if (!document.cookie.split("; ").includes(pair)) document.cookie = `${pair}; Path=/; SameSite=Lax; Max-Age=${YEAR}${secure}`;
}

/**
 * Listens for shortcuts, and loads what this page needs: its islands, what keeps it live, or one entry for both. The arguments are addresses: script and
 * wasm of the palette, the module by which the others change parts of the page, script and wasm of the islands, and on live pages of the live part.
 */
export function keys(palette, paletteWasm, morph, islands, islandsWasm, live, liveWasm) {
  zone();
  const stream = document.querySelector("[data-live-page]")?.dataset.livePage;
  if (document.querySelectorAll("leptos-island").length > 1) begin(islands, islandsWasm, morph, stream);
  else if (stream) begin(live, liveWasm, morph, stream);
  let loading;
  const open = () => {
    const enter = loading ? () => {} : typed();
    loading ??= hydrate(palette, paletteWasm);
    // A palette that can't be loaded is a page with a search.
    loading.then(() => enter(document.dispatchEvent(new Event("palette"))), () => location.assign(link().href));
  };
  const link = () => document.querySelector("[data-palette]");

  // When `g` was pressed.
  let before = -Infinity;
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
    if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k") {
      event.preventDefault();
      return open();
    }
    if (typing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.key === "/") {
      event.preventDefault();
      open();
    } else if (event.key === "?" && !document.getElementById("keys")) {
      shortcuts();
    } else if (event.key === "g") {
      before = event.timeStamp;
    } else if (event.timeStamp - before < SECOND && PAGES[event.key]) {
      before = -Infinity;
      const target = document.querySelector(`[data-goto="${PAGES[event.key]}"]`);
      if (target) location.assign(target.href);
    }
  });
  document.addEventListener("click", (event) => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target.closest?.("[data-palette]")) {
      event.preventDefault();
      open();
    }
    // Menus close when another place is clicked.
    for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
  });
  document.addEventListener("keydown", (event) => {
    const menu = event.key === "Escape" && document.querySelector("details.menu[open]");
    if (!menu) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
}

/** Collects the letters that are typed until the palette is there. Returns the function that enters them. */
function typed() {
  let text = "";
  const collect = (event) => {
    if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return;
    text += event.key;
    event.preventDefault();
    event.stopPropagation();
  };
  document.addEventListener("keydown", collect, true);
  return () => {
    document.removeEventListener("keydown", collect, true);
    const input = document.querySelector("dialog.palette[open] input");
    if (!input || !text) return;
    input.value += text;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  };
}

/** Loads the islands of this page, and keeps it live by the stream, if it has one. What is typed meanwhile counts. */
async function begin(script, wasm, morphs, stream) {
  let typed;
  const note = (event) => (typed = event.target);
  document.addEventListener("input", note);
  const { morph } = await import(morphs);
  const module = await hydrate(script, wasm, morph);
  if (stream) module.live(stream, morph);
  document.removeEventListener("input", note);
  typed?.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Loads a module, and brings each island to life that it knows and the page has. */
async function hydrate(script, wasm, morph) {
  const module = await import(script);
  await module.default({ module_or_path: wasm });
  module.hydrate?.(morph);
  for (const island of document.querySelectorAll("leptos-island")) module[island.dataset.component]?.(island);
  // They listen from their first effects on, which run when this task ends.
  await new Promise((done) => setTimeout(done));
  return module;
}

/** Shows the page of shortcuts in a dialog. */
async function shortcuts() {
  const text = await fetch("/keyboard").then((answer) => (answer.ok ? answer.text() : ""), () => "");
  const page = new DOMParser().parseFromString(text, "text/html");
  const [title, content] = [page.querySelector("h1"), page.querySelector("[data-shortcuts]")];
  // The page itself says what is wrong.
  if (!content) return location.assign("/keyboard");
  const dialog = document.createElement("dialog");
  dialog.className = "palette";
  dialog.ariaLabel = title.textContent;
  dialog.append(content);
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
