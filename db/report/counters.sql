-- SPDX-License-Identifier: Apache-2.0
-- Every counter, summed over the components of a kind.
SELECT run, tenant, component_kind || ' ' || metric AS metric, unit, value
FROM counters WHERE run = :run ORDER BY kind, level, component_kind, metric;
