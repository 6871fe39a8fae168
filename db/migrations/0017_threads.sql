-- SPDX-License-Identifier: Apache-2.0
-- The threads of a run, on which its speed depends and nothing else.

ALTER TABLE run ADD COLUMN threads INTEGER;    -- of the simulation; NULL: one
