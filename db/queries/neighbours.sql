-- SPDX-License-Identifier: Apache-2.0
-- L1 TLBs that ask each other, by tenant: hit ratios, accuracy and coverage of probes, cycles of a translation
WITH c AS (
    SELECT tenant, metric, sum(value) AS n FROM metrics
    WHERE run = :run AND kind IN (SELECT name FROM component_kind WHERE kind = 'neighbours') GROUP BY tenant, metric
), s AS (
    SELECT tenant,
           sum(n) FILTER (WHERE metric IN ('local', 'left', 'right', 'below', 'walked')) AS requests,
           sum(n) FILTER (WHERE metric = 'local') AS local,
           sum(n) FILTER (WHERE metric IN ('left', 'right')) AS remote,
           sum(n) FILTER (WHERE metric = 'below') AS below,
           sum(n) FILTER (WHERE metric IN ('below', 'walked')) AS asked_below,
           sum(n) FILTER (WHERE metric = 'probes') AS probes,
           sum(n) FILTER (WHERE metric = 'in_vain') AS in_vain,
           sum(n) FILTER (WHERE metric = 'loads') AS loads,
           sum(n) FILTER (WHERE metric = 'latency') AS cycles,
           sum(n) FILTER (WHERE metric = 'missed') AS missed,
           sum(n) FILTER (WHERE metric = 'neighbour_has') AS neighbour_has,
           sum(n) FILTER (WHERE metric = 'peer_has') AS peer_has
    FROM c GROUP BY tenant
)
SELECT tenant, requests,
       round(1.0 * local / requests, 4) AS r_local,
       round(1.0 * remote / requests, 4) AS r_remote,
       round(1.0 * (local + remote) / requests, 4) AS r_l1,
       round(1.0 * below / nullif(asked_below, 0), 4) AS l2_hit_ratio,
       probes, in_vain,
       round(1.0 - 1.0 * in_vain / nullif(probes, 0), 4) AS accuracy,
       round(1.0 * remote / nullif(peer_has, 0), 4) AS coverage,
       loads,
       round(1.0 * neighbour_has / nullif(missed, 0), 4) AS neighbour_has,
       round(1.0 * cycles / requests, 2) AS latency
FROM s WHERE requests ORDER BY tenant;
