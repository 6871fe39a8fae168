-- SPDX-License-Identifier: Apache-2.0
-- Estimates, with the half width of their 95 % intervals.
SELECT run, experiment, changes, tenant, app, name, value, half_width AS "half width", unit, windows,
    100 * detail AS "in detail (%)", revision
FROM estimates WHERE run BETWEEN :first AND :last ORDER BY run DESC, tenant, name;
