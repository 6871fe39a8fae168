-- SPDX-License-Identifier: Apache-2.0
-- Runs that `run --until` ended at a cycle, and the engine's events. Such a run has the status 'interrupted', so that no
-- view takes it for a finished one; cut_at distinguishes it from one that the user stopped.

ALTER TABLE run ADD COLUMN cut_at INTEGER;    -- cycle; NULL: the run was not cut
ALTER TABLE run ADD COLUMN events INTEGER;
