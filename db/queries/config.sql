-- SPDX-License-Identifier: Apache-2.0
-- the whole configuration of a run, as YAML that can be run again (the latest finished one, or :run)
SELECT config FROM run WHERE id = :run;
