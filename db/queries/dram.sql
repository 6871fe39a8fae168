-- SPDX-License-Identifier: Apache-2.0
-- row hit rate, lines moved and bus utilisation, by tenant
SELECT * FROM dram_use WHERE run = :run ORDER BY tenant;
