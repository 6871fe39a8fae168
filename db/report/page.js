// Puts the page together.

function countBy(values) {
  const count = new Map();
  for (const v of values || []) count.set(v, (count.get(v) || 0) + 1);
  return count;
}

function makeOverview(host) {
  const runs = readTable("runs"), claims = readTable("claims"), numbers = readTable("numbers"), cosim = readTable("cosim"), rtl = readTable("rtl");
  const card = (to, big, text) => element("li", {}, element("a", { href: "#" + to }, element("b", {}, big), text));
  const states = countBy(runs.by.status), verdicts = countBy(claims.by.verdict), near = countBy(numbers.by.verdict), equal = countBy(cosim.by.status);
  const cards = element("ul", { class: "cards" }, card("runs", show(runs.rows), "runs: " + ([...states].map(([s, n]) => n + " " + s).join(", ") || "none")),
    card("plot", show(distinct(runs.by.experiment || []).length), "different experiments"),
    card("speed", show(distinct(runs.by.revision || []).length), "different revisions"));
  if (claims.rows) cards.append(card("papers", (verdicts.get("holds") || 0) + " of " + claims.rows, "statements of papers hold"));
  if (numbers.rows) cards.append(card("papers", (near.get("agrees") || 0) + " of " + numbers.rows, "printed numbers agree within 5 %, " + (near.get("near") || 0) + " more within 20 %"));
  if (cosim.rows) cards.append(card("rtl", (equal.get("equal") || 0) + " of " + cosim.rows, "co-simulations are equal"));
  if (rtl.rows) cards.append(card("rtl", String(rtl.by.verdict.filter((v) => v === "held").length), "figures of the RTL are within their bounds"));
  host.append(cards);
}

function makeCommon(host) {
  const parameters = readTable("parameters");
  const same = parameters.columns.slice(1).filter((c) => c.values.length && distinct(c.values).length === 1 && c.values.every((v) => v === c.values[0]));
  if (!same.length) return;
  const details = element("details", {}, element("summary", {}, same.length + " parameters are the same in all runs"));
  makeTable(details, { rows: same.length, columns: [{ name: "parameter", values: same.map((c) => c.name) }, { name: "value", values: same.map((c) => c.values[0]) },
    { name: "unit", values: same.map((c) => c.unit || null) }], by: {} }, { caption: "Parameters of all runs" });
  host.append(details);
}

// The latest finished run, and the one before it of the same experiment.
function firstPicked(runs) {
  const done = [...Array(runs.rows).keys()].filter((row) => runs.by.status[row] === "done");
  const same = done.find((row) => row > done[0] && runs.by.experiment[row] === runs.by.experiment[done[0]]);
  return done.length < 2 ? [] : [runs.by.run[done[0]], runs.by.run[same === undefined ? done[1] : same]];
}

function makeRuns() {
  const runs = readTable("runs"), host = section("runs");
  if (!runs.rows) {
    hint(host, "No runs yet:", "mempath run");
    hint(section("compare"), "Two finished runs are needed:", "mempath sweep FILE.yaml");
    hint(section("plot"), "Finished runs are needed:", "mempath sweep FILE.yaml");
    return;
  }
  const picked = new Set(firstPicked(runs));
  let compare = null;
  makeTable(host, runs, { caption: "Runs, the latest first", pick: picked, picked: () => compare.draw(), shown: 20 });
  makeCommon(host);
  compare = makeCompare(section("compare"), picked);
  if (readTable("metrics").rows) makePlot(section("plot"));
  else hint(section("plot"), "Finished runs are needed:", "mempath run");
}

// A bar for each design; the longest is the largest value.
function makeBars(host, table, figure) {
  const name = (row) => table.by.design[row] + (distinct(table.by.technology).length > 1 ? ", " + table.by.technology[row] : "");
  const rows = [...Array(table.rows).keys()].filter((row) => table.by.figure[row] === figure), most = Math.max(...rows.map((row) => table.by.value[row]));
  const body = rows.map((row) => {
    const bar = element("div", { "aria-hidden": "true" });
    bar.style.width = 100 * table.by.value[row] / most + "%";
    return element("tr", {}, element("th", { scope: "row" }, name(row)), element("td", { class: "number" }, show(table.by.value[row]) + " " +
      (table.by.unit[row] || "")), element("td", { class: "bar" }, bar));
  });
  host.append(element("div", { class: "scroll bars", tabindex: 0, role: "region", "aria-label": figure }, element("table", {}, element("caption", {}, figure), element("tbody", {}, ...body))));
}

// Areas over revisions, each relative to the design's first, so that designs of all sizes share an axis.
function areaChart(table) {
  const rows = [...Array(table.rows).keys()].filter((row) => table.by.figure[row] === "area"), ids = distinct(rows.map((row) => table.by.id[row]));
  const labels = ids.map((id) => table.by.revision[table.by.id.indexOf(id)]);
  return { kind: "lines", title: "Area by revision", x: { name: "revision", labels }, y: { name: "area", unit: "of the first" }, at: ids.map((_, k) => k),
    series: distinct(rows.map((row) => table.by.design[row])).map((design) => {
      const of = ids.map((id) => rows.find((row) => table.by.id[row] === id && table.by.design[row] === design));
      const first = of.find((row) => row !== undefined);
      return { name: design, cells: of.map((row) => (row === undefined ? null : summary([table.by.value[row] / table.by.value[first]]))) };
    }) };
}

function makeRtl(host) {
  const rtl = readTable("rtl"), cosim = readTable("cosim"), mutation = readTable("mutation");
  if (!rtl.rows) hint(host, "No cost of the RTL yet:", "mempath rtl");
  for (const figure of ["area", "period"]) if (rtl.rows && rtl.by.figure.includes(figure)) makeBars(host, rtl, figure);
  const history = readTable("rtl_history");
  if (distinct(history.by.id || []).length > 1) drawChart(host, areaChart(history));
  if (rtl.rows) makeTable(host, rtl, { caption: "Cost of the RTL: the latest measurement, its committed bound, and the paper's figure", shown: 20 });
  host.append(element("h3", {}, "Compared with the models"));
  if (cosim.rows) makeTable(host, cosim, { caption: "Co-simulations, the latest first" });
  else hint(host, "No co-simulation yet:", "mempath cosim star");
  if (mutation.rows) makeTable(host, mutation, { caption: "Faults injected into the RTL, and those that were found", bare: true });
}

function makeChecks(host) {
  const table = readTable("nightly");
  if (table.rows) makeTable(host, table, { caption: "How far each check is, by which program: its hash, or the revision if it runs everything; committed in db/evidence/nightly.csv" });
  else hint(host, "None is committed yet:", "mempath evidence");
}

function makeFirmware(host) {
  const table = readTable("firmware");
  if (table.rows) makeTable(host, table, { caption: "Runs of firmware, the latest first" });
  else hint(host, "No run of firmware yet:", "mempath firmware run");
}

// The experiments that ran in the most revisions.
function speedChart(table) {
  const name = (row) => table.by.experiment[row] + (distinct(table.by.host).length > 1 ? ", " + table.by.host[row] : "");
  const rows = [...Array(table.rows).keys()], revisions = [...new Set(table.by.revision)];
  const names = [...countBy(rows.map(name))].sort((a, b) => b[1] - a[1]).slice(0, 8).map(([n]) => n);
  const value = (n, revision) => rows.find((row) => name(row) === n && table.by.revision[row] === revision);
  return { kind: "lines", title: "Simulation speed by revision", x: { name: "revision", labels: revisions }, y: { name: "translations", unit: "per second", zero: true },
    at: revisions.map((_, k) => k), series: names.map((n) => {
      const of = revisions.map((r) => value(n, r));
      return { name: n, cells: of.map((row) => (row === undefined ? null : summary([table.by.translations[row]]))) };
    }) };
}

function makeSpeed(host) {
  const table = readTable("speed"), cost = readTable("cost");
  if (!table.rows) hint(host, "No finished run of a release build yet:", "mempath bench");
  else {
    host.append(element("p", {}, "The fastest of the runs of a revision: other work on the host only makes runs slower."));
    drawChart(host, speedChart(table));
    makeTable(host, without(table, ["position"]), { caption: "Speed by revision, the oldest first", shown: 20 });
  }
  if (cost.rows) {
    host.append(element("h3", {}, "Cost on the host"));
    makeTable(host, cost, { caption: "Host instructions and cache misses, which do not depend on what else runs" });
  }
}

function makeSections() {
  makeOverview(section("overview"));
  makeStudies(section("studies"));
  makeRuns();
  makePapers(section("papers"));
  makeKernels(section("kernels"));
  if (readTable("windows").rows) makeTimeline(section("walkers"));
  else hint(section("walkers"), "No run has a window of page walks:", "mempath run --trace-window FIRST:LAST");
  makeManaged(section("managed"));
  makeRtl(section("rtl"));
  makeChecks(section("checks"));
  makeFirmware(section("firmware"));
  makeSpeed(section("speed"));
}

// The data have changed.
function remakeSections() {
  tables.clear();
  charts.length = 0;
  for (const s of document.querySelectorAll("main > section"))
    if (s.id !== "sql") s.replaceChildren(s.querySelector("h2"));
  makeSections();
}

function makePage() {
  document.title = "mempath report: " + data.database;
  section("about").textContent = data.database + ", by mempath " + data.revision;
  makeSections();
  if (data.live) makeLive();
  for (const s of document.querySelectorAll("main > section"))
    section("sections").append(element("li", {}, element("a", { href: "#" + s.id }, s.querySelector("h2").textContent)));
  watchSize();
  document.documentElement.dataset.ready = "true"; // for tests
}

makePage();
