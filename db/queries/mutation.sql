-- SPDX-License-Identifier: Apache-2.0
-- small faults in the RTL (mempath cosim --mutants), the latest first: how many the comparison with the model found
SELECT id, block, mode, mutants, killed, equivalent, survived, round(score, 1) AS score, transactions,
    printf('%u', seed) AS seed, round(seconds, 1) AS seconds
FROM mutation ORDER BY id DESC;
