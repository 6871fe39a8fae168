-- SPDX-License-Identifier: Apache-2.0
-- Traces whose gaps were scaled to the instructions that a paper counts.

ALTER TABLE tenant ADD COLUMN recorded_instructions INTEGER; -- as instructions, before; NULL: the gaps are as recorded
