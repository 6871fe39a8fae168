-- SPDX-License-Identifier: Apache-2.0
-- harmonic mean, weighted speedup and fairness of each run with several tenants
SELECT * FROM workload_performance ORDER BY run;
