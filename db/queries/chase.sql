-- SPDX-License-Identifier: Apache-2.0
-- latencies of loads over footprints, by pointer chases (mempath chase)
SELECT c.stride, c.page_bytes, c.sm, c.footprint, round(c.cycles, 1) AS cycles, c.measured,
       round(100 * (c.cycles - c.measured) / c.measured, 1) AS "off %"
FROM chase_point c WHERE c.run = :run
ORDER BY c.stride, c.page_bytes, c.sm, c.footprint;
