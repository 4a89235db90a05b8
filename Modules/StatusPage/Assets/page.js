// Keeps the page up to date: an event says that something changed, the page is fetched again, and the parts that are
// marked as live are exchanged. Everything works without this file.
(() => {
  "use strict";

  const quietMs = 1000; // between two fetches
  const oldMs = 20000; // ages go on even when nothing else changes
  const pulse = document.querySelector(".pulse");
  let timer = 0;
  let isFetching = false;
  let isWanted = false;
  let lastFetch = Date.now();

  const say = (text, state) => {
    if (!pulse || pulse.textContent === text) return;
    pulse.textContent = text;
    pulse.classList.toggle("up", state === "up");
    pulse.classList.toggle("down", state === "down");
  };

  // What a person is doing must not be taken away.
  const isBusy = () => {
    const selection = document.getSelection();
    return selection && !selection.isCollapsed && document.querySelector("main").contains(selection.anchorNode);
  };

  const keepState = (part) => ({
    checked: new Set([...part.querySelectorAll("input[type=checkbox]:checked")].map((box) => box.value)),
    open: new Set([...part.querySelectorAll("details[open]")].map((box) => box.id)),
    focus: part.contains(document.activeElement) ? document.activeElement.id : "",
  });

  const giveBack = (part, state) => {
    for (const box of part.querySelectorAll("input[type=checkbox]")) box.checked = state.checked.has(box.value);
    for (const box of part.querySelectorAll("details")) if (state.open.has(box.id)) box.open = true;
    if (state.focus) document.getElementById(state.focus)?.focus({ preventScroll: true });
  };

  const exchange = (fresh) => {
    const parts = [...document.querySelectorAll("[data-live]")];
    const same = parts.every((part) => fresh.getElementById(part.id));
    const news = [...fresh.querySelectorAll("[data-live]")].every((part) => document.getElementById(part.id));
    const pairs = same && news
      ? parts.map((part) => [part, fresh.getElementById(part.id)])
      : [[document.querySelector("main"), fresh.querySelector("main")],
         [document.querySelector(".top nav"), fresh.querySelector(".top nav")]];
    for (const [old, young] of pairs) {
      if (!old || !young || old.innerHTML === young.innerHTML) continue;
      const state = keepState(old);
      const known = new Set([...old.querySelectorAll("tr[id]")].map((row) => row.id + row.innerText));
      old.replaceChildren(...young.childNodes);
      for (const row of old.querySelectorAll("tr[id]")) {
        if (known.size && !known.has(row.id + row.innerText)) row.classList.add("fresh");
      }
      giveBack(old, state);
    }
    enhance();
  };

  const fetchPage = async () => {
    if (isFetching || isBusy() || document.hidden) {
      isWanted = true;
      return;
    }
    isFetching = true;
    isWanted = false;
    lastFetch = Date.now();
    try {
      const answer = await fetch(location.href, { cache: "no-store", redirect: "error" });
      if (answer.ok || answer.status === 503 || answer.status === 404) {
        exchange(new DOMParser().parseFromString(await answer.text(), "text/html"));
      } else if (answer.status === 401) {
        location.reload();
      }
    } catch {
      say("The status page does not answer", "down");
    } finally {
      isFetching = false;
    }
  };

  const want = () => {
    isWanted = true;
    if (timer) return;
    timer = setTimeout(() => { timer = 0; if (isWanted) fetchPage(); }, Math.max(0, lastFetch + quietMs - Date.now()));
  };

  // A box that ticks all boxes; without a script there is none, because it could do nothing.
  const enhance = () => {
    for (const head of document.querySelectorAll("th[data-all]")) {
      if (head.querySelector("input")) continue;
      const box = document.createElement("input");
      box.type = "checkbox";
      box.id = "all";
      box.setAttribute("aria-label", head.dataset.all);
      box.addEventListener("change", () => {
        for (const each of document.querySelectorAll("tbody input[type=checkbox]")) each.checked = box.checked;
      });
      head.replaceChildren(box);
    }
  };

  enhance();
  if (!document.querySelector("[data-live]")) return;

  const events = new EventSource("/events");
  events.addEventListener("up", () => { say("Live", "up"); want(); });
  events.addEventListener("down", () => { say("The daemon does not answer", "down"); want(); });
  events.addEventListener("error", () => { say("Connecting again", "down"); });
  document.addEventListener("visibilitychange", () => { if (!document.hidden && isWanted) want(); });
  setInterval(() => { if (isWanted || Date.now() - lastFetch > oldMs) want(); }, quietMs * 2);
})();
