// Scripts besides the live part: copying, secrets in place, zooming graphs, and the preflight while the user types, which saves a draft.
// Pages work without them.

/** How long a button shows that it copied, in milliseconds. */
const SAID = 2000;
/** How long a revealed secret is shown, in milliseconds. */
const SHOWN = 30000;
/** Pause in typing before the preflight runs, in milliseconds. */
const SOON = 300;
/** Pause in typing before the preflight also asks the plane, in milliseconds. */
const PAUSE = 1500;
/** How long a preflight can take before the page says that it can't be checked, in milliseconds. */
const PATIENCE = 15000;
/** Zoom factor of one step, and the maximum and minimum zoom of a graph. */
const [STEP, LARGEST, SMALLEST] = [1.25, 4, 0.1];
/** Space around a graph in its frame, both sides together, in pixels. */
const FRAME = 26;
/** Distance that a pointer moves before it drags, in pixels. */
const DRAG = 4;
/** Ids of the parts of a form page that update while the user types. */
const PARTS = ["problems", "fields", "preflight"];

/** Shows and enables the copy buttons of the page, now and after its regions are swapped: nothing else writes to the clipboard. */
export function copying() {
  // Without this attribute, the style sheet hides the buttons.
  document.documentElement.setAttribute("data-scripted", "");
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-copy]");
    const source = button && document.getElementById(button.dataset.copy);
    // Of a link, its address is copied.
    const text = source?.href ?? source?.textContent;
    if (text === null || text === undefined) return;
    copied(button, text);
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

/**
 * Zooms graphs with their buttons, with `+`, `-` and `0`, and with Control and the wheel; a mouse drags them. Everything else is scrolling,
 * which works with keys and touch without this. Zoom and scroll position stay when the page swaps its regions.
 */
export function graphs() {
  const kept = new Map();
  const all = () => document.querySelectorAll(".graph");
  const set = (graph, size, [x, y] = [graph.clientWidth / 2, graph.clientHeight / 2]) => {
    const svg = graph.querySelector("svg");
    const { width, height } = svg.viewBox.baseVal;
    const before = svg.getAttribute("width") / width;
    const scale = Math.min(LARGEST, Math.max(SMALLEST, size(before, width, height)));
    svg.setAttribute("width", width * scale);
    svg.setAttribute("height", height * scale);
    // The point in the middle, or under the pointer, stays in place.
    graph.scrollLeft = (graph.scrollLeft + x) * (scale / before) - x;
    graph.scrollTop = (graph.scrollTop + y) * (scale / before) - y;
    keep(graph, scale);
    const said = graph.previousElementSibling?.querySelector("[data-zoomed]");
    if (said) said.textContent = `${Math.round(scale * 100)} %`;
  };
  const keep = (graph, scale = kept.get(graph.ariaLabel)?.scale ?? 1) =>
    kept.set(graph.ariaLabel, { scale, left: graph.scrollLeft, top: graph.scrollTop });
  const sizes = {
    in: (now) => now * STEP,
    out: (now) => now / STEP,
    once: () => 1,
    whole: (_, width, height, graph) => {
      const most = parseFloat(getComputedStyle(graph).maxHeight);
      return Math.min((graph.clientWidth - FRAME) / width, (most - FRAME) / height, 1);
    },
  };
  const change = (graph, how, at) => set(graph, (now, width, height) => sizes[how](now, width, height, graph), at);

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-zoom]");
    const graph = button?.closest(".graph-tools")?.nextElementSibling;
    if (graph) change(graph, button.dataset.zoom);
  });
  document.addEventListener("keydown", (event) => {
    const graph = event.target.closest?.(".graph");
    const how = { "+": "in", "=": "in", "-": "out", 0: "once" }[event.key];
    if (!graph || !how || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    change(graph, how);
  });
  document.addEventListener("wheel", (event) => {
    const graph = event.target.closest?.(".graph");
    if (!graph || !event.ctrlKey) return;
    event.preventDefault();
    const { left, top } = graph.getBoundingClientRect();
    change(graph, event.deltaY < 0 ? "in" : "out", [event.clientX - left, event.clientY - top]);
  }, { passive: false });

  let drag;
  document.addEventListener("pointerdown", (event) => {
    const graph = event.target.closest?.(".graph");
    if (graph && event.pointerType === "mouse" && event.button === 0)
      drag = { graph, x: event.clientX, y: event.clientY, left: graph.scrollLeft, top: graph.scrollTop, moved: false };
  });
  document.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const [x, y] = [event.clientX - drag.x, event.clientY - drag.y];
    drag.moved ||= Math.hypot(x, y) > DRAG;
    if (!drag.moved) return;
    drag.graph.toggleAttribute("data-dragged", true);
    drag.graph.scrollTo(drag.left - x, drag.top - y);
  });
  document.addEventListener("pointerup", () => {
    drag?.graph.removeAttribute("data-dragged");
    // The click that follows must read it first.
    setTimeout(() => (drag = undefined));
  });
  // Dragging a box doesn't follow its link, and a link can't be dragged out of the page.
  document.addEventListener("click", (event) => drag?.moved && event.preventDefault(), true);
  document.addEventListener("dragstart", (event) => event.target.closest?.(".graph") && event.preventDefault());
  document.addEventListener("scroll", (event) => event.target.classList?.contains("graph") && keep(event.target), true);

  const known = new WeakSet(all());
  const restore = () => {
    for (const graph of all()) {
      if (known.has(graph)) continue;
      known.add(graph);
      const state = kept.get(graph.ariaLabel);
      if (!state) continue;
      set(graph, () => state.scale);
      graph.scrollTo(state.left, state.top);
    }
  };
  if (all().length > 0) new MutationObserver(restore).observe(document.getElementById("main"), { childList: true, subtree: true });
}

/**
 * Runs the preflight beside a form again while the user types. The fields update too, because their hints, locks and prices depend on
 * other fields. Typing never waits: a running preflight is aborted at the next input, so an answer is always about the current values of
 * the form. The preflight also saves a draft, whose address replaces the form's: Back and reload lead to what was typed. The button "Check"
 * does the same without this script. `morph` changes a part of the page into another.
 */
export function typing(morph) {
  copying();
  const form = document.getElementById("request");
  if (!form?.dataset.preflight) return;
  let timers = [];
  let asked;
  /** Why the last preflight failed: `offline`, `ended` if the session has, or empty. */
  let failed = "";

  const giveUp = () => {
    timers.forEach(clearTimeout);
    timers = [];
    asked?.abort();
  };
  const say = (asking) => document.querySelector("#preflight .typing")?.toggleAttribute("hidden", !asking);
  const note = () => document.querySelectorAll("[data-failed]").forEach((one) => (one.hidden = one.dataset.failed !== failed));
  const fields = (operation) => {
    const body = new URLSearchParams(new FormData(form));
    body.set("_op", operation);
    body.set("_typing", document.activeElement?.name ?? "");
    return body;
  };
  const ask = async (operation) => {
    asked?.abort();
    const mine = (asked = new AbortController());
    const signal = AbortSignal.any([mine.signal, AbortSignal.timeout(PATIENCE)]);
    let outcome = "offline";
    try {
      const answer = await fetch(form.dataset.preflight, { method: "POST", body: fields(operation), signal });
      if (answer.ok && !answer.redirected) {
        show(new DOMParser().parseFromString(await answer.text(), "text/html"), mine);
        outcome = "";
      } else if (answer.status === 401) outcome = "ended";
    } catch {
      // Aborted, or no answer: the page stays as it is, and the next key press tries again.
    }
    if (mine.signal.aborted) return;
    failed = outcome;
    say(false);
    note();
  };
  const show = (page, mine) => {
    if (mine.signal.aborted) return;
    for (const part of PARTS) {
      const [old, fresh] = [document.getElementById(part), page.getElementById(part)];
      if (old && fresh) morph(old, fresh);
    }
    const draft = document.getElementById("preflight")?.dataset.draft;
    if (draft) history.replaceState(null, "", draft);
  };

  form.addEventListener("input", () => {
    giveUp();
    say(true);
    timers = [setTimeout(ask, SOON, "preflight"), setTimeout(ask, PAUSE, "rehearse")];
  });
  form.addEventListener("submit", async (event) => {
    const { submitter } = event;
    giveUp();
    if (failed !== "offline") return;
    // The browser would leave the page for one that says that nothing answers.
    event.preventDefault();
    await ask("preflight");
    if (failed !== "offline") form.requestSubmit(submitter);
  });
  document.addEventListener("click", (event) => event.target.closest?.("[data-retry]") && ask("preflight"));
  addEventListener("online", () => failed && ask("preflight"));
  addEventListener("beforeunload", (event) => failed === "offline" && event.preventDefault());
  addEventListener("pagehide", () => {
    // What was typed last isn't saved yet.
    if (timers.length > 0) navigator.sendBeacon(form.dataset.preflight, fields("preflight"));
  });
}
