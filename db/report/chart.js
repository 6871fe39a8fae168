// A chart as SVG: curves, steps, bars, boxes, stacks and heat maps, with a legend of buttons and a line of text for the place
// under the pointer, which the arrow keys move, too. Every mark has its series, place and value as attributes.

const CHART = { right: 16, top: 12, height: 340 };
const CHART_DASHES = ["", "8 4", "2 3", "10 3 2 3"];
const charts = []; // to draw again when the size changes

// Values of one place become their mean, with the smallest, the largest and the quartiles.
function summary(values) {
  const sorted = [...values].sort((a, b) => a - b), n = sorted.length;
  const quantile = (q) => { const at = q * (n - 1), low = Math.floor(at); return low + 1 < n ? sorted[low] + (at - low) * (sorted[low + 1] - sorted[low]) : sorted[n - 1]; };
  return { runs: n, mean: sorted.reduce((a, b) => a + b, 0) / n, low: sorted[0], high: sorted[n - 1], quarter: quantile(.25), median: quantile(.5), threeQuarters: quantile(.75) };
}

// The reach of a value: the interval of a mean over seeds, or from the smallest to the largest.
function reach(c) {
  return c.half ? [c.mean - c.half, c.mean + c.half] : [c.low, c.high];
}

// What a value is compared with: the first series at the same place; of one series, the first place.
function comparedWith(chart, k) {
  return chart.series.length > 1 ? { name: chart.series[0].name, cell: chart.series[0].cells[k] } : { name: chart.x.labels ? chart.x.labels[0] : show(chart.at[0]), cell: chart.series[0].cells[0] };
}

// Whether the intervals of both overlap, so that the difference may be one of seeds only.
function overlaps(chart, s, k) {
  const c = chart.series[s].cells[k], first = comparedWith(chart, k).cell;
  return Boolean(c && first && c !== first && c.half + first.half > 0 && Math.abs(c.mean - first.mean) <= c.half + first.half);
}

function drawOverlaps(picture, chart, f, x) {
  for (const s of f.shown)
    chart.series[s].cells.forEach((c, k) => {
      if (overlaps(chart, s, k))
        picture.append(svg("text", { class: "overlap", "data-series": chart.series[s].name, "data-x": chart.x.labels ? chart.x.labels[k] : chart.at[k], x: x(s, k), y: f.y(Math.max(c.high, c.mean + c.half)) - 5, "text-anchor": "middle" }, "≈"));
    });
}

function axisName(axis) {
  return axis.name + (axis.unit ? " (" + axis.unit + ")" : "");
}

function markOf(tag, chart, s, k, attributes, value) {
  const at = chart.x.labels ? chart.x.labels[k] : chart.at[k], name = chart.series[s].name;
  return svg(tag, { ...attributes, class: "mark", "data-series": name, "data-x": at, "data-value": value },
    svg("title", {}, name + ", " + chart.x.name + " " + show(at) + ": " + show(value)));
}

// Where a value is in the picture, and the lines and texts of both axes.
function chartFrame(chart, width, hidden) {
  const shown = chart.series.map((_, s) => s).filter((s) => !hidden.has(s)), cells = shown.flatMap((s) => chart.series[s].cells).filter(Boolean);
  const sums = chart.at.map((_, k) => shown.reduce((sum, s) => sum + (chart.series[s].cells[k] ? chart.series[s].cells[k].mean : 0), 0));
  const tops = chart.kind === "stack" ? sums : cells.map((c) => Math.max(c.high, c.mean + (c.half || 0), c.roof || 0));
  const most = Math.max(...tops, 0), least = chart.y.zero || chart.kind !== "lines" ? 0 : Math.min(...cells.map((c) => c.low));
  const room = (most - least || Math.abs(most) || 1) * .05, high = most + room, low = least && chart.kind === "lines" ? least - room : 0;
  const step = niceStep(high - low, 6), ticks = [];
  for (let v = Math.ceil(low / step) * step; v <= high; v += step) ticks.push(Math.abs(v) < step / 1e6 ? 0 : v);
  const left = 26 + 7 * Math.max(...ticks.map((v) => show(Number(v.toPrecision(6))).length));
  const labels = chart.x.labels || (chart.at.length <= 12 ? chart.at.map(show) : null), inner = width - left - CHART.right;
  const turned = labels !== null && Math.max(...labels.map((l) => l.length)) * 6.5 > inner / labels.length;
  const below = 38 + (turned ? Math.min(110, 4.6 * Math.max(...labels.map((l) => l.length))) : 0), base = CHART.height - below;
  const first = chart.at[0], last = chart.at[chart.at.length - 1], scale = chart.x.logarithmic ? Math.log2 : (v) => v;
  const band = inner / chart.at.length;
  const x = chart.x.labels ? (k) => left + band * (k + .5) : (k) => left + inner * (.03 + .94 * (last === first ? .5 : (scale(chart.at[k]) - scale(first)) / (scale(last) - scale(first))));
  return { shown, left, inner, base, band, x, low, high, ticks, labels, turned, y: (v) => CHART.top + (base - CHART.top) * (high - v) / (high - low) };
}

function drawAxes(picture, chart, f, width) {
  for (const v of f.ticks)
    picture.append(svg("line", { x1: f.left, x2: width - CHART.right, y1: f.y(v), y2: f.y(v), class: "grid" }),
      svg("text", { x: f.left - 6, y: f.y(v) + 4, "text-anchor": "end" }, show(Number(v.toPrecision(6)))));
  picture.append(svg("line", { x1: f.left, x2: width - CHART.right, y1: f.base, y2: f.base, class: "axis" }),
    svg("text", { x: f.left + f.inner / 2, y: CHART.height - 6, "text-anchor": "middle" }, axisName(chart.x)),
    svg("text", { x: 12, y: (CHART.top + f.base) / 2, "text-anchor": "middle", transform: "rotate(-90 12 " + (CHART.top + f.base) / 2 + ")" }, axisName(chart.y)));
  const places = f.labels ? chart.at.map((_, k) => k) : [0, .25, .5, .75, 1].map((q) => Math.round(q * (chart.at.length - 1)));
  for (const k of places) {
    const text = f.labels ? f.labels[k] : show(chart.at[k]), x = f.x(k), y = f.base + 16;
    picture.append(svg("text", f.turned ? { x, y: y - 4, "text-anchor": "end", transform: "rotate(-40 " + x + " " + (y - 4) + ")" } : { x, y, "text-anchor": "middle" }, text));
  }
}

// Curves that coincide stay visible, since each is thinner than those below it.
function drawCurves(picture, chart, f) {
  for (const s of f.shown) {
    const cells = chart.series[s].cells, colour = "var(--c" + s % 8 + ")", thick = 1.6 + 3.4 * (chart.series.length - 1 - s) / chart.series.length;
    const there = cells.map((_, k) => k).filter((k) => cells[k]), steps = chart.kind === "steps";
    if (!there.length) continue;
    if (there.some((k) => cells[k].low < cells[k].high))
      picture.append(svg("polygon", { fill: colour, "fill-opacity": .15, points: [...there.map((k) => f.x(k) + "," + f.y(reach(cells[k])[1])),
        ...[...there].reverse().map((k) => f.x(k) + "," + f.y(Math.max(f.low, reach(cells[k])[0])))].join(" ") }));
    // A distribution rises from 0 at its smallest value.
    const start = "M" + f.x(there[0]) + " " + (steps ? f.base : f.y(cells[there[0]].mean)), next = (k) => (steps ? "H" + f.x(k) + "V" : "L" + f.x(k) + " ") + f.y(cells[k].mean);
    picture.append(svg("path", { d: start + there.map(next).join(""), fill: "none", stroke: colour, "stroke-width": thick, "stroke-dasharray": CHART_DASHES[Math.floor(s / 8) % 4] }));
    if (there.length <= 120)
      for (const k of there) picture.append(markOf("circle", chart, s, k, { cx: f.x(k), cy: f.y(cells[k].mean), r: 2 + thick / 2, fill: colour }, cells[k].mean));
    const roofs = there.filter((k) => cells[k].roof);
    if (roofs.length) picture.append(svg("path", { d: roofs.map((k, i) => (i ? "L" : "M") + f.x(k) + " " + f.y(cells[k].roof)).join(""), fill: "none", stroke: colour, "stroke-dasharray": "6 4" }));
  }
  drawOverlaps(picture, chart, f, (s, k) => f.x(k));
}

function drawBars(picture, chart, f) {
  const wide = .84 * f.band / f.shown.length, bar = wide * .92, boxes = chart.kind === "boxes";
  f.shown.forEach((s, place) => chart.series[s].cells.forEach((c, k) => {
    if (!c) return;
    const x = f.x(k) + (place - (f.shown.length - 1) / 2) * wide, colour = "var(--c" + s % 8 + ")";
    const line = (y1, y2, x1, x2) => picture.append(svg("line", { x1, x2, y1: f.y(y1), y2: f.y(y2), class: "axis" }));
    const top = boxes ? c.threeQuarters : Math.max(0, c.mean), bottom = boxes ? c.quarter : Math.min(0, c.mean);
    picture.append(markOf("rect", chart, s, k, { x: x - bar / 2, width: bar, y: f.y(top), height: Math.max(boxes ? 1 : 0, f.y(bottom) - f.y(top)), fill: colour, "fill-opacity": boxes ? .5 : .9 }, c.mean));
    if (boxes) line(c.median, c.median, x - bar / 2, x + bar / 2);
    if (c.low < c.high) line(boxes ? c.low : reach(c)[0], boxes ? c.quarter : reach(c)[1], x, x);
    if (boxes && c.low < c.high) line(c.threeQuarters, c.high, x, x);
    if (c.roof) picture.append(svg("line", { x1: x - bar / 2, x2: x + bar / 2, y1: f.y(c.roof), y2: f.y(c.roof), stroke: "var(--text)", "stroke-dasharray": "4 3" }));
  }));
  drawOverlaps(picture, chart, f, (s, k) => f.x(k) + (f.shown.indexOf(s) - (f.shown.length - 1) / 2) * wide);
}

function drawStack(picture, chart, f) {
  chart.at.forEach((_, k) => {
    let sum = 0;
    for (const s of f.shown) {
      const c = chart.series[s].cells[k];
      if (!c) continue;
      picture.append(markOf("rect", chart, s, k, { x: f.x(k) - .36 * f.band, width: .72 * f.band, y: f.y(sum + c.mean), height: f.y(sum) - f.y(sum + c.mean), fill: "var(--c" + s % 8 + ")" }, c.mean));
      sum += c.mean;
    }
  });
}

// Rows are the series; a darker place has a larger value, which is written into it.
function heatPicture(chart, width) {
  const values = chart.series.flatMap((s) => s.cells).filter(Boolean).map((c) => c.mean), low = Math.min(...values), high = Math.max(...values);
  const left = 30 + 7 * Math.max(...chart.series.map((s) => s.name.length)), inner = width - left - CHART.right, band = inner / chart.at.length, row = 34;
  const height = CHART.top + row * chart.series.length + 44, names = chart.x.labels || chart.at.map(show);
  const picture = svg("svg", { viewBox: "0 0 " + width + " " + height, width, height, role: "img", "aria-label": chart.title });
  const digits = high - low < .01 * Math.abs(high) ? 6 : 4;
  chart.series.forEach((s, r) => {
    picture.append(svg("text", { x: left - 6, y: CHART.top + row * (r + .5) + 4, "text-anchor": "end" }, s.name));
    s.cells.forEach((c, k) => {
      if (!c) return;
      picture.append(markOf("rect", chart, r, k, { x: left + band * k, y: CHART.top + row * r, width: band - 1, height: row - 1, fill: "var(--c0)", "fill-opacity": .06 + .64 * (high > low ? (c.mean - low) / (high - low) : 0) }, c.mean),
        svg("text", { x: left + band * (k + .5), y: CHART.top + row * (r + .5) + 4, "text-anchor": "middle" }, String(Number(c.mean.toPrecision(digits)))));
    });
  });
  names.forEach((name, k) => picture.append(svg("text", { x: left + band * (k + .5), y: height - 28, "text-anchor": "middle" }, name)));
  picture.append(svg("text", { x: left + inner / 2, y: height - 8, "text-anchor": "middle" }, axisName(chart.x)),
    svg("text", { x: 12, y: CHART.top + row * chart.series.length / 2, "text-anchor": "middle", transform: "rotate(-90 12 " + (CHART.top + row * chart.series.length / 2) + ")" }, chart.y.rows));
  return { picture };
}

function chartPicture(chart, width, hidden) {
  if (chart.kind === "heat") return heatPicture(chart, width);
  const f = chartFrame(chart, width, hidden);
  const picture = svg("svg", { viewBox: "0 0 " + width + " " + CHART.height, width, height: CHART.height, role: "img", "aria-label": chart.title });
  drawAxes(picture, chart, f, width);
  if (chart.kind === "stack") drawStack(picture, chart, f);
  else if (chart.kind === "bars" || chart.kind === "boxes") drawBars(picture, chart, f);
  else drawCurves(picture, chart, f);
  return { picture, frame: f };
}

// chart: {kind, title, x: {name, unit, labels (of categories) or null, logarithmic}, y: {name, unit, zero, rows (of a heat map)},
//         at: [x, ascending], series: [{name, cells: [summary or null]}]}
function drawChart(host, chart) {
  const figure = element("div", { class: "figure", tabindex: 0, role: "group", "aria-label": chart.title + ". Left and right move from place to place." });
  const readout = element("div", { class: "readout", "aria-live": "polite" }), legend = element("ul", { class: "legend" });
  const hidden = new Set();
  let drawn = null, cursor = null, at = -1;

  function say(k) {
    at = Math.max(0, Math.min(chart.at.length - 1, k));
    const parts = chart.series.filter((s, i) => !hidden.has(i) && s.cells[at]).map((s) => {
      const c = s.cells[at];
      return s.name + ": " + show(c.mean) + (c.half ? " ± " + show(c.half) : "") + (c.low < c.high ? " (" + show(c.low) + " to " + show(c.high) + ", mean of " + c.runs + ")" : "") +
        (overlaps(chart, chart.series.indexOf(s), at) ? ", overlaps " + comparedWith(chart, at).name : "");
    });
    readout.textContent = chart.x.name + " " + (chart.x.labels ? chart.x.labels[at] : show(chart.at[at])) + " – " + (parts.join("; ") || "no value");
    if (!drawn.frame) return;
    if (cursor) cursor.remove();
    cursor = svg("line", { x1: drawn.frame.x(at), x2: drawn.frame.x(at), y1: CHART.top, y2: drawn.frame.base, class: "axis" });
    drawn.picture.append(cursor);
  }
  function draw() {
    drawn = chartPicture(chart, Math.max(280, figure.clientWidth - 14), hidden);
    figure.replaceChildren(drawn.picture);
  }
  figure.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    say(at + step);
  });
  figure.addEventListener("pointermove", (event) => {
    if (!drawn.frame) return;
    const x = event.clientX - drawn.picture.getBoundingClientRect().left;
    say(chart.at.reduce((best, _, k) => (Math.abs(drawn.frame.x(k) - x) < Math.abs(drawn.frame.x(best) - x) ? k : best), 0));
  });
  if (chart.kind !== "heat")
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
  if (chart.kind !== "heat" && chart.series.some((s, i) => s.cells.some((_, k) => overlaps(chart, i, k))))
    legend.append(element("li", { class: "plain" }, "≈ its 95 % interval overlaps that of " + comparedWith(chart, 0).name));
  host.append(element("h4", {}, chart.title), figure, legend, readout);
  draw();
  charts.push({ draw, figure });
}

function redrawCharts() {
  for (const c of charts) if (c.figure.isConnected && c.figure.clientWidth) c.draw();
}

function watchSize() {
  const printing = (on) => () => {
    document.documentElement.classList.toggle("printing", on);
    redrawCharts();
  };
  addEventListener("beforeprint", printing(true));
  addEventListener("afterprint", printing(false));
  let timer = 0;
  addEventListener("resize", () => { clearTimeout(timer); timer = setTimeout(redrawCharts, 150); });
}
