-- SPDX-License-Identifier: Apache-2.0
-- dynamic energy of translation by structure, relative to the first run (run=3,7; default: the latest two)
WITH energy (structure, access, nanojoules) AS (
    VALUES @energy.csv@
), chosen AS (
    SELECT value AS run, key AS position FROM json_each('[' || :run || ']')
), counter AS (
    -- of TLBs and page-walk systems, and of the designs in them
    SELECT c.run, k.kind, k.level, d.kind AS design, m.name, sum(v.value) AS value
    FROM (SELECT DISTINCT run FROM chosen) c
    CROSS JOIN value v ON v.run = c.run
    JOIN metric m ON m.id = v.metric
    JOIN component d ON d.run = v.run AND d.id = v.component
    LEFT JOIN component p ON p.run = d.run AND p.id = d.parent
    JOIN component_kind k ON k.kind IN ('tlb', 'walk') AND k.name IN (d.kind, p.kind)
    GROUP BY c.run, k.kind, k.level, d.kind, m.name
), part AS (
    -- the TLBs in front, and the one that the walks fill
    SELECT *, CASE WHEN kind = 'walk' THEN 'walk' WHEN level = 1 THEN 'front'
        WHEN level = max(level) OVER (PARTITION BY run) THEN 'back' END AS place
    FROM counter
), total AS (
    SELECT run, max(place = 'back' AND design GLOB 'mesc*') AS subregions,
        sum(value) FILTER (WHERE place = 'front' AND name = 'lookups') AS l1_lookups,
        sum(value) FILTER (WHERE place = 'front' AND name = 'hits') AS l1_hits,
        sum(value) FILTER (WHERE place = 'front' AND name = 'fills') AS l1_fills,
        sum(value) FILTER (WHERE place = 'front' AND name IN ('pages_written', 'blocks_written')) AS l1_written,
        sum(value) FILTER (WHERE place = 'back' AND name = 'lookups') AS lookups,
        sum(value) FILTER (WHERE place = 'back' AND name = 'fills') AS fills,
        sum(value) FILTER (WHERE place = 'back' AND name = 'block_hits') AS block_hits,
        sum(value) FILTER (WHERE place = 'back' AND name = 'pages_written') AS pages,
        sum(value) FILTER (WHERE place = 'back' AND name = 'blocks_written') AS blocks,
        sum(value) FILTER (WHERE place = 'walk' AND name = 'walks') AS walks,
        sum(value) FILTER (WHERE place = 'walk' AND name = 'levels_read') AS reads,
        sum(value) FILTER (WHERE place = 'walk' AND name = 'heads') AS heads,
        sum(value) FILTER (WHERE place = 'walk' AND name = 'pwc_lookups') AS pwc_lookups,
        sum(value) FILTER (WHERE place = 'walk' AND name = 'msc_lookups') AS msc_lookups,
        sum(value) FILTER (WHERE place = 'walk' AND name = 'msc_insertions') AS msc_insertions
    FROM part GROUP BY run
), counted (run, structure, access, count) AS (
    SELECT run, 'l1_tlb', 'search', l1_lookups FROM total
    UNION ALL SELECT run, 'l1_tlb', 'read', l1_hits FROM total
    UNION ALL SELECT run, 'l1_tlb', 'write', ifnull(l1_written, l1_fills) FROM total
    UNION ALL SELECT run, 'iommu_tlb', 'lookup', lookups - CASE WHEN subregions THEN block_hits ELSE 0 END FROM total
    UNION ALL SELECT run, 'iommu_tlb', 'write', CASE WHEN subregions THEN pages ELSE ifnull(pages + blocks, fills) END
    FROM total
    UNION ALL SELECT run, 'iommu_subregions', 'lookup', lookups FROM total WHERE subregions
    UNION ALL SELECT run, 'iommu_subregions', 'write', blocks FROM total WHERE subregions
    UNION ALL SELECT run, 'msc', 'lookup', msc_lookups FROM total
    UNION ALL SELECT run, 'msc', 'write', msc_insertions FROM total
    UNION ALL SELECT run, 'pwc', 'lookup', pwc_lookups FROM total
    -- each entry that is read is stored there, except the one with which a walk ends, and the heads of subregions
    UNION ALL SELECT run, 'pwc', 'write', reads - walks - ifnull(heads, 0) FROM total WHERE pwc_lookups > 0
    UNION ALL SELECT run, 'dram', 'read', reads FROM total
), spent AS (
    SELECT c.run, e.structure, e.access, c.count, e.nanojoules, c.count * e.nanojoules AS energy
    FROM counted c JOIN energy e USING (structure, access)
    WHERE c.count IS NOT NULL
), answer AS (
    SELECT run, 0 AS rank, structure, access, count, nanojoules, energy FROM spent
    UNION ALL SELECT run, 1, structure, 'all', NULL, NULL, sum(energy) FROM spent GROUP BY run, structure
    UNION ALL SELECT run, 2, 'all', 'all', NULL, NULL, sum(energy) FROM spent GROUP BY run
)
SELECT c.run, a.structure, a.access, a.count, a.nanojoules, round(a.energy / 1000, 6) AS microjoules,
    a.energy / nullif(b.energy, 0) AS ratio
FROM chosen c
JOIN answer a ON a.run = c.run
LEFT JOIN answer b ON b.run = (SELECT run FROM chosen WHERE position = 0) AND b.structure = a.structure
    AND b.access = a.access
ORDER BY c.position, a.structure = 'all', a.structure, a.rank, a.access;
