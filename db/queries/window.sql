-- SPDX-License-Identifier: Apache-2.0
-- the walks in the window of run --trace-window: waiting times, walkers, owners
SELECT c.path AS system, w.walker, w.arrived, w.started, w.ended, w.started - w.arrived AS queueing, w.tenant, t.app,
    printf('0x%x', w.page) AS page, w.levels, w.owner, w.stolen
FROM walk w
JOIN component c ON c.run = w.run AND c.id = w.component
LEFT JOIN tenant t ON t.run = w.run AND t.tenant = w.tenant
WHERE w.run = :run
ORDER BY w.started, w.component, w.walker;
