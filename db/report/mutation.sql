-- SPDX-License-Identifier: Apache-2.0
-- Faults injected into the RTL.
SELECT id, block, mode, mutants, killed, equivalent, survived, round(score, 1) AS "score (%)", transactions,
    substr(revision, 1, 12) AS revision
FROM mutation ORDER BY id DESC LIMIT 50;
