// Any metric against any parameter.

const MOST_SERIES = 24;

// The values that can be chosen, one for each row of metrics: those of the run and its parameters, and of the tenant.
function plotSources() {
  const metrics = readTable("metrics"), counters = readTable("counters"), parameters = readTable("parameters"), runs = readTable("runs");
  const of = (table) => new Map((table.by.run || []).map((run, row) => [run, row]));
  const inRuns = of(runs), inParameters = of(parameters);
  const rows = metrics.rows, spread = (values, index) => metrics.by.run.map((run) => index.has(run) ? values[index.get(run)] ?? null : null);
  const keys = [{ name: "run", values: metrics.by.run }, { name: "app", values: metrics.by.app },
    { name: "tenant", values: metrics.by.tenant }, { name: "experiment", values: spread(runs.by.experiment, inRuns) },
    { name: "revision", values: spread(runs.by.revision, inRuns) }, { name: "changes", values: spread(runs.by.changes, inRuns) }];
  const varying = parameters.columns.slice(1).map((c) => ({ name: c.name, unit: c.unit, values: spread(c.values, inParameters) }))
    .filter((c) => distinct(c.values).length > 1);
  const counterRow = new Map((counters.by.run || []).map((run, row) => [run + " " + counters.by.tenant[row], row]));
  const counted = counters.columns.filter((c) => !["run", "tenant", "app", "size", "slices"].includes(c.name)).map((c) => ({
    name: c.name, unit: c.unit, values: metrics.by.run.map((run, row) => c.values[counterRow.get(run + " " + metrics.by.tenant[row])] ?? null) }));
  return { rows, keys, varying, metrics: metrics.columns.slice(5), counters: counted, leftOut: counters.leftOut };
}

// How much the mean of a metric depends on a parameter, over the mean of all: the most of all applications.
function dependence(s, rows, of, metric) {
  const app = s.keys.find((k) => k.name === "app").values, mean = (list) => list.reduce((a, b) => a + b, 0) / list.length;
  let most = 0;
  for (const name of distinct(rows.map((row) => app[row]))) {
    const groups = new Map();
    for (const row of rows)
      if (app[row] === name && typeof metric.values[row] === "number")
        groups.set(of.values[row], [...(groups.get(of.values[row]) || []), metric.values[row]]);
    const means = [...groups.values()].map(mean);
    if (means.length > 1) most = Math.max(most, (Math.max(...means) - Math.min(...means)) / (mean(means) || 1));
  }
  return most;
}

// What to show first: in the experiment with the most runs, ipc against the number on which it depends most.
function firstChoice(s) {
  const experiments = s.keys.find((k) => k.name === "experiment").values, ipc = s.metrics.find((m) => m.name === "ipc");
  const most = [...countBy(experiments)].sort((a, b) => b[1] - a[1])[0][0];
  const inside = [...experiments.keys()].filter((row) => experiments[row] === most);
  const values = (c) => distinct(inside.map((row) => c.values[row]));
  const varying = s.varying.filter((c) => !/^(tenants|seed)/.test(c.name) && values(c).length > 1);
  const x = varying.filter((c) => values(c).every((v) => typeof v === "number")).map((c) => [dependence(s, inside, c, ipc), c])
    .sort((a, b) => b[0] - a[0])[0];
  const by = varying.find((c) => (!x || c !== x[1]) && values(c).length < 7 && values(c).some((v) => typeof v === "string"));
  return { filter: x ? "experiment=\"" + most + "\"" : "", x: x ? x[1].name : "run", y: "ipc", series: "app", and: by ? by.name : "" };
}

// Groups the rows by series and x; several rows of a point become their mean, with the smallest and the largest.
function chartOf(s, choice) {
  const find = (name) => [...s.metrics, ...s.counters, ...s.varying, ...s.keys].find((c) => c.name === name);
  const x = find(choice.x), y = find(choice.y), by = [choice.series, choice.and].filter(Boolean).map(find);
  const keep = makeFilter({ columns: [...s.keys, ...s.varying] }, choice.filter);
  const points = new Map(), places = new Set();
  for (let row = 0; row < s.rows; row++) {
    const at = x.values[row], value = y.values[row];
    if (typeof value !== "number" || at === null || at === undefined || !keep(row)) continue;
    const name = by.map((c) => c.values[row]).filter((v) => v !== null && v !== undefined).join(", ") || "all";
    if (!points.has(name)) points.set(name, new Map());
    const of = points.get(name);
    of.set(at, [...(of.get(at) || []), value]);
    places.add(at);
  }
  const places_ = [...places].sort(compareValues), labels = places_.every((v) => typeof v === "number") ? null : places_.map(String);
  const names = [...points.keys()].sort((a, b) => compareValues(a, b));
  const positive = !labels && places_.every((v) => v > 0);
  return {
    kind: labels ? "bars" : "lines",
    title: choice.y + " against " + choice.x, omitted: names.length - Math.min(names.length, MOST_SERIES),
    x: { name: x.name, unit: x.unit, labels, logarithmic: choice.logarithmic && positive && places_.length > 1 },
    y: { name: y.name, unit: y.unit, zero: choice.zero }, at: labels ? places_.map((_, k) => k) : places_,
    series: names.slice(0, MOST_SERIES).map((name) => {
      const of = points.get(name);
      return { name, cells: places_.map((at) => (of.has(at) ? summary(of.get(at)) : null)) };
    }),
  };
}

function chartTable(chart) {
  const columns = [{ name: chart.x.name, unit: chart.x.unit, values: chart.at.map((at) => (chart.x.labels ? chart.x.labels[at] : at)) },
    ...chart.series.map((s) => ({ name: s.name, values: s.cells.map((c) => c && c.mean) }))];
  return { rows: chart.at.length, columns, by: {} };
}

function makePlot(host) {
  const s = plotSources(), first = firstChoice(s);
  const picture = element("div");
  const choose = (label, groups, value) => {
    const select = element("select", { onchange: draw });
    for (const [name, list] of groups)
      select.append(name ? element("optgroup", { label: name }, ...list.map((c) => element("option", { value: c }, c)))
        : element("option", { value: "" }, list[0]));
    select.value = value;
    return [element("label", {}, label, select), select];
  };
  const names = (list) => list.map((c) => c.name);
  const inputs = [["parameters", names(s.varying)], ["the run", names(s.keys)]];
  const [yLabel, y] = choose("Metric", [["metrics", names(s.metrics)], ["counters", names(s.counters)]], first.y);
  const [xLabel, x] = choose("against", inputs, first.x);
  const [seriesLabel, series] = choose("a curve for each", [[null, ["nothing"]], ...inputs], first.series);
  const [andLabel, and] = choose("and", [[null, ["nothing"]], ...inputs], first.and);
  const filter = element("input", { type: "search", value: first.filter, oninput: draw, placeholder: FILTER_HINT });
  const box = (text) => {
    const input = element("input", { type: "checkbox", onchange: draw });
    return [element("label", { class: "box" }, input, text), input];
  };
  const [logLabel, logarithmic] = box("logarithmic"), [zeroLabel, zero] = box("from zero");
  zero.checked = true;
  logarithmic.checked = /entries|bytes|size|ways/.test(first.x);

  function draw() {
    const chart = chartOf(s, { x: x.value, y: y.value, series: series.value, and: and.value, filter: filter.value,
      logarithmic: logarithmic.checked, zero: zero.checked });
    picture.replaceChildren();
    if (!chart.at.length) {
      picture.append(element("p", { class: "soft" }, "No finished run has both."));
      return;
    }
    drawChart(picture, chart);
    if (chart.omitted) picture.append(element("p", { class: "soft" }, chart.omitted + " more curves are not shown; use the filter."));
    const numbers = element("details", {}, element("summary", {}, "The numbers"));
    makeTable(numbers, chartTable(chart), { caption: chart.title, shown: 30, bare: true });
    picture.append(numbers);
  }
  host.append(element("p", {}, "Where several runs have the same value, the curve is their mean, and the band is from the smallest to the largest."),
    element("div", { class: "tools" }, yLabel, xLabel, seriesLabel, andLabel, element("label", {}, "Filter", filter), logLabel, zeroLabel), picture);
  if (s.leftOut.length)
    host.append(element("details", {}, element("summary", {}, s.leftOut.length + " counters are not on this page, to keep it below 1 MB"),
      element("p", {}, s.leftOut.join(", "))));
  draw();
}
