-- SPDX-License-Identifier: Apache-2.0
-- the configuration of a run as YAML, which mempath run reads
SELECT config FROM run WHERE id = :run;
