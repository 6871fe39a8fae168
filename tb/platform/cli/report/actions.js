// What a reader does, run in a copy of the page of `report` by browser.sh. Each line of #result is NAME=VALUE.
const lines = [];
const note = (name, value) => lines.push(name + "=" + value);
const $ = (selector) => document.querySelector(selector);
const all = (selector) => [...document.querySelectorAll(selector)];
const rows = (id) => [...$("#" + id + " .scroll").querySelectorAll("tbody tr")]; // of the first table
const column = (id, at) => rows(id).map((tr) => tr.children[at].textContent);
const type = (input, text) => { input.value = text; input.dispatchEvent(new Event("input")); };

note("ready", document.documentElement.dataset.ready);
note("requests", performance.getEntriesByType("resource").length);
note("images", all("img").length);
note("rows", rows("runs").length);
note("runs", column("runs", 1).slice(0, 3).join(" "));

// Sorting by a click on a head, and again.
const head = all("#runs thead th").find((th) => th.textContent.startsWith("cycles"));
const at = head.cellIndex;
head.querySelector("button").click();
note("sort", head.getAttribute("aria-sort"));
note("descending", column("runs", at).map((t) => Number(t.replaceAll(",", ""))).every((v, k, list) => !k || v <= list[k - 1]));
head.querySelector("button").click();
note("ascending", column("runs", at).map((t) => Number(t.replaceAll(",", ""))).every((v, k, list) => !k || v >= list[k - 1]));

// Filters, and what they leave.
const filter = $("#runs input[type=search]");
type(filter, "run=1");
note("filtered", column("runs", 1).join(" "));
type(filter, "nothing-has-this");
note("none", $("#runs output").textContent);
type(filter, "");

// Comparing: the two latest at first, then one more.
note("compared", $("#compare caption").textContent);
all("#runs tbody input[type=checkbox]").find((box) => !box.checked).click();
note("compared", $("#compare caption").textContent);
note("differs", rows("compare").map((tr) => tr.children[1].textContent).includes("l3_tlb.entries"));

// The plot and its numbers; the keyboard moves from point to point.
const choose = (label, value) => {
  const select = all("#plot label").find((l) => l.firstChild.textContent === label).querySelector("select");
  select.value = value;
  select.dispatchEvent(new Event("change"));
};
type($("#plot input[type=search]"), "");
choose("against", "l3_tlb.entries");
choose("a curve for each", "app");
choose("and", "");
note("curves", all("#plot .legend button").map((b) => b.textContent).join(" "));
const marks = (host, test) => [...host.querySelectorAll(".mark")].filter((m) => test(m.dataset)).map((m) => Number(Number(m.dataset.value).toPrecision(5)));
const numbers = (list) => list.map((v) => String(v)).join(" ");
note("points", numbers(marks($("#plot .figure"), (d) => d.series === $("#plot .legend button").textContent)));
// The study: its table, and what is drawn.
const chart = (title) => (all("#studies h4").find((h) => h.textContent.startsWith(title)) || element("h4")).nextElementSibling || element("p");
if ($("#studies h4")) {
  note("studies", all("#studies summary b").map((b) => b.textContent).join(" "));
  note("order", rows("studies").map((tr) => tr.children[1].textContent).join(" "));
  note("ipc", numbers(marks(chart("IPC against"), (d) => d.series === "star, NW")));
  note("overlaps", [...chart("IPC against").querySelectorAll(".overlap")].map((m) => m.dataset.series + "@" + m.dataset.x).join(" "));
  note("slowdown", numbers(marks(chart("Slowdown"), (d) => d.series === "NW")));
  note("heat", numbers(marks(chart("Sum of IPC"), (d) => d.series === "star")));
  note("energy", numbers(marks(chart("Energy"), (d) => d.series === "l3_tlb")));
  note("bandwidth", numbers(marks(chart("Bandwidth"), (d) => d.series === "NW")));
  note("launches", all("#kernels svg .launch").length);
  // Of curves that coincide, the upper one is thinner.
  const widths = [...chart("IPC against").querySelectorAll("path")].map((p) => Number(p.getAttribute("stroke-width"))).filter(Boolean);
  note("visible", widths.every((w, k) => !k || w < widths[k - 1]));
}
note("places", all("#plot table tbody tr").map((tr) => tr.children[0].textContent).join(" "));
note("values", all("#plot table tbody tr").map((tr) => tr.children[1].textContent).join(" "));
const figure = $("#plot .figure");
if (figure) {
  for (const _ of [1, 2]) figure.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
  note("readout", $("#plot .readout").textContent.startsWith("l3_tlb.entries"));
}

note("walks", all("#walkers svg rect title").length);
note("hidden", all("main > section").filter((s) => !s.offsetHeight).length);
note("unnamed", all("button, input, select").filter((e) => !(e.textContent || e.getAttribute("aria-label") || (e.closest("label") || e).textContent)).length);
note("wide", document.documentElement.scrollWidth > innerWidth);
note("ground", getComputedStyle(document.body).backgroundColor);

setTimeout(() => {
  document.body.append(Object.assign(document.createElement("pre"), { id: "result", textContent: "\n" + lines.join("\n") + "\n" }));
}, 500);
