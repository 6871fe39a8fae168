-- SPDX-License-Identifier: Apache-2.0
-- every counter, summed over the components of a kind and level
SELECT component_kind, level, tenant, metric, value, unit FROM counters
WHERE run = :run AND (:kind IS NULL OR kind = :kind OR component_kind = :kind) AND (:level IS NULL OR level = :level)
    AND (:metric IS NULL OR metric = :metric)
ORDER BY kind, level, component_kind, metric, tenant;
