// Table of all actions with the number of times each was taken; sortable and filterable.

function showActions(host, actions, texts, leftOut) {
  const SHOWN = 100;
  let [column, falling, filter, most] = [2, true, "", SHOWN];
  const top = Math.max(1, ...actions.map(([, , fired]) => fired));
  const body = el("tbody", {});
  const status = el("p", { class: "note", "aria-live": "polite" });
  const more = el(
    "button",
    {
      type: "button",
      onclick: () => {
        most += 10 * SHOWN;
        draw();
      },
    },
    "Show more",
  );
  const heads = [
    ["number", 0],
    ["action", 1],
    ["taken", 2],
  ].map(([words, number]) =>
    el(
      "th",
      { scope: "col" },
      el(
        "button",
        {
          type: "button",
          onclick: () => {
            [column, falling] = [number, column === number ? !falling : number === 2];
            draw();
          },
        },
        words,
      ),
    ),
  );
  const table = el(
    "table",
    { class: "actions" },
    el("caption", { class: "quiet" }, "Actions by number of times taken"),
    el("thead", {}, el("tr", {}, ...heads)),
    body,
  );
  const box = el("input", {
    type: "search",
    placeholder: "Filter by name",
    "aria-label": "Filter actions by name",
    oninput: () => {
      filter = box.value.toLowerCase();
      most = SHOWN;
      draw();
    },
  });
  host.append(el("div", { class: "tools" }, box), el("div", { class: "scroll" }, table), status, more);

  function draw() {
    const key = column === 1 ? ([, name]) => texts[name] : (action) => action[column];
    const compare = (a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a[0] - b[0]);
    const found = actions.filter(([, name]) => texts[name].toLowerCase().includes(filter));
    found.sort((a, b) => (falling ? compare(b, a) : compare(a, b)));
    heads.forEach((head, number) =>
      head.setAttribute("aria-sort", number !== column ? "none" : falling ? "descending" : "ascending"),
    );
    body.replaceChildren(...found.slice(0, most).map(row));
    const all =
      found.length === actions.length
        ? plural(actions.length, "action", "actions")
        : `${count(found.length)} of ${plural(actions.length, "action", "actions")}`;
    const rest = leftOut ? `; ${count(leftOut)} less frequent ones are in the run record` : "";
    status.textContent = all + (found.length > most ? `, the first ${count(most)} shown` : "") + rest;
    more.hidden = found.length <= most;
  }
  function row([number, name, fired]) {
    const bar = svg(
      "svg",
      { class: "bar", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("rect", { x: 0, y: 0, width: Math.max(fired ? 0.5 : 0, (100 * fired) / top), height: 8 }),
    );
    return el(
      "tr",
      { class: fired ? null : "never" },
      el("td", {}, String(number)),
      el("th", { scope: "row" }, el("code", { class: "name" }, texts[name])),
      el(
        "td",
        {},
        el("div", { class: "taken" }, el("span", { class: "number" }, fired ? count(fired) : "never"), bar),
      ),
    );
  }
  draw();
}
