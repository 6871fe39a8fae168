// Page walkers over time: a row for each walker, and below them the number of waiting walks.

const TIMELINE = { width: 1100, left: 56, right: 30, top: 6, below: 90, gap: 26 };

function timelinePicture(window, walks, owners, waiting) {
  const { left, right, top, below, gap } = TIMELINE, height = window.walkers > 40 ? 10 : window.walkers > 16 ? 14 : 20;
  const rows = window.walkers * height, last = window.last, span = last - window.first;
  const x = (cycle) => left + (TIMELINE.width - left - right) * (Math.min(Math.max(cycle, window.first), last) - window.first) / span;
  const full = top + rows + gap + below + 34;
  const hatch = (tenant) => svg("pattern", { id: "hatch" + window.key + tenant, width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    svg("rect", { width: 2.2, height: 5, fill: "var(--c" + tenant % 8 + ")" }));
  const picture = svg("svg", { viewBox: "0 0 " + TIMELINE.width + " " + full, role: "img", width: "100%", "aria-label":
    walks.length + " walks on " + window.walkers + " walkers in cycles " + window.first + " to " + last }, svg("defs", {}, ...window.tenants.map(hatch)));
  picture.style.minWidth = "42rem";

  const step = niceStep(span, 8), bottom = top + rows + gap + below;
  for (let cycle = Math.ceil(window.first / step) * step; cycle <= last; cycle += step)
    picture.append(svg("line", { x1: x(cycle), x2: x(cycle), y1: top, y2: bottom, class: "grid" }),
      svg("text", { x: x(cycle), y: bottom + 14, "text-anchor": "middle" }, cycle.toLocaleString("en-US")));
  picture.append(svg("text", { x: (left + TIMELINE.width) / 2, y: bottom + 30, "text-anchor": "middle" }, "cycle"),
    svg("text", { x: 12, y: top + rows / 2, "text-anchor": "middle", transform: "rotate(-90 12 " + (top + rows / 2) + ")" }, "walker"));
  const every = Math.ceil(14 / height);
  for (let k = 0; k < window.walkers; k += every)
    picture.append(svg("text", { x: left - 6, y: top + k * height + height * .7, "text-anchor": "end" }, k));
  for (const o of owners)
    picture.append(svg("rect", { x: x(o.from), y: top + o.walker * height + height * .8, width: Math.max(.5, x(o.to) - x(o.from)), height: height * .12,
      fill: "var(--c" + o.tenant % 8 + ")" }));
  for (const w of walks)
    picture.append(svg("rect", { x: x(w.started), y: top + w.walker * height + 1, width: Math.max(1, x(w.ended) - x(w.started)), height: height * .7,
      fill: w.stolen ? "url(#hatch" + window.key + w.tenant + ")" : "var(--c" + w.tenant % 8 + ")", stroke: w.stolen ? "var(--c" + w.tenant % 8 + ")" : "none" },
      svg("title", {}, window.name(w.tenant) + ", page " + w.page + ", cycles " + w.started + " to " + w.ended + ", waited " + w.queueing + ", " +
        w.levels + " levels" + (w.stolen ? ", stolen from " + window.name(w.owner) : ""))));

  const most = Math.max(1, ...waiting.map((w) => w.walks)), base = top + rows + gap + below;
  const y = (walks) => base - below * walks / (1.05 * most);
  picture.append(svg("line", { x1: left, x2: TIMELINE.width - right, y1: base, y2: base, class: "axis" }),
    svg("text", { x: left - 6, y: base, "text-anchor": "end" }, 0), svg("text", { x: left - 6, y: y(most) + 4, "text-anchor": "end" }, most),
    svg("text", { x: 12, y: base - below / 2, "text-anchor": "middle", transform: "rotate(-90 12 " + (base - below / 2) + ")" }, "walks waiting"));
  for (const tenant of window.tenants) {
    let path = "M" + x(window.first) + " " + y(0);
    for (const w of waiting) if (w.tenant === tenant) path += "H" + x(w.cycle) + "V" + y(w.walks);
    picture.append(svg("path", { d: path + "H" + x(last), fill: "none", stroke: "var(--c" + tenant % 8 + ")", "stroke-width": 1.5 }));
  }
  return picture;
}

// The rows of a table as objects, of one run and system.
function rowsOf(table, run, system) {
  const rows = [];
  for (let row = 0; row < table.rows; row++)
    if (table.by.run[row] === run && table.by.system[row] === system)
      rows.push(Object.fromEntries(table.columns.map((c) => [c.name, c.values[row]])));
  return rows;
}

function makeTimeline(host) {
  const windows = readTable("windows"), tables = ["walks", "owners", "waiting"].map(readTable), metrics = readTable("metrics");
  const picture = element("div");
  const select = element("select", { onchange: draw });
  for (let row = 0; row < windows.rows; row++)
    select.append(element("option", { value: row }, "run " + windows.by.run[row] + ", " + windows.by.experiment[row] + ", " + windows.by.system[row]));

  function draw() {
    const at = Number(select.value), run = windows.by.run[at], system = windows.by.system[at];
    let [walks, owners, waiting] = tables.map((table) => rowsOf(table, run, system));
    const cut = walks.length < windows.by.walks[at], end = windows.by.last[at];
    const last = cut && walks.length ? Math.max(...walks.map((w) => w.started)) + 1 : end;
    walks = walks.map((w) => ({ ...w, ended: w.duration === null ? end : w.started + w.duration, stolen: w.owner !== null && w.owner !== w.tenant }));
    owners = owners.map((o, k) => ({ ...o, from: o.cycle, to: owners[k + 1] && owners[k + 1].walker === o.walker ? owners[k + 1].cycle : end }));
    const tenants = distinct([...walks, ...waiting, ...owners].map((w) => w.tenant)).sort(compareValues);
    const app = (tenant) => metrics.by.app && metrics.by.app[metrics.by.run.findIndex((r, row) => r === run && metrics.by.tenant[row] === tenant)];
    const name = (tenant) => tenant + (app(tenant) ? ": " + app(tenant) : "");
    const legend = element("ul", { class: "legend" }, ...tenants.map((tenant) => {
      const box = element("span", { class: "box", "aria-hidden": "true" });
      box.style.background = "var(--c" + tenant % 8 + ")";
      return element("li", { class: "plain" }, box, "tenant " + name(tenant));
    }));
    if (owners.length) legend.append(element("li", { class: "plain" }, "below each walk: the walker's owner"));
    if (walks.some((w) => w.stolen)) legend.append(element("li", { class: "plain" }, "hatched: walks on another tenant's walker"));
    const list = element("details", {}, element("summary", {}, "The walks"));
    list.addEventListener("toggle", () => {
      if (list.children.length > 1) return;
      const names = ["walker", "started", "duration", "queueing", "tenant", "levels", "owner", "page"];
      makeTable(list, { rows: walks.length, columns: names.map((n) => ({ name: n, values: walks.map((w) => w[n]) })), by: {} }, { caption: "Walks, in cycles" });
    });
    picture.replaceChildren(element("div", { class: "figure" }, element("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Walks over time" },
      timelinePicture({ key: at + "t", first: windows.by.first[at], last, walkers: windows.by.walkers[at], tenants, name }, walks, owners, waiting))), legend, list);
    if (cut) picture.prepend(element("p", { class: "soft" }, "Of " + windows.by.walks[at] + " walks, those before cycle " + last + " are shown."));
  }
  host.append(element("div", { class: "tools" }, element("label", {}, "Window", select)), picture);
  draw();
}
