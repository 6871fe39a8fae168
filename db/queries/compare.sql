-- SPDX-License-Identifier: Apache-2.0
-- differences between runs in configuration and results, relative to the first (run=3,7; default: the latest two)
WITH chosen AS (
    SELECT value AS run, key AS position FROM json_each('[' || :run || ']')
), counter AS (
    SELECT c.run, k.name AS component, k.level, v.tenant, m.name, sum(v.value) AS value
    FROM chosen c
    CROSS JOIN value v ON v.run = c.run
    JOIN metric m ON m.id = v.metric
    JOIN component_kind k ON k.name = m.component_kind
    WHERE :kind IS NULL OR k.name = :kind OR k.kind = :kind
    GROUP BY c.run, m.id, v.tenant
), total AS (
    SELECT run, component, level, tenant, sum(value) FILTER (WHERE name = 'lookups') AS lookups,
        sum(value) FILTER (WHERE name = 'hits') AS hits, sum(value) FILTER (WHERE name = 'walks') AS walks,
        sum(value) FILTER (WHERE name IN ('queue_cycles', 'walk_cycles')) AS walk_cycles
    FROM counter
    GROUP BY run, component, tenant
), fact (run, part, about, rank, name, tenant, value) AS (
    -- the plus takes the column's affinity away, which would turn the numbers below into texts
    SELECT c.run, 0, 'program', 0, 'revision', NULL, +r.revision FROM chosen c JOIN run r ON r.id = c.run
    UNION ALL
    SELECT c.run, 0, 'program', 1, 'trace', i.tenant, i.hash FROM chosen c JOIN run_input i ON i.run = c.run
    UNION ALL
    SELECT c.run, 0, 'program', 2, 'plugin ' || p.name, NULL, p.hash FROM chosen c JOIN run_plugin p ON p.run = c.run
    UNION ALL
    SELECT c.run, 1, 'configuration', 0, p.path, NULL, p.value FROM chosen c JOIN parameter p ON p.run = c.run
    UNION ALL
    SELECT c.run, 2, 'result', 0, 'cycles', t.tenant, t.cycles FROM chosen c JOIN tenant t ON t.run = c.run
    UNION ALL
    SELECT c.run, 2, 'result', 0, 'ipc', t.tenant, 1.0 * t.instructions / nullif(t.cycles, 0)
    FROM chosen c JOIN tenant t ON t.run = c.run
    UNION ALL
    SELECT run, 2, 'result', ifnull(level, 9), component || ' hit rate', tenant, 1.0 * hits / lookups
    FROM total WHERE lookups > 0 AND hits IS NOT NULL
    UNION ALL
    SELECT run, 2, 'result', ifnull(level, 9), component || ' mean cycles', tenant, 1.0 * walk_cycles / walks
    FROM total WHERE walks > 0
    UNION ALL
    SELECT run, 2, 'result', ifnull(level, 9), component || ' ' || name, tenant, value
    FROM counter WHERE :kind IS NOT NULL OR name = 'walks'
)
SELECT k.about, k.name, k.tenant, a.value AS first, c.run, b.value, CASE
    WHEN typeof(a.value) IN ('integer', 'real') AND typeof(b.value) IN ('integer', 'real')
    THEN 1.0 * b.value / nullif(a.value, 0) END AS ratio
FROM (SELECT DISTINCT part, about, rank, name, tenant FROM fact) k
JOIN chosen c ON c.position > 0
LEFT JOIN fact a ON a.run = (SELECT run FROM chosen WHERE position = 0) AND a.part = k.part AND a.name = k.name
    AND a.tenant IS k.tenant
LEFT JOIN fact b ON b.run = c.run AND b.part = k.part AND b.name = k.name AND b.tenant IS k.tenant
WHERE a.value IS NOT b.value
ORDER BY k.part, k.rank, k.name, k.tenant, c.position;
