-- SPDX-License-Identifier: Apache-2.0
-- Role 'warm-up': it wrote a checkpoint, from which others go on, and was ended at a cycle. parent: also of a run that
-- goes on from a checkpoint, the run that wrote it, if the database has it. The column is made again for its CHECK.

ALTER TABLE run RENAME COLUMN role TO role_before;
ALTER TABLE run ADD COLUMN role TEXT NOT NULL DEFAULT 'requested'
    CHECK (role IN ('requested', 'alone', 'warm-up', 'cut'));
UPDATE run SET role = role_before;
ALTER TABLE run DROP COLUMN role_before;
