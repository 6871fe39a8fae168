-- SPDX-License-Identifier: Apache-2.0
-- a study with an axis of seeds (study=N; default: the latest): means over seeds with 95 % intervals, and whether they are apart from the first
SELECT label, metric, seeds, round(mean, 4) AS mean, round(half_width, 4) AS half_width,
    CASE WHEN label <> first_label THEN CASE WHEN mean - half_width > first_mean + first_half THEN 'above'
        WHEN mean + half_width < first_mean - first_half THEN 'below' ELSE 'overlaps' END END AS than_first
FROM (SELECT *, first_value(label) OVER same AS first_label, first_value(mean) OVER same AS first_mean,
        first_value(half_width) OVER same AS first_half
    FROM seed_means WHERE study = coalesce(:study, (SELECT max(study) FROM axis WHERE path = 'seed' AND varies))
    WINDOW same AS (PARTITION BY metric ORDER BY first_point))
ORDER BY metric, first_point;
