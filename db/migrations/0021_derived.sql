-- SPDX-License-Identifier: Apache-2.0
-- A measured point that follows from others of its figure, as a ratio does, is none of those of which a paper speaks when
-- it speaks of each. Earlier points have it by what their paper's point says, so those with a printed number do not.
ALTER TABLE measured_point ADD COLUMN derived INTEGER NOT NULL DEFAULT 0 CHECK (derived IN (0, 1));
UPDATE measured_point SET derived = 1 WHERE EXISTS (SELECT 1 FROM paper_point p WHERE p.paper = measured_point.paper
    AND p.figure = measured_point.figure AND p.series = measured_point.series AND p.x = measured_point.x
    AND p.note = 'measured only');
