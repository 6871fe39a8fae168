-- SPDX-License-Identifier: Apache-2.0
-- what a co-simulation covered (the latest, or :cosim): each arrow or boundary and how often it was taken
SELECT name, taken FROM cosim_point
WHERE cosim = coalesce(:cosim, (SELECT max(id) FROM cosim)) ORDER BY position;
