// A message sequence chart of a trace: a line for each process, an arrow for each message, a mark
// for each step of a single process. The list of steps above has the same content as text.

const ROWS_A_PAGE = 50;
const ROW = 34;
const HEAD = 46;

class SequenceView {
  constructor(host, trace, choose) {
    this.trace = trace;
    this.choose = choose;
    this.page = 0;
    this.lines = lifelines(trace);
    this.number = null;
    this.head = el("div", { class: "sequence-head" });
    this.body = el("div", { class: "sequence-body" });
    this.where = el("span", { class: "where" });
    const turn = (words, label, by) =>
      el("button", { type: "button", "aria-label": label, onclick: () => this.turn(this.page + by) }, words);
    const pager = el(
      "div",
      { class: "pager", hidden: trace.length <= ROWS_A_PAGE },
      turn("◀", "Previous messages", -1),
      this.where,
      turn("▶", "Next messages", 1),
    );
    const frame = el(
      "div",
      {
        class: "sequence",
        tabindex: "0",
        role: "region",
        "aria-label": "Message sequence chart; the list of steps has the same content as text",
      },
      this.head,
      this.body,
    );
    host.append(el("h4", {}, "Message sequence chart"), frame, pager);
    frame.addEventListener("click", (event) => {
      const row = event.target.closest("[data-step]");
      if (row) choose(Number(row.dataset.step));
    });
    this.drawHead();
    this.draw();
  }

  turn(page) {
    this.page = Math.max(0, Math.min(Math.ceil(this.trace.length / ROWS_A_PAGE) - 1, page));
    this.draw();
  }

  x(place) {
    return 84 + this.gap() * (place + 0.5);
  }

  gap() {
    return Math.max(120, Math.min(230, 800 / this.lines.length));
  }

  width() {
    return 84 + this.gap() * this.lines.length + 90;
  }

  drawHead() {
    const boxes = this.lines.map(({ name, channel }, i) => {
      const wide = this.gap() - 16;
      return svg(
        "g",
        { class: channel ? "lifeline channel" : "lifeline" },
        svg("title", {}, (channel ? "channel " : "process ") + cut(name, 300)),
        svg("rect", { x: this.x(i) - wide / 2, y: 8, width: wide, height: 28, rx: channel ? 14 : 4 }),
        svg("text", { x: this.x(i), y: 26, "text-anchor": "middle" }, cut(name, Math.floor(wide / 9))),
      );
    });
    this.head.replaceChildren(
      svg("svg", { width: this.width(), height: HEAD, "aria-hidden": "true" }, ...boxes),
    );
  }

  draw() {
    const { trace } = this;
    const start = this.page * ROWS_A_PAGE;
    const end = Math.min(trace.length, start + ROWS_A_PAGE);
    const height = (end - start) * ROW + 18;
    const id = freshId("sequence");
    const picture = svg(
      "svg",
      { width: this.width(), height, "aria-hidden": "true" },
      svg(
        "defs",
        {},
        svg(
          "marker",
          { id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto" },
          svg("path", { d: "M0,0.5L7.5,4L0,7.5z", class: "head" }),
        ),
      ),
    );
    this.lines.forEach(({ channel }, i) =>
      picture.append(
        svg("path", { class: channel ? "life channel" : "life", d: `M${this.x(i)},0V${height}` }),
      ),
    );
    this.bracket(picture, start, end);
    this.rows = new Map();
    for (let i = start; i < end; i++) {
      const row = this.row(trace.data.steps[i], i + 1, (i - start) * ROW + 22, id);
      this.rows.set(i + 1, row);
      picture.append(row);
    }
    this.body.replaceChildren(picture);
    this.where.textContent = `Steps ${count(start + 1)} to ${count(end)} of ${count(trace.length)}`;
    this.highlight();
  }

  // A bracket along the steps of the loop.
  bracket(picture, start, end) {
    const loop = this.trace.data.loop_start;
    if (loop === null || loop >= end || loop >= this.trace.length) return;
    const top = loop >= start ? (loop - start) * ROW + 6 : 0;
    const bottom = end === this.trace.length ? (end - start) * ROW + 4 : (end - start) * ROW + 18;
    const begin = loop >= start ? `M66,${top}H56V` : `M56,${top}V`;
    picture.append(
      svg("path", { class: "loop-bracket", d: begin + bottom + (end === this.trace.length ? "H66" : "") }),
    );
    const middle = (top + bottom) / 2;
    picture.append(
      svg(
        "text",
        {
          class: "loop-word",
          x: 50,
          y: middle,
          transform: `rotate(-90 50 ${middle})`,
          "text-anchor": "middle",
        },
        "↻ repeats forever",
      ),
    );
  }

  row(step, number, y, arrow) {
    const { texts } = this.trace;
    const place = (name, channel) =>
      this.lines.findIndex((line) => line.key === (channel ? "c" : "p") + name);
    const parts = step.p || [];
    const row = svg(
      "g",
      { class: "event", "data-step": number },
      svg("title", {}, `${count(number)}: ${cut(texts[step.a], 300)}`),
      svg("rect", { class: "ground", x: 0, y: y - 22, width: this.width(), height: ROW }),
      svg("text", { class: "number", x: 34, y: y + 1, "text-anchor": "end" }, String(number)),
    );
    const message = (from, to, words, isOpen) => {
      const [x1, x2] = [this.x(from), this.x(to)];
      const side = Math.sign(x2 - x1) || 1;
      row.append(
        svg("path", {
          class: "message",
          d: `M${x1},${y}H${x2 - 2 * side}`,
          "marker-end": isOpen ? null : `url(#${arrow})`,
        }),
        svg("circle", { class: "from", cx: x1, cy: y, r: 3 }),
      );
      if (isOpen) row.append(svg("circle", { class: "open", cx: x2, cy: y, r: 4 }));
      const room = Math.max(6, Math.floor((Math.abs(x2 - x1) - 16) / 6.4));
      row.append(
        svg(
          "text",
          { class: "words", x: (x1 + x2) / 2, y: y - 6, "text-anchor": "middle" },
          cut(words, room),
        ),
      );
    };
    // The line shows the process of the step.
    const own = (process) => {
      const [whole, name] = [texts[step.a], texts[process] + ": "];
      return whole.startsWith(name) ? whole.slice(name.length) : whole;
    };
    if (parts.length > 1 && parts[1] !== parts[0]) {
      const words = step.h === undefined ? texts[step.a] : texts[step.h];
      for (const other of parts.slice(1)) message(place(parts[0]), place(other), words, false);
    } else if (parts.length === 1 && step.h !== undefined) {
      const [process, channel] = [place(parts[0]), place(step.h, true)];
      const words = own(parts[0]);
      if (step.d === -1) message(channel, process, words, false);
      else message(process, channel, words, step.d !== 1);
    } else {
      const x = parts.length ? this.x(place(parts[0])) : 70;
      row.append(
        svg("rect", { class: "local", x: x - 4, y: y - 6, width: 8, height: 8 }),
        svg(
          "text",
          { class: "words", x: x + 10, y: y + 2 },
          cut(parts.length ? own(parts[0]) : texts[step.a], Math.floor((this.gap() - 4) / 6.4)),
        ),
      );
    }
    return row;
  }

  mark(number) {
    this.number = number;
    const page = Math.floor((number - 1) / ROWS_A_PAGE);
    if (number > 0 && page !== this.page) this.turn(page);
    else this.highlight();
  }

  highlight() {
    for (const [step, row] of this.rows) row.classList.toggle("now", step === this.number);
  }
}

// The processes in the order of their first step, and the channels of buffered messages.
function lifelines(trace) {
  const lines = new Map();
  const add = (text, channel) => {
    const key = (channel ? "c" : "p") + text;
    if (!lines.has(key)) lines.set(key, { key, name: trace.texts[text], channel });
  };
  for (const step of trace.data.steps) for (const process of step.p || []) add(process, false);
  for (const step of trace.data.steps)
    if (step.h !== undefined && (step.p || []).length === 1) add(step.h, true);
  return Array.from(lines.values());
}
