-- SPDX-License-Identifier: Apache-2.0
-- Questions about a kind of component are about sums over its components. They are written with a run's values, so that
-- no question adds a dozen times as many numbers again.

-- The order of the key serves lists of all runs, too: they read the metrics that they show.
CREATE TABLE total (
    metric INTEGER NOT NULL REFERENCES metric,
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    tenant INTEGER NOT NULL,                  -- -1: of no tenant
    components INTEGER NOT NULL,              -- how many of them have the metric
    value INTEGER NOT NULL,                   -- the sum over them
    PRIMARY KEY (metric, run, tenant)
) STRICT, WITHOUT ROWID;

-- As db/flush.c writes them: in halves of 32 bits, because SQLite reports an error if a sum exceeds 63 bits. Such a sum is
-- the largest number.
INSERT INTO total
SELECT metric, run, tenant, components, iif(high + (low >> 32) >> 31, 9223372036854775807, (high << 32) + low)
FROM (SELECT metric, run, ifnull(tenant, -1) AS tenant, count(*) AS components, sum(value >> 32) AS high,
        sum(value & 4294967295) AS low
    FROM value GROUP BY metric, run, ifnull(tenant, -1));

-- SQLite does not know that a kind has few metrics: CROSS JOIN makes it begin with them.

DROP VIEW counters;
CREATE VIEW counters AS
SELECT v.run, m.component_kind, k.kind, k.level, nullif(v.tenant, -1) AS tenant, m.name AS metric, v.value, m.unit
FROM component_kind k
CROSS JOIN metric m ON m.component_kind = k.name
CROSS JOIN total v ON v.metric = m.id;

DROP VIEW tlb_hit_rate;
CREATE VIEW tlb_hit_rate AS
SELECT v.run, v.component_kind AS level, v.tenant, t.app,
    sum(CASE v.metric WHEN 'lookups' THEN v.value END) AS lookups,
    sum(CASE v.metric WHEN 'hits' THEN v.value END) AS hits,
    sum(CASE v.metric WHEN 'misses' THEN v.value END) AS misses,
    sum(CASE v.metric WHEN 'mshr_merges' THEN v.value END) AS mshr_merges,
    sum(CASE v.metric WHEN 'fills' THEN v.value END) AS fills,
    sum(CASE v.metric WHEN 'evictions' THEN v.value END) AS evictions,
    1.0 * sum(CASE v.metric WHEN 'hits' THEN v.value END)
        / nullif(sum(CASE v.metric WHEN 'lookups' THEN v.value END), 0) AS hit_rate
FROM counters v
LEFT JOIN tenant t ON t.run = v.run AND t.tenant = v.tenant
WHERE v.kind = 'tlb'
GROUP BY v.run, v.component_kind, v.tenant;

DROP VIEW walk_counts;
CREATE VIEW walk_counts AS
SELECT v.run, v.tenant, t.app,
    sum(CASE v.metric WHEN 'walks' THEN v.value END) AS walks,
    sum(CASE v.metric WHEN 'queue_cycles' THEN v.value END) AS queue_cycles,
    sum(CASE v.metric WHEN 'walk_cycles' THEN v.value END) AS walk_cycles,
    sum(CASE v.metric WHEN 'pwc_lookups' THEN v.value END) AS pwc_lookups,
    sum(CASE v.metric WHEN 'pwc_hits' THEN v.value END) AS pwc_hits
FROM counters v
LEFT JOIN tenant t ON t.run = v.run AND t.tenant = v.tenant
WHERE v.component_kind = 'walk'
GROUP BY v.run, v.tenant;

DROP VIEW cache_hit_rate;
CREATE VIEW cache_hit_rate AS
SELECT v.run, v.component_kind AS level, v.tenant, t.app,
    sum(CASE v.metric WHEN 'lookups' THEN v.value END) AS lookups,
    sum(CASE v.metric WHEN 'hits' THEN v.value END) AS hits,
    sum(CASE v.metric WHEN 'misses' THEN v.value END) AS misses,
    sum(CASE v.metric WHEN 'writebacks' THEN v.value END) AS writebacks,
    1.0 * sum(CASE v.metric WHEN 'hits' THEN v.value END)
        / nullif(sum(CASE v.metric WHEN 'lookups' THEN v.value END), 0) AS hit_rate
FROM counters v
LEFT JOIN tenant t ON t.run = v.run AND t.tenant = v.tenant
WHERE v.kind = 'cache'
GROUP BY v.run, v.component_kind, v.tenant;

DROP VIEW dram_use;
CREATE VIEW dram_use AS
SELECT run, tenant, app, reads, writes, row_hits, row_misses,
    1.0 * row_hits / nullif(row_hits + row_misses, 0) AS row_hit_rate,
    1000.0 * (reads + writes) / nullif(cycles, 0) AS lines_per_kcycle,
    1.0 * busy_cycles / nullif(cycles * channels, 0) AS utilisation
FROM (SELECT v.run AS run, v.tenant AS tenant, t.app AS app, t.cycles AS cycles,
        sum(CASE v.metric WHEN 'channels' THEN v.value END) AS channels,
        sum(CASE v.metric WHEN 'reads' THEN v.value END) AS reads,
        sum(CASE v.metric WHEN 'writes' THEN v.value END) AS writes,
        sum(CASE v.metric WHEN 'row_hits' THEN v.value END) AS row_hits,
        sum(CASE v.metric WHEN 'row_misses' THEN v.value END) AS row_misses,
        sum(CASE v.metric WHEN 'busy_cycles' THEN v.value END) AS busy_cycles
    FROM counters v
    LEFT JOIN tenant t ON t.run = v.run AND t.tenant = v.tenant
    WHERE v.component_kind = 'dram'
    GROUP BY v.run, v.tenant);

DROP VIEW back_pressure;
CREATE VIEW back_pressure AS
SELECT v.run, v.component_kind AS level, v.tenant, t.app,
    sum(CASE v.metric WHEN 'lookups' THEN v.value END) AS lookups,
    sum(CASE v.metric WHEN 'mshr_merges' THEN v.value END) AS mshr_merges,
    sum(CASE v.metric WHEN 'stalls' THEN v.value END) AS stalls,
    1000.0 * sum(CASE v.metric WHEN 'stalls' THEN v.value END)
        / nullif(sum(CASE v.metric WHEN 'lookups' THEN v.value END), 0) AS stalls_per_1000
FROM counters v
LEFT JOIN tenant t ON t.run = v.run AND t.tenant = v.tenant
WHERE v.component_kind IN (SELECT component_kind FROM metric WHERE name = 'mshr_merges')
    AND v.metric IN ('lookups', 'mshr_merges', 'stalls')
GROUP BY v.run, v.component_kind, v.tenant;

DROP VIEW sm_activity;
CREATE VIEW sm_activity AS
SELECT v.run, nullif(v.tenant, -1) AS tenant, t.app, max(v.components) AS sms,
    sum(CASE m.name WHEN 'issued' THEN v.value END) AS issued,
    1.0 * sum(CASE m.name WHEN 'issued' THEN v.value END) / nullif(t.cycles * max(v.components), 0) AS ipc_per_sm,
    sum(CASE m.name WHEN 'accesses' THEN v.value END) AS accesses,
    1.0 * sum(CASE m.name WHEN 'access_cycles' THEN v.value END)
        / nullif(sum(CASE m.name WHEN 'accesses' THEN v.value END), 0) AS mean_access_cycles,
    sum(CASE m.name WHEN 'lsu_stalls' THEN v.value END) AS lsu_stalls
FROM metric m
CROSS JOIN total v ON v.metric = m.id
LEFT JOIN tenant t ON t.run = v.run AND t.tenant = v.tenant
WHERE m.component_kind = 'sm'
GROUP BY v.run, v.tenant;
