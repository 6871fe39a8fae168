-- SPDX-License-Identifier: Apache-2.0
-- plugins with designs of the user's that runs had, the latest run first
SELECT run, name, path, hash FROM run_plugin ORDER BY run DESC, name;
