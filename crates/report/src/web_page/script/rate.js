// The rate of the search: expansions per second between two samples.

function showRate(host, rate) {
  const starts = [0],
    speeds = [];
  let [time, explored] = [0, 0];
  for (const [seconds, total] of rate) {
    const passed = seconds - time;
    starts.push(Math.max(starts[starts.length - 1], seconds));
    speeds.push(passed > 0 ? Math.max(0, total - explored) / passed : 0);
    [time, explored] = [seconds, total];
  }
  const top = Math.max(1, ...speeds);
  const inSeconds = (seconds) => +seconds.toPrecision(3) + " s";
  const chart = el("div", {});
  host.append(chart);
  makeChart(chart, () => ({
    label: `Speed over ${inSeconds(time)}, at most ${count(top)} expansions per second`,
    height: 150,
    starts,
    top,
    log: false,
    unit: "expansions per second",
    stack: [{ name: "future", values: speeds }],
    line: null,
    strip: null,
    axis: "time",
    tick: (i) => inSeconds(rate[i][0]),
    hint: `At most ${count(top)} expansions per second, ${count(time > 0 ? explored / time : 0)} on average.`,
    tell: (i) =>
      `until ${inSeconds(rate[i][0])}: ${count(rate[i][1])} explored, here ${count(speeds[i])} per second`,
  }));
  host.append(
    tableOf("Speed", ["seconds", "explored", "expansions per second"], () =>
      rate.map(([seconds, total], i) => [String(seconds), count(total), count(speeds[i])]),
    ),
  );
}
