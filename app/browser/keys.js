// Keyboard shortcuts of every page, and the palette, which is loaded when it is first opened. Everything they do is also a link.

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

/** Listens for shortcuts; `script` and `wasm` are the addresses of the palette. */
export function keys(script, wasm) {
  zone();
  let loading;
  const open = () => {
    loading ??= import(script).then(async (module) => {
      await module.default({ module_or_path: wasm });
      module.hydrate();
      const island = document.querySelector("leptos-island");
      module[island.dataset.component](island);
    });
    // A palette that can't be loaded is a page with a search.
    loading.then(() => document.dispatchEvent(new Event("palette")), () => location.assign(link().href));
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
