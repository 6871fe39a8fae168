-- SPDX-License-Identifier: Apache-2.0
-- runs of mempath rtl, the latest first: status, technology, tools
-- A run in another library than that of the bounds is measured only: none of its figures has a bound.
SELECT id, started,
    CASE WHEN status = 'held' AND NOT EXISTS (SELECT 1 FROM rtl_figure WHERE rtl = rtl.id AND bound IS NOT NULL)
        THEN 'measured' ELSE status END AS status,
    round(seconds, 1) AS seconds, technology, tools, revision, error FROM rtl ORDER BY id DESC;
