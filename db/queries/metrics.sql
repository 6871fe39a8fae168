-- SPDX-License-Identifier: Apache-2.0
-- every value of a run by component, with its unit (kind=l2_tlb, or kind=tlb for all levels)
SELECT component, tenant, metric, value, unit FROM metrics
WHERE run = :run AND (:kind IS NULL OR kind IN (SELECT name FROM component_kind WHERE name = :kind OR kind = :kind))
ORDER BY component, metric, tenant;
