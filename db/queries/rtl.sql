-- SPDX-License-Identifier: Apache-2.0
-- the cost of the RTL (default: the latest): figures, committed bounds, figures of the paper
SELECT design, name, value, unit, bound, verdict, paper FROM rtl_figure
WHERE rtl = coalesce(:rtl, (SELECT max(id) FROM rtl)) ORDER BY position;
