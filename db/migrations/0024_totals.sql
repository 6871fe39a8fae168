-- SPDX-License-Identifier: Apache-2.0
-- Questions about a kind of component are about sums over its components. They are written with a run's values, so that
-- no question adds a dozen times as many numbers again.

-- The order of the key serves lists of all runs, too: they read the metrics that they show.
CREATE TABLE total (
    metric INTEGER NOT NULL REFERENCES metric,
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    tenant INTEGER NOT NULL,                  -- -1: of no tenant
    components INTEGER NOT NULL,              -- how many of them have the metric
    value INTEGER NOT NULL,                   -- the sum over them
    PRIMARY KEY (metric, run, tenant)
) STRICT, WITHOUT ROWID;

-- As db/flush.c writes them: in halves of 32 bits, because SQLite reports an error if a sum exceeds 63 bits. Such a sum is
-- the largest number.
INSERT INTO total
SELECT metric, run, tenant, components, iif(high + (low >> 32) >> 31, 9223372036854775807, (high << 32) + low)
FROM (SELECT metric, run, ifnull(tenant, -1) AS tenant, count(*) AS components, sum(value >> 32) AS high,
        sum(value & 4294967295) AS low
    FROM value GROUP BY metric, run, ifnull(tenant, -1));
