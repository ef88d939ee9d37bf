// Changes a part of the page into how it looks now, and keeps every element that is in both: what has the focus, what is typed, what is
// open, and what screen readers announce, which say nothing about a region that is replaced.

/** What is replaced as a whole, because its size and place are the user's. */
const WHOLE = ".graph";

/** Makes `old` look like `fresh`, which is from another document. */
export function morph(old, fresh) {
  // An island changes itself.
  if (old.localName === "leptos-island" || old.isEqualNode(fresh)) return;
  if (old.nodeType !== Node.ELEMENT_NODE) old.data = fresh.data;
  else if (old.matches(WHOLE)) replace(old, fresh);
  else {
    attributes(old, fresh);
    if (old.localName === "textarea") text(old, fresh);
    else children(old, fresh);
  }
}

/** Takes over the attributes. What the user entered stays where the server says the same as before, or where the user still is. */
function attributes(old, fresh) {
  const changed = new Set();
  for (const { name, value } of fresh.attributes) {
    if (name === "open" || old.getAttribute(name) === value) continue;
    old.setAttribute(name, value);
    changed.add(name);
  }
  for (const { name } of [...old.attributes]) {
    if (name === "open" || fresh.hasAttribute(name)) continue;
    old.removeAttribute(name);
    changed.add(name);
  }
  if (old.contains(document.activeElement) || old.closest("select")?.contains(document.activeElement)) return;
  if (changed.has("value") && "value" in old) old.value = fresh.value;
  if (changed.has("checked")) old.checked = fresh.checked;
  if (changed.has("selected")) old.selected = fresh.selected;
}

function text(old, fresh) {
  if (old.defaultValue === fresh.defaultValue) return;
  old.defaultValue = fresh.defaultValue;
  if (old !== document.activeElement) old.value = fresh.value;
}

function children(old, fresh) {
  const keyed = new Map();
  for (const child of old.children) if (key(child) && !keyed.has(key(child))) keyed.set(key(child), child);
  let at = old.firstChild;
  for (const next of [...fresh.childNodes]) {
    const match = key(next) ? take(keyed, key(next), next) : alike(at, next);
    if (!match) {
      old.insertBefore(next, at);
      continue;
    }
    // Nothing that is left out stands before what stays, as long as the focus isn't in it: moving an element would lose it.
    while (at !== match && at && !holds(at) && !isKept(at, keyed)) at = drop(at);
    if (at === match) at = at.nextSibling;
    else moved(old, match, at);
    morph(match, next);
  }
  while (at) at = drop(at);
}

/**
 * The name of an element among its siblings; rows and list items are named by what they link to, filters by their labels: where they lead changes
 * with each choice.
 */
function key(node) {
  if (node.nodeType !== Node.ELEMENT_NODE) return "";
  const named = node.id || node.dataset.key || node.dataset.row || node.dataset.component || node.dataset.live;
  if (named || (node.localName !== "tr" && node.localName !== "li")) return named ?? "";
  const link = node.querySelector("a[href]");
  return (node.closest(".chips, .facets") ? link?.firstChild.textContent : link?.getAttribute("href")) ?? "";
}

function take(keyed, name, next) {
  const match = keyed.get(name);
  keyed.delete(name);
  return match?.nodeName === next.nodeName ? match : undefined;
}

/** The first of the following siblings without a name that is of the same kind; never beyond the focus. */
function alike(at, next) {
  const same = (node) => node.nodeName === next.nodeName && !key(node) && node.className === next.className;
  for (let node = at; node; node = node.nextSibling) {
    if (same(node)) return node;
    if (holds(node)) return undefined;
  }
}

function holds(node) {
  return node.contains(document.activeElement) && document.activeElement !== document.body;
}

function isKept(node, keyed) {
  return key(node) !== "" && keyed.get(key(node)) === node;
}

function drop(node) {
  const next = node.nextSibling;
  node.remove();
  return next;
}

/** Moves an element, and gives it the focus back. */
function moved(parent, element, before) {
  const focused = holds(element) && document.activeElement;
  parent.insertBefore(element, before);
  focused?.focus?.({ preventScroll: true });
}

/** Replaces a graph as zoomed and scrolled as before, and gives the focus to what is at the same place in it. */
function replace(old, fresh) {
  const focused = holds(old) && document.activeElement;
  const place = focused && [...old.querySelectorAll(focused.localName)].indexOf(focused);
  const { scrollLeft, scrollTop } = old;
  const [was, is] = [old, fresh].map((graph) => graph.querySelector("svg"));
  for (const side of ["width", "height"]) is.setAttribute(side, (is.viewBox.baseVal[side] * was.getAttribute(side)) / was.viewBox.baseVal[side]);
  old.replaceWith(fresh);
  Object.assign(fresh, { scrollLeft, scrollTop });
  if (focused) (focused === old ? fresh : fresh.querySelectorAll(focused.localName)[place])?.focus({ preventScroll: true });
}
