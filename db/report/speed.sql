-- SPDX-License-Identifier: Apache-2.0
-- Simulation speed by revision, in the order in which the revisions first ran: the fastest of equal runs, since
-- other work on the host only slows down.
SELECT dense_rank() OVER (ORDER BY first) AS position, substr(revision, 1, 12) AS revision, experiment, host, runs,
    round(best) AS "translations (per second)", round(median) AS "median (per second)"
FROM (SELECT revision, experiment, host, count(*) AS runs, max(speed) AS best,
        avg(CASE WHEN place IN ((n + 1) / 2, (n + 2) / 2) THEN speed END) AS median,
        min(min(id)) OVER (PARTITION BY revision) AS first
    FROM (SELECT id, revision, experiment, host, translations_per_second AS speed,
            row_number() OVER (PARTITION BY revision, experiment, host ORDER BY translations_per_second) AS place,
            count(*) OVER (PARTITION BY revision, experiment, host) AS n
        FROM run
        WHERE status = 'done' AND build_type = 'Release' AND translations > 0 AND seconds > 0
            AND id BETWEEN :first AND :last)
    GROUP BY revision, experiment, host)
ORDER BY position, experiment, host LIMIT 1000;
