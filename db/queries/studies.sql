-- SPDX-License-Identifier: Apache-2.0
-- studies, the latest first: what a sweep's file describes, how many points it has, and how many of them have a run
SELECT s.id AS study, s.name, s.description, s.started,
    (SELECT group_concat(path, ' ') FROM (SELECT path FROM axis WHERE study = s.id AND varies ORDER BY position, path)) AS axes,
    (SELECT count(*) FROM point WHERE study = s.id) AS points,
    (SELECT count(DISTINCT p.number) FROM point_run p JOIN run r ON r.id = p.run WHERE p.study = s.id AND r.status = 'done') AS done,
    (SELECT count(DISTINCT p.number) FROM point_run p JOIN run r ON r.id = p.run WHERE p.study = s.id AND r.status = 'running')
        AS running
FROM study s ORDER BY s.id DESC;
