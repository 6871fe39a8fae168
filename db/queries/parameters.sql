-- SPDX-License-Identifier: Apache-2.0
-- the configuration as rows (run=all for all runs; path=l3_tlb.* for some)
SELECT run, path, value, unit FROM parameter
WHERE (:run IS NULL OR run = :run) AND (:path IS NULL OR path GLOB :path OR instr(path, :path))
ORDER BY path, run;
