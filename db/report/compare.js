// Runs next to each other: the parameters that differ, and all results with their ratio to the first run.

function makeCompare(host, picked) {
  const parameters = readTable("parameters"), metrics = readTable("metrics"), runs = readTable("runs");
  const body = element("div");
  const place = (table, run, tenant) => {
    for (let row = 0; row < table.rows; row++)
      if (table.by.run[row] === run && (tenant === undefined || table.by.tenant[row] === tenant)) return row;
    return -1;
  };

  function parameterRows(list) {
    const at = list.map((run) => place(parameters, run)), rows = [];
    for (const c of parameters.columns.slice(1)) {
      const values = at.map((row) => (row < 0 ? null : c.values[row]));
      if (distinct(values).length > 1 || (values.some((v) => v === null) && values.some((v) => v !== null)))
        rows.push(["parameter", c.name, null, c.unit || null, values]);
    }
    return rows;
  }
  function metricRows(list) {
    const tenants = [...new Set(metrics.by.tenant.filter((_, row) => list.includes(metrics.by.run[row])))];
    const rows = [];
    for (const c of metrics.columns.slice(5))
      for (const tenant of tenants.sort(compareValues)) {
        const values = list.map((run) => { const row = place(metrics, run, tenant); return row < 0 ? null : c.values[row]; });
        if (values.some((v) => v !== null && v !== undefined)) rows.push(["result", c.name, tenant, c.unit || null, values]);
      }
    return rows;
  }
  function ratio(first, value) {
    return typeof first === "number" && typeof value === "number" && first ? Number((value / first).toPrecision(4)) : null;
  }
  function draw() {
    const list = [...picked].sort((a, b) => a - b).slice(0, 8);
    if (list.length < 2) {
      body.replaceChildren(element("p", { class: "soft" }, "Choose two runs or more in the table of runs."));
      return;
    }
    const rows = [...parameterRows(list), ...metricRows(list)];
    const title = (run) => "run " + run;
    const columns = [["about", 0], ["name", 1], ["tenant", 2], ["unit", 3]].map(([name, k]) => ({ name,
      values: rows.map((row) => row[k]) }));
    list.forEach((run, k) => columns.push({ name: title(run), unit: runs.by.experiment[place(runs, run)],
      values: rows.map((row) => row[4][k]) }));
    list.slice(1).forEach((run, k) => columns.push({ name: "ratio, " + run, unit: "to run " + list[0],
      values: rows.map((row) => (row[0] === "result" ? ratio(row[4][0], row[4][k + 1]) : null)) }));
    body.replaceChildren();
    makeTable(body, { rows: rows.length, columns, by: {} }, { caption: "Runs " + list.join(", ") + " compared", shown: 60 });
  }
  host.append(element("p", {}, "Parameters that differ, and all results. A ratio is relative to the run with the lowest number. " +
    "Check the runs to compare in the table above."), body);
  draw();
  return { draw };
}
