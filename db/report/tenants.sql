-- SPDX-License-Identifier: Apache-2.0
-- What the metrics are of.
SELECT run, tenant, coalesce(app, replace(trace, rtrim(trace, replace(trace, '/', '')), '')) AS app, size,
    nullif(slices, 0) AS slices
FROM tenant LEFT JOIN run_input USING (run, tenant) JOIN run ON run.id = tenant.run
WHERE run BETWEEN :first AND :last AND status = 'done' ORDER BY run DESC, tenant;
