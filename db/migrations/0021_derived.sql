-- SPDX-License-Identifier: Apache-2.0
-- A measured point that follows from others of its figure, as a ratio does, is none of those of which a paper speaks when
-- it speaks of each. Earlier points have it by what their paper's point says, so those with a printed number do not.
ALTER TABLE measured_point ADD COLUMN derived INTEGER NOT NULL DEFAULT 0 CHECK (derived IN (0, 1));
UPDATE measured_point SET derived = 1 WHERE EXISTS (SELECT 1 FROM paper_point p WHERE p.paper = measured_point.paper
    AND p.figure = measured_point.figure AND p.series = measured_point.series AND p.x = measured_point.x
    AND p.note = 'measured only');

DROP VIEW figures;
CREATE VIEW figures AS
SELECT p.paper, p.figure, p.series, p.x, p.value AS paper_value, m.value AS measured, p.unit,
    m.value / nullif(p.value, 0) AS ratio, p.note, m.revision, m.measured AS measured_at,
    (SELECT group_concat(run, ' ') FROM (SELECT run FROM measured_run WHERE point = m.id ORDER BY run)) AS runs,
    p.position, m.derived
FROM paper_point p
LEFT JOIN measured_point m ON m.id = (SELECT max(l.id) FROM measured_point l
    WHERE l.paper = p.paper AND l.figure = p.figure AND l.series = p.series AND l.x = p.x);
