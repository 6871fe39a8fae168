-- SPDX-License-Identifier: Apache-2.0
-- Kinds and levels of components: "l2_tlb" is of the kind tlb and of level 2. Views ask for these instead of listing
-- names, so that they show any number of levels, and components of designs that did not exist yet.

CREATE TABLE component_kind (
    name TEXT PRIMARY KEY,                    -- l2_tlb, as in component.kind and metric.component_kind
    kind TEXT NOT NULL,                       -- tlb; components of one kind have the same counters
    level INTEGER CHECK (level > 0)           -- 2; level 1 is next to the SMs; NULL: the kind has no levels
) STRICT, WITHOUT ROWID;

-- The names in databases of earlier versions.
INSERT INTO component_kind (name, kind, level)
SELECT name,
    CASE WHEN name GLOB 'l[0-9]_tlb' THEN 'tlb' WHEN name GLOB 'l[0-9]d' THEN 'cache' ELSE name END,
    CASE WHEN name GLOB 'l[0-9]_tlb' OR name GLOB 'l[0-9]d' THEN CAST(substr(name, 2, 1) AS INTEGER) END
FROM (SELECT kind AS name FROM component UNION SELECT component_kind FROM metric);
