-- SPDX-License-Identifier: Apache-2.0
-- Opening a file asks for runs that may have been killed: without the index, that reads every run.
CREATE INDEX run_running ON run (boot, pid, pid_started) WHERE status = 'running';

-- Questions about one run that read the rows of all runs: SQLite does not pass "WHERE run = ..." through GROUP BY to the
-- windows of another view, and begins with the larger table of a join if it does not know their sizes.

DROP VIEW sub_entry_use_mean;
CREATE VIEW sub_entry_use_mean AS
SELECT h.run, m.component_kind AS level, h.tenant, t.app, sum(b.count) AS evictions,
    1.0 * sum(b.low * b.count) / sum(b.count) AS mean_sub_entries
FROM histogram h
JOIN metric m ON m.id = h.metric
JOIN histogram_bin b ON b.histogram = h.id
LEFT JOIN tenant t ON t.run = h.run AND t.tenant = h.tenant
WHERE m.name = 'sub_entries_at_eviction'
GROUP BY h.run, m.component_kind, h.tenant;

DROP VIEW simulation_cost;
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
