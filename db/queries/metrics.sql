-- SPDX-License-Identifier: Apache-2.0
-- every value of a run with unit and component (the latest finished one, or :run; only kind :kind)
SELECT component, tenant, metric, value, unit FROM metrics
WHERE run = :run AND (:kind IS NULL OR kind = :kind)
ORDER BY component, metric, tenant;
