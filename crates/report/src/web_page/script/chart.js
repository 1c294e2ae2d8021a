// A stacked step chart, with one step for each interval of the horizontal axis. A cursor, moved by
// pointer or arrow keys, shows the numbers of an interval in words.

const MARGIN = { left: 62, right: 18, top: 26, bottom: 40 };

function niceTicks(top, most) {
  const rough = top / most;
  const power = 10 ** Math.floor(Math.log10(rough || 1));
  const step = Math.max(1e-9, [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) || 10 * power);
  const ticks = [];
  for (let tick = 0; tick <= top * 1.0001; tick += step) ticks.push(tick);
  return ticks;
}

function logTicks(top) {
  const ticks = [0, 1];
  for (let tick = 10; tick <= top; tick *= 10) ticks.push(tick);
  const every = Math.ceil(ticks.length / 7);
  return ticks.filter((_, i) => i < 1 || (ticks.length - 1 - i) % every === 0);
}

// Patterns over the colours, so that the areas differ without colours, too.
function patterns(id) {
  const pattern = (name, ...marks) =>
    svg(
      "pattern",
      { id: id + name, width: 8, height: 8, patternUnits: "userSpaceOnUse", class: "fill-" + name },
      svg("rect", { width: 8, height: 8, class: "ground" }),
      ...marks,
    );
  return svg(
    "defs",
    {},
    pattern("current"),
    pattern(
      "future",
      svg("circle", { cx: 2, cy: 2, r: 1.1, class: "dot" }),
      svg("circle", { cx: 6, cy: 6, r: 1.1, class: "dot" }),
    ),
    pattern("persistent", svg("path", { d: "M-2,10L10,-2M-2,2L2,-2M6,10L10,6", class: "hatch" })),
  );
}

function legend(entries) {
  const items = entries.map(([name, words, kind]) => {
    const id = freshId("legend");
    const sign = svg("svg", { width: 22, height: 14, "aria-hidden": "true", class: "swatch" }, patterns(id));
    if (kind === "line") sign.append(svg("path", { d: "M1,7H21", class: "line-" + name }));
    else
      sign.append(
        svg("rect", {
          x: 0.5,
          y: 0.5,
          width: 21,
          height: 13,
          rx: 2,
          fill: `url(#${id}${name})`,
          class: "edge",
        }),
      );
    return el("li", {}, sign, words);
  });
  return el("ul", { class: "legend" }, ...items);
}

// The outline of an area: along its values from left to right, and back along those of the area
// below.
function stepsPath(xs, ys) {
  let path = "";
  ys.forEach((y, i) => {
    path += `${i ? "L" : "M"}${xs[i].toFixed(1)},${y.toFixed(1)}H${xs[i + 1].toFixed(1)}`;
  });
  return path;
}

function areaPath(xs, above, below) {
  if (!above.length) return null;
  let path = stepsPath(xs, above);
  for (let i = below.length - 1; i >= 0; i--)
    path += `L${xs[i + 1].toFixed(1)},${below[i].toFixed(1)}H${xs[i].toFixed(1)}`;
  return path + "Z";
}

// `spec()` returns what to draw:
//   label, height, starts (n + 1 positions on the axis), stack [{name, values}],
//   line {name, words, values} or null, top, log, unit, axis (words), tick(i), strip {words, values} or null, tell(i)
function makeChart(host, spec) {
  const frame = el("div", { class: "chart", tabindex: "0", role: "group" });
  const readout = el("p", { class: "readout", "aria-live": "polite" });
  host.append(frame, readout);
  let cursor = null,
    drawn = null,
    width = 0;

  function draw() {
    const now = spec();
    drawn = render(now, Math.max(300, frame.clientWidth || 800));
    frame.setAttribute("aria-label", now.label + ". Arrow keys move a cursor over it.");
    frame.replaceChildren(drawn.picture);
    point(cursor);
  }
  function point(place) {
    const now = drawn.spec;
    const last = now.starts.length - 2;
    if (place === null || last < 0) {
      readout.textContent = now.hint || "";
      return;
    }
    cursor = Math.max(0, Math.min(last, place));
    const [from, to] = [drawn.xs[cursor], drawn.xs[cursor + 1]];
    fill(
      drawn.cursor,
      { x: from.toFixed(1), width: Math.max(1.5, to - from).toFixed(1), class: "cursor" },
      [],
    );
    readout.textContent = now.tell(cursor);
  }
  function under(event) {
    const x = event.clientX - frame.getBoundingClientRect().left;
    let low = 0,
      high = drawn.xs.length - 2;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (drawn.xs[middle] <= x) low = middle;
      else high = middle - 1;
    }
    readout.setAttribute("aria-live", "off");
    point(low);
  }
  frame.addEventListener("pointermove", under);
  frame.addEventListener("pointerdown", under);
  frame.addEventListener("keydown", (event) => {
    const last = drawn.spec.starts.length - 2;
    const big = Math.max(1, Math.round(last / 20));
    const at = cursor === null ? -1 : cursor;
    const to = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1,
      Home: 0,
      End: last,
      PageDown: at + big,
      PageUp: at - big,
    }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    readout.setAttribute("aria-live", "polite");
    point(to);
  });
  new ResizeObserver(() => {
    if (Math.abs(frame.clientWidth - width) > 1) {
      width = frame.clientWidth;
      draw();
    }
  }).observe(frame);
  draw();
  return {
    draw: (reset) => {
      if (reset) cursor = null;
      draw();
    },
  };
}

function render(spec, width) {
  const stripHeight = spec.strip ? 52 : 0;
  const stripGap = spec.strip ? 26 : 0;
  const height = MARGIN.top + spec.height + stripGap + stripHeight + MARGIN.bottom;
  const [left, right, bottom] = [MARGIN.left, width - MARGIN.right, MARGIN.top + spec.height];
  const end = spec.starts[spec.starts.length - 1] || 1;
  const xs = spec.starts.map((start) => left + ((right - left) * start) / end);
  const part = spec.log ? (v) => Math.log10(1 + v) / Math.log10(1 + spec.top) : (v) => v / spec.top;
  const y = (value) => bottom - spec.height * Math.min(1.5, part(value));
  const id = freshId("chart");
  const picture = svg(
    "svg",
    { width, height, "aria-hidden": "true" },
    patterns(id),
    svg(
      "clipPath",
      { id: id + "clip" },
      svg("rect", { x: left, y: MARGIN.top, width: right - left, height: spec.height }),
    ),
  );

  for (const tick of spec.log ? logTicks(spec.top) : niceTicks(spec.top, 5)) {
    picture.append(
      svg("path", { class: "grid", d: `M${left},${y(tick).toFixed(1)}H${right}` }),
      svg("text", { class: "tick", x: left - 8, y: y(tick) + 4, "text-anchor": "end" }, brief(tick)),
    );
  }
  if (!spec.line || width > 480)
    picture.append(svg("text", { class: "axis", x: left - 54, y: 12 }, spec.unit));

  const inside = svg("g", { "clip-path": `url(#${id}clip)` });
  let below = spec.stack.length ? spec.stack[0].values.map(() => 0) : [];
  for (const { name, values } of spec.stack) {
    const above = values.map((value, i) => below[i] + value);
    inside.append(
      svg("path", { class: "area", fill: `url(#${id}${name})`, d: areaPath(xs, above.map(y), below.map(y)) }),
    );
    below = above;
  }
  if (spec.line)
    inside.append(
      svg("path", { class: "line-" + spec.line.name, d: stepsPath(xs, spec.line.values.map(y)) || null }),
    );
  picture.append(inside);
  if (spec.line)
    picture.append(
      svg("text", { class: "axis strong", x: right, y: 12, "text-anchor": "end" }, spec.line.words),
    );

  let foot = bottom;
  if (spec.strip) {
    const top = Math.max(1, ...spec.strip.values);
    const base = bottom + stripGap + stripHeight;
    const bars = spec.strip.values.map((value) => base - (stripHeight * value) / top);
    picture.append(
      svg("path", {
        class: "strip",
        d: areaPath(
          xs,
          bars,
          bars.map(() => base),
        ),
      }),
      svg("text", { class: "axis", x: left, y: bottom + 18 }, spec.strip.words),
      svg("text", { class: "tick", x: left - 8, y: bottom + stripGap + 8, "text-anchor": "end" }, brief(top)),
      svg("path", { class: "grid", d: `M${left},${base}H${right}` }),
    );
    foot = base;
  }
  const most = Math.max(2, Math.min(8, Math.floor((right - left) / 110)));
  const wanted = new Set(
    Array.from({ length: most }, (_, i) => Math.round(((spec.starts.length - 2) * i) / (most - 1))),
  );
  for (const i of wanted) {
    if (i < 0 || i > spec.starts.length - 2) continue;
    const x = (xs[i] + xs[i + 1]) / 2;
    picture.append(svg("text", { class: "tick", x, y: foot + 17, "text-anchor": "middle" }, spec.tick(i)));
  }
  picture.append(
    svg("text", { class: "axis", x: (left + right) / 2, y: foot + 34, "text-anchor": "middle" }, spec.axis),
  );
  const cursor = svg("rect", {
    class: "cursor off",
    y: MARGIN.top,
    height: foot - MARGIN.top,
    x: left,
    width: 0,
  });
  picture.append(cursor);
  return { picture, cursor, xs, spec };
}
