#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The walks of a window as trace events, as a picture, and by query; nothing else changes.
. "$(dirname "$0")/../lib.sh"

ask() { # an SQL expression over the events of w.json, and what it must be
    got=$(sqlite3 :memory: "CREATE TABLE f AS SELECT CAST(readfile('w.json') AS TEXT) AS j;
        CREATE TABLE e AS SELECT value ->> 'ph' AS ph, value ->> 'name' AS name, value ->> 'cat' AS cat, value ->> 'pid' AS pid,
            value ->> 'tid' AS tid, value ->> 'ts' AS ts, value ->> 'ts' + value ->> 'dur' AS til, value -> 'args' AS args
            FROM f, json_each(j, '\$.traceEvents');
        SELECT $1" 2>&1)
    [ "$got" = "$2" ] || wrong "w.json: $1 is '$got', not '$2'"
}

stored() { # a statement about the database, and what it must give
    got=$(sqlite3 "$MEMPATH_DB" "$1" 2>&1)
    [ "$got" = "$2" ] || wrong "$1 is '$got', not '$2'"
}

# Tenants of one walk system, whose walkers they own.
shared() { # expect CODE, or refused PATTERN; then options
    how=$1 what=$2
    shift 2
    "$how" "$what" run dws-30sm --set walk.scheduler=dws --set walk.owners=blocked --set tenants.0.app=GUPS \
        --set tenants.1.app=MM --set tenants.0.sms=15 --set tenants.1.sms=15 --set tenants.size=small \
        --set walk.walkers_per_slice=4 --quiet "$@"
}
shared expect 0
shared expect 0 --trace-window 3000:7000 -o w.json
says '^w.json$'
stored "SELECT count(DISTINCT digest) FROM run" 1

ask "(SELECT json_valid(j) FROM f)" 1
ask "(SELECT j ->> '\$.otherData.last_cycle' FROM f)" 6999
ask "(SELECT j ->> '\$.otherData.time' FROM f)" 'cycles: 1 us here is 1 cycle'
ask "(SELECT group_concat(args ->> 'name') FROM e WHERE ph = 'M')" 'gpu.walk,walker 0,walker 1,walker 2,walker 3'
ask "(SELECT count(*) > 20 FROM e WHERE ph = 'X')" 1
ask "(SELECT min(ts) >= 3000 AND max(til) <= 7000 FROM e WHERE ph = 'X')" 1
ask "(SELECT count(*) FROM e a JOIN e b ON a.tid = b.tid AND a.rowid < b.rowid AND a.ts < b.til AND b.ts < a.til
    WHERE a.ph = 'X' AND b.ph = 'X')" 0
# a walk that crosses an end is cut there and marked
ask "(SELECT count(*) FROM e WHERE ph = 'X' AND (ts > args ->> 'started') <> (ifnull(args ->> 'clipped', '') LIKE 'begin%'))" 0
ask "(SELECT count(*) FROM e WHERE ph = 'X' AND (til < args ->> 'ended') <> (ifnull(args ->> 'clipped', '') LIKE '%end'))" 0
ask "(SELECT count(*) FROM e WHERE ph = 'X' AND args ->> 'clipped' IS NULL AND til - ts <> args ->> 'ended' - args ->> 'started')" 0
# a walk is stolen if another tenant owns the walker: in the flag, the category and the name
ask "(SELECT count(*) > 0 FROM e WHERE ph = 'X' AND args ->> 'stolen')" 1
ask "(SELECT count(*) FROM e WHERE ph = 'X' AND (args ->> 'stolen') <> (args ->> 'owner' <> args ->> 'tenant'))" 0
ask "(SELECT count(*) FROM e WHERE ph = 'X' AND (args ->> 'stolen') <> (cat = 'walk,stolen'))" 0
ask "(SELECT count(*) FROM e WHERE ph = 'X' AND (args ->> 'stolen') <> (name = args ->> 'tenant' || ', stolen from ' || (args ->> 'owner')))" 0
ask "(SELECT group_concat(DISTINCT args ->> 'tenant') FROM (SELECT * FROM e WHERE ph = 'X' ORDER BY 8))" '0: GUPS small,1: MM small'
ask "(SELECT group_concat(name) FROM e WHERE ph = 'i')" \
    'owner is 0: GUPS small,owner is 0: GUPS small,owner is 1: MM small,owner is 1: MM small'
# the number of waiting walks is arrivals less starts; walks that never start in the window are in the counter only
ask "(SELECT max(args ->> 'walks') > 1 FROM e WHERE ph = 'C')" 1
ask "(SELECT count(*) FROM e c WHERE ph = 'C' AND ts < 6000 AND args ->> 'walks' <> (SELECT count(*) FROM e x WHERE x.ph = 'X'
    AND c.name = 'waiting, ' || (x.args ->> 'tenant') AND x.args ->> 'arrived' <= c.ts AND x.args ->> 'started' > c.ts))" 0

# The picture, and the query.
expect 0 plot walkers
[ "$(tr '\n' ' ' <"$work/out")" = './walkers-run2.svg ./walkers-run2.png ' ] || wrong 'not the names of two files'
head -c 4 walkers-run2.png | grep -q 'PNG' || wrong 'no PNG picture'
for text in '0: GUPS small' '1: MM small' stolen 'walks waiting' cycle 'run 2, dws-30sm, dws'; do
    grep -q "$text" walkers-run2.svg || wrong "the picture does not say '$text'"
done
expect 0 plot walkers --json
json "json_extract(j, '\$.walks')" "$(sqlite3 "$MEMPATH_DB" 'SELECT count(*) FROM walk WHERE run = 2')"
json "json_extract(j, '\$.stolen')" "$(sqlite3 "$MEMPATH_DB" 'SELECT sum(stolen) FROM walk WHERE run = 2')"
expect 0 query window run=2
says 'gpu.walk'
refused 'run 1 has no window.*--trace-window FIRST:LAST' plot walkers 1

# The whole run: every walk of it is there, whatever is compared, and those in flight at its end are marked.
shared expect 0 --trace-window 0:99999999 --compare walk.scheduler=dws,fcfs
stored "SELECT count(*) FROM run r JOIN walk_window w ON w.run = r.id WHERE r.id > 2 AND w.first = 0 AND w.last = r.cycles" 2
stored "SELECT max(r.id) FROM run r WHERE status = 'done'" 4
for run in 3 4; do
    stored "SELECT sum(value) <= (SELECT count(*) FROM walk WHERE run = $run) FROM metrics WHERE run = $run AND kind = 'walk' AND metric = 'walks'" 1
done
stored "SELECT count(*) FROM walk w JOIN run r ON r.id = w.run WHERE w.ended > r.cycles OR levels NOT BETWEEN 0 AND 4" 0
stored "SELECT count(DISTINCT digest) FROM run" 2

# A system per instance.
expect 0 run star-a100-mig --set tenants.0.app=MT --set tenants.0.slices=3 --set tenants.1.app=ST --set tenants.1.slices=2 \
    --set tenants.size=small --trace-window 4000:8000 -o w.json --quiet --json
json "json_array_length(j, '\$.runs')" 1
ask "(SELECT group_concat(args ->> 'name') FROM e WHERE name = 'process_name')" gpu.mig0.walk,gpu.mig1.walk
ask "(SELECT group_concat(DISTINCT pid || ' ' || (args ->> 'tenant')) FROM e WHERE ph = 'X')" '1 0: MT small,2 1: ST small'
ask "(SELECT count(*) FROM e WHERE ph = 'X' AND (args ->> 'stolen' OR args ->> 'owner' IS NOT NULL))" 0
expect 0 plot walkers

# Refusals; a file is written whole or not at all.
rm -f w.json
refused '--trace-window: .* is not a window; FIRST:LAST' run demo --trace-window 5000
refused '--trace-window: .* not a whole number' run demo --trace-window a:9
refused '--trace-window: .* not a whole number' run demo --trace-window 9:
refused '--trace-window: .* is empty' run demo --trace-window 9:9
refused '--trace-window: .* is empty' run demo --trace-window 9:8
refused '-o: --observe and --trace-window' run demo --trace-window 1:9 --observe l3_tlb -o w.json
refused 'would write the same file.*no -o' run demo star/w1 --trace-window 1:9 -o w.json
refused 'would write the same file.*no -o' run demo --trace-window 1:9 --compare l3_tlb.latency=40,50 -o w.json
refused 'no/such/w.json.part: No such' run demo --trace-window 1:9 -o no/such/w.json
cycles=$(sqlite3 "$MEMPATH_DB" 'SELECT cycles FROM run WHERE id = 1')
shared refused "cycle $cycles is not in the run, whose last is $((cycles - 1));" --trace-window "$cycles:99999999" -o w.json
[ -z "$(find . -name '*.part' -o -name w.json)" ] || wrong 'a file was left'
finished
