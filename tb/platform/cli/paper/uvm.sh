#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Figures of unified memory at small size: each page faults once without a prefetcher, and the server takes 45 us for it; all
# prefetchers bring the same bytes.
. "$(dirname "$0")/../lib.sh"

# A value of the last figure: series, x.
value() {
    sqlite3 :memory: "SELECT json_extract(p.value, '\$.measured') FROM json_each(
        CAST(readfile('$work/out') AS TEXT), '\$.points') p
        WHERE json_extract(p.value, '\$.series') = '$1' AND json_extract(p.value, '\$.x') = '$2'"
}

holds() { # what, condition
    [ "$(sqlite3 :memory: "SELECT $2")" = 1 ] || wrong "$1: not $2"
}

expect 0 reproduce uvm/prefetch --size small --only hotspot --quiet --json
counter() { # of the run of a prefetcher
    sqlite3 "$MEMPATH_DB" "SELECT sum(c.value) FROM counters c JOIN parameter p USING (run)
        WHERE p.path = 'uvm.prefetch' AND p.value = '$1' AND c.kind = 'uvm' AND c.metric = '$2'"
}
pages=$(counter none copied)
holds 'the pages of three buffers of 100 x 100 floats' "$pages = 30"
holds 'a fault for each page' "$(value hotspot 'faults none') = $pages"
holds '45 us for each fault, and the application' "$(value hotspot 'time none') BETWEEN 45 * $pages AND 55 * $pages"
for prefetcher in random sl64 tbn; do
    holds "$prefetcher brings the rest" "$(counter $prefetcher copied) = $pages"
    holds "$prefetcher has fewer faults" "$(value hotspot "faults $prefetcher") < $pages"
    holds "$prefetcher is faster" "$(value hotspot "speed $prefetcher") > 1"
done
json "(SELECT count(*) FROM json_each(j, '\$.claims') c WHERE json_extract(c.value, '\$.verdict') = 'not measured')" 0

# Made accesses: a lone fault has its costs one after the other, copies are on the curve, blocks cost more than faults. The
# last line of a copy is answered some cycles after the link has passed it.
expect 0 reproduce uvm/latency --quiet --json
for page in 4 64; do
    copy="2 + 0.7 + 1.024 * $page / (12 * 2 / pi() * atan(0.07292 * $page))"
    holds "$page KB" "$(value "$page KB" copy) - ($copy) BETWEEN 0 AND 0.1"
    holds "$page KB" "$(value "$page KB" fault) - (5 + 8.1 + 6 + $copy + 2) BETWEEN 0 AND 0.1"
done
json "(SELECT count(*) FROM json_each(j, '\$.claims') c WHERE json_extract(c.value, '\$.verdict') <> 'holds')" 0
expect 0 reproduce uvm/bandwidth --quiet --json
for size in 4 8 16 32 64 128 256 512 1024 2048; do
    holds "copies of $size KB" "abs($(value copy "$size KB") / (12 * 2 / pi() * atan(0.07292 * $size)) - 1) < 0.001"
done
json "(SELECT count(*) FROM json_each(j, '\$.claims') c WHERE json_extract(c.value, '\$.verdict') <> 'holds')" 0
expect 0 reproduce uvm/batch --quiet --json
for blocks in 1 8 64; do
    holds "faults in $blocks blocks" "$(value batch "64 faults in $blocks") < $(value batch "256 faults in $blocks")"
done
json "(SELECT count(*) FROM json_each(j, '\$.claims') c WHERE json_extract(c.value, '\$.verdict') <> 'holds')" 0
finished
