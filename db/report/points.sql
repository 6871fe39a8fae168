-- SPDX-License-Identifier: Apache-2.0
-- The points of the studies, with the run of each.
SELECT study, number, label, run FROM points WHERE status = 'done' AND run BETWEEN :first AND :last ORDER BY study DESC, number;
