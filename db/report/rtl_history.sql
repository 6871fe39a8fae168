-- SPDX-License-Identifier: Apache-2.0
-- The area of each design in the latest 40 measurements; libraries of users have no bounds.
SELECT r.id, substr(r.revision, 1, 12) AS revision, f.design, f.name AS figure, f.unit, f.value
FROM rtl r JOIN rtl_figure f ON f.rtl = r.id
WHERE f.name = 'area' AND f.bound IS NOT NULL AND r.id > (SELECT max(id) FROM rtl) - 40 ORDER BY r.id;
