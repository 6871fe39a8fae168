-- SPDX-License-Identifier: Apache-2.0
-- the configuration as rows (run=all for all runs; path=l3_tlb.* for some)
SELECT run, path, value, unit FROM parameter
-- A range reaches the index; "run IS NULL OR ..." does not.
WHERE run BETWEEN ifnull(:run, 0) AND ifnull(:run, 0x7fffffffffffffff)
    AND (:path IS NULL OR path GLOB :path OR instr(path, :path))
ORDER BY path, run;
