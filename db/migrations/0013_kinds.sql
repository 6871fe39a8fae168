-- SPDX-License-Identifier: Apache-2.0
-- Kinds and levels of components: "l2_tlb" is of the kind tlb and of level 2. Views ask for these instead of listing
-- names, so that they show any number of levels, and components of designs that did not exist yet.

CREATE TABLE component_kind (
    name TEXT PRIMARY KEY,                    -- l2_tlb, as in component.kind and metric.component_kind
    kind TEXT NOT NULL,                       -- tlb; components of one kind have the same counters
    level INTEGER CHECK (level > 0)           -- 2; level 1 is next to the SMs; NULL: the kind has no levels
) STRICT, WITHOUT ROWID;

-- The names in databases of earlier versions.
INSERT INTO component_kind (name, kind, level)
SELECT name,
    CASE WHEN name GLOB 'l[0-9]_tlb' THEN 'tlb' WHEN name GLOB 'l[0-9]d' THEN 'cache' ELSE name END,
    CASE WHEN name GLOB 'l[0-9]_tlb' OR name GLOB 'l[0-9]d' THEN CAST(substr(name, 2, 1) AS INTEGER) END
FROM (SELECT kind AS name FROM component UNION SELECT component_kind FROM metric);

-- Every value, summed over the components of one kind and level. tenant is NULL for values of no tenant.
CREATE VIEW counters AS
SELECT v.run, m.component_kind, k.kind, k.level, v.tenant, m.name AS metric, sum(v.value) AS value, m.unit
FROM metric m
JOIN component_kind k ON k.name = m.component_kind
JOIN value v ON v.metric = m.id
GROUP BY v.run, m.id, v.tenant;

-- ---- TLBs ----

DROP VIEW l2_tlb_mpki;
DROP VIEW tlb_hit_rate;

-- level is the name of the level, such as l2_tlb.
CREATE VIEW tlb_hit_rate AS
SELECT v.run, m.component_kind AS level, v.tenant, t.app,
    sum(CASE m.name WHEN 'lookups' THEN v.value END) AS lookups,
    sum(CASE m.name WHEN 'hits' THEN v.value END) AS hits,
    sum(CASE m.name WHEN 'misses' THEN v.value END) AS misses,
    sum(CASE m.name WHEN 'mshr_merges' THEN v.value END) AS mshr_merges,
    sum(CASE m.name WHEN 'fills' THEN v.value END) AS fills,
    sum(CASE m.name WHEN 'evictions' THEN v.value END) AS evictions,
    1.0 * sum(CASE m.name WHEN 'hits' THEN v.value END)
        / nullif(sum(CASE m.name WHEN 'lookups' THEN v.value END), 0) AS hit_rate
FROM metric m
JOIN component_kind k ON k.name = m.component_kind
JOIN value v ON v.metric = m.id
LEFT JOIN tenant t ON t.run = v.run AND t.tenant = v.tenant
WHERE k.kind = 'tlb'
GROUP BY v.run, m.component_kind, v.tenant;

-- Misses of each TLB level per thousand instructions: warp instructions, and those of their threads.
CREATE VIEW tlb_mpki AS
SELECT t.run, r.experiment, h.level, t.tenant, t.app, t.size, h.misses, t.instructions, t.thread_instructions,
    1000.0 * h.misses / nullif(t.instructions, 0) AS mpki,
    1000.0 * h.misses / nullif(t.thread_instructions, 0) AS thread_mpki
FROM tlb_hit_rate h
JOIN tenant t ON t.run = h.run AND t.tenant = h.tenant
JOIN run r ON r.id = t.run;

CREATE VIEW l2_tlb_mpki AS
SELECT run, experiment, tenant, app, size, misses, instructions, thread_instructions, mpki, thread_mpki
FROM tlb_mpki
WHERE level IN (SELECT name FROM component_kind WHERE kind = 'tlb' AND component_kind.level = 2);

-- The last TLB level alone measures reuse distances.
DROP VIEW reuse_distance;
CREATE VIEW reuse_distance AS
SELECT d.run, d.tenant, t.app, d.low AS from_pages, d.high AS to_pages, d.count AS reuses,
    1.0 * d.count / d.total AS fraction, 1.0 * (d.below + d.count) / d.total AS cumulative
FROM distributions d
LEFT JOIN tenant t ON t.run = d.run AND t.tenant = d.tenant
WHERE d.metric = 'reuse_distance';

-- ---- caches and back-pressure ----

DROP VIEW cache_hit_rate;
CREATE VIEW cache_hit_rate AS
SELECT v.run, m.component_kind AS level, v.tenant, t.app,
    sum(CASE m.name WHEN 'lookups' THEN v.value END) AS lookups,
    sum(CASE m.name WHEN 'hits' THEN v.value END) AS hits,
    sum(CASE m.name WHEN 'misses' THEN v.value END) AS misses,
    sum(CASE m.name WHEN 'writebacks' THEN v.value END) AS writebacks,
    1.0 * sum(CASE m.name WHEN 'hits' THEN v.value END)
        / nullif(sum(CASE m.name WHEN 'lookups' THEN v.value END), 0) AS hit_rate
FROM metric m
JOIN component_kind k ON k.name = m.component_kind
JOIN value v ON v.metric = m.id
LEFT JOIN tenant t ON t.run = v.run AND t.tenant = v.tenant
WHERE k.kind = 'cache'
GROUP BY v.run, m.component_kind, v.tenant;

-- Every component kind with MSHRs. stalls: requests that found all MSHRs (or merge slots) in use and were held back.
DROP VIEW back_pressure;
CREATE VIEW back_pressure AS
SELECT v.run, m.component_kind AS level, v.tenant, t.app,
    sum(CASE m.name WHEN 'lookups' THEN v.value END) AS lookups,
    sum(CASE m.name WHEN 'mshr_merges' THEN v.value END) AS mshr_merges,
    sum(CASE m.name WHEN 'stalls' THEN v.value END) AS stalls,
    1000.0 * sum(CASE m.name WHEN 'stalls' THEN v.value END)
        / nullif(sum(CASE m.name WHEN 'lookups' THEN v.value END), 0) AS stalls_per_1000
FROM metric m
JOIN value v ON v.metric = m.id
LEFT JOIN tenant t ON t.run = v.run AND t.tenant = v.tenant
WHERE m.component_kind IN (SELECT component_kind FROM metric WHERE name = 'mshr_merges')
    AND m.name IN ('lookups', 'mshr_merges', 'stalls')
GROUP BY v.run, m.component_kind, v.tenant;
