// A picture of curves by uPlot, with a legend of buttons, and a line of text for the point under the cursor. The cursor moves
// with the arrow keys, too.

const CHART_DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3]];
const charts = []; // to draw again when the colours change

// chart: {title, x: {name, unit, labels (of categories) or null, logarithmic}, y: {name, unit, zero},
//         at: [x, ascending], series: [{name, mean: [], low: [], high: [], runs: []}]}
function drawChart(host, chart) {
  const figure = element("div", { class: "figure", tabindex: 0, role: "group", "aria-label": chart.title +
    ". Left and right move from point to point." });
  const readout = element("div", { class: "readout", "aria-live": "polite" });
  const legend = element("ul", { class: "legend" });
  const axisName = (axis) => axis.name + (axis.unit ? " (" + axis.unit + ")" : "");
  const hidden = new Set();
  let plot = null;

  function say(index) {
    if (index === null || index === undefined) return;
    const x = chart.x.labels ? chart.x.labels[chart.at[index]] : show(chart.at[index]);
    const parts = chart.series.filter((s, k) => !hidden.has(k) && typeof s.mean[index] === "number").map((s) => s.name + ": " +
      show(s.mean[index]) + (s.low[index] < s.high[index] ? " (" + show(s.low[index]) + " to " + show(s.high[index]) + ", mean of " +
      s.runs[index] + ")" : ""));
    readout.textContent = chart.x.name + " " + x + " – " + (parts.join("; ") || "no value");
  }
  function options(width) {
    const line = colour("grid"), text = colour("text"), font = "12px system-ui, sans-serif";
    const axis = (of) => ({ stroke: text, font, labelFont: font, label: axisName(of), grid: { stroke: line, width: 1 },
      ticks: { stroke: line, width: 1 } });
    const x = axis(chart.x);
    if (chart.x.labels) {
      x.splits = () => chart.at;
      x.values = (_, splits) => splits.map((at) => chart.x.labels[at]);
      if (chart.x.labels.some((label) => label.length * 7 * chart.at.length > width - 80)) { x.rotate = -45; x.size = 90; }
    } else if (chart.at.length <= 12) {
      x.splits = () => chart.at;
      x.values = (_, splits) => splits.map(show);
    }
    const series = [{}], bands = [];
    chart.series.forEach((s, k) => {
      const stroke = colour("c" + k % 8), dash = CHART_DASHES[Math.floor(k / 8) % 4], visible = !hidden.has(k);
      series.push({ label: s.name, stroke, dash, width: 2, spanGaps: true, show: visible, points: { show: true, size: 6 } },
        { show: visible, stroke: "transparent", points: { show: false } }, { show: visible, stroke: "transparent", points: { show: false } });
      bands.push({ series: [3 * k + 3, 3 * k + 2], fill: stroke + "26" });
    });
    const span = chart.at.length > 1 ? chart.at[chart.at.length - 1] - chart.at[0] : 1;
    return {
      width, height: Math.max(300, Math.min(420, width * .5)), legend: { show: false }, bands, series, axes: [x, { ...axis(chart.y), size: (_, values) => 18 + 7 * Math.max(3, ...(values || []).map((v) => v.length)) }],
      cursor: { drag: { x: false, y: false } },
      hooks: { setCursor: [(u) => say(u.cursor.idx)] },
      scales: {
        x: chart.x.logarithmic ? { time: false, distr: 3, log: 2 } : { time: false,
          range: (_, low, high) => [low - .04 * span, high + .04 * span] },
        y: { range: (_, low, high) => {
          const room = .06 * (high - low || Math.abs(high) || 1);
          return [chart.y.zero && low >= 0 ? 0 : low - room, high + room];
        } },
      },
    };
  }
  function draw() {
    if (plot) plot.destroy();
    const width = Math.max(280, figure.clientWidth - 12);
    const rows = chart.series.flatMap((s) => [s.mean, s.low, s.high]);
    plot = new uPlot(options(width), [chart.at, ...rows], figure);
  }
  function move(step) {
    const at = plot.cursor.idx;
    const next = at === null || at === undefined ? 0 : Math.max(0, Math.min(chart.at.length - 1, at + step));
    plot.setCursor({ left: plot.valToPos(chart.at[next], "x"), top: plot.over.clientHeight / 2 });
    say(next);
  }
  figure.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    move(step);
  });
  chart.series.forEach((s, k) => {
    const key = element("span", { class: "key", "aria-hidden": "true" });
    key.style.borderTopColor = "var(--c" + k % 8 + ")";
    key.style.borderTopStyle = k % 32 < 8 ? "solid" : "dashed";
    const button = element("button", { type: "button", "aria-pressed": "true", onclick: () => {
      hidden[hidden.has(k) ? "delete" : "add"](k);
      button.setAttribute("aria-pressed", String(!hidden.has(k)));
      draw();
    } }, key, s.name);
    legend.append(element("li", {}, button));
  });
  host.append(figure, legend, readout);
  draw();
  charts.push({ draw, figure });
}

function redrawCharts() {
  for (const c of charts) if (c.figure.isConnected) c.draw();
}

function watchColours() {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawCharts);
  const printing = (on) => () => {
    document.documentElement.classList.toggle("printing", on);
    redrawCharts();
  };
  addEventListener("beforeprint", printing(true));
  addEventListener("afterprint", printing(false));
  let timer = 0;
  addEventListener("resize", () => { clearTimeout(timer); timer = setTimeout(redrawCharts, 150); });
}
