-- SPDX-License-Identifier: Apache-2.0
-- How long page walks took, in the first runs of the latest study, or in the latest runs: shares of walks up to a latency.
SELECT d.run, d.tenant, d.high AS cycles, round(1.0 * (d.below + d.count) / d.total, 5) AS share
FROM (SELECT run FROM (SELECT run, 0 AS place, number FROM points WHERE study = (SELECT max(id) FROM study) AND status = 'done'
        UNION ALL SELECT id, 1, -id FROM run WHERE status = 'done' AND role = 'requested' AND NOT EXISTS (SELECT 1 FROM study))
    WHERE run BETWEEN :first AND :last ORDER BY place, number LIMIT 12) r
CROSS JOIN distributions d ON d.run = r.run
WHERE d.component_kind = 'walk' AND d.metric = 'walk_latency' ORDER BY d.run, d.tenant, d.high LIMIT 4000;
