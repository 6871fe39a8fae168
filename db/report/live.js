// What a page that is served has in addition: SQL with the schema beside it, pivot tables, and updates as runs end.

async function askServer(path) {
  const response = await fetch(path), body = await response.json();
  if (!response.ok) throw new Error(body.error || response.statusText);
  return body;
}

function askSql(sql) {
  return askServer("/query?sql=" + encodeURIComponent(sql));
}

// An answer is a list of objects with the same keys.
function answerTable(rows) {
  const names = rows.length ? Object.keys(rows[0]) : [];
  const columns = names.map((name) => ({ name, values: rows.map((row) => row[name]) })), by = Object.create(null);
  for (const c of columns) by[c.name] = c.values;
  return { rows: rows.length, columns, by };
}

const PIVOT_OF = {
  mean: (v) => v.reduce((a, b) => a + b, 0) / v.length, sum: (v) => v.reduce((a, b) => a + b, 0), count: (v) => v.length,
  smallest: (v) => Math.min(...v), largest: (v) => Math.max(...v),
};

// A row for each value of one column, a column for each value of another, and a number of the values that meet there.
function pivotTable(table, down, across, value, of) {
  const rows = distinct(table.by[down]).sort(compareValues), heads = across ? distinct(table.by[across]).sort(compareValues) : [value];
  const cell = (r, c) => {
    const values = table.by[value].filter((v, k) => table.by[down][k] === r && (!across || table.by[across][k] === c) && (of === "count" || typeof v === "number"));
    return values.length ? PIVOT_OF[of](values) : null;
  };
  return { rows: rows.length, by: {}, columns: [{ name: down, values: rows }, ...heads.map((c) => ({ name: String(c), values: rows.map((r) => cell(r, c)) }))] };
}

function pivotChart(pivot, value, of) {
  const at = pivot.columns[0].values, numeric = at.length > 1 && at.every((v) => typeof v === "number");
  return { kind: numeric ? "lines" : "bars", title: of + " of " + value + " by " + pivot.columns[0].name, x: { name: pivot.columns[0].name, labels: numeric ? null : at.map(String) },
    y: { name: value, zero: true }, at: numeric ? at : at.map((_, k) => k), series: pivot.columns.slice(1, 13).map((c) => ({ name: c.name, cells: c.values.map((v) => (v === null ? null : summary([v]))) })) };
}

// link: what the page's address asks for.
function makePivot(host, table, link) {
  const select = (label, names, value) => {
    const s = element("select", { onchange: draw }, ...names.map((n) => element("option", { value: n }, n || "nothing")));
    s.value = value;
    return [element("label", {}, label, s), s];
  };
  const names = table.columns.map((c) => c.name), numbers = table.columns.filter((c) => c.values.some((v) => typeof v === "number")).map((c) => c.name);
  if (!numbers.length) return;
  const asked = (name, list, otherwise) => (list.includes(link.get(name)) ? link.get(name) : otherwise);
  const body = element("div"), [downLabel, down] = select("Rows", names, asked("rows", names, names[0])), [acrossLabel, across] = select("columns", ["", ...names], asked("columns", names, ""));
  const [valueLabel, value] = select("of", numbers, asked("value", numbers, numbers[numbers.length - 1])), [ofLabel, of] = select("the", Object.keys(PIVOT_OF), asked("of", Object.keys(PIVOT_OF), "mean"));
  const details = element("details", { class: "pivot" }, element("summary", {}, "Pivot"), element("div", { class: "tools" }, downLabel, acrossLabel, ofLabel, valueLabel), body);
  function draw() {
    const pivot = pivotTable(table, down.value, across.value, value.value, of.value);
    body.replaceChildren();
    makeTable(body, pivot, { caption: of.value + " of " + value.value, bare: true, shown: 40 });
    if (pivot.rows && pivot.columns.slice(1).some((c) => c.values.some((v) => v !== null))) drawChart(body, pivotChart(pivot, value.value, of.value));
  }
  details.addEventListener("toggle", () => { if (details.open) draw(); });
  host.append(details);
  details.open = link.has("rows");
}

async function makeSchema(host, insert) {
  const rows = await askSql("SELECT m.name, m.type, group_concat(c.name, ', ') AS columns FROM sqlite_schema m, pragma_table_info(m.name) c " +
    "WHERE m.type IN ('view', 'table') GROUP BY m.name ORDER BY m.type DESC, m.name");
  const names = await askSql("SELECT DISTINCT metric, unit FROM results WHERE run = (SELECT run FROM latest_run)");
  host.append(element("h3", {}, "Schema"));
  for (const row of rows)
    host.append(element("details", {}, element("summary", {}, element("b", {}, row.name), " " + row.type), element("p", { class: "soft" }, row.columns),
      element("button", { type: "button", onclick: () => insert("SELECT * FROM " + row.name + " LIMIT 100") }, "Show it")));
  host.append(element("details", {}, element("summary", {}, element("b", {}, "metrics"), " of results"),
    element("p", { class: "soft" }, names.map((n) => n.metric + " (" + n.unit + ")").join(", "))));
}

function makeSql() {
  const host = element("section", { id: "sql" }, element("h2", {}, "SQL")), body = element("div"), schema = element("aside", { class: "schema" });
  const text = element("textarea", { rows: 5, "aria-label": "One SELECT, or the name of a query", spellcheck: "false" });
  // A link keeps the question: #sql=...&rows=...&columns=...&of=mean&value=...
  const link = new URLSearchParams(location.hash.slice(1));
  text.value = link.get("sql") || "SELECT run, app, metric, value, unit FROM results WHERE run = :run";
  const run = async () => {
    body.replaceChildren(element("p", { class: "soft" }, "…"));
    try {
      const table = answerTable(await askSql(text.value));
      body.replaceChildren();
      makeTable(body, table, { caption: table.rows + " rows" + (table.rows === 5000 ? ", the first of more" : ""), shown: 30 });
      makePivot(body, table, link);
    } catch (error) {
      body.replaceChildren(element("p", { class: "failed", role: "alert" }, error.message));
    }
  };
  const ask = () => { history.replaceState(null, "", "#sql=" + encodeURIComponent(text.value)); run(); };
  text.addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); ask(); } });
  host.append(element("p", {}, "One SELECT, or the name of a query of mempath query. :run is the latest finished run. Ctrl-Enter asks."),
    element("div", { class: "sql" }, element("div", {}, text, element("div", { class: "tools" }, element("button", { type: "button", onclick: ask }, "Ask")), body), schema));
  section("papers").before(host);
  if (link.has("sql")) run();
  makeSchema(schema, (sql) => { text.value = sql; ask(); }).catch((error) => schema.append(element("p", { class: "failed" }, error.message)));
}

// Everything but the SQL is made again when the database has changed.
async function follow() {
  let known = null;
  const status = element("p", { class: "soft", "aria-live": "polite" });
  section("about").after(status);
  for (;;) {
    try {
      const [{ version }] = await askServer("/version");
      if (known !== null && version !== known) {
        data = await askServer("/data");
        remakeSections();
      }
      if (version !== known) status.textContent = "live: " + show(readTable("runs").rows) + " runs";
      known = version;
      document.documentElement.dataset.version = version; // for tests
    } catch (error) {
      status.textContent = "the server does not answer; mempath serve starts it";
    }
    await new Promise((done) => setTimeout(done, 1500));
  }
}

function makeLive() {
  makeSql();
  follow();
}
