-- SPDX-License-Identifier: Apache-2.0
-- every result of a run in one form: metric, value and unit, by tenant (name=walk.* for some)
SELECT run, tenant, app, metric, value, unit FROM results
WHERE run = :run AND (:name IS NULL OR metric GLOB :name)
ORDER BY run, tenant IS NULL, tenant;
