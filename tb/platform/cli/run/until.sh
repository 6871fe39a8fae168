#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A run that ends at a cycle: the same with every link through TLM, marked as cut everywhere, and never taken for a
# finished one.
. "$(dirname "$0")/../lib.sh"

stored() { # a statement about the database, and what it must give
    got=$(sqlite3 "$MEMPATH_DB" "$1" 2>&1)
    [ "$got" = "$2" ] || wrong "$1 is '$got', not '$2'"
}
run() { expect 0 run star/w2 --set tenants.size=small --json --quiet "$@"; }
of() { sqlite3 :memory: "SELECT json_extract(CAST(readfile('$work/out') AS TEXT), '\$.runs[0].$1')"; }

run
whole=$(of digest) cycles=$(of cycles)
json "json_type(j, '\$.runs[0].until') IS NULL AND json_extract(j, '\$.runs[0].events') > 10000" 1

# The cut is exact, and the digest is of what has happened up to there.
run --until 3000
cut=$(of digest)
[ "$cut" != "$whole" ] || wrong 'a cut run has the digest of the whole one'
json "json_extract(j, '\$.runs[0].status', '\$.runs[0].until', '\$.runs[0].cycles')" '["cut",3000,3000]'
json "json_extract(j, '\$.runs[0].events') BETWEEN 1000 AND 10000000" 1
json "(SELECT sum(value ->> 'translations') = j ->> '\$.runs[0].translations' AND sum(value ->> 'completions') = 0 AND
    min(value ->> 'cycles') = 3000 AND min(value ->> 'instructions') > 0 FROM json_each(j, '\$.runs[0].tenants'))" 1
run --until 3000 --force-tlm
[ "$(of digest)" = "$cut" ] || wrong "--until 3000 --force-tlm has another digest"
run --until 3001
[ "$(of digest)" != "$cut" ] || wrong 'one cycle more changes nothing'
run --until 1
json "(SELECT sum(value ->> 'accesses') FROM json_each(j, '\$.runs[0].tenants'))" 0

# A tenant that has ended keeps the results of its run. A run that ends first is not cut.
run --until $((cycles - 1))
json "json_extract(j, '\$.runs[0].status')" cut
json "(SELECT group_concat(DISTINCT value ->> 'completions' > 0) FROM json_each(j, '\$.runs[0].tenants'))" '1,0'
run --until "$((cycles + 1))"
json "json_extract(j, '\$.runs[0].status', '\$.runs[0].digest')" "[\"done\",\"$whole\"]"
json "json_type(j, '\$.runs[0].until') IS NULL" 1

stored "SELECT group_concat(status || ' ' || ifnull(cut_at, '-'), ', ') FROM run" \
    "done -, interrupted 3000, interrupted 3000, interrupted 3001, interrupted 1, interrupted $((cycles - 1)), done -"
stored 'SELECT run FROM latest_run' 7
stored "SELECT group_concat(status) FROM runs WHERE run < 3" 'done,cut'
stored 'SELECT count(*) FROM run WHERE events > 0' 7
expect 0 query latest run=2
says '^cut at cycle  *3000$'
expect 0 run star/w2 --set tenants.size=small --until 3000
says '^run 8, cut at cycle 3000, .*digest '"$cut"

# With a window, of which the part before the cut is there.
expect 0 run star/w2 --set tenants.size=small --until 3000 --trace-window 2000:9000 --quiet
stored 'SELECT DISTINCT first, last FROM walk_window WHERE run = 9' '2000|3000'

refused "--until: 'x'" run star/w2 --until x
refused '--until: ' run star/w2 --until 0
refused '--until: ' run star/w2 --until 18446744073709551615
refused 'is not compared; omit --alone' run star/w2 --until 10 --alone
# Runs that are cut at the same cycle are compared.
expect 0 run star/w2 --set tenants.size=small --until 3000 --compare l3_tlb.latency=40,400 --quiet
says '^cut: of applications that have not ended before cycle 3000, '
says '^harmonic mean .* 40 '
expect 0 run star/w2 --set tenants.size=small --until 3000 --compare l3_tlb.latency=40,400 --quiet --json
json "json_extract(j, '\$.compared[0].variants[1].tenants[1].change_percent') < 0" 1
json "json_extract(j, '\$.runs[1].status', '\$.runs[1].cycles')" '["cut",3000]'
refused 'cycle 10 is not before --until 10' run star/w2 --until 10 --trace-window 10:20
finished
