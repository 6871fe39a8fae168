-- SPDX-License-Identifier: Apache-2.0
-- what the RTL costs (the latest, or :rtl): area, flops, period and what follows from them, beside the committed bounds and the paper
SELECT design, name, value, unit, bound, verdict, paper FROM rtl_figure
WHERE rtl = coalesce(:rtl, (SELECT max(id) FROM rtl)) ORDER BY position;
