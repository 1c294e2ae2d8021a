// States in memory, layer by layer, one sweep at a time; thumbnails of all sweeps select one.

const heldIn = (point) => point.current + point.future + point.persistent;

function showProfile(host, sweeps, leftOut) {
  let chosen = sweeps[0];
  const mostHeld = Math.max(1, ...sweeps.flatMap((sweep) => sweep.points.map(heldIn)));
  const mostMet = Math.max(1, ...sweeps.flatMap((sweep) => sweep.points.map((point) => point.met)));
  let scale = mostMet > 4 * mostHeld ? "held" : "all";

  function spec() {
    const points = chosen.points;
    const starts = [0];
    for (const point of points) starts.push(starts[starts.length - 1] + Math.max(1, point.layers));
    const met = points.length ? points[points.length - 1].met : 0;
    const peak = count(Math.max(0, ...points.map(heldIn)));
    const layers = plural(chosen.layers, "layer", "layers");
    const top = scale === "held" ? mostHeld : Math.max(mostHeld, mostMet);
    return {
      label: `Sweep ${count(chosen.number)}: ${layers}, peak ${peak}, full exploration ${count(met)}`,
      height: 250,
      starts,
      top,
      log: scale === "log",
      unit: "states",
      stack: ["persistent", "current", "future"].map((name) => ({
        name,
        values: points.map((point) => point[name]),
      })),
      line: {
        name: "met",
        words: `full exploration: ${count(met)}${met > top ? ", above this scale" : ""}`,
        values: points.map((point) => point.met),
      },
      strip: { words: "largest layer", values: points.map((point) => point.largest) },
      axis: "layers, by progress value",
      tick: (i) => cut(points[i].progress, 12),
      hint: `Peak of this sweep: ${peak}. Point at the chart, or use the arrow keys.`,
      tell: (i) => tellPoint(points[i]),
    };
  }

  host.append(
    el(
      "div",
      { class: "tools" },
      choice(
        "Scale",
        [
          ["held", "In memory"],
          ["all", "Full exploration"],
          ["log", "Logarithmic"],
        ],
        scale,
        (value) => {
          scale = value;
          chart.draw();
        },
      ),
    ),
  );
  if (sweeps.length > 1) {
    host.append(
      sweepButtons(sweeps, mostHeld, (sweep) => {
        chosen = sweep;
        chart.draw(true);
        numbers();
      }),
    );
  }
  if (leftOut)
    host.append(
      el(
        "p",
        { class: "note" },
        `${plural(leftOut, "sweep is", "sweeps are")} not shown; the first ones, the one with the peak and the last one are.`,
      ),
    );
  host.append(
    legend([
      ["persistent", "persistent"],
      ["current", "current layer"],
      ["future", "future layers"],
      ["met", "visited so far: full exploration", "line"],
    ]),
  );
  const place = el("div", {});
  const tablePlace = el("div", {});
  host.append(place, tablePlace);
  const chart = makeChart(place, spec);

  function numbers() {
    const sweep = chosen;
    const heads = [
      "progress",
      "layers",
      "expanded",
      "largest layer",
      "current",
      "future",
      "persistent",
      "in memory",
      "visited",
    ];
    tablePlace.replaceChildren(
      tableOf(`Sweep ${count(sweep.number)}`, heads, () =>
        sweep.points.map((point) => [
          point.progress,
          ...[
            point.layers,
            point.expanded,
            point.largest,
            point.current,
            point.future,
            point.persistent,
            heldIn(point),
            point.met,
          ].map(count),
        ]),
      ),
    );
  }
  numbers();
}

function tellPoint(point) {
  const layers =
    point.layers > 1
      ? `${count(point.layers)} layers from progress ${cut(point.progress, 60)}`
      : `progress ${cut(point.progress, 60)}`;
  const part = share(heldIn(point), point.met);
  return (
    `${layers}: ${count(heldIn(point))} in memory (current ${count(point.current)}, ` +
    `future ${count(point.future)}, persistent ${count(point.persistent)}), ` +
    `${count(point.met)} visited${part ? ", " + part + " of them in memory" : ""}; ` +
    `expanded ${count(point.expanded)}, largest layer ${count(point.largest)}`
  );
}

// One thumbnail per sweep, all with the same scale.
function sweepButtons(sweeps, top, choose) {
  const group = el("div", { class: "sweeps", role: "group", "aria-label": "Sweeps" });
  const buttons = sweeps.map((sweep, number) => {
    const points = sweep.points;
    const xs = Array.from({ length: points.length + 1 }, (_, i) => (90 * i) / Math.max(1, points.length));
    const ys = points.map((point) => 32 - (30 * heldIn(point)) / top);
    const peak = Math.max(0, ...points.map(heldIn));
    const picture = svg(
      "svg",
      { width: 90, height: 32, "aria-hidden": "true" },
      svg("path", {
        class: "strip",
        d: areaPath(
          xs,
          ys,
          ys.map(() => 32),
        ),
      }),
    );
    return el(
      "button",
      {
        type: "button",
        "aria-pressed": String(number === 0),
        onclick: () => {
          buttons.forEach((button, other) => button.setAttribute("aria-pressed", String(other === number)));
          choose(sweep);
        },
      },
      picture,
      el("span", {}, `Sweep ${count(sweep.number)}`),
      el("small", {}, `${brief(peak)} in memory`),
    );
  });
  group.append(...buttons);
  return group;
}
