-- SPDX-License-Identifier: Apache-2.0
-- The views. Opening a file whose views are not these drops and creates them again. One that goes leaves a
-- "DROP VIEW IF EXISTS" at its place, for files that have it.

CREATE VIEW latest_run AS SELECT max(id) AS run FROM run WHERE status = 'done' AND role = 'requested';

-- ---- the recorded numbers with their names ----

CREATE VIEW metrics AS
SELECT v.run, c.path AS component, c.kind, v.tenant, m.name AS metric, v.value, m.unit, m.description
FROM value v
JOIN metric m ON m.id = v.metric
JOIN component c ON c.run = v.run AND c.id = v.component;

-- Histograms, summed over the components of one kind. low and high are the smallest and largest value of a bin. maximum
-- is the largest value of all; runs before schema 25 have none.
CREATE VIEW distributions AS
SELECT run, component_kind, metric, unit, scale, tenant, bin, low, high, count,
    sum(count) OVER (PARTITION BY run, component_kind, metric, tenant) AS total,
    sum(count) OVER (PARTITION BY run, component_kind, metric, tenant ORDER BY bin) - count AS below,
    max(maximum) OVER (PARTITION BY run, component_kind, metric, tenant) AS maximum
FROM (SELECT h.run AS run, m.component_kind AS component_kind, m.name AS metric, m.unit AS unit,
        replace(m.kind, 'histogram_', '') AS scale, h.tenant AS tenant, b.bin AS bin, b.low AS low, b.high AS high,
        sum(b.count) AS count, max(h.maximum) AS maximum
    FROM histogram h
    JOIN metric m ON m.id = h.metric
    JOIN histogram_bin b ON b.histogram = h.id
    GROUP BY h.run, m.component_kind, m.name, m.unit, m.kind, h.tenant, b.bin);

-- pN is the smallest value that at least N % of the values do not exceed, to the width of its bin: the bin's middle if
-- the scale is log_linear, otherwise values count as evenly spread within the bin. error_percent is the largest
-- difference from the exact value, in per cent of that; bins that double in width can be wrong by a factor of two. The
-- view uses windows and not GROUP BY, because SQLite passes "WHERE run = ..." through windows.
CREATE VIEW percentiles AS
SELECT run, component_kind, metric, unit, tenant, total AS count, p50, p90, p95, p99, maximum,
    CASE scale WHEN 'linear' THEN 0 WHEN 'log_linear' THEN 1.6 ELSE 100 END AS error_percent
FROM (SELECT run, component_kind, metric, unit, scale, tenant, total, below, maximum,
        max(CASE WHEN below < 0.50 * total AND 0.50 * total <= below + count
            THEN min(most, start + width * (0.50 * total - below) / count) END) OVER same AS p50,
        max(CASE WHEN below < 0.90 * total AND 0.90 * total <= below + count
            THEN min(most, start + width * (0.90 * total - below) / count) END) OVER same AS p90,
        max(CASE WHEN below < 0.95 * total AND 0.95 * total <= below + count
            THEN min(most, start + width * (0.95 * total - below) / count) END) OVER same AS p95,
        max(CASE WHEN below < 0.99 * total AND 0.99 * total <= below + count
            THEN min(most, start + width * (0.99 * total - below) / count) END) OVER same AS p99
    FROM (SELECT *, ifnull(maximum, high) AS most,
            CASE scale WHEN 'log_linear' THEN (low + high) / 2.0 ELSE low END AS start,
            CASE scale WHEN 'log_linear' THEN 0 ELSE high - low END AS width
        FROM distributions)
    WINDOW same AS (PARTITION BY run, component_kind, metric, tenant))
WHERE below = 0;

CREATE VIEW epochs AS
SELECT b.run, e.cycle, c.path AS component, c.kind, e.tenant, m.name AS metric, e.value, m.unit
FROM epoch_batch b
CROSS JOIN epoch e ON e.id BETWEEN b.first AND b.last
JOIN component c ON c.run = b.run AND c.id = e.component
JOIN metric m ON m.id = e.metric;

-- The columns are NULL unless there is a run alone of every tenant.
CREATE VIEW workload_performance AS
SELECT run, experiment, group_concat(app, ' ') AS apps,
    CASE WHEN count(*) = count(slowdown) THEN count(*) / sum(slowdown) END AS harmonic_mean,
    CASE WHEN count(*) = count(slowdown) THEN sum(relative_performance) END AS weighted_speedup,
    CASE WHEN count(*) = count(slowdown) THEN max(slowdown) END AS max_slowdown,
    CASE WHEN count(*) = count(slowdown) THEN min(slowdown) / max(slowdown) END AS fairness
FROM slowdown
GROUP BY run, experiment;

CREATE VIEW sub_entry_use AS
SELECT d.run, d.component_kind AS level, d.tenant, t.app, d.low AS sub_entries, d.count AS evictions,
    1.0 * d.count / d.total AS fraction, 1.0 * (d.below + d.count) / d.total AS cumulative
FROM distributions d
LEFT JOIN tenant t ON t.run = d.run AND t.tenant = d.tenant
WHERE d.metric = 'sub_entries_at_eviction';

CREATE VIEW walk_latency AS
SELECT w.run, w.tenant, w.app, w.walks,
    1.0 * (w.queue_cycles + w.walk_cycles) / nullif(w.walks, 0) AS mean_cycles,
    1.0 * w.queue_cycles / nullif(w.walks, 0) AS mean_queueing,
    1.0 * w.walk_cycles / nullif(w.walks, 0) AS mean_walking,
    p.p50, p.p90, p.p99, p.maximum, p.error_percent
FROM walk_counts w
JOIN percentiles p ON p.run = w.run AND p.tenant IS w.tenant AND p.component_kind = 'walk'
    AND p.metric = 'walk_latency';

CREATE VIEW page_walk_cache AS
SELECT run, tenant, app, pwc_lookups AS lookups, pwc_hits AS hits,
    1.0 * pwc_hits / nullif(pwc_lookups, 0) AS hit_rate
FROM walk_counts;

-- Student's quantile t of the two-sided 95 % interval of a mean of n values; more than 30 take that of 30, which is
-- somewhat too wide.
CREATE VIEW student (n, t) AS
VALUES (2, 12.706), (3, 4.303), (4, 3.182), (5, 2.776), (6, 2.571), (7, 2.447), (8, 2.365), (9, 2.306), (10, 2.262),
    (11, 2.228), (12, 2.201), (13, 2.179), (14, 2.160), (15, 2.145), (16, 2.131), (17, 2.120), (18, 2.110), (19, 2.101),
    (20, 2.093), (21, 2.086), (22, 2.080), (23, 2.074), (24, 2.069), (25, 2.064), (26, 2.060), (27, 2.056), (28, 2.052),
    (29, 2.048), (30, 2.045);

-- Means over the seeds of points that are alike otherwise, and half of the 95 % interval: Student's quantile times the
-- deviation over the root of n.
CREATE VIEW seed_means AS
WITH seeded AS (SELECT study FROM axis WHERE path = 'seed' AND varies),
    grouped AS (SELECT p.study, p.number, p.cycles, p.ipc, p.weighted_speedup, p.max_slowdown,
            ifnull((SELECT group_concat(path || '=' || value, ' ') FROM (SELECT v.path AS path, v.value AS value
                    FROM point_value v JOIN axis a ON a.study = v.study AND a.path = v.path AND a.varies
                    WHERE v.study = p.study AND v.number = p.number AND v.path <> 'seed' ORDER BY a.position, a.path)), 'all')
                AS label
        FROM points p JOIN seeded s ON s.study = p.study WHERE p.status = 'done'),
    sample AS (SELECT study, label, number, 'cycles' AS metric, cycles AS x FROM grouped
        UNION ALL SELECT study, label, number, 'ipc', ipc FROM grouped
        UNION ALL SELECT study, label, number, 'weighted_speedup', weighted_speedup FROM grouped
        UNION ALL SELECT study, label, number, 'max_slowdown', max_slowdown FROM grouped),
    mean AS (SELECT study, label, metric, avg(x) AS mean, count(x) AS n, min(number) AS first_point
        FROM sample WHERE x IS NOT NULL GROUP BY study, label, metric)
SELECT m.study, m.label, m.metric, m.n AS seeds, m.mean, m.first_point,
    (SELECT t FROM student WHERE student.n = min(m.n, 30))
        * sqrt((SELECT sum((s.x - m.mean) * (s.x - m.mean)) FROM sample s
            WHERE s.study = m.study AND s.label = m.label AND s.metric = m.metric) / nullif(m.n - 1, 0) / m.n) AS half_width
FROM mean m;

-- What was counted for the tenant from the end of the launch before to the end of this one. DRAM lines are those that
-- were read and written.
CREATE VIEW kernels AS
SELECT l.run, l.tenant, t.app, l.number AS launch, l.kernel, l.began, l.ended, l.ended - l.began AS cycles,
    max(CASE WHEN k.kind = 'sm' AND m.name = 'issued' THEN c.value END) AS instructions,
    max(CASE WHEN k.kind = 'sm' AND m.name = 'accesses' THEN c.value END) AS accesses,
    max(CASE WHEN k.kind = 'sm' AND m.name = 'pages' THEN c.value END) AS translations,
    max(CASE WHEN k.kind = 'tlb' AND k.level = 1 AND m.name = 'misses' THEN c.value END) AS l1_tlb_misses,
    max(CASE WHEN k.kind = 'tlb' AND k.level = 2 AND m.name = 'misses' THEN c.value END) AS l2_tlb_misses,
    max(CASE WHEN k.kind = 'tlb' AND k.level = 3 AND m.name = 'misses' THEN c.value END) AS l3_tlb_misses,
    max(CASE WHEN k.kind = 'walk' AND m.name = 'walks' THEN c.value END) AS walks,
    max(CASE WHEN k.kind = 'cache' AND k.level = 1 AND m.name = 'misses' THEN c.value END) AS l1_cache_misses,
    max(CASE WHEN k.kind = 'cache' AND k.level = 2 AND m.name = 'misses' THEN c.value END) AS l2_cache_misses,
    sum(CASE WHEN k.kind = 'dram' AND m.name IN ('reads', 'writes') THEN c.value END) AS dram_lines
FROM launch l
LEFT JOIN tenant t ON t.run = l.run AND t.tenant = l.tenant
LEFT JOIN launch_count c ON c.run = l.run AND c.tenant = l.tenant AND c.number = l.number
LEFT JOIN metric m ON m.id = c.metric
LEFT JOIN component_kind k ON k.name = m.component_kind
GROUP BY l.run, l.tenant, l.number;

-- The points of studies with the latest run of each, finished ones first. IPC is the sum over tenants. alone: what the
-- reference's machine has in place of the run's settings; NULL: the same machine, or no comparison.
CREATE VIEW points AS
SELECT p.study, s.name, p.number, p.label, p.run, r.status, r.experiment, r.seed, r.cycles,
    (SELECT group_concat(app, ' ') FROM (SELECT ifnull(app, '?') AS app FROM tenant t WHERE t.run = p.run ORDER BY tenant))
        AS apps,
    (SELECT sum(1.0 * t.instructions / nullif(t.cycles, 0)) FROM tenant t WHERE t.run = p.run) AS ipc,
    w.weighted_speedup, w.harmonic_mean, w.max_slowdown, w.fairness,
    (SELECT nullif(max(settings), '') FROM reference f WHERE f.run = p.run) AS alone
FROM (SELECT q.study AS study, q.number AS number, q.label AS label,
        (SELECT x.run FROM point_run x JOIN run y ON y.id = x.run WHERE x.study = q.study AND x.number = q.number
            ORDER BY y.status = 'done' DESC, x.run DESC LIMIT 1) AS run
    FROM point q) p
JOIN study s ON s.id = p.study
LEFT JOIN run r ON r.id = p.run
LEFT JOIN workload_performance w ON w.run = p.run;

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

CREATE VIEW reuse_distance AS
SELECT d.run, d.tenant, t.app, d.low AS from_pages, d.high AS to_pages, d.count AS reuses,
    1.0 * d.count / d.total AS fraction, 1.0 * (d.below + d.count) / d.total AS cumulative
FROM distributions d
LEFT JOIN tenant t ON t.run = d.run AND t.tenant = d.tenant
WHERE d.metric = 'reuse_distance';

CREATE VIEW estimates AS
SELECT e.run, r.experiment, r.changes, e.tenant, t.app, t.size, e.name, e.value, e.half_width, e.unit, e.windows,
    r.detail, substr(r.revision, 1, 12) AS revision
FROM estimate e JOIN run r ON r.id = e.run LEFT JOIN tenant t ON t.run = e.run AND t.tenant = e.tenant;

CREATE VIEW sub_entry_use_mean AS
SELECT h.run, m.component_kind AS level, h.tenant, t.app, sum(b.count) AS evictions,
    1.0 * sum(b.low * b.count) / sum(b.count) AS mean_sub_entries
FROM histogram h
JOIN metric m ON m.id = h.metric
JOIN histogram_bin b ON b.histogram = h.id
LEFT JOIN tenant t ON t.run = h.run AND t.tenant = h.tenant
WHERE m.name = 'sub_entries_at_eviction'
GROUP BY h.run, m.component_kind, h.tenant;

CREATE VIEW simulation_cost AS
SELECT r.id AS run, r.experiment, r.changes, r.cut_at, r.translations, r.events, c.instructions, c.l1_misses, c.l2_misses,
    1.0 * c.instructions / nullif(r.translations, 0) AS instructions_per_translation,
    1.0 * c.l1_misses / nullif(r.translations, 0) AS l1_misses_per_translation,
    1.0 * c.l2_misses / nullif(r.translations, 0) AS l2_misses_per_translation,
    1.0 * c.instructions / nullif(r.events, 0) AS instructions_per_event,
    1.0 * c.l1_misses / nullif(r.events, 0) AS l1_misses_per_event,
    1.0 * c.l2_misses / nullif(r.events, 0) AS l2_misses_per_event,
    substr(r.revision, 1, 12) AS revision, r.compiler, c.caches, c.tool
FROM host_count c CROSS JOIN run r ON r.id = c.run;

CREATE VIEW figures AS
SELECT p.paper, p.figure, p.series, p.x, p.value AS paper_value, m.value AS measured, p.unit,
    m.value / nullif(p.value, 0) AS ratio, p.note, m.revision, m.measured AS measured_at,
    (SELECT group_concat(run, ' ') FROM (SELECT run FROM measured_run WHERE point = m.id ORDER BY run)) AS runs,
    p.position, m.derived
FROM paper_point p
LEFT JOIN measured_point m ON m.id = (SELECT max(l.id) FROM measured_point l
    WHERE l.paper = p.paper AND l.figure = p.figure AND l.series = p.series AND l.x = p.x);

CREATE VIEW runs AS
SELECT run.id AS run, started, experiment,
    CASE WHEN detail IS NOT NULL THEN 'estimate' WHEN cut_at IS NOT NULL THEN 'cut' ELSE status END AS status,
    CASE WHEN EXISTS (SELECT 1 FROM firmware WHERE firmware.run = run.id)
        THEN (SELECT group_concat(workload || '=' || app, ' ')
              FROM (SELECT workload, ifnull(app, '?') AS app FROM workload w WHERE w.run = run.id ORDER BY workload))
        ELSE (SELECT group_concat(app || CASE WHEN slices THEN '/' || slices || 'g' ELSE '' END, ' ')
              FROM (SELECT coalesce(app, replace(trace, rtrim(trace, replace(trace, '/', '')), ''), '?') AS app, slices
                    FROM tenant LEFT JOIN run_input USING (run, tenant)
                    WHERE tenant.run = run.id ORDER BY tenant.tenant))
    END AS apps,
    cycles, seconds, accesses / nullif(seconds, 0) AS accesses_per_second,
    translations / nullif(seconds, 0) AS translations_per_second, substr(revision, 1, 12) AS revision, host, error,
    seed, changes,
    (SELECT group_concat('plugin=' || name, ' ') FROM (SELECT name FROM run_plugin p WHERE p.run = run.id ORDER BY name))
        AS plugins
FROM run;

CREATE VIEW simulation_speed AS
SELECT id AS run, experiment, accesses, translations, cycles, seconds,
    accesses / nullif(seconds, 0) AS accesses_per_second, translations / nullif(seconds, 0) AS translations_per_second,
    cycles / nullif(seconds, 0) AS cycles_per_second, peak_memory / 1048576.0 AS peak_memory_mib, build_type, compiler,
    substr(revision, 1, 12) AS revision, host, cpu, cores
FROM run WHERE status = 'done';

CREATE VIEW ipc AS
SELECT t.run, (SELECT r.experiment FROM run r WHERE r.id = t.run) AS experiment, t.tenant, t.app, t.size, t.slices,
    t.instructions, t.cycles, 1.0 * t.instructions / nullif(t.cycles, 0) AS ipc,
    1.0 * t.thread_instructions / nullif(t.cycles, 0) AS thread_ipc
FROM tenant t
WHERE t.cycles IS NOT NULL;

CREATE VIEW alone AS
SELECT r.id AS run, r.machine_hash, r.revision, i.hash, t.slices, t.cycles
FROM run r
CROSS JOIN run_input i ON i.run = r.id
CROSS JOIN tenant t ON t.run = i.run AND t.tenant = i.tenant
WHERE r.status = 'done' AND (SELECT count(*) FROM tenant x WHERE x.run = i.run) = 1;

CREATE VIEW slowdown AS
SELECT t.run, t.experiment, t.tenant, t.app, t.size, t.slices, t.cycles, t.alone_run, a.cycles AS alone_cycles,
    1.0 * a.cycles / nullif(t.cycles, 0) * t.instructions / nullif(a.instructions, 0) AS relative_performance,
    1.0 * t.cycles / nullif(a.cycles, 0) * a.instructions / nullif(t.instructions, 0) AS slowdown,
    nullif((SELECT settings FROM reference f WHERE f.run = t.run AND f.tenant = t.tenant), '') AS alone_settings
FROM (SELECT t.run AS run, r.experiment AS experiment, t.tenant AS tenant, t.app AS app, t.size AS size,
        t.slices AS slices, t.cycles AS cycles, t.instructions AS instructions,
        coalesce((SELECT alone FROM reference f WHERE f.run = t.run AND f.tenant = t.tenant),
            (SELECT max(run) FROM alone WHERE alone.hash = i.hash AND alone.slices = t.slices
                AND alone.machine_hash = r.machine_hash AND alone.revision = r.revision),
            (SELECT max(run) FROM alone WHERE alone.hash = i.hash AND alone.slices = t.slices
                AND alone.machine_hash = r.machine_hash)) AS alone_run
    FROM run r
    CROSS JOIN tenant t ON t.run = r.id
    CROSS JOIN run_input i ON i.run = t.run AND i.tenant = t.tenant
    WHERE r.status = 'done' AND (SELECT count(*) FROM tenant x WHERE x.run = t.run) > 1) t
LEFT JOIN tenant a ON a.run = t.alone_run;

CREATE VIEW counters AS
SELECT v.run, m.component_kind, k.kind, k.level, nullif(v.tenant, -1) AS tenant, m.name AS metric, v.value, m.unit
FROM component_kind k
CROSS JOIN metric m ON m.component_kind = k.name
CROSS JOIN total v ON v.metric = m.id;

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

-- Managed memory. coverage: the prefetched pages of those that got memory; accuracy: those of them that were used. fault_us,
-- batch_us: from an access to its replay, and of a batch of faults or of notices; means. gbps: of copies. use: the share of
-- the tenant's time in which the link was busy with its copies.
CREATE VIEW managed_memory AS
SELECT m.run, m.tenant, m.app, m.entries AS faults, m.batches, 1.0 * m.entries / nullif(m.batches, 0) AS faults_per_batch,
    m.faulted, m.counted, m.prefetched,
    1.0 * m.prefetched / nullif(m.faulted + m.prefetched + coalesce(m.counted, 0), 0) AS coverage,
    1.0 * m.prefetch_used / nullif(m.prefetched, 0) AS accuracy, m.prefetch_lost, m.zeroed, m.copied,
    m.refetched, m.evictions, m.evicted, m.written_back, m.host_faults, m.host_moved,
    1.0 * m.host_cycles / nullif(m.host_faults, 0) / c.value AS host_fault_us, m.held, m.naps, m.pinned, m.unpinned,
    1.0 * m.fault_cycles / nullif(m.faults, 0) / c.value AS fault_us,
    1.0 * m.batch_cycles / nullif(m.batches + coalesce(m.notice_batches, 0), 0) / c.value AS batch_us,
    m.bytes_in / 1e6 AS mb_in, m.bytes_out / 1e6 AS mb_out,
    1.0 * m.bytes_in / nullif(m.busy_in, 0) * c.value / 1000 AS gbps_in,
    1.0 * m.bytes_out / nullif(m.busy_out, 0) * c.value / 1000 AS gbps_out,
    1.0 * m.busy_in / nullif(m.cycles, 0) AS use_in, 1.0 * m.busy_out / nullif(m.cycles, 0) AS use_out
FROM (SELECT v.run AS run, v.tenant AS tenant, t.app AS app, t.cycles AS cycles,
        sum(CASE v.metric WHEN 'entries' THEN v.value END) AS entries,
        sum(CASE v.metric WHEN 'batches' THEN v.value END) AS batches,
        sum(CASE v.metric WHEN 'notice_batches' THEN v.value END) AS notice_batches,
        sum(CASE v.metric WHEN 'faulted' THEN v.value END) AS faulted,
        sum(CASE v.metric WHEN 'counted' THEN v.value END) AS counted,
        sum(CASE v.metric WHEN 'prefetched' THEN v.value END) AS prefetched,
        sum(CASE v.metric WHEN 'prefetch_used' THEN v.value END) AS prefetch_used,
        sum(CASE v.metric WHEN 'prefetch_lost' THEN v.value END) AS prefetch_lost,
        sum(CASE v.metric WHEN 'zeroed' THEN v.value END) AS zeroed,
        sum(CASE v.metric WHEN 'copied' THEN v.value END) AS copied,
        sum(CASE v.metric WHEN 'refetched' THEN v.value END) AS refetched,
        sum(CASE v.metric WHEN 'evictions' THEN v.value END) AS evictions,
        sum(CASE v.metric WHEN 'evicted' THEN v.value END) AS evicted,
        sum(CASE v.metric WHEN 'written_back' THEN v.value END) AS written_back,
        sum(CASE v.metric WHEN 'host_faults' THEN v.value END) AS host_faults,
        sum(CASE v.metric WHEN 'host_moved' THEN v.value END) AS host_moved,
        sum(CASE v.metric WHEN 'host_cycles' THEN v.value END) AS host_cycles,
        sum(CASE v.metric WHEN 'held' THEN v.value END) AS held,
        sum(CASE v.metric WHEN 'naps' THEN v.value END) AS naps,
        sum(CASE v.metric WHEN 'pinned' THEN v.value END) AS pinned,
        sum(CASE v.metric WHEN 'unpinned' THEN v.value END) AS unpinned,
        sum(CASE v.metric WHEN 'bytes_in' THEN v.value END) AS bytes_in,
        sum(CASE v.metric WHEN 'bytes_out' THEN v.value END) AS bytes_out,
        sum(CASE v.metric WHEN 'busy_in' THEN v.value END) AS busy_in,
        sum(CASE v.metric WHEN 'busy_out' THEN v.value END) AS busy_out,
        sum(CASE v.metric WHEN 'fault_cycles' THEN v.value END) AS fault_cycles,
        sum(CASE v.metric WHEN 'faults' THEN v.value END) AS faults,
        sum(CASE v.metric WHEN 'batch_cycles' THEN v.value END) AS batch_cycles
    FROM counters v
    LEFT JOIN tenant t ON t.run = v.run AND t.tenant = v.tenant
    WHERE v.component_kind = 'uvm'
    GROUP BY v.run, v.tenant) m
LEFT JOIN parameter c ON c.run = m.run AND c.path = 'machine.clock_mhz';

-- The time of the server of page faults by part, up to the end of the last batch. A batch of several tenants counts for each
-- of them. us_per_batch: of faults or of notices; us_per_page: that got memory because of a fault or a notice.
CREATE VIEW fault_cost AS
WITH part (position, part, metric) AS (VALUES (1, 'interrupt', 'interrupt_cycles'), (2, 'fetch', 'fetch_cycles'),
    (3, 'block', 'block_cycles'), (4, 'page', 'page_cycles'), (5, 'copy', 'copy_cycles'), (6, 'evict', 'evict_cycles'),
    (7, 'invalidation', 'invalidation_cycles'), (8, 'replay', 'replay_cycles'))
SELECT v.run, v.tenant, t.app, p.position, p.part, v.value AS cycles,
    1.0 * v.value / nullif(sum(v.value) OVER (PARTITION BY v.run, v.tenant), 0) AS share,
    1.0 * v.value / c.value / nullif(b.batches, 0) AS us_per_batch, 1.0 * v.value / c.value / nullif(b.pages, 0) AS us_per_page
FROM counters v
JOIN part p ON p.metric = v.metric
LEFT JOIN tenant t ON t.run = v.run AND t.tenant = v.tenant
LEFT JOIN parameter c ON c.run = v.run AND c.path = 'machine.clock_mhz'
LEFT JOIN (SELECT run, tenant, sum(CASE WHEN metric IN ('batches', 'notice_batches') THEN value END) AS batches,
        sum(CASE WHEN metric IN ('faulted', 'counted') THEN value END) AS pages
    FROM counters WHERE component_kind = 'uvm' GROUP BY run, tenant) b ON b.run = v.run AND b.tenant = v.tenant
WHERE v.component_kind = 'uvm';

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

-- ---- energy ----

-- Which counters are accesses to which structure. kind: a component or its kind; '' is any, since the designs of a TLB and of
-- walks may have one name. structure: NULL is the component, '^' the TLB that has the design. holds: whether the parameter
-- must match pattern, or name a design with that counter; path '' is the component's name. What is fully associative reads
-- the translation that a look-up finds. A policy of ranges counts the entries that it writes; fills are translations.
-- MESC's last TLB looks up its subregions first, and its pages unless they answer. L1 TLBs that miss ask the directory.
-- Each entry that a walk reads is stored in the page walk cache, except the one with which it ends, and heads. Walks read
-- their entries from DRAM, unless they read them through the L2 cache, which counts them.
CREATE VIEW energy_terms AS
WITH term (kind, metric, factor, part, structure, access, path, pattern, holds) AS (VALUES
    ('tlb', 'lookups', 1, 'translation', NULL, 'lookup', NULL, NULL, 1),
    ('tlb', 'hits', 1, 'translation', NULL, 'read', NULL, NULL, 1),
    ('tlb', 'fills', 1, 'translation', NULL, 'write', '.policy', 'pages_written', 0),
    ('tlb', 'lookups', 1, 'translation', '.subregions', 'lookup', '.policy', 'mesc*', 1),
    ('', 'block_hits', -1, 'translation', '^', 'lookup', '', 'mesc*', 1),
    ('', 'pages_written', 1, 'translation', '^', 'write', NULL, NULL, 1),
    ('', 'blocks_written', 1, 'translation', '^.subregions', 'write', '', 'mesc*', 1),
    ('', 'blocks_written', 1, 'translation', '^', 'write', '', 'mesc*', 0),
    ('neighbours', 'probes', 1, 'translation', 'l1_tlb', 'lookup', NULL, NULL, 1),
    ('l1_tlb', 'misses', 1, 'translation', 'directory', 'lookup', 'neighbours.policy', 'neidty', 1),
    ('neidty', 'allocated_free', 1, 'translation', 'directory', 'write', NULL, NULL, 1),
    ('neidty', 'evicted_local', 1, 'translation', 'directory', 'write', NULL, NULL, 1),
    ('neidty', 'evicted_oldest', 1, 'translation', 'directory', 'write', NULL, NULL, 1),
    ('', 'msc_lookups', 1, 'translation', 'msc', 'lookup', NULL, NULL, 1),
    ('', 'msc_insertions', 1, 'translation', 'msc', 'write', NULL, NULL, 1),
    ('walk', 'pwc_lookups', 1, 'translation', 'pwc', 'lookup', NULL, NULL, 1),
    ('walk', 'levels_read', 1, 'translation', 'pwc', 'write', 'walk.pwc_entries', '[1-9]*', 1),
    ('walk', 'walks', -1, 'translation', 'pwc', 'write', 'walk.pwc_entries', '[1-9]*', 1),
    ('', 'heads', -1, 'translation', 'pwc', 'write', 'walk.pwc_entries', '[1-9]*', 1),
    ('walk', 'levels_read', 1, 'translation', 'page_table', 'read', 'walk.memory', 'cached', 0),
    ('walk', 'levels_read', -1, 'data', 'dram', 'read', 'walk.memory', 'dram', 1),
    ('cache', 'lookups', 1, 'data', NULL, 'lookup', NULL, NULL, 1),
    ('cache', 'fills', 1, 'data', NULL, 'write', NULL, NULL, 1),
    ('dram', 'reads', 1, 'data', NULL, 'read', NULL, NULL, 1),
    ('dram', 'writes', 1, 'data', NULL, 'write', NULL, NULL, 1),
    ('dram', 'row_misses', 1, 'data', NULL, 'activate', NULL, NULL, 1))
SELECT r.id AS run, m.id AS metric, t.factor, t.part, ifnull(t.structure, '') GLOB '^*' AS of_parent,
    CASE WHEN t.structure IS NULL THEN k.name WHEN t.structure GLOB '^*' THEN substr(t.structure, 2)
        WHEN t.structure GLOB '.*' THEN k.name || t.structure ELSE t.structure END AS structure,
    t.access
FROM run r
CROSS JOIN term t
CROSS JOIN component_kind k ON t.kind IN ('', k.kind, k.name)
CROSS JOIN metric m ON m.component_kind = k.name AND m.name = t.metric
WHERE CASE WHEN t.path IS NULL THEN 1 WHEN t.path = '' THEN k.name GLOB t.pattern
    ELSE EXISTS (SELECT 1 FROM parameter p
        WHERE p.run = r.id AND p.path = CASE WHEN t.path GLOB '.*' THEN k.name || t.path ELSE t.path END
            AND (p.value GLOB t.pattern
                OR EXISTS (SELECT 1 FROM metric d WHERE d.component_kind = p.value AND d.name = t.pattern))) END = t.holds;

-- How often each structure was read or written; rows with the same structure and access add up, and a negative one corrects
-- another. A join of one run passes through a list of SELECTs, but not through GROUP BY around it.
CREATE VIEW energy_counts AS
SELECT e.run, nullif(v.tenant, -1) AS tenant, e.part, e.structure, e.access, e.factor * v.value AS count
FROM energy_terms e
CROSS JOIN total v ON v.metric = e.metric AND v.run = e.run
WHERE NOT e.of_parent
UNION ALL
SELECT e.run, v.tenant, e.part, t.kind || e.structure, e.access, e.factor * v.value
FROM energy_terms e
CROSS JOIN value v ON v.run = e.run AND v.metric = e.metric
CROSS JOIN component d ON d.run = v.run AND d.id = v.component
CROSS JOIN component t ON t.run = d.run AND t.id = d.parent
WHERE e.of_parent;

-- The structures of a run with their geometry: entries, bits that an access reads, bits of a tag, bits of data. A cache
-- reads the tags of its ways, then one line; each bank is a structure.
CREATE VIEW structures AS
SELECT run, structure, CASE WHEN full THEN 'full' WHEN sub_entries > 1 THEN 'wide' ELSE 'narrow' END AS class, entries,
    ways * (tag + data) AS row, tag, data
FROM (SELECT e.run AS run, k.name AS structure, e.value AS entries, w.value AS ways, s.value AS sub_entries,
        e.value <= w.value AS full,
        CASE WHEN e.value <= w.value THEN 36 WHEN s.value = 1 THEN 31 WHEN p.value GLOB 'star*' THEN 60 ELSE 30 END AS tag,
        CASE s.value WHEN 1 THEN 64 ELSE 54 * s.value END + CASE p.value WHEN 'star' THEN 50 WHEN 'star4' THEN 131 ELSE 0 END
            AS data
    FROM component_kind k
    CROSS JOIN parameter e ON e.path = k.name || '.entries'
    CROSS JOIN parameter w ON w.run = e.run AND w.path = k.name || '.ways'
    CROSS JOIN parameter s ON s.run = e.run AND s.path = k.name || '.sub_entries'
    CROSS JOIN parameter p ON p.run = e.run AND p.path = k.name || '.policy'
    WHERE k.kind = 'tlb')
UNION ALL
SELECT e.run, 'l3_tlb.subregions', 'subregions', e.value * s.value / w.value, s.value * (30 + 64), 30, 64
FROM parameter e
CROSS JOIN parameter w ON w.run = e.run AND w.path = 'l3_tlb.ways'
CROSS JOIN parameter s ON s.run = e.run AND s.path = 'l3_tlb.sub_ways'
WHERE e.path = 'l3_tlb.entries'
UNION ALL
SELECT e.run, d.structure, d.structure, e.value, w.value * (d.tag + 64), d.tag, 64
FROM (SELECT 'pwc' AS structure, 'walk.pwc_entries' AS entries, 'walk.pwc_ways' AS ways, 40 AS tag
    UNION ALL SELECT 'msc', 'walk.msc', 'walk.msc_ways', 27) d
CROSS JOIN parameter e ON e.path = d.entries
CROSS JOIN parameter w ON w.run = e.run AND w.path = d.ways
UNION ALL
SELECT e.run, 'directory', 'directory', e.value, t.value + 64, t.value, 64
FROM parameter e
CROSS JOIN parameter t ON t.run = e.run AND t.path = 'neighbours.tag_bits'
WHERE e.path = 'neighbours.directory'
UNION ALL
SELECT l.run, k.name, 'cache', b.value / l.value / ifnull(n.value, 1), w.value * 30 + l.value * 8, 30, l.value * 8
FROM component_kind k
CROSS JOIN parameter l ON l.path = 'machine.line_bytes'
CROSS JOIN parameter b ON b.run = l.run AND b.path IN (k.name || '.bytes', k.name || '.bytes_per_slice')
CROSS JOIN parameter w ON w.run = l.run AND w.path = k.name || '.ways'
LEFT JOIN parameter n ON n.run = l.run AND n.path = k.name || '.banks_per_slice'
WHERE k.kind = 'cache'
UNION ALL
SELECT l.run, d.structure, d.structure, 1, l.value * 8, 0, l.value * 8
FROM (SELECT 'dram' AS structure UNION ALL SELECT 'page_table') d
CROSS JOIN parameter l ON l.path = 'machine.line_bytes';

-- What one access takes is the energy of energy.csv for the structure's class, scaled to its geometry. SRAM grows as the
-- bits that are read, and 0.0603 for each bit of data times the root of all bits, over which it is put out. What is fully
-- associative grows as the entries that are compared times their tags, where drivers are worth 43.5 bits; a read or a
-- write of it, as the bits of an entry times the root of the entries. DRAM grows as the bits of a line.
CREATE VIEW energy_costs AS
WITH anchor (class, access, nanojoules, entries, row, tag, data) AS (
    VALUES @energy.csv@
)
SELECT s.run, s.structure, a.access,
    a.nanojoules * CASE
        WHEN a.class = 'page_table' OR a.access = 'activate' THEN 1
        WHEN a.class = 'dram' THEN 1.0 * s.data / a.data
        WHEN a.class NOT IN ('full', 'directory')
            THEN (s.row + 0.0603 * s.data * sqrt(s.entries * (s.tag + s.data)))
                / (a.row + 0.0603 * a.data * sqrt(a.entries * (a.tag + a.data)))
        WHEN a.access = 'lookup' THEN s.entries * (43.5 + s.tag) / (a.entries * (43.5 + a.tag))
        ELSE (s.tag + s.data) * sqrt(s.entries) / ((a.tag + a.data) * sqrt(a.entries)) END AS nanojoules
FROM structures s
JOIN anchor a ON a.class = s.class;

CREATE VIEW energy AS
SELECT c.run, c.tenant, t.app, c.part, c.structure, c.access, c.count, n.nanojoules
FROM energy_counts c
JOIN energy_costs n ON n.run = c.run AND n.structure = c.structure AND n.access = c.access
LEFT JOIN tenant t ON t.run = c.run AND t.tenant = c.tenant;

-- The same of each launch, which the view kernels has; a design that two TLB levels have counts at the last of them.
CREATE VIEW launch_energy AS
SELECT e.run, c.tenant, c.number AS launch, e.part, n.structure, e.access, e.factor * c.value AS count, n.nanojoules
FROM energy_terms e
CROSS JOIN launch_count c ON c.run = e.run AND c.metric = e.metric
JOIN energy_costs n ON n.run = e.run AND n.access = e.access
    AND n.structure = CASE WHEN e.of_parent THEN (SELECT t.kind
        FROM metric m
        CROSS JOIN component d ON d.run = e.run AND d.kind = m.component_kind
        CROSS JOIN component t ON t.run = d.run AND t.id = d.parent
        CROSS JOIN component_kind k ON k.name = t.kind AND k.kind = 'tlb'
        WHERE m.id = e.metric ORDER BY k.level DESC LIMIT 1) ELSE '' END || e.structure;

-- ---- all results in one form ----

-- Each number of a run that people compare, with its unit. tenant is NULL for what is of the whole run. Slowdown, and what
-- follows from it, need a run alone of each tenant.
CREATE VIEW results AS
SELECT run, tenant, app, 'ipc' AS metric, ipc AS value, 'warp instructions per cycle' AS unit FROM ipc
UNION ALL SELECT run, tenant, app, 'cycles', cycles, 'cycles' FROM ipc
UNION ALL SELECT run, NULL, NULL, 'ipc_sum', sum(ipc), 'warp instructions per cycle' FROM ipc GROUP BY run
UNION ALL SELECT run, tenant, app, 'slowdown', slowdown, 'time relative to alone' FROM slowdown WHERE slowdown IS NOT NULL
UNION ALL
SELECT run, tenant, app, 'relative_performance', relative_performance, 'of alone' FROM slowdown WHERE slowdown IS NOT NULL
UNION ALL
SELECT run, NULL, NULL, k.metric, CASE k.metric WHEN 'weighted_speedup' THEN w.weighted_speedup
        WHEN 'harmonic_mean' THEN w.harmonic_mean WHEN 'max_slowdown' THEN w.max_slowdown ELSE w.fairness END, k.unit
FROM workload_performance w
CROSS JOIN (SELECT 'weighted_speedup' AS metric, 'of alone' AS unit UNION ALL SELECT 'harmonic_mean', 'of alone'
    UNION ALL SELECT 'max_slowdown', 'time relative to alone' UNION ALL SELECT 'fairness', 'smallest slowdown over largest') k
WHERE w.weighted_speedup IS NOT NULL
UNION ALL
SELECT run, tenant, app, level || k.metric, CASE k.metric WHEN '.hit_rate' THEN hit_rate ELSE mpki END, k.unit
FROM (SELECT h.run AS run, h.tenant AS tenant, h.app AS app, h.level AS level, h.hit_rate AS hit_rate,
        1000.0 * h.misses / nullif(t.instructions, 0) AS mpki
    FROM tlb_hit_rate h JOIN tenant t ON t.run = h.run AND t.tenant = h.tenant)
CROSS JOIN (SELECT '.hit_rate' AS metric, 'of look-ups' AS unit UNION ALL SELECT '.mpki', 'misses per 1000 warp instructions') k
UNION ALL
SELECT run, tenant, app, 'walk.' || k.metric, CASE k.metric WHEN 'mean' THEN mean_cycles WHEN 'queueing' THEN mean_queueing
        WHEN 'p50' THEN p50 WHEN 'p99' THEN p99 ELSE walks END, ifnull(k.unit, 'cycles, within ' || error_percent || ' %')
FROM walk_latency
CROSS JOIN (SELECT 'mean' AS metric, 'cycles, mean' AS unit UNION ALL SELECT 'queueing', 'cycles, mean'
    UNION ALL SELECT 'p50', NULL UNION ALL SELECT 'p99', NULL UNION ALL SELECT 'walks', 'walks') k
UNION ALL SELECT run, tenant, app, 'pwc.hit_rate', hit_rate, 'of look-ups' FROM page_walk_cache
UNION ALL SELECT run, tenant, app, level || '.hit_rate', hit_rate, 'of look-ups' FROM cache_hit_rate
UNION ALL
SELECT d.run, d.tenant, d.app, 'dram.' || k.metric, CASE k.metric WHEN 'row_hit_rate' THEN d.row_hit_rate
        WHEN 'utilisation' THEN d.utilisation
        ELSE d.lines_per_kcycle / 1000 * l.value * c.value / 1000 / iif(k.metric = 'roof', d.utilisation, 1) END, k.unit
FROM dram_use d
CROSS JOIN (SELECT 'row_hit_rate' AS metric, 'of accesses' AS unit UNION ALL SELECT 'utilisation', 'of cycles'
    UNION ALL SELECT 'bandwidth', 'GB/s' UNION ALL SELECT 'roof', 'GB/s') k
CROSS JOIN parameter l ON l.run = d.run AND l.path = 'machine.line_bytes'
CROSS JOIN parameter c ON c.run = d.run AND c.path = 'machine.clock_mhz'
UNION ALL SELECT run, tenant, app, 'sm.access_cycles', mean_access_cycles, 'cycles, mean' FROM sm_activity
UNION ALL SELECT run, tenant, app, level || '.stalls', stalls_per_1000, 'per 1000 look-ups' FROM back_pressure
UNION ALL
SELECT id, NULL, NULL, 'simulation_speed', translations_per_second, 'translations per second' FROM run WHERE status = 'done'
UNION ALL
SELECT run, tenant, app, 'energy.' || part, microjoules, 'microjoules'
FROM (SELECT DISTINCT run, tenant, app, part, sum(count * nanojoules) OVER (PARTITION BY run, tenant, part) / 1000 AS microjoules
    FROM energy)
UNION ALL
SELECT run, tenant, app, 'energy.' || structure, microjoules, 'microjoules'
FROM (SELECT DISTINCT run, tenant, app, structure,
        sum(count * nanojoules) OVER (PARTITION BY run, tenant, structure) / 1000 AS microjoules
    FROM energy);
