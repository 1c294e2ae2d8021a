// The animated sweep over the drawing of the state space: play, pause, step forward, step back.

function showSweep(host, picture, space) {
  const sweep = new Sweep(space);
  const { moments } = sweep;
  if (!moments.length) return;
  const nodes = new Map();
  for (const node of picture.querySelectorAll("[data-state]")) {
    const radius = Number(node.querySelector(".body").getAttribute("r"));
    const wide = radius * 1.35;
    node.prepend(
      svg("rect", { class: "keep", x: -wide, y: -wide, width: 2 * wide, height: 2 * wide, rx: 2 }),
    );
    node.append(
      svg("path", { class: "gone", d: `M${-radius * 0.8},${radius * 0.8}L${radius * 0.8},${-radius * 0.8}` }),
    );
    nodes.set(Number(node.dataset.state), node);
  }
  const edges = new Map();
  for (const edge of picture.querySelectorAll("[data-from]")) {
    const from = Number(edge.dataset.from);
    if (!edges.has(from)) edges.set(from, []);
    edges.get(from).push(edge);
  }

  let at = -1,
    timer = null,
    pace = 500;
  const words = el("p", { class: "moment" });
  const counter = el("p", { class: "counter" });
  const play = el(
    "button",
    { type: "button", class: "play", onclick: () => (timer ? pause() : start()) },
    "▶ Play",
  );
  const button = (text, label, act) =>
    el(
      "button",
      {
        type: "button",
        "aria-label": label,
        onclick: () => {
          pause();
          act();
        },
      },
      text,
    );
  const slider = el("input", {
    type: "range",
    min: -1,
    max: moments.length - 1,
    value: -1,
    "aria-label": "Moment of the sweep",
    oninput: () => {
      pause();
      go(Number(slider.value));
    },
  });
  const speeds = [
    ["1000", "slow"],
    ["500", "normal"],
    ["120", "fast"],
    ["20", "very fast"],
  ];
  const speed = el(
    "select",
    {
      "aria-label": "Speed",
      onchange: () => {
        pace = Number(speed.value);
        if (timer) {
          pause();
          start();
        }
      },
    },
    ...speeds.map(([value, name]) => el("option", { value, selected: value === "500" }, name)),
  );
  host.append(
    el(
      "div",
      { class: "tools sweep-tools", role: "group", "aria-label": "The sweep, step by step" },
      button("«", "Back to the start", () => go(-1)),
      button("◀ Back", "Step back", () => go(at - 1)),
      play,
      button("Step ▶", "Step forward", () => go(at + 1)),
      button("Layer »", "Go to the next layer", () => go(nextLayer())),
      speed,
    ),
    slider,
    counter,
    words,
    statusLegend(),
  );
  if (sweep.cut)
    host.append(el("p", { class: "note" }, `Only the first ${count(moments.length)} moments are shown.`));

  function change(moment, forward) {
    const list = forward ? moment.changes : moment.changes.slice().reverse();
    for (const [state, before, after] of list) {
      const node = nodes.get(state);
      if (node) node.setAttribute("data-status", STATUS_NAMES[forward ? after : before]);
    }
  }
  function highlight(on) {
    const state = at >= 0 ? moments[at].state : null;
    if (state === null) return;
    const node = nodes.get(state);
    if (node) node.classList.toggle("now", on);
    for (const edge of edges.get(state) || []) edge.classList.toggle("now", on);
  }
  function go(to) {
    const target = Math.max(-1, Math.min(moments.length - 1, to));
    highlight(false);
    while (at < target) change(moments[++at], true);
    while (at > target) change(moments[at--], false);
    highlight(true);
    follow();
    tell();
  }
  // Keeps the expanded state visible, without scrolling the page.
  function follow() {
    const [changed] = at >= 0 ? moments[at].changes : [];
    const node = at >= 0 ? nodes.get(moments[at].state ?? (changed && changed[0])) : null;
    if (!node) return;
    const frame = picture.parentElement;
    const [place, view] = [node.getBoundingClientRect(), frame.getBoundingClientRect()];
    if (place.top < view.top + 20 || place.bottom > view.bottom - 60)
      frame.scrollTop += place.top - view.top - view.height / 3;
    if (place.left < view.left || place.right > view.right)
      frame.scrollLeft += place.left - view.left - view.width / 2;
  }
  function tell() {
    slider.value = String(at);
    const moment = at >= 0 ? moments[at] : { stored: 0, met: 0, most: 0 };
    counter.replaceChildren(
      "Stored now ",
      el("strong", { class: "stored" }, count(moment.stored)),
      " / visited so far ",
      el("strong", { class: "met" }, count(moment.met)),
      el("span", {}, ` · peak ${count(moment.most)}`),
    );
    if (at < 0) words.textContent = `Before the first sweep. ${count(moments.length)} moments follow.`;
    else {
      const place = moment.layer === null ? "" : `, progress ${cut(space.progress[moment.layer], 40)}`;
      const end =
        at === moments.length - 1 && !sweep.cut
          ? ` All ${count(moment.met)} states are visited; no sweep finds more.`
          : "";
      words.textContent = `Sweep ${count(moment.sweep)}${place}: ${moment.words}.${end}`;
    }
    const live = timer ? "off" : "polite";
    words.setAttribute("aria-live", live);
  }
  function nextLayer() {
    let to = at + 1;
    while (to < moments.length - 1 && !moments[to].isEntry) to++;
    return to;
  }
  function pause() {
    if (timer) clearInterval(timer);
    timer = null;
    play.textContent = "▶ Play";
  }
  // With reduced motion, the animation advances one layer at a time, slowly.
  function start() {
    if (at >= moments.length - 1) go(-1);
    play.textContent = "Pause";
    const still = wantsStillness();
    timer = setInterval(
      () => {
        go(still ? nextLayer() : at + 1);
        if (at >= moments.length - 1) pause();
      },
      still ? 1500 : pace,
    );
  }
  picture.classList.add("swept");
  for (const node of nodes.values()) node.setAttribute("data-status", "unknown");
  tell();
}

function statusLegend() {
  const entries = [
    ["unknown", "unknown"],
    ["future", "stored, future"],
    ["current", "current layer"],
    ["forgotten", "dropped"],
    ["persistent", "persistent"],
  ];
  const items = entries.map(([status, words]) => {
    const node = svg(
      "g",
      { class: "state", "data-status": status, transform: "translate(13,13)" },
      svg("rect", { class: "keep", x: -10, y: -10, width: 20, height: 20, rx: 2 }),
      svg("circle", { class: "body", r: 7 }),
      svg("path", { class: "gone", d: "M-6,6L6,-6" }),
    );
    return el(
      "li",
      {},
      svg("svg", { class: "space-drawing swept swatch", width: 26, height: 26, "aria-hidden": "true" }, node),
      words,
    );
  });
  return el("ul", { class: "legend" }, ...items);
}
