#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Table and figure at small size: everything is there, lies in the database, and is not run twice.
. "$(dirname "$0")/lib.sh"

count() { sqlite3 "$MEMPATH_DB" "$1"; }

expect 0 reproduce star/table2 --size small --quiet --json
json "json_array_length(j, '\$.applications')" 10
json "json_extract(j, '\$.applications[0].app')" ATAX
json "json_extract(j, '\$.applications[0].paper_instructions')" 328441844
json "json_extract(j, '\$.applications[0].warp_instructions') > 0" 1
json "json_extract(j, '\$.applications[9].l2_tlb_mpki') >= 0" 1
cp "$work/out" first.json
[ "$(count "SELECT count(*) FROM run WHERE status = 'done'")" = 10 ] || wrong 'not ten runs'
[ "$(count "SELECT count(*) FROM measured_point WHERE figure = 'table2@small'")" = 30 ] || wrong 'not thirty points'

# From the database, and the same to the last digit.
expect 0 reproduce star/table2 --size small --quiet --json
cmp -s first.json "$work/out" || wrong 'what the database has differs from what was measured'
[ "$(count 'SELECT count(*) FROM run')" = 10 ] || wrong 'ran again what the database has'
expect 0 reproduce star/table2 --size small --quiet
says 'CONV'
says 'class (paper)'

expect 0 reproduce star/fig3 --size small --quiet
says 'average of the means'
says 'star-fig3@small.svg'
head -c 300 'star-fig3@small.svg' | grep -q '<svg' || wrong 'no SVG picture'
head -c 4 'star-fig3@small.png' | grep -q 'PNG' || wrong 'no PNG picture'
[ -z "$(find . -name '*.part')" ] || wrong 'a half-made picture was left'
[ "$(count "SELECT count(*) FROM paper_point WHERE figure = 'fig3@small' AND value IS NOT NULL")" = 6 ] ||
    wrong 'not the six numbers of the text'
[ "$(count "SELECT count(*) FROM measured_point WHERE figure = 'fig3@small'")" = 45 ] || wrong 'not 45 points'
expect 0 query figures paper=star
says 'fig3@small'
finished
