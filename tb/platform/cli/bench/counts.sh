#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `mempath bench --counts` on a very short cut: bounds are written, held and exceeded, and the counts repeat.
. "$(dirname "$0")/../lib.sh"

echo 'dws,6000,1,1,1' >bounds.csv
counts() { # exit code, then options
    code=$1
    shift
    expect "$code" bench --counts --bounds bounds.csv --quiet "$@"
}

counts 0 --update
says 'Bounds of bounds.csv: updated'
grep -Eq '^dws,6000,[0-9.]+,[0-9.]+,[0-9.]+$' bounds.csv || wrong "--update wrote: $(cat bounds.csv)"

# Above by 5 %, below by 9 %, and as measured: the same counts come out. A second bound of the case, later, is not short.
awk -F, -v OFS=, '/^dws/ { print $1, $2, $3 / 1.05, $4 * 1.1, $5; print $1, 9999999, 1, 1, 1 }' bounds.csv >changed.csv
mv changed.csv bounds.csv
counts 1 --short --cases dws --json
grep -Eq 'bounds.csv: instructions of dws until 6000: [0-9.]+ a translation, (4.[89]|5.[012]) % above [0-9.]+; at most 1 %, or mempath bench --counts --cases dws --update"' err ||
    wrong 'the error does not say which figure, by how much, and how to update'
[ "$(wc -l <err)" = 1 ] || wrong 'more than one figure is wrong'
json "json_extract(j, '\$.status')" exceeded
json "json_array_length(j, '\$.counts')" 1
json "(SELECT group_concat(value ->> 'verdict') FROM json_each(j, '\$.counts[0].bounds'))" above,below,held
json "(SELECT 1 FROM json_each(j, '\$.counts') WHERE value ->> 'until' = 6000 AND value ->> 'translations' > 1000 AND
    abs((value ->> '\$.per_event.instructions') * (value ->> 'events') / (value ->> 'instructions') - 1) < 1e-6 AND
    (value ->> 'l2_misses') BETWEEN 1000 AND value ->> 'l1_misses')" 1
[ "$(sqlite3 "$MEMPATH_DB" "SELECT count(*), min(cut_at), count(DISTINCT digest), max(abs(a.instructions - b.instructions)) < 0.001 * min(a.instructions)
    FROM run r JOIN host_count a ON a.run = r.id JOIN host_count b" 2>&1)" = '4|6000|1|1' ] || wrong 'the database has other rows'
expect 0 query counts
says 'dws-30sm  *6000 '

env PATH=/nowhere "$mempath" bench --counts --bounds bounds.csv >out 2>err && wrong 'it works without valgrind'
grep -q 'no valgrind; the Debian package valgrind' err || wrong 'it does not say that valgrind is missing'
refused "no case 'w3'" bench --counts --cases w3
refused 'no bound for these cases' bench --counts --cases w2 --bounds bounds.csv
refused 'ends before cycle' bench --counts --cases dws --bounds "$(echo 'dws,99999999999,1,1,1' >long.csv && echo long.csv)"
echo 'dws,6000,1,1' >bad.csv
refused 'bad.csv:1: .* is no bound' bench --counts --bounds bad.csv
refused 'no/such.csv: ' bench --counts --bounds no/such.csv
refused 'need --counts' bench --short
refused 'the bounds of the longer runs' bench --counts --short --update
refused 'one of them' bench --counts --against HEAD
refused 'no core, no --size' bench --counts core
refused 'no core, no --size' bench --counts --size small
refused 'the same at every run' bench --counts --repeat 3
refused 'of --counts, --threads or --against' bench --cases w2
finished
