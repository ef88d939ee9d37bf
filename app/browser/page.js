// Scripts besides the live part and the islands: copying, secrets in place, and what is typed. Pages work without them.

/** How long a button shows that it copied, in milliseconds. */
const SAID = 2000;
/** How long a revealed secret is shown, in milliseconds. */
const SHOWN = 30000;

/** Shows and enables the copy buttons of the page, now and after its regions are swapped: nothing else writes to the clipboard. */
export function copying() {
  // Without this attribute, the style sheet hides the buttons.
  document.documentElement.setAttribute("data-scripted", "");
  opening();
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-copy]");
    const source = button && document.getElementById(button.dataset.copy);
    // Of a link, its address is copied; of a text area, what is in it now.
    const text = source?.href ?? source?.value ?? source?.textContent;
    if (text === null || text === undefined) return;
    copied(button, text);
  });
}

/** Most of a file that is read, in bytes: more than the portal takes, so that it says so. */
const MOST = (256 << 10) + 1;

/** The content of a file in base64. */
async function base64(part) {
  const reader = new FileReader();
  const read = new Promise((done) => reader.addEventListener("load", done));
  reader.readAsDataURL(part);
  await read;
  return reader.result.split(",")[1] ?? "";
}

/** Fills a text area with a file that is chosen beside it, as text or in base64. */
function opening() {
  document.addEventListener("change", async (event) => {
    const into = document.getElementById(event.target.dataset?.into);
    const [file] = event.target.files ?? [];
    if (!into || !file) return;
    const part = file.slice(0, MOST);
    into.value = event.target.dataset.as === "base64" ? await base64(part) : await part.text();
    event.target.value = "";
    // It is checked and saved as if it were typed.
    into.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

/** Copies a text and says so at the button. */
async function copied(button, text) {
  const name = button.dataset.name ?? (button.dataset.name = button.getAttribute("aria-label"));
  const done = await navigator.clipboard.writeText(text).then(() => true, () => false);
  // Screen readers announce a changed name of the focused button.
  button.dataset.copied = done ? "done" : "failed";
  button.setAttribute("aria-label", done ? "Copied" : "The browser did not allow copying");
  setTimeout(() => {
    delete button.dataset.copied;
    button.setAttribute("aria-label", name);
  }, SAID);
}

/**
 * Reveals secret outputs in place, hides them again, and copies them without showing them. Without this, the answer to the same form is a
 * page with the value.
 */
export function secrets() {
  document.addEventListener("submit", async (event) => {
    const form = event.target.closest?.("[data-reveal]");
    if (!form) return;
    event.preventDefault();
    const { submitter } = event;
    const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) }).catch(() => undefined);
    const page = answer?.ok && new DOMParser().parseFromString(await answer.text(), "text/html");
    const value = page && page.getElementById(form.dataset.reveal);
    // The page that answers says why not.
    if (!value) return form.submit();
    if (submitter?.hasAttribute("data-unseen")) return copied(submitter, value.textContent);
    const [hidden, shown] = [form.closest("dd"), document.adoptNode(value.closest("dd"))];
    hidden.replaceWith(shown);
    hold(shown);
    const note = shown.querySelector("[data-hides]");
    if (note) note.hidden = false;
    shown.querySelector("button")?.focus();
    setTimeout(() => {
      release(shown);
      shown.replaceWith(hidden);
    }, SHOWN);
  });
  // A live update of the region would hide what was just revealed, so it waits until the last secret in it is hidden again.
  const hold = (shown) => {
    const region = shown.closest("[data-live], [data-held]");
    if (!region) return;
    region.dataset.held = Number(region.dataset.held ?? 0) + 1;
    region.dataset.paused ??= region.dataset.live;
    region.removeAttribute("data-live");
  };
  const release = (shown) => {
    const region = shown.closest("[data-held]");
    if (!region) return;
    const left = Number(region.dataset.held) - 1;
    if (left > 0) return void (region.dataset.held = left);
    region.dataset.live = region.dataset.paused;
    delete region.dataset.held;
    delete region.dataset.paused;
  };
}

/** Where a tab keeps what was typed when its page is left. */
const TYPED = "typed";
/** Types of fields that are never saved: people don't type into them, or they hold secrets. */
const UNKEPT = ["hidden", "password", "submit", "button", "file"];

/** The property of a field that holds what was entered. */
const state = ({ type }) => (type === "radio" || type === "checkbox" ? "checked" : "value");

/** What the portal rendered there, whatever the browser restored. */
function rendered(field) {
  if (field.options) return ([...field.options].find((option) => option.defaultSelected) ?? field.options[0])?.value;
  return state(field) === "checked" ? field.defaultChecked : field.defaultValue;
}

/**
 * Keeps what is typed into the form of a request over a reload. Right after a key, that is too early for a draft, and for the memory of the browser.
 */
export function typed() {
  const form = document.getElementById("request");
  const fields = () => [...form.elements].filter(({ name, type }) => name && !UNKEPT.includes(type));
  let unsent = false;
  form.addEventListener("input", () => (unsent = true));
  form.addEventListener("submit", () => (unsent = false));
  addEventListener("pagehide", () => {
    if (unsent) sessionStorage.setItem(TYPED, JSON.stringify([location.href, fields().map((field) => [field.name, field[state(field)]])]));
  });

  const [address, values] = JSON.parse(sessionStorage.getItem(TYPED)) ?? [];
  sessionStorage.removeItem(TYPED);
  if (address !== location.href || performance.getEntriesByType("navigation")[0]?.type !== "reload") return;
  let isNew = false;
  fields().forEach((field, place) => {
    const [name, value] = values[place] ?? [];
    // A form that has changed meanwhile keeps what is still in the same place.
    if (name !== field.name) return;
    isNew ||= rendered(field) !== value;
    field[state(field)] = value;
  });
  // What the page already has was saved: checking it would save a second draft.
  if (!isNew) return;
  // The other scripts of the page listen from then on: it is checked and saved as if it were typed.
  document.addEventListener("DOMContentLoaded", () => form.dispatchEvent(new Event("input", { bubbles: true })), { once: true });
}
