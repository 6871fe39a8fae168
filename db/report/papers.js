// Papers: statements and numbers, what was measured, and the causes of the differences.

// The pages of db/evidence use a small part of Markdown: headings, paragraphs, lists, tables, indented code, **bold**, `code`
// and links, of which only the text is shown.
function inline(text) {
  const parts = [];
  for (const part of text.split(/(\*\*[^*]+\*\*|`[^`]+`|\[[^\]]+\]\([^)]+\))/)) {
    if (part.startsWith("**")) parts.push(element("strong", {}, part.slice(2, -2)));
    else if (part.startsWith("`")) parts.push(element("code", {}, part.slice(1, -1)));
    else if (/^\[[^\]]+\]\(/.test(part)) parts.push(part.slice(1, part.indexOf("]")));
    else if (part) parts.push(part);
  }
  return parts;
}

function proseBlock(block) {
  const lines = block.split("\n"), heading = /^(#+) (.*)/.exec(lines[0]);
  if (heading) return element(heading[1].length < 3 ? "h3" : "h4", {}, ...inline(heading[2]));
  if (lines[0].startsWith("    ")) return element("pre", {}, lines.map((l) => l.slice(4)).join("\n"));
  if (lines[0].startsWith("|"))
    return element("table", {}, element("tbody", {}, ...lines.filter((l) => !/^[|\s:-]+$/.test(l) || /^\|[\s|]*\|$/.test(l) && !l.includes("-"))
      .map((l) => element("tr", {}, ...l.slice(1, l.lastIndexOf("|")).split("|").map((cell) => element("td", {}, ...inline(cell.trim())))))));
  if (lines[0].startsWith("- "))
    return element("ul", {}, ...block.split(/\n(?=- )/).map((item) => element("li", {}, ...inline(item.slice(2).replace(/\n\s*/g, " ")))));
  return element("p", {}, ...inline(lines.join(" ")));
}

// The page of a paper, and for each figure the headings under which it is mentioned.
function makeCauses(paper, text) {
  const prose = element("div", { class: "prose" }), places = new Map();
  let heading = null;
  for (const block of text.trim().split(/\n\n+/)) {
    const e = proseBlock(block);
    prose.append(e);
    if (/^H[34]$/.test(e.tagName)) {
      heading = /^What (holds|agrees)/.test(e.textContent) ? null : e;
      if (!heading) continue;
      heading.id = "cause-" + paper + "-" + prose.children.length;
    }
    for (const [, kind, number] of block.matchAll(/(?:\b(fig|table)|Figures? |Table )(\d+[a-z]?)/g)) {
      const figure = (kind || (block.includes("Table " + number) ? "table" : "fig")) + number;
      if (heading) places.set(figure, new Set([...(places.get(figure) || []), heading]));
    }
  }
  return { prose, places };
}

function causeLinks(causes, paper, figure) {
  const places = causes.get(paper) && (causes.get(paper).places.get(figure) || causes.get(paper).places.get(figure.replace(/[a-z]$/, "")));
  if (!places) return null;
  const links = [...places].slice(0, 3).map((h) => element("a", { href: "#" + h.id, onclick: () => { h.closest("details").open = true; } }, h.textContent));
  return element("span", {}, ...links.flatMap((link, k) => (k ? ["; ", link] : [link])));
}

// Rows without a difference need no cause.
function withCauses(table, causes) {
  const good = ["holds", "agrees"], { paper, figure, verdict } = table.by;
  const values = [...Array(table.rows).keys()].map((row) => good.includes(verdict[row]) ? null : causeLinks(causes, paper[row], figure[row]));
  const at = table.columns.findIndex((c) => c.name === "verdict") + 1;
  const columns = [...table.columns.slice(0, at), { name: "cause", values }, ...table.columns.slice(at)];
  return { rows: table.rows, columns, by: table.by };
}

function makePapers(host) {
  const causes = new Map(Object.entries(data.causes).map(([paper, text]) => [paper, makeCauses(paper, text)]));
  host.append(element("p", {}, "Measured values of this database, and those that are committed with the revision that gave them. " +
    "A number agrees within 5 % of the printed one, is near within 20 %, and differs otherwise."));
  for (const [name, caption] of [["claims", "Statements of the papers"], ["numbers", "Numbers that the papers print"]]) {
    const table = readTable(name);
    host.append(element("h3", {}, caption));
    if (table.rows) makeTable(host, withCauses(table, causes), { caption, shown: 20 });
  }
  host.append(element("h3", {}, "Why measured and printed values differ"));
  for (const [paper, { prose }] of causes)
    host.append(element("details", {}, element("summary", {}, paper), prose));
}
