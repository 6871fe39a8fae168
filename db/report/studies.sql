-- SPDX-License-Identifier: Apache-2.0
-- Studies with runs on the page, the latest first.
SELECT id AS study, name, description, substr(started, 1, 10) AS started FROM study
WHERE EXISTS (SELECT 1 FROM point_run p WHERE p.study = study.id AND p.run BETWEEN :first AND :last) ORDER BY id DESC;
