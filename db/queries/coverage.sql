-- SPDX-License-Identifier: Apache-2.0
-- how often a co-simulation (default: the latest) took each arrow or boundary
SELECT name, taken FROM cosim_point
WHERE cosim = coalesce(:cosim, (SELECT max(id) FROM cosim)) ORDER BY position;
