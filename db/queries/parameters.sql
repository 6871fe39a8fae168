-- SPDX-License-Identifier: Apache-2.0
-- the configuration as rows (of the latest finished run, or :run, or run=all; only paths that match :path or contain it)
SELECT run, path, value, unit FROM parameter
WHERE (:run IS NULL OR run = :run) AND (:path IS NULL OR path GLOB :path OR instr(path, :path))
ORDER BY path, run;
