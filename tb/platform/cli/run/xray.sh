#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The watchdog, X-rays and progress of `run`. A limit below the memory's latency makes a healthy run look stuck.
. "$(dirname "$0")/../lib.sh"

stored() { # a statement about the database, and what it must give
    got=$(sqlite3 "$MEMPATH_DB" "$1" 2>&1)
    [ "$got" = "$2" ] || wrong "$1 is '$got', not '$2'"
}
complains() { grep -q -- "$1" "$work/err" || wrong "stderr does not say '$1'"; }
w2='run star/w2 --set tenants.size=small'

# A run that is stuck: exit code 1, a row that says why, and the same again.
# shellcheck disable=SC2086 # words
expect 1 $w2 --watchdog 50 --quiet --json --xray stuck.svg
json "json_extract(j, '\$.runs[0].status', '\$.runs[0].cycles')" '["stuck",100]'
complains '^X-ray of run 1, star/w2, at cycle 100: stuck at cycle 100: tenant 1 has neither issued an instruction'
complains '^    -> gpu.mig[0-9].walk: walker [0-9]*, since cycle'
complains '^again, to this cycle: mempath run star/w2 .*--watchdog 50 .*--until 100$'
complains '^{"error": "star/w2: stuck at cycle 100: '
again=$(sed -n 's/^again, to this cycle: mempath //p' "$work/err")
cp "$work/err" first
stored "SELECT status, cycles, error LIKE 'stuck at cycle 100: %is being worked on' FROM run" 'failed|100|1'
expect 0 query runs
says 'stuck at cycle 100: tenant 1 has neither'
grep -q '</svg>' stuck.svg || wrong 'the picture is cut'
grep -q 'gpu.l3_tlb' stuck.svg || wrong 'the picture has no gpu.l3_tlb'
# shellcheck disable=SC2086 # a command
expect 1 $again
sed 's/run [0-9]*,//; /^again/d' first >a
sed 's/run [0-9]*,//; /^again/d' "$work/err" >b
cmp -s a b || wrong 'the run again has another X-ray'

# The others of a command go on, and each has an X-ray with a command of its configuration.
# shellcheck disable=SC2086 # words
expect 1 $w2 --watchdog 50 --quiet --jobs 2 --compare l3_tlb.latency=40,50
[ "$(grep -c '^X-ray of run' "$work/err")" = 2 ] || wrong 'not two X-rays'
run=$(sed -n 's/^again, .*config run=\([0-9]*\) .*--until 100$/\1/p' "$work/err" | head -n 1)
[ -n "$run" ] || wrong 'no command to run one of two again'
"$mempath" query config run="$run" >config.yaml || wrong 'query config'
expect 0 run config.yaml --until 100 --quiet

# At a chosen cycle; the tables, the JSON document and the graph agree, in every way to simulate.
# shellcheck disable=SC2086 # words
for way in '' --force-tlm '--threads 2'; do
    for form in txt json dot; do
        expect 0 $w2 --until 300 --quiet --xray "x.$form" $way
        sed '/again/d; s/run [0-9]*,//; /"run":/d' "x.$form" >"clean.$form"
        [ -n "$way" ] || cp "clean.$form" "native.$form"
        cmp -s "clean.$form" "native.$form" || wrong "x.$form differs with '$way'"
    done
done
cp x.json "$work/out"
json "json_extract(j, '\$.cycle', '\$.stuck')" '[300,null]'
json "(SELECT sum(value ->> 'requests') FROM json_each(j, '\$.blocks')) = json_array_length(j, '\$.requests')" 1
json "(SELECT max(value ->> 'waits_for') < count(*) FROM json_each(j, '\$.requests'))" 1
json "(SELECT count(*) > 100 FROM json_each(j, '\$.requests') WHERE value ->> 'waits_for' IS NOT NULL)" 1
json "(SELECT count(*) FROM json_each(j, '\$.blocks') b, json_each(b.value, '\$.taken') t WHERE t.value ->> 'used' > t.value ->> 'of')" 0
requests=$(sqlite3 :memory: "SELECT json_array_length(CAST(readfile('x.json') AS TEXT), '\$.requests')")
grep -q "^$requests requests wait, the oldest first:$" x.txt || wrong 'x.txt and x.json differ'
[ "$(sed -n '/ requests wait, /,/^$/p' x.txt | wc -l)" = $((requests + 3)) ] || wrong 'x.txt has not all requests'
head -n 1 x.dot | grep -q '^digraph' || wrong 'x.dot is no graph'
[ -z "$(find . -name '*.part')" ] || wrong 'half of a file was left'

# In a machine that runs, nothing is lost, and each box has an arrow: here to what its oldest requests may wait for.
# shellcheck disable=SC2086 # words
expect 0 $w2 --until 10000 --quiet --xray runs.dot
grep -q 'not there' runs.dot && wrong 'requests of a machine that runs are lost'
grep -q " on the way" runs.dot || wrong "no request is on the way"
alone=$(awk '/fillcolor/ { box[$1] = 1 } / -> / { has[$1] = has[$3] = 1 } END { for (b in box) n += !has[b]; print n + 0 }' runs.dot)
[ "$alone" = 0 ] || wrong "$alone boxes have no arrow"

# What a live run does: SIGUSR1 changes nothing. Before the run catches the signal, it is ignored.
# shellcheck disable=SC2086 # words
expect 0 $w2 --set tenants.0.size=medium --set tenants.1.size=medium --until 150000 --json --quiet
quiet=$(sqlite3 :memory: "SELECT json_extract(CAST(readfile('$work/out') AS TEXT), '\$.runs[0].digest')")
trap '' USR1
# shellcheck disable=SC2086 # words
"$mempath" $w2 --set tenants.0.size=medium --set tenants.1.size=medium --until 150000 --json --progress \
    --xray live.txt >"$work/out" 2>"$work/err" </dev/null &
pid=$!
trap - USR1
until grep -q '^X-ray of run' "$work/err" || ! kill -USR1 $pid 2>/dev/null; do
    sleep 0.1
done
wait $pid || wrong "a run that was looked at ended with $?"
json "json_extract(j, '\$.runs[0].digest')" "$quiet"
grep -q '^X-ray of run [0-9]*, star/w2, at cycle [0-9]*$' "$work/err" || wrong 'SIGUSR1 printed no X-ray'
grep -Eq '^star/w2: [0-9]+ %, cycle [0-9]+, [0-9.]+ (M )?cycles/s, tenant 0 [0-9]+ %, .*tenant 2 [0-9]+ %, .*left' \
    "$work/err" || wrong '--progress prints no details'
grep -q 'X-ray of run [0-9]*, star/w2, at cycle 150000' live.txt || wrong 'the last X-ray is not that of --until'

# shellcheck disable=SC2086 # words
expect 0 $w2 --until 150000 --set tenants.0.size=medium --progress json
grep -q '"cycles": [0-9]*, "cycles_per_second": [0-9]*, "tenants": \[[0-9.]*, [0-9.]*, [0-9.]*\]}$' "$work/err" ||
    wrong '--progress json has no cycles and tenants'
expect 0 --progress params l3_tlb.entries
expect 0 --progress json params l3_tlb.entries
expect 0 params --progress=json l3_tlb.entries
says '1024'

# shellcheck disable=SC2086 # words
expect 0 $w2 --watchdog off --until 300 --quiet
# shellcheck disable=SC2086 # words
expect 0 $w2 --watchdog 60s --until 300 --quiet
refused "--watchdog: 'x' is not a whole number" run star/w2 --watchdog x
refused "--watchdog: '0' is too small" run star/w2 --watchdog 0
refused "--watchdog: '0' is too small" run star/w2 --watchdog 0s
refused "--watchdog: '' is" run star/w2 --watchdog ''
# The run is done and stored, but the command has failed.
expect 1 run demo --set tenants.size=small --until 300 --quiet --xray nowhere/x.txt
complains 'nowhere/x.txt: No such file or directory; a writable file is needed'
stored 'SELECT status, cycles FROM run ORDER BY id DESC LIMIT 1' 'interrupted|300'

refused 'a name that ends in .txt, .json' run star/w2 --xray x.gif
refused 'several runs would write the same file' run star/w1 star/w2 --xray x.txt
refused 'several runs would write the same file' run star/w2 --xray x.txt --compare l3_tlb.latency=40,50
finished
