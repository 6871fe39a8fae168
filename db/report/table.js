// Tables that sort and filter.

// A filter is words that must all be in a row; NAME=TEXT, NAME<NUMBER and NAME>NUMBER are about a column, whose name may be
// shortened and has no blanks. Quotes keep a text with blanks together.
function makeFilter(table, text) {
  const words = (text.toLowerCase().match(/(?:[^\s"]|"[^"]*"?)+/g) || []).map((word) => word.replaceAll('"', ""));
  const tests = words.map((word) => {
    const parts = /^([^=<>]+)([=<>])(.+)$/.exec(word);
    const squeeze = (name) => name.toLowerCase().replace(/\s+/g, "");
    const column = parts && (table.columns.find((c) => squeeze(c.name) === parts[1]) ||
      table.columns.find((c) => squeeze(c.name).startsWith(parts[1])));
    if (!column)
      return (row) => table.columns.some((c) => String(c.values[row] ?? "").toLowerCase().includes(word));
    const limit = Number(parts[3]);
    if (parts[2] === "=")
      return (row) => String(column.values[row] ?? "").toLowerCase() === parts[3] || column.values[row] === limit;
    if (parts[2] === "<") return (row) => column.values[row] !== null && column.values[row] < limit;
    return (row) => column.values[row] !== null && column.values[row] > limit;
  });
  return (row) => tests.every((test) => test(row));
}

const FILTER_HINT = "words, name=text, name>number";
const LONG_TEXT = 60;

function longText(text) {
  return element("details", {}, element("summary", {}, text.slice(0, LONG_TEXT - 15) + "…"), element("pre", {}, text));
}

// Words that are verdicts or states have a colour as well.
const COLOURED = ["verdict", "status", "outcome"];

function makeCell(column, value, numeric) {
  if (value instanceof Node) return element("td", { class: "text" }, value);
  if (typeof value === "number") {
    const plain = ["run", "id", "cut at", "position"].includes(column.name);
    return element("td", { class: "number" }, plain ? String(value) : show(value));
  }
  if (value === null || value === undefined) return element("td", { class: numeric ? "number" : null }, "–");
  const text = show(value);
  const state = COLOURED.includes(column.name) && value ? text.split(" ")[value.startsWith("does") ? 1 : 0] : null;
  if (text.length > LONG_TEXT) return element("td", {}, longText(text));
  return element("td", { class: text.length > 34 ? "text" : numeric ? "number" : null }, state ? element("span", { class: state }, text) : text);
}

// options: caption, shown (rows at first), sort [column, descending], pick (a set of runs), picked() when that changes,
// filter (its first text), bare (no tools)
function makeTable(host, table, options) {
  const numeric = table.columns.map((c) => c.values.some((v) => typeof v === "number"));
  let order = [...Array(table.rows).keys()], kept = order, shown = options.shown || 25, sorted = options.sort || null;
  const count = element("output", {}), body = element("tbody");
  const more = element("button", { class: "more", type: "button", onclick: () => { shown *= 4; draw(); } });
  const filter = element("input", { type: "search", value: options.filter || "", oninput: () => apply(), "aria-label":
    "Filter " + options.caption, placeholder: FILTER_HINT });
  const heads = table.columns.map((c, i) => element("th", { scope: "col", class: numeric[i] ? "number" : null },
    element("button", { type: "button", onclick: () => sortBy(i) }, c.name),
    c.unit ? element("span", { class: "unit" }, c.unit) : null));

  function row(at) {
    const run = table.by && table.by.run ? table.by.run[at] : null;
    const tr = element("tr", { class: options.pick && options.pick.has(run) ? "chosen" : null });
    if (options.pick)
      tr.append(element("td", { class: "pick" }, element("input", { type: "checkbox", "aria-label": "compare run " + run,
        checked: options.pick.has(run), onchange: (event) => {
          options.pick[event.target.checked ? "add" : "delete"](run);
          tr.classList.toggle("chosen", event.target.checked);
          options.picked();
        } })));
    tr.append(...table.columns.map((c, i) => makeCell(c, c.values[at], numeric[i])));
    return tr;
  }
  function draw() {
    body.replaceChildren(...kept.slice(0, shown).map(row));
    count.textContent = kept.length === table.rows ? table.rows + " rows" : kept.length + " of " + table.rows + " rows";
    more.hidden = kept.length <= shown;
    more.textContent = "Show more of the " + kept.length + " rows";
  }
  function apply() {
    kept = order.filter(makeFilter(table, filter.value));
    draw();
  }
  function sortRows() {
    const [at, descending] = sorted, values = table.columns[at].values;
    const there = (v) => v !== null && v !== undefined;
    order = [...Array(table.rows).keys()].sort((a, b) => {
      const way = there(values[a]) && there(values[b]) && descending ? -1 : 1;
      return way * compareValues(values[a], values[b]) || a - b;
    });
    heads.forEach((th, i) => i === at ? th.setAttribute("aria-sort", descending ? "descending" : "ascending")
      : th.removeAttribute("aria-sort"));
  }
  function sortBy(at) {
    const again = sorted && sorted[0] === at;
    sorted = [at, again ? !sorted[1] : numeric[at]];
    sortRows();
    apply();
  }

  if (!options.bare)
    host.append(element("div", { class: "tools" }, element("label", {}, "Filter", filter), count));
  host.append(element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": options.caption },
    element("table", {}, element("caption", {}, options.caption), element("thead", {}, element("tr", {},
      options.pick ? element("th", { class: "pick", scope: "col" }, "compare") : null, ...heads)), body)), more);
  if (sorted) sortRows();
  apply();
  return { redraw: draw };
}
