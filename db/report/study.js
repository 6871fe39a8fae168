// A section for each study: its points in the order of its file, and the pictures that its axes allow.

const STUDY_CHART_SERIES = 12;

// The runs of a study with the value of each axis, and a results' row for each tenant.
function readStudy(study) {
  const points = readTable("points"), axes = readTable("axes"), parameters = readTable("parameters"), metrics = readTable("metrics");
  const inParameters = new Map((parameters.by.run || []).map((run, row) => [run, row]));
  const paths = axes.by.path.filter((_, row) => axes.by.study[row] === study && parameters.by[axes.by.path[row]]);
  const runs = [];
  for (let row = 0; row < points.rows; row++) {
    if (points.by.study[row] !== study || !inParameters.has(points.by.run[row])) continue;
    const at = inParameters.get(points.by.run[row]);
    runs.push({ run: points.by.run[row], number: points.by.number[row], label: points.by.label[row], values: paths.map((p) => parameters.by[p][at] ?? null) });
  }
  const rows = new Map();
  for (let row = 0; row < metrics.rows; row++) {
    if (!rows.has(metrics.by.run[row])) rows.set(metrics.by.run[row], []);
    rows.get(metrics.by.run[row]).push({ tenant: metrics.by.tenant[row], app: metrics.by.app[row], row });
  }
  for (const r of runs) r.rows = rows.get(r.run) || [];
  const all = paths.map((path, k) => ({ path, k, unit: parameters.columns.find((c) => c.name === path).unit, values: distinct(runs.map((r) => r.values[k])) }));
  return { study, paths, runs, axes: all, seeds: all.some((a) => isSeed(a.path) && a.values.length > 1) };
}

// Values by series and place; series(run, row) and place(run, row) name them, null leaves out.
function studyCells(s, metric, ofTenants, series, place, roof) {
  const values = readTable("metrics").by[metric], roofs = roof && readTable("metrics").by[roof], groups = new Map(), places = [];
  if (!values) return null;
  for (const run of s.runs)
    for (const row of run.rows) {
      const value = values[row.row], name = series(run, row), at = place(run, row);
      if (typeof value !== "number" || (row.tenant === null) === ofTenants) continue;
      if (!groups.has(name)) groups.set(name, new Map());
      if (!places.includes(at)) places.push(at);
      const of = groups.get(name);
      of.set(at, { values: [...(of.has(at) ? of.get(at).values : []), value], roof: roofs ? roofs[row.row] : undefined });
    }
  return groups.size ? { groups, places } : null;
}

// Half of the 95 % interval of a mean over seeds.
function halfInterval(values) {
  const n = values.length, t = readTable("student").by.t, mean = values.reduce((a, b) => a + b, 0) / n;
  return n < 2 ? 0 : t[Math.min(n - 2, t.length - 1)] * Math.sqrt(values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / (n - 1) / n);
}

function studyChart(s, kind, cells, title, x, y) {
  const numeric = kind === "lines", at = numeric ? [...cells.places].sort((a, b) => a - b) : cells.places;
  return { kind, title, x: { ...x, labels: numeric ? null : at.map((v) => String(v ?? "–")), logarithmic: numeric && at[0] > 0 && at[at.length - 1] >= 8 * at[0] },
    y, at: numeric ? at : at.map((_, k) => k), series: [...cells.groups].slice(0, STUDY_CHART_SERIES).map(([name, of]) => ({ name: String(name),
      cells: at.map((v) => (of.has(v) ? { ...summary(of.get(v).values), half: s.seeds ? halfInterval(of.get(v).values) : 0, roof: of.get(v).roof } : null)) })) };
}

function isSeed(path) {
  return path === "seed" || path === "vm.seed";
}

// The axis of a picture: the first of numbers with three values or more, otherwise the first.
function mainAxis(s) {
  const free = s.axes.filter((a) => !isSeed(a.path) && a.values.length > 1);
  return free.find((a) => a.values.length > 2 && a.values.every((v) => typeof v === "number")) || free[0] || s.axes[0];
}

function studyCharts(s) {
  const main = mainAxis(s), charts = [], unit = (metric) => (readTable("metrics").columns.find((c) => c.name === metric) || {}).unit;
  if (!main) return charts;
  const several = distinct(s.runs.flatMap((r) => r.rows.map((row) => row.app))).length > 1;
  const others = (run, but) => s.axes.filter((a) => a !== but && !isSeed(a.path) && a.values.length > 1 && !/^tenants/.test(a.path)).map((a) => run.values[a.k]);
  const numbers = main.values.length > 1 && main.values.every((v) => typeof v === "number"), seeds = s.axes.some((a) => isSeed(a.path) && a.values.length > 2);
  const add = (kind, metric, ofTenants, series, place, x, title, roof) => {
    const cells = studyCells(s, metric, ofTenants, series, place, roof);
    // Boxes of equal values would be lines.
    const spread = cells && [...cells.groups.values()].some((of) => [...of.values()].some((v) => Math.min(...v.values) < Math.max(...v.values)));
    if (cells) charts.push(studyChart(s, kind === "boxes" && !spread ? "bars" : kind, cells, title, x, { name: metric, unit: unit(metric), zero: true }));
  };
  const name = (run, row) => [...others(run, main), ...(several && row.app ? [row.app] : [])].join(", ") || row.app || "all";
  const point = (run) => s.axes.filter((a) => !isSeed(a.path) && a.values.length > 1).map((a) => run.values[a.k]).join(", ") || run.label;
  const mainPlace = (run) => run.values[main.k], x = { name: main.path, unit: main.unit };
  const kind = numbers ? "lines" : seeds ? "boxes" : "bars";
  add(kind, "ipc", true, name, mainPlace, x, "IPC against " + main.path);
  add(seeds ? "boxes" : "bars", "slowdown", true, (run, row) => row.app, point, { name: "point" }, "Slowdown of each tenant");
  add(kind, "weighted_speedup", false, (run) => others(run, main).join(", ") || "weighted speedup", mainPlace, x, "Weighted speed-up against " + main.path);
  const free = s.axes.filter((a) => !isSeed(a.path) && a.values.length > 1);
  if (free.length > 1) {
    const row = free.find((a) => a !== main), cells = studyCells(s, "ipc_sum", false, (run) => String(run.values[row.k]), mainPlace);
    if (cells && free.length === 2) {
      const chart = studyChart(s, "heat", cells, "Sum of IPC by " + main.path + " and " + row.path, x, { name: "ipc_sum", rows: row.path });
      charts.push(chart);
    }
  }
  const stack = new Map(), structures = readTable("metrics").columns.filter((c) => /^energy\./.test(c.name) && !/\.(translation|data)$/.test(c.name));
  for (const c of structures) {
    const cells = studyCells(s, c.name, true, () => c.name.slice(7), point);
    if (!cells) continue;
    const of = cells.groups.get(c.name.slice(7)), points = new Map(s.runs.map((r) => [point(r), 0]));
    for (const at of points.keys()) points.set(at, s.runs.filter((r) => point(r) === at).length);
    // The tenants of a run add up; runs that differ in their seed are averaged.
    for (const [at, v] of of) of.set(at, { values: [v.values.reduce((a, b) => a + b, 0) / points.get(at)] });
    stack.set(c.name.slice(7), of);
  }
  if (stack.size) {
    const places = distinct(s.runs.map(point)), order = [...stack].sort((a, b) => Math.max(...[...b[1].values()].map((v) => v.values[0])) - Math.max(...[...a[1].values()].map((v) => v.values[0])));
    charts.push(studyChart(s, "stack", { groups: new Map(order), places }, "Energy by structure", { name: "point" }, { name: "energy", unit: "microjoules" }));
  }
  add("bars", "dram.bandwidth", true, (run, row) => row.app || "all", point, { name: "point" }, "Bandwidth of the DRAM, and its roof", "dram.roof");
  return charts;
}

// Shares of walks up to a latency, of the first tenant in each of the points.
function latencyChart(s) {
  const table = readTable("latencies"), series = new Map(), at = new Set();
  for (const run of s.runs)
    for (const row of [...Array(table.rows).keys()].filter((k) => table.by.run[k] === run.run && table.by.tenant[k] === table.by.tenant[table.by.run.indexOf(run.run)])) {
      const name = s.axes.filter((a) => a.values.length > 1).map((a) => run.values[a.k]).join(", ") || run.label;
      if (!series.has(name)) series.set(name, new Map());
      series.get(name).set(table.by.cycles[row], table.by.share[row]);
      at.add(table.by.cycles[row]);
    }
  const places = [...at].sort((a, b) => a - b);
  return series.size && places.length > 1 ? { kind: "steps", title: "Share of page walks up to a latency, first tenant", x: { name: "latency", unit: "cycles", labels: null, logarithmic: places[places.length - 1] >= 8 * places[0] },
    y: { name: "share of walks", zero: true }, at: places, series: [...series].slice(0, STUDY_CHART_SERIES).map(([name, of]) => ({ name,
      cells: places.map((v) => (of.has(v) ? summary([of.get(v)]) : null)) })) } : null;
}

function studyTable(s) {
  const metrics = readTable("metrics"), wanted = ["ipc_sum", "weighted_speedup", "harmonic_mean", "max_slowdown", "fairness"];
  const total = (run, name) => { const row = run.rows.find((r) => r.tenant === null); return row && metrics.by[name] ? metrics.by[name][row.row] : null; };
  const energy = (run) => { const list = run.rows.map((r) => (metrics.by["energy.translation"] || [])[r.row]).filter((v) => typeof v === "number"); return list.length ? list.reduce((a, b) => a + b, 0) : null; };
  const columns = [{ name: "point", values: s.runs.map((r) => r.number) },
    ...s.axes.map((a) => ({ name: a.path, unit: a.unit, values: s.runs.map((r) => r.values[a.k]) })), { name: "run", values: s.runs.map((r) => r.run) },
    { name: "tenants", values: s.runs.map((r) => r.rows.filter((row) => row.app).map((row) => row.app).join(" ")) },
    ...wanted.map((name) => ({ name, values: s.runs.map((r) => total(r, name)) })), { name: "energy of translation", unit: "microjoules", values: s.runs.map(energy) }]
    .filter((c) => c.values.some((v) => v !== null && v !== undefined && v !== ""));
  return { rows: s.runs.length, columns, by: { run: s.runs.map((r) => r.run) } };
}

function makeStudies(host) {
  const studies = readTable("studies");
  if (!studies.rows) hint(host, "No study yet:", "mempath sweep FILE.yaml");
  for (let row = 0; row < studies.rows; row++) {
    const s = readStudy(studies.by.study[row]), box = element("details", { class: "study", open: row === 0 }, element("summary", {}, element("b", {}, studies.by.name[row]),
      " " + [studies.by.description[row], s.runs.length + " runs", studies.by.started[row]].filter(Boolean).join(", ")));
    host.append(box);
    const fill = () => {
      if (box.children.length > 1) return;
      const list = element("div");
      box.append(list);
      makeTable(list, studyTable(s), { caption: "Points of " + studies.by.name[row], shown: 20 });
      const latency = row === 0 ? latencyChart(s) : null;
      for (const chart of [...studyCharts(s), ...(latency ? [latency] : [])]) drawChart(box, chart);
    };
    box.addEventListener("toggle", fill);
    if (row === 0) fill();
  }
}

// Counters over the cycles of the latest run with epochs.
function seriesCharts(table) {
  return distinct(table.by.metric || []).map((metric) => {
    const rows = [...Array(table.rows).keys()].filter((row) => table.by.metric[row] === metric), at = distinct(rows.map((row) => table.by.cycle[row])).sort((a, b) => a - b);
    return { kind: "lines", title: metric + " of run " + table.by.run[0], x: { name: "cycle", labels: null }, y: { name: metric, unit: table.by.unit[rows[0]] + (/held$/.test(metric) ? "" : " an epoch"), zero: true }, at,
      series: distinct(rows.map((row) => table.by.tenant[row])).map((tenant) => {
        const of = new Map(rows.filter((row) => table.by.tenant[row] === tenant).map((row) => [table.by.cycle[row], table.by.value[row]]));
        return { name: "tenant " + tenant, cells: at.map((v) => (of.has(v) ? summary([of.get(v)]) : null)) };
      }) };
  });
}

// A row for each tenant, with a bar from the begin to the end of each launch.
function launchPicture(table, run) {
  const rows = [...Array(table.rows).keys()].filter((row) => table.by.run[row] === run), tenants = distinct(rows.map((row) => table.by.tenant[row]));
  const kernels = distinct(rows.map((row) => table.by.kernel[row])), last = Math.max(...rows.map((row) => table.by.ended[row])), width = 1100, left = 90, high = 26;
  const x = (cycle) => left + (width - left - 20) * cycle / (last || 1), base = 8 + high * tenants.length, step = niceStep(last || 1, 8);
  const picture = svg("svg", { viewBox: "0 0 " + width + " " + (base + 36), width: "100%", role: "img", "aria-label": rows.length + " launches of run " + run });
  picture.style.minWidth = "42rem";
  for (let cycle = 0; cycle <= last; cycle += step)
    picture.append(svg("line", { x1: x(cycle), x2: x(cycle), y1: 4, y2: base, class: "grid" }), svg("text", { x: x(cycle), y: base + 14, "text-anchor": "middle" }, cycle.toLocaleString("en-US")));
  tenants.forEach((tenant, k) => picture.append(svg("text", { x: left - 6, y: 8 + high * k + high * .65, "text-anchor": "end" }, tenant + ": " + (table.by.app[rows.find((row) => table.by.tenant[row] === tenant)] || ""))));
  for (const row of rows)
    picture.append(svg("rect", { class: "launch", x: x(table.by.began[row]), y: 8 + high * tenants.indexOf(table.by.tenant[row]) + 3, width: Math.max(1, x(table.by.ended[row]) - x(table.by.began[row])), height: high - 6,
      fill: "var(--c" + kernels.indexOf(table.by.kernel[row]) % 8 + ")" }, svg("title", {}, table.by.kernel[row] + ", launch " + table.by.launch[row] + ": cycles " + show(table.by.began[row]) + " to " + show(table.by.ended[row]))));
  picture.append(svg("text", { x: (left + width) / 2, y: base + 30, "text-anchor": "middle" }, "cycle"));
  const legend = element("ul", { class: "legend" }, ...kernels.slice(0, 16).map((kernel, k) => {
    const box = element("span", { class: "box", "aria-hidden": "true" });
    box.style.background = "var(--c" + k % 8 + ")";
    return element("li", { class: "plain" }, box, kernel);
  }));
  return [element("div", { class: "figure" }, element("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Launches over time" }, picture)), legend];
}

function makeKernels(host) {
  const table = readTable("launches"), series = readTable("series");
  if (!table.rows) hint(host, "No run has launches:", "mempath run");
  for (const run of distinct(table.by.run || []))
    host.append(element("h4", {}, "Launches of run " + run), ...launchPicture(table, run));
  if (table.rows) makeTable(host, table, { caption: "Launches of the latest runs", shown: 20 });
  for (const chart of seriesCharts(series)) drawChart(host, chart);
  if (!series.rows) hint(host, "No run has counters over time:", "mempath run --epochs CYCLES");
}
