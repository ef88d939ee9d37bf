// Keyboard shortcuts of the inbox. Everything they do is also a link or a button on the page, which works without them.

/** Key in local storage; set if the user has turned the shortcuts off. */
const OFF = "approvals-keys-off";

/** Moves between rows with j and k, and to the decision buttons with a, r and c; a key alone never decides anything. */
export function keys() {
  const help = document.getElementById("keys");
  const off = document.getElementById("keys-off");
  if (!help || !off) return;
  help.hidden = false;
  off.checked = localStorage.getItem(OFF) !== null;
  off.addEventListener("change", () => (off.checked ? localStorage.setItem(OFF, "") : localStorage.removeItem(OFF)));

  const rows = () => [...document.querySelectorAll("[data-row]")];
  // The list updates live, and the open request stays: its row is marked wherever it is in the list.
  const shown = document.querySelector("[data-shown]")?.dataset.shown;
  const mark = () => {
    for (const row of rows()) {
      const current = row.dataset.row === shown ? "true" : null;
      if (row.ariaCurrent !== current) row.ariaCurrent = current;
    }
  };
  const list = document.querySelector('[data-live="inbox-rows"]');
  if (list && shown) new MutationObserver(mark).observe(list, { attributeFilter: ["aria-current"], childList: true, subtree: true });
  // The list scrolls by itself on wide screens.
  rows().find((row) => row.ariaCurrent)?.scrollIntoView({ block: "nearest" });
  const move = (by) => {
    const all = rows();
    const at = all.indexOf(document.activeElement) >= 0 ? all.indexOf(document.activeElement) : all.findIndex((row) => row.ariaCurrent);
    const next = all[at < 0 ? 0 : at + by];
    if (!next || next.ariaCurrent) return next?.focus();
    location.assign(next.href);
  };
  const comment = () => document.getElementById("comment");
  const button = (key) => document.querySelector(`[form="decide"][data-key="${key}"]`);
  let meant;
  const decide = (key) => {
    meant = button(key);
    // A user who rejects or requests changes writes a reason first; then the button gets the focus.
    if (key !== "a" && comment()?.value.trim() === "") comment().focus();
    else meant?.focus();
  };

  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
    if (typing && event.target === comment() && event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      (meant ?? button("a"))?.focus();
      return;
    }
    if (typing || off.checked || event.ctrlKey || event.metaKey || event.altKey) return;
    const acts = { j: () => move(1), k: () => move(-1), a: () => decide("a"), r: () => decide("r"), c: () => decide("c") };
    if (event.key === "?") help.open = !help.open;
    else if (!acts[event.key]) return;
    else acts[event.key]();
    event.preventDefault();
  });
}
