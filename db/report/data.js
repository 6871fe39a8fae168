"use strict";
// The data of the page, which mempath writes as columns (platform/cli/report/columns.h), and elements made of them. Text is
// only ever set as text, so nothing in a database can become markup.

let data = JSON.parse(document.getElementById("data").textContent);

function columnValues(column, rows) {
  if (column.i) return column.i.map((at) => column.v[at]);
  if (!column.r) return column.v;
  const values = new Array(rows);
  for (let k = 0, row = 0; k < column.r.length; k += 2) {
    values.fill(column.v[column.r[k]], row, row + column.r[k + 1]);
    row += column.r[k + 1];
  }
  return values;
}

// A table is {rows, columns: [{name, unit, values}], by: {NAME: values}, leftOut}.
const tables = new Map();

function readTable(name) {
  if (!tables.has(name)) tables.set(name, decodeTable(data[name]));
  return tables.get(name);
}

function decodeTable(from) {
  const columns = from.columns.map((c) => ({ name: c.name, unit: c.unit, values: columnValues(c, from.rows) }));
  const by = Object.create(null);
  for (const c of columns) by[c.name] = c.values;
  return { rows: from.rows, columns, by, leftOut: from.left_out };
}

function without(table, names) {
  return { rows: table.rows, columns: table.columns.filter((c) => !names.includes(c.name)), by: table.by };
}

function element(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
    else if (value === true) e.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) e.setAttribute(name, value);
  }
  e.append(...children.filter((c) => c !== null && c !== undefined));
  return e;
}

function section(id) {
  return document.getElementById(id);
}

// Thousands are separated, and other numbers have five digits.
function show(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value)) return value.toLocaleString("en-US");
  const size = Math.abs(value);
  if (size >= 1e5) return Math.round(value).toLocaleString("en-US");
  return String(Number(value.toPrecision(size < 1e-4 ? 3 : 5)));
}

function compareValues(a, b) {
  if (a === b) return 0;
  if (a === null || a === undefined) return 1; // what is not there is last, in either order
  if (b === null || b === undefined) return -1;
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

function distinct(values) {
  return [...new Set(values.filter((v) => v !== null && v !== undefined))];
}

function hint(host, text, command) {
  host.append(element("p", { class: "soft" }, text + " ", element("code", {}, command)));
}

const SVG = "http://www.w3.org/2000/svg";

function svg(tag, attributes, ...children) {
  const e = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  e.append(...children);
  return e;
}

function niceStep(span, parts) {
  const power = 10 ** Math.floor(Math.log10(span / parts));
  return [1, 2, 5, 10].map((k) => k * power).find((step) => span / step <= parts);
}
