-- SPDX-License-Identifier: Apache-2.0
-- Results of each tenant of a run, and those of the run, whose tenant is NULL.
SELECT run, tenant, metric, unit, value FROM results WHERE run = :run;
