// What runs in the browser besides the live part: copying, the size of graphs, and asking what would happen while one types. Pages work without it.

/** How long a button says that it copied, in milliseconds. */
const SAID = 2000;
/** How long nothing is typed before it is asked, in milliseconds. */
const SOON = 300;
/** How long nothing is typed before the plane is asked too, in milliseconds. */
const PAUSE = 1500;
/** How much larger or smaller a graph becomes at once, and how large and small it may be. */
const [STEP, LARGEST, SMALLEST] = [1.25, 4, 0.1];
/** What stands around a graph in its frame, both sides together, in pixels. */
const FRAME = 26;
/** How far a pointer moves before it drags, in pixels. */
const DRAG = 4;
/** The parts of a page with a form that follow what is typed. */
const PARTS = ["problems", "fields", "preflight", "sprite"];

/** Shows the copy buttons of the page, now and after its regions were swapped, and makes them work: nothing else reaches the clipboard. */
export function copying() {
  // Without the attribute the style sheet hides them.
  document.documentElement.setAttribute("data-scripted", "");
  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("[data-copy]");
    const text = button && document.getElementById(button.dataset.copy)?.textContent;
    if (text === null || text === undefined) return;
    const name = button.dataset.name ?? (button.dataset.name = button.getAttribute("aria-label"));
    const copied = await navigator.clipboard.writeText(text).then(() => true, () => false);
    // A changed name of the focused button is read out.
    button.dataset.copied = copied ? "done" : "failed";
    button.setAttribute("aria-label", copied ? "Copied" : "The browser did not allow copying");
    setTimeout(() => {
      delete button.dataset.copied;
      button.setAttribute("aria-label", name);
    }, SAID);
  });
}

/**
 * Makes graphs larger and smaller by their buttons, by `+`, `-` and `0`, and by a wheel with Control; a mouse drags them. Everything else is
 * scrolling, which works by keys and touch without this. Size and place stay when the page swaps its regions.
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
    // What was under the middle, or under the pointer, stays there.
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
    // The click that follows reads it first.
    setTimeout(() => (drag = undefined));
  });
  // Dragging by a box is not following its link, and a link is not dragged out of the page.
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
 * Beside a form: what would happen with what was typed, asked again while one types. The fields follow as well, because hints, locks and
 * prices of one hang on others. Typing is never held up: what was asked is given up as soon as something else is typed, so an answer is
 * always about what stands in the form. The button "Check" does the same without all this.
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
      // Given up, or not answered: the page stays as it is, and the next key asks again.
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
 * Makes `old` say what `fresh` says. What has the focus stays as it is, with everything around it that leads to it: moving that would lose
 * the focus. The rest is replaced; open details stay open.
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

/** The child of `fresh` that stands for the child `mine` of `old`. */
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
