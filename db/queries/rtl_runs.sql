-- SPDX-License-Identifier: Apache-2.0
-- runs of mempath rtl, the latest first: status, technology, tools
SELECT id, started, status, round(seconds, 1) AS seconds, technology, tools, revision, error FROM rtl ORDER BY id DESC;
