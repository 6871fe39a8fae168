-- SPDX-License-Identifier: Apache-2.0
-- pages that came from the host more than once in the window of run --trace-window, the most frequent first
WITH RECURSIVE came (tenant, page, rest, bytes, cycle) AS (
    SELECT a.tenant, a.page, a.pages - 1, w.page_bytes, a.ended
    FROM managed_window w
    JOIN managed_action a ON a.run = w.run AND a.component = w.component AND a.kind = 'copy in'
    WHERE w.run = :run
    UNION ALL SELECT tenant, page + bytes, rest - 1, bytes, cycle FROM came WHERE rest > 0)
SELECT c.tenant, t.app, printf('0x%x', c.page) AS page, count(*) AS copies, min(c.cycle) AS first, max(c.cycle) AS last
FROM came c
LEFT JOIN tenant t ON t.run = :run AND t.tenant = c.tenant
GROUP BY c.tenant, c.page HAVING count(*) > 1
ORDER BY copies DESC, c.tenant, c.page;
