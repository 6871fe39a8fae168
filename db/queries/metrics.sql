-- SPDX-License-Identifier: Apache-2.0
-- every value of a run with unit and component (the latest finished one, or :run; only :kind, as l2_tlb or tlb)
SELECT component, tenant, metric, value, unit FROM metrics
WHERE run = :run AND (:kind IS NULL OR kind IN (SELECT name FROM component_kind WHERE name = :kind OR kind = :kind))
ORDER BY component, metric, tenant;
