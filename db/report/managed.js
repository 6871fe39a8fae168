// Managed memory: what faults cost, and what was on the GPU.

function faultCostChart(table) {
  const places = distinct([...Array(table.rows).keys()].map((row) => table.by.run[row] + " " + table.by.tenant[row]));
  const value = (place, part) => [...Array(table.rows).keys()].find((row) => table.by.run[row] + " " + table.by.tenant[row] === place && table.by.part[row] === part);
  const labels = places.map((place) => { const row = value(place, table.by.part[0]); return "run " + table.by.run[row] + ", " + (table.by.app[row] || table.by.tenant[row]); });
  return { kind: "stack", title: "What the server spends on a page that faulted", x: { name: "run", labels }, y: { name: "time", unit: "us", zero: true }, at: places.map((_, k) => k),
    series: distinct(table.by.part).map((part) => ({ name: part, cells: places.map((place) => { const row = value(place, part); return row === undefined || table.by.cost[row] === null ? null : summary([table.by.cost[row]]); }) })) };
}

function residentChart(table) {
  const rows = [...Array(table.rows).keys()], at = distinct(rows.map((row) => table.by.cycle[row])).sort((a, b) => a - b);
  return { kind: "steps", title: "Pages of managed memory on the GPU, run " + table.by.run[0], x: { name: "cycle", labels: null }, y: { name: "pages", zero: true }, at,
    series: distinct(rows.map((row) => table.by.tenant[row])).map((tenant) => {
      const of = new Map(rows.filter((row) => table.by.tenant[row] === tenant).map((row) => [table.by.cycle[row], table.by.pages[row]]));
      return { name: "tenant " + tenant, cells: at.map((v) => (of.has(v) ? summary([of.get(v)]) : null)) };
    }) };
}

function makeManaged(host) {
  const table = readTable("managed"), cost = readTable("fault_cost"), resident = readTable("resident");
  if (!table.rows) return hint(host, "No run has managed memory:", "mempath run uvm/mt");
  if (cost.rows) drawChart(host, faultCostChart(cost));
  if (resident.rows) drawChart(host, residentChart(resident));
  makeTable(host, table, { caption: "Managed memory, the latest runs first", shown: 20 });
}
