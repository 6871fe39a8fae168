-- SPDX-License-Identifier: Apache-2.0
-- The latest figures of each design of the RTL in each cell library.
SELECT design, name AS figure, value, unit, bound, verdict, paper, technology,
    substr(revision, 1, 12) AS revision
FROM (SELECT f.*, r.technology, r.revision, row_number() OVER (PARTITION BY f.design, f.name, r.technology ORDER BY r.id DESC) AS age
    FROM rtl_figure f JOIN rtl r ON r.id = f.rtl)
WHERE age = 1 ORDER BY technology, design, position;
