// A trace as a list of steps, one page at a time, with a cursor that the keyboard moves.

const STEPS_A_PAGE = 100;
const MOST_CHANGES = 40;
const MOST_VALUES = 1000;

const TRACE_KEYS = [
  ["↓ or j", "next step"],
  ["↑ or k", "previous step"],
  ["Page Down, Page Up", "ten steps"],
  ["Home, End", "initial state, last step"],
  ["l", "start of the loop"],
  ["w", "whole state"],
  ["/", "filter"],
  ["?", "this list"],
];

function showTraces(host, traces, texts) {
  const views = traces.map((data, number) => {
    const place = el("div", { class: "trace-body" });
    const details = el(
      "details",
      { class: "trace", id: "trace-" + (number + 1), open: number === 0 },
      el("summary", {}, el("h3", {}, data.heading)),
      place,
    );
    const build = () => {
      if (details.open && !place.firstChild) new TraceView(place, new Trace(data, texts), number + 1);
    };
    details.addEventListener("toggle", build);
    host.append(details);
    build();
    return details;
  });
  // A link to a trace opens it.
  const follow = () => {
    const wanted = views.find((details) => "#" + details.id === location.hash);
    if (!wanted) return;
    wanted.open = true;
    wanted.scrollIntoView();
  };
  window.addEventListener("hashchange", follow);
  follow();
}

class TraceView {
  constructor(host, trace, number) {
    this.trace = trace;
    this.number = number;
    this.word = "";
    this.whole = false;
    this.shown = trace.changing("");
    this.at = 0;
    this.list = el("div", {
      class: "steps",
      role: "listbox",
      tabindex: "0",
      "aria-label": "Steps of trace " + number,
    });
    this.state = el("div", { class: "whole", hidden: true });
    this.where = el("span", { class: "where" });
    this.filter = el("input", {
      type: "search",
      placeholder: "Filter by variable",
      "aria-label": "Filter by variable name",
      oninput: () => this.setFilter(this.filter.value),
    });
    this.wholeButton = el(
      "button",
      { type: "button", "aria-pressed": "false", onclick: () => this.toggleWhole() },
      "Whole state",
    );
    this.keys = el(
      "dl",
      { class: "keys", hidden: true },
      ...TRACE_KEYS.map(([key, words]) =>
        el("div", {}, el("dt", {}, el("kbd", {}, key)), el("dd", {}, words)),
      ),
    );
    this.keysButton = el(
      "button",
      { type: "button", "aria-expanded": "false", onclick: () => this.toggleKeys() },
      "Keys",
    );
    const move = (words, label, to) =>
      el("button", { type: "button", "aria-label": label, onclick: () => this.select(to()) }, words);
    const page = () => Math.floor(this.at / STEPS_A_PAGE);
    this.pager = el(
      "div",
      { class: "pager" },
      move("«", "First page", () => 0),
      move("◀", "Previous page", () => (page() - 1) * STEPS_A_PAGE),
      this.where,
      move("▶", "Next page", () => (page() + 1) * STEPS_A_PAGE),
      move("»", "Last step", () => this.shown.length - 1),
    );
    host.append(
      this.facts(),
      el("div", { class: "tools" }, this.filter, this.wholeButton, this.keysButton),
      this.keys,
      el("div", { class: "panes" }, this.list, this.state),
      this.pager,
    );
    this.list.addEventListener("click", (event) => {
      const row = event.target.closest("[data-at]");
      if (row) this.select(Number(row.dataset.at));
    });
    host.addEventListener("keydown", (event) => this.key(event));
    this.sequence = trace.hasMessages() ? new SequenceView(host, trace, (step) => this.showStep(step)) : null;
    if (trace.data.component) host.append(componentList(trace));
    this.draw();
  }

  facts() {
    const { data, length } = this.trace;
    const kinds = {
      finite: "A finite run",
      lasso: "A lasso: a run that ends in a loop",
      component: "A run into a terminal SCC, which no run leaves",
    };
    const words = [
      kinds[data.kind] || "A run",
      plural(length, "step", "steps"),
      data.replayed ? "replayed on the interpreter" : "not replayed",
    ];
    if (data.loop_start !== null)
      words.push(
        data.loop_start < length
          ? `the last ${plural(length - data.loop_start, "step repeats", "steps repeat")} forever`
          : "the last state repeats forever",
      );
    if (data.by_progress)
      words.push("fewest regress edges, then least progress, then fewest steps in its layer");
    return el("p", { class: "note" }, words.join(" · "));
  }

  setFilter(word) {
    const step = this.shown[this.at];
    this.word = word.trim();
    this.shown = this.trace.changing(this.word);
    const next = this.shown.findIndex((number) => number >= step);
    this.at = next < 0 ? this.shown.length - 1 : next;
    this.draw();
  }

  toggleWhole() {
    this.whole = !this.whole;
    this.wholeButton.setAttribute("aria-pressed", String(this.whole));
    this.state.hidden = !this.whole;
    this.drawState();
  }

  toggleKeys() {
    this.keys.hidden = !this.keys.hidden;
    this.keysButton.setAttribute("aria-expanded", String(!this.keys.hidden));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof HTMLInputElement) {
      if (event.key === "Escape" || event.key === "Enter") this.list.focus();
      return;
    }
    const onList = event.target === this.list;
    const last = this.shown.length - 1;
    const loop = this.trace.data.loop_start;
    const moves = { j: this.at + 1, k: this.at - 1 };
    // Keys with another meaning elsewhere move the cursor only if the list has the focus.
    if (onList)
      Object.assign(moves, {
        ArrowDown: this.at + 1,
        ArrowUp: this.at - 1,
        PageDown: this.at + 10,
        PageUp: this.at - 10,
        Home: 0,
        End: last,
      });
    if (loop !== null)
      moves.l = Math.max(
        0,
        this.shown.findIndex((number) => number > loop),
      );
    const acts = {
      w: () => this.toggleWhole(),
      "/": () => this.filter.focus(),
      "?": () => this.toggleKeys(),
    };
    if (moves[event.key] !== undefined) this.select(moves[event.key]);
    else if (acts[event.key]) acts[event.key]();
    else return;
    event.preventDefault();
  }

  showStep(step) {
    const place = this.shown.findIndex((number) => number >= step);
    this.select(place < 0 ? this.shown.length - 1 : place);
  }

  select(place) {
    const before = Math.floor(this.at / STEPS_A_PAGE);
    this.at = Math.max(0, Math.min(this.shown.length - 1, place));
    if (Math.floor(this.at / STEPS_A_PAGE) !== before) this.draw();
    else this.mark();
  }

  draw() {
    const start = Math.floor(this.at / STEPS_A_PAGE) * STEPS_A_PAGE;
    const page = this.shown.slice(start, start + STEPS_A_PAGE);
    const wanted = this.word ? this.trace.namesWith(this.word) : null;
    this.list.replaceChildren(...page.map((number, i) => this.row(number, start + i, wanted)));
    const steps = this.word
      ? `, ${count(this.shown.length - 1)} of ${count(this.trace.length)} steps change it`
      : "";
    for (const button of this.pager.querySelectorAll("button"))
      button.hidden = this.shown.length <= STEPS_A_PAGE;
    const [first, last] = [page[0], page[page.length - 1]].map(count);
    this.where.textContent = `Steps ${first} to ${last} of ${count(this.trace.length)}${steps}`;
    this.mark();
  }

  row(number, place, wanted) {
    const { texts, data } = this.trace;
    const step = number ? data.steps[number - 1] : null;
    const cells = [el("span", { class: "number" }, String(number))];
    const loop = this.trace.isInLoop(number);
    if (loop) cells.push(el("span", { class: "loop-sign", title: "in the loop" }, "↻"));
    const what = el("div", { class: "what" });
    if (loop && number === data.loop_start + 1)
      what.append(el("span", { class: "loop-note" }, "↻ loop starts here"));
    what.append(el("span", { class: "action" }, step ? texts[step.a] : "initial state"));
    if (step) what.append(this.changes(step, wanted));
    if (number === data.steps.length && data.loop_start !== null) {
      what.append(
        el(
          "span",
          { class: "loop-note" },
          loop ? `↻ back to step ${count(data.loop_start + 1)}` : "↻ this state repeats forever",
        ),
      );
    }
    cells.push(what);
    return el(
      "div",
      {
        role: "option",
        class: loop ? "step loop" : "step",
        id: `trace-${this.number}-step-${number}`,
        "data-at": place,
        "aria-selected": "false",
      },
      ...cells,
    );
  }

  changes(step, wanted) {
    const { texts } = this.trace;
    const list = el("span", { class: "changes" });
    let [shown, left] = [0, 0];
    for (let i = 0; i < step.c.length; i += 3) {
      if (wanted && !wanted.has(step.c[i])) continue;
      if (shown++ >= MOST_CHANGES) {
        left++;
        continue;
      }
      const [variable, from, to] = step.c.slice(i, i + 3).map((text) => texts[text]);
      list.append(
        el(
          "span",
          { class: "change" },
          el("b", {}, variable),
          ": ",
          el("del", {}, from),
          " → ",
          el("ins", {}, to),
        ),
      );
    }
    if (left) list.append(el("span", { class: "change" }, `and ${count(left)} more`));
    return list;
  }

  mark() {
    const number = this.shown[this.at];
    for (const old of this.list.querySelectorAll("[aria-selected=true]"))
      old.setAttribute("aria-selected", "false");
    const row = this.list.querySelector(`[data-at="${this.at}"]`);
    row.setAttribute("aria-selected", "true");
    this.list.setAttribute("aria-activedescendant", row.id);
    // Scrolls the list, never the page.
    const [top, bottom] = [
      row.offsetTop - this.list.offsetTop,
      row.offsetTop - this.list.offsetTop + row.offsetHeight,
    ];
    if (top < this.list.scrollTop) this.list.scrollTop = top - 8;
    else if (bottom > this.list.scrollTop + this.list.clientHeight)
      this.list.scrollTop = bottom - this.list.clientHeight + 8;
    this.drawState();
    if (this.sequence) this.sequence.mark(number);
  }

  drawState() {
    if (!this.whole) return;
    const { trace } = this;
    const number = this.shown[this.at];
    const changed = new Map();
    if (number) {
      const { c } = trace.data.steps[number - 1];
      for (let i = 0; i < c.length; i += 3) changed.set(c[i], c[i + 1]);
    }
    const values = trace.after(number);
    const pairs = [];
    const wanted = this.word ? trace.namesWith(this.word) : null;
    trace.variables.forEach((name, i) => {
      if (!wanted || wanted.has(name)) pairs.push([name, values[i]]);
    });
    this.state.replaceChildren(
      el("h4", {}, number ? `State after step ${count(number)}` : "Initial state"),
      valueTable(pairs, changed, trace.texts),
    );
  }
}

function valueTable(pairs, changed, texts) {
  const rows = pairs.slice(0, MOST_VALUES).map(([name, value]) => {
    const before = changed.get(name);
    const cell = el("td", {}, texts[value]);
    if (before !== undefined) cell.append(el("small", {}, " was " + texts[before]));
    return el(
      "tr",
      { class: before !== undefined ? "changed" : null },
      el("th", { scope: "row" }, texts[name]),
      cell,
    );
  });
  const table = el("table", { class: "values" }, el("tbody", {}, ...rows));
  const more = pairs.length - MOST_VALUES;
  return more > 0
    ? el("div", {}, table, el("p", { class: "note" }, `${count(more)} more; the filter finds them`))
    : table;
}

function componentList(trace) {
  const { component } = trace.data;
  const box = el("details", { class: "component" }, el("summary", {}, component.heading));
  box.addEventListener("toggle", () => {
    if (!box.open || box.querySelector("ol")) return;
    const states = component.states.map((state) => {
      const shown = [];
      let zeros = false;
      for (let i = 0; i < state.length; i += 2) {
        if (trace.texts[state[i + 1]] === "0") zeros = true;
        else
          shown.push(
            el("span", { class: "value" }, trace.texts[state[i]] + " = " + trace.texts[state[i + 1]]),
            " ",
          );
      }
      return el("li", {}, ...shown, zeros ? el("small", {}, "all others are 0") : null);
    });
    box.append(el("ol", { class: "states" }, ...states));
    if (component.more) box.append(el("p", { class: "note" }, count(component.more) + " more"));
  });
  return box;
}
