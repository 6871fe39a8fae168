-- SPDX-License-Identifier: Apache-2.0
-- The effective configuration of each run as rows.

CREATE TABLE parameter (
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    path TEXT NOT NULL,                       -- l3_tlb.entries, tenants.0.app, seed
    value ANY NOT NULL,                       -- a number (in bytes, cycles, ...) or a text
    unit TEXT,                                -- of a number; NULL: none, or the run is older than this table
    PRIMARY KEY (run, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX parameter_by_path ON parameter (path, value);

-- Rows for the runs of earlier versions, from their configuration text. It is YAML that mempath wrote: "section:", then
-- "  field: value" for each parameter, and "  - field: value" where a tenant begins.
INSERT INTO parameter (run, path, value)
WITH line AS (
    -- One row for each line, through a JSON list. While a list, a backslash is the character 2 and a line end the
    -- character 1, so that nothing in the text looks like an escape.
    SELECT run.id AS run, j.key AS number, replace(j.value, char(2), '\') AS text
    FROM run, json_each('[' || replace(json_quote(replace(replace(config, '\', char(2)), char(10), char(1))),
        '\u0001', '","') || ']') j
), item AS (
    SELECT run, number, ltrim(text, ' -') AS text, text LIKE '  %' AS indented, text LIKE '  - %' AS begins,
        -- sections are numbered by the lines without indentation
        count(CASE WHEN text NOT LIKE ' %' THEN 1 END) OVER above AS section,
        sum(text LIKE '  - %') OVER above - 1 AS tenant
    FROM line
    WINDOW above AS (PARTITION BY run ORDER BY number ROWS UNBOUNDED PRECEDING)
), pair AS (
    SELECT run, indented, section, tenant, substr(text, 1, instr(text, ':') - 1) AS field,
        substr(text, instr(text, ': ') + 2) AS value, instr(text, ': ') AS has_value
    FROM item
), head AS (
    SELECT run, section, field AS name FROM pair WHERE NOT indented
)
SELECT p.run, CASE h.name WHEN 'tenants' THEN 'tenants.' || p.tenant ELSE h.name END || '.' || p.field,
    CASE WHEN p.value GLOB '"*"'
        THEN replace(replace(replace(replace(replace(substr(p.value, 2, length(p.value) - 2),
            '\\', char(2)), '\n', char(10)), '\t', char(9)), '\"', '"'), char(2), '\')
        WHEN p.value <> '' AND p.value NOT GLOB '*[^0-9]*' THEN CAST(p.value AS INTEGER)
        ELSE p.value END
FROM pair p JOIN head h ON h.run = p.run AND h.section = p.section
WHERE p.indented AND p.has_value;

INSERT INTO parameter (run, path, value)
SELECT id, 'seed', seed FROM run WHERE config LIKE '%' || char(10) || 'seed: %';
