-- SPDX-License-Identifier: Apache-2.0
-- what servers of page faults did in the window of run --trace-window: faults, batches, copies, victims
SELECT c.path AS server, a.kind, a.tenant, t.app, a.began, a.ended, iif(a.page IS NULL, NULL, printf('0x%x', a.page)) AS page, a.pages
FROM managed_action a
JOIN component c ON c.run = a.run AND c.id = a.component
LEFT JOIN tenant t ON t.run = a.run AND t.tenant = a.tenant
WHERE a.run = :run
ORDER BY a.began, a.component, a.number;
