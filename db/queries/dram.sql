-- SPDX-License-Identifier: Apache-2.0
-- row hit rate, lines moved and bus utilisation by tenant (the latest finished run, or :run)
SELECT * FROM dram_use WHERE run = :run ORDER BY tenant;
