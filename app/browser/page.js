// Scripts besides the live part: copying, zooming graphs, and the preflight while the user types. Pages work without them.

/** How long a button shows that it copied, in milliseconds. */
const SAID = 2000;
/** Pause in typing before the preflight runs, in milliseconds. */
const SOON = 300;
/** Pause in typing before the preflight also asks the plane, in milliseconds. */
const PAUSE = 1500;
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
  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("[data-copy]");
    const text = button && document.getElementById(button.dataset.copy)?.textContent;
    if (text === null || text === undefined) return;
    const name = button.dataset.name ?? (button.dataset.name = button.getAttribute("aria-label"));
    const copied = await navigator.clipboard.writeText(text).then(() => true, () => false);
    // Screen readers announce a changed name of the focused button.
    button.dataset.copied = copied ? "done" : "failed";
    button.setAttribute("aria-label", copied ? "Copied" : "The browser did not allow copying");
    setTimeout(() => {
      delete button.dataset.copied;
      button.setAttribute("aria-label", name);
    }, SAID);
  });
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
 * the form. The button "Check" does the same without this script.
 */
export function typing() {
  copying();
  const form = document.getElementById("request");
  if (!form?.dataset.preflight) return;
  let timers = [];
  let asked;

  const giveUp = () => {
    timers.forEach(clearTimeout);
    asked?.abort();
  };
  const say = (asking) => document.querySelector("#preflight .typing")?.toggleAttribute("hidden", !asking);
  const ask = async (operation) => {
    asked?.abort();
    const mine = (asked = new AbortController());
    const body = new URLSearchParams(new FormData(form));
    body.set("_op", operation);
    try {
      const answer = await fetch(form.dataset.preflight, { method: "POST", body, signal: mine.signal });
      if (answer.ok && !answer.redirected) show(new DOMParser().parseFromString(await answer.text(), "text/html"), mine);
    } catch {
      // Aborted or failed: the page stays as it is, and the next key press tries again.
    }
    if (!mine.signal.aborted) say(false);
  };
  const show = (page, mine) => {
    if (mine.signal.aborted) return;
    for (const part of PARTS) {
      const [old, fresh] = [document.getElementById(part), page.getElementById(part)];
      if (old && fresh) swap(old, document.adoptNode(fresh), document.activeElement);
    }
  };

  form.addEventListener("input", () => {
    giveUp();
    say(true);
    timers = [setTimeout(ask, SOON, "preflight"), setTimeout(ask, PAUSE, "rehearse")];
  });
  form.addEventListener("submit", giveUp);
}

/**
 * Replaces the content of `old` with that of `fresh`. The focused element and its ancestors stay as they are: moving them would lose the
 * focus. The rest is replaced; open details stay open.
 */
function swap(old, fresh, focused) {
  if (old.isEqualNode(fresh)) return;
  if (!old.contains(focused)) {
    keepOpen(old, fresh);
    old.replaceWith(fresh);
    return;
  }
  const mine = [...old.children].find((child) => child.contains(focused));
  const theirs = mine && counterpart(old, mine, fresh);
  if (!theirs) return;
  old.toggleAttribute("data-invalid", fresh.hasAttribute("data-invalid"));
  const before = [...fresh.childNodes];
  const place = before.indexOf(theirs);
  const open = [...old.querySelectorAll("details")].filter((one) => one.open).map((one) => one.querySelector("summary")?.textContent);
  for (const node of [...old.childNodes]) if (node !== mine) node.remove();
  mine.before(...before.slice(0, place));
  mine.after(...before.slice(place + 1));
  for (const one of old.querySelectorAll("details")) if (open.includes(one.querySelector("summary")?.textContent)) one.open = true;
  swap(mine, theirs, focused);
}

/** Returns the child of `fresh` that corresponds to the child `mine` of `old`. */
function counterpart(old, mine, fresh) {
  const key = (element) => element.id || element.dataset.key || `${element.tagName}.${element.className}`;
  const same = (parent) => [...parent.children].filter((child) => key(child) === key(mine));
  return same(fresh)[same(old).indexOf(mine)];
}

function keepOpen(old, fresh) {
  const now = fresh.querySelectorAll("details");
  old.querySelectorAll("details").forEach((one, index) => {
    if (one.open && now[index]) now[index].open = true;
  });
}
