// Keeps the page up to date: an event signals a change, the page is fetched again, and the parts marked as live are
// updated. Everything works without this file.
(() => {
  "use strict";

  // After a login the pages' paths begin with a key. It is stored for this origin only (host and port), so that the
  // address without it leads to the pages again as long as the login lasts.
  const root = document.documentElement.dataset.root;
  const rootName = "causeway-root";
  const findLogin = async () => {
    if (root) localStorage.setItem(rootName, root);
    const known = document.getElementById("token") && localStorage.getItem(rootName);
    if (!known) return;
    const response = await fetch(`${known}/`, { method: "HEAD", cache: "no-store", redirect: "manual" });
    if (response.ok) location.replace(`${known}/`);
    else localStorage.removeItem(rootName);
  };
  // A browser may have storage disabled; then only the address with the key leads there.
  findLogin().catch(() => {});

  const quietMs = 1000; // between two fetches
  const oldMs = 20000; // ages increase even when nothing else changes
  const silenceMs = 30000; // the page sends a keep-alive every ten seconds
  const againMs = 5000; // until a refused stream is requested again

  // The state of the page: one word, the first of these that applies.

  const pulse = document.querySelector(".pulse");
  let isPaused = false;
  let problem = ""; // of the last fetch
  let stream = ["", ""]; // text and colour of the last event

  const say = (text, state) => {
    if (!pulse || pulse.textContent === text) return;
    pulse.textContent = text;
    pulse.classList.toggle("up", state === "up");
    pulse.classList.toggle("down", state === "down");
  };

  const show = () => {
    if (isPaused) say("Paused", "");
    else if (isWanted && isSelecting()) say("Paused while text is selected", "");
    else if (problem) say(problem, "down");
    else say(...stream);
  };

  // An interaction of the user must not be interrupted.

  const isSelecting = () => {
    const selection = document.getSelection();
    return selection && !selection.isCollapsed && document.querySelector("main").contains(selection.anchorNode);
  };

  // Keyed by the box's id; kept outside the parts, so that it survives an outage, when there is no list at all.
  const ticked = new Set();
  const boxes = () => [...document.querySelectorAll("main input[type=checkbox][id]")];
  const noteTicks = () => {
    for (const box of boxes()) box.checked ? ticked.add(box.id) : ticked.delete(box.id);
  };
  const giveTicksBack = () => {
    const there = boxes();
    for (const box of there) box.checked = ticked.has(box.id);
    const all = document.getElementById("all");
    if (all?.checked) all.checked = there.every((box) => box.checked);
    if (!document.getElementById("rows")) return;
    const known = new Set(there.map((box) => box.id));
    for (const id of ticked) if (!known.has(id)) ticked.delete(id);
  };

  // The position of an element: its nearest ancestor with an id, and the path from there.
  const placeOf = (element) => {
    const way = [];
    let at = element;
    // The attribute: a form's property `id` may be a field of this name in it.
    while (at && !at.getAttribute("id")) {
      if (!at.parentElement) return null;
      way.unshift([...at.parentElement.children].indexOf(at));
      at = at.parentElement;
    }
    return at && { id: at.getAttribute("id"), way, name: element.localName };
  };
  const elementAt = (place) => {
    let at = document.getElementById(place.id);
    for (const step of place.way) at = at?.children[step];
    return at?.localName === place.name ? at : null;
  };

  const keepState = (part) => ({
    active: document.activeElement,
    focus: part.contains(document.activeElement) ? placeOf(document.activeElement) : null,
    scrolled: [...part.querySelectorAll(".scroll, .body")]
      .filter((box) => box.scrollLeft || box.scrollTop)
      .map((box) => [placeOf(box), box.scrollLeft, box.scrollTop]),
  });

  const giveBack = (state) => {
    for (const [place, left, top] of state.scrolled) {
      const box = place && elementAt(place);
      if (box) Object.assign(box, { scrollLeft: left, scrollTop: top });
    }
    if (state.focus && document.activeElement !== state.active) elementAt(state.focus)?.focus({ preventScroll: true });
  };

  // Only differences are applied: an element with an id stays the same element as long as the page has one of that id,
  // and so does one without an id at its position. Elements under the pointer, or held by a test, are preserved.

  const idOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? node.getAttribute("id") : null);
  const isSameKind = (old, young) =>
    old.nodeName === young.nodeName && idOf(old) === idOf(young);

  const mergeAttributes = (old, young) => {
    for (const { name } of [...old.attributes]) if (!young.hasAttribute(name)) old.removeAttribute(name);
    for (const { name, value } of young.attributes) {
      if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    }
  };

  // The child at or after `at` that becomes `young`; one without an id is not searched for past one that has an id.
  const counterpart = (young, at, known) => {
    const id = idOf(young);
    if (id) return known.has(id) && isSameKind(known.get(id), young) ? known.get(id) : null;
    for (let each = at; each && !idOf(each); each = each.nextSibling) {
      if (isSameKind(each, young)) return each;
      if (young.nodeType !== Node.ELEMENT_NODE) return null;
    }
    return null;
  };

  const merge = (old, young) => {
    if (old.isEqualNode(young)) return;
    if (old.nodeType !== Node.ELEMENT_NODE) {
      old.nodeValue = young.nodeValue;
      return;
    }
    mergeAttributes(old, young);
    const wanted = [...young.childNodes];
    const ids = new Set(wanted.map(idOf));
    const known = new Map();
    for (const child of [...old.children]) {
      const id = idOf(child);
      if (id && ids.has(id)) known.set(id, child);
      else if (id) child.remove();
    }
    let at = old.firstChild;
    const drop = () => { const gone = at; at = at.nextSibling; gone.remove(); };
    for (const each of wanted) {
      const found = counterpart(each, at, known);
      if (!found) {
        old.insertBefore(each, at);
        continue;
      }
      // Elements in between without an id are removed, so that kept ones need not move and lose the focus.
      while (at && at !== found && !idOf(at)) drop();
      if (at === found) at = at.nextSibling;
      else old.insertBefore(found, at);
      merge(found, each);
    }
    while (at) drop();
  };

  // The text of a row, without its times, which change by themselves.
  const wordsOf = (row) => {
    const copy = row.cloneNode(true);
    for (const time of copy.querySelectorAll("time")) time.remove();
    return copy.textContent;
  };

  const mergePart = (old, young) => {
    for (const row of old.querySelectorAll("tr.fresh")) row.removeAttribute("class");
    if (old.isEqualNode(young)) return;
    const state = keepState(old);
    const known = new Map([...old.querySelectorAll("tr[id]")].map((row) => [row.id, wordsOf(row)]));
    merge(old, young);
    for (const row of old.querySelectorAll("tr[id]")) {
      if (known.size && known.get(row.id) !== wordsOf(row)) row.classList.add("fresh");
    }
    giveTicksBack();
    giveBack(state);
  };

  // Screen readers announce inserted alerts: this element is outside the updated parts.
  const herald = document.createElement("p");
  herald.className = "hidden";
  herald.setAttribute("role", "status");
  const alerts = () => [...document.querySelectorAll("main [data-live] .note, main .note[data-live]")]
    .map((note) => note.innerText.trim());

  const exchange = (fresh) => {
    const parts = [...document.querySelectorAll("[data-live]")];
    const same = parts.every((part) => fresh.getElementById(part.id));
    const news = [...fresh.querySelectorAll("[data-live]")].every((part) => document.getElementById(part.id));
    const pairs = same && news
      ? parts.map((part) => [part, fresh.getElementById(part.id)])
      : ["main", ".top nav"].map((name) => [document.querySelector(name), fresh.querySelector(name)]);
    pairs.push([document.querySelector(".foot"), fresh.querySelector(".foot")]);
    const told = new Set(alerts());
    document.title = fresh.title;
    enhance(fresh);
    for (const [old, young] of pairs) if (old && young) mergePart(old, young);
    const untold = alerts().filter((text) => !told.has(text));
    if (untold.length) herald.textContent = untold.join(" ");
  };

  // Fetching

  let timer = 0;
  let isFetching = false;
  let isWanted = false;
  let lastFetch = Date.now();

  const fetchPage = async () => {
    if (isFetching || isPaused || isSelecting() || document.hidden) {
      isWanted = true;
      show();
      return;
    }
    isFetching = true;
    isWanted = false;
    lastFetch = Date.now();
    try {
      const response = await fetch(location.href, { cache: "no-store", redirect: "manual" });
      if (response.type === "opaqueredirect" || response.status === 401) {
        // The login has ended: the whole page is requested, which leads to the form.
        location.reload();
      } else if (response.ok || response.status === 503 || response.status === 404) {
        const text = await response.text();
        if (isSelecting() || isPaused) isWanted = true;
        else exchange(new DOMParser().parseFromString(text, "text/html"));
        problem = "";
      } else {
        problem = `Not up to date: the page returned status ${response.status}`;
      }
    } catch {
      problem = "The status page does not respond";
    } finally {
      isFetching = false;
      show();
    }
  };

  const want = () => {
    isWanted = true;
    show();
    if (timer) return;
    timer = setTimeout(() => { timer = 0; if (isWanted) fetchPage(); }, Math.max(0, lastFetch + quietMs - Date.now()));
  };

  // A box that selects all boxes; without a script there is none, because it would have no effect.
  const enhance = (page) => {
    for (const head of page.querySelectorAll("th[data-all]")) {
      const box = document.createElement("input");
      box.type = "checkbox";
      box.id = "all";
      box.setAttribute("aria-label", head.dataset.all);
      head.replaceChildren(box);
    }
  };

  document.addEventListener("change", (event) => {
    if (event.target.id === "all") {
      for (const each of document.querySelectorAll("tbody input[type=checkbox]")) each.checked = event.target.checked;
    }
    noteTicks();
  });

  enhance(document);
  if (!document.querySelector("[data-live]")) return;

  noteTicks();
  document.body.append(herald);

  const pause = document.createElement("button");
  pause.id = "pause";
  pause.className = "slim";
  pause.textContent = "Pause updates";
  pause.setAttribute("aria-pressed", "false");
  pause.addEventListener("click", () => {
    isPaused = !isPaused;
    pause.setAttribute("aria-pressed", String(isPaused));
    isPaused ? show() : want();
  });
  pulse?.after(pause);

  // The events. A browser has six connections for a host and each stream takes one permanently: so only one of the
  // visible tabs has the stream, and notifies the others.

  const tabs = new BroadcastChannel("causeway-events");
  let heardAt = Date.now();
  let events = null;
  let lastNews = "";

  const hear = (news) => {
    heardAt = Date.now();
    stream = {
      up: ["Live", "up"], down: ["The daemon does not respond", "down"], lost: ["Reconnecting", "down"],
      busy: ["Updated periodically: too many subscribers of the daemon", ""],
    }[news] ?? stream;
    news === "lost" ? show() : want();
  };

  const tell = (news) => {
    lastNews = news;
    tabs.postMessage(news);
    hear(news);
  };

  const openStream = () => {
    events = new EventSource(root + "/events");
    for (const news of ["up", "down", "busy"]) events.addEventListener(news, () => tell(news));
    events.addEventListener("error", (event) => {
      tell("lost");
      // The browser reconnects by itself, unless the page refused: too many streams, or the login has ended.
      if (event.target.readyState !== EventSource.CLOSED) return;
      want();
      setTimeout(() => { if (events === event.target) openStream(); }, againMs);
    });
  };

  const closeStream = () => {
    events?.close();
    events = null;
  };

  let giveUp = null; // stops holding the stream, or waiting for it
  const join = () => {
    if (giveUp || document.hidden) return;
    const asking = new AbortController();
    const isOver = new Promise((resolve) => asking.signal.addEventListener("abort", resolve));
    giveUp = () => { giveUp = null; asking.abort(); closeStream(); };
    tabs.postMessage("ask");
    navigator.locks.request("causeway-events", { signal: asking.signal }, () => { openStream(); return isOver; })
      .catch(() => {});
  };

  tabs.addEventListener("message", (message) => {
    if (message.data !== "ask") hear(message.data);
    else if (events && lastNews) tabs.postMessage(lastNews);
  });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      giveUp?.();
      return;
    }
    heardAt = Date.now();
    join();
    if (isWanted) want();
  });
  document.addEventListener("selectionchange", () => { if (isWanted && !isSelecting()) want(); });
  setInterval(() => {
    if (Date.now() - heardAt > silenceMs && stream[0]) {
      stream = ["Reconnecting", "down"];
      heardAt = Date.now();
      if (events) { closeStream(); openStream(); }
    }
    if (isWanted || Date.now() - lastFetch > oldMs) want();
  }, quietMs * 2);
  join();
})();
