-- SPDX-License-Identifier: Apache-2.0
-- sets of faults injected into the RTL (mempath cosim --mutants), the latest first, with their scores
SELECT id, block, mode, mutants, killed, equivalent, survived, round(score, 1) AS score, transactions,
    printf('%u', seed) AS seed, round(seconds, 1) AS seconds
FROM mutation ORDER BY id DESC;
