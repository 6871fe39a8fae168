-- SPDX-License-Identifier: Apache-2.0
-- Student's quantiles, for the intervals of means over seeds.
SELECT n, t FROM student ORDER BY n;
