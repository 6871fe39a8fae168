-- SPDX-License-Identifier: Apache-2.0
-- What a page that faulted cost the server, by part, of the latest runs.
SELECT run, tenant, app, part, round(us_per_page, 4) AS "cost (us)"
FROM fault_cost WHERE run IN (SELECT DISTINCT run FROM managed_memory WHERE run BETWEEN :first AND :last
    ORDER BY run DESC LIMIT 20)
ORDER BY run, tenant, position;
