#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the server of page faults does in a window: as the counters say, as trace events, as pictures; nothing else changes.
. "$(dirname "$0")/../lib.sh"

stored() { # a statement about the database, and what it must give
    got=$(sqlite3 "$MEMPATH_DB" "$1" 2>&1)
    [ "$got" = "$2" ] || wrong "$1 is '$got', not '$2'"
}
counted() { # of run 1
    sqlite3 "$MEMPATH_DB" "SELECT sum(value) FROM counters WHERE run = 1 AND kind = 'uvm' AND metric = '$1'"
}
event() { # an SQL expression over the events of w.json, and what it must be
    got=$(sqlite3 :memory: "CREATE TABLE f AS SELECT CAST(readfile('w.json') AS TEXT) AS j;
        CREATE TABLE e AS SELECT value ->> 'ph' AS ph, value ->> 'name' AS name, value ->> 'tid' AS tid, value ->> 'ts' AS ts,
            value ->> 'ts' + value ->> 'dur' AS til, value -> 'args' AS args, value ->> 'pid' AS pid, value ->> 'id' AS id
            FROM f, json_each(j, '\$.traceEvents');
        SELECT $1" 2>&1)
    [ "$got" = "$2" ] || wrong "w.json: $1 is '$got', not '$2'"
}
managed() { # expect CODE, or refused PATTERN; then options
    how=$1 what=$2
    shift 2
    "$how" "$what" run star-a100-mig --set tenants.0.app=BFS --set tenants.0.slices=1 --set tenants.0.size=small \
        --set machine.page_bytes=4096 --set uvm.chunks=1 --quiet "$@"
}

# The whole run has what the counters have.
managed expect 0 --set tenants.0.managed=true --trace-window 0:99999999 -o w.json
managed expect 0 --set tenants.0.managed=true
stored 'SELECT count(DISTINCT digest) FROM run' 1
stored 'SELECT count(*) FROM managed_window WHERE first = 0 AND last = (SELECT cycles FROM run WHERE id = 1)' 1
of() { # kind, what of its actions, counter
    stored "SELECT ifnull($2, 0) FROM managed_action WHERE run = 1 AND kind = '$1'" "$(counted "$3")"
}
of fault 'count(*)' entries
of batch 'count(*)' batches
of batch 'sum(ended - began)' batch_cycles
of service 'count(*)' blocks
of victim 'count(*)' evictions
of victim 'sum(pages)' evicted
of 'copy in' 'sum(pages)' copied
of 'copy in' 'sum(ended - began)' busy_in
of 'copy out' '4096 * sum(pages)' bytes_out
of 'copy out' 'sum(ended - began)' busy_out
of replay 'count(*)' replays
[ "$(counted evictions)" -gt 0 ] || wrong 'no victim'
stored "SELECT sum(cycles) FROM fault_cost WHERE run = 1 AND part <> 'interrupt'" "$(counted batch_cycles)"
stored "SELECT round(sum(share), 9) FROM fault_cost WHERE run = 1" 1.0
stored "SELECT count(*) FROM managed_action a JOIN managed_action b USING (run, kind) WHERE run = 1 AND a.number < b.number
    AND kind NOT IN ('service', 'fault', 'replay') AND a.began < b.ended AND b.began < a.ended" 0

# Residency: what comes and goes, and pages that come again.
stored "SELECT total(max(0, change)) = $(counted copied) + $(counted zeroed) FROM (SELECT pages
    - lag(pages, 1, 0) OVER (PARTITION BY tenant, block ORDER BY cycle) AS change FROM managed_resident WHERE run = 1)" 1
expect 0 query uvm_thrashing run=1 --csv
again=$(awk -F, 'NR > 1 { n += $4 - 1 } END { print n + 0 }' "$work/out")
[ "$again" -ge "$(counted refetched)" ] || wrong "the pages that came again are fewer than the counter has"
[ "$again" -le "$(($(counted refetched) + $(counted host_moved)))" ] ||
    wrong "the pages that came again are more than the counters have"
expect 0 query uvm run=1
says "BFS"

# Trace events.
event "(SELECT json_valid(j) FROM f)" 1
event "(SELECT count(*) FROM e WHERE ph = 'X' AND name = 'copy in')" \
    "$(sqlite3 "$MEMPATH_DB" "SELECT count(*) FROM managed_action WHERE run = 1 AND kind = 'copy in'")"
event "(SELECT sum(args ->> 'pages') FROM e WHERE ph = 'X' AND name = 'copy in')" "$(counted copied)"
event "(SELECT count(*) FROM e WHERE ph = 'i' AND name = 'fault')" "$(counted entries)"
event "(SELECT count(*) FROM e b JOIN e e USING (pid, id) WHERE b.ph = 'b' AND e.ph = 'e' AND b.ts <= e.ts)" "$(counted blocks)"
event "(SELECT group_concat(args ->> 'name') FROM e WHERE name = 'process_name')" gpu.mig0.walk,gpu.mig0.uvm
event "(SELECT count(*) FROM e a JOIN e b USING (pid, tid) WHERE a.ph = 'X' AND b.ph = 'X' AND pid = 2 AND a.rowid < b.rowid
    AND a.ts < b.til AND b.ts < a.til)" 0
event "(SELECT max(args ->> 'pages') FROM e WHERE ph = 'C' AND name LIKE 'resident%')" "$(sqlite3 "$MEMPATH_DB" "
    SELECT max(held) FROM (SELECT sum(change) OVER (ORDER BY cycle, block) AS held FROM (SELECT cycle, block, pages
        - lag(pages, 1, 0) OVER (PARTITION BY block ORDER BY cycle) AS change FROM managed_resident WHERE run = 1))")"

# Pictures.
expect 0 plot faults 1 --json
json "json_extract(j, '\$.slices')" "$(sqlite3 "$MEMPATH_DB" "SELECT count(*) FROM managed_action WHERE run = 1
    AND kind NOT IN ('service', 'fault', 'replay')")"
for text in 'copy in' 'copy out' victim 'faults waiting' '0: BFS small'; do
    grep -q "$text" faults-run1.svg || wrong "the picture does not say '$text'"
done
expect 0 plot residency 1 --json
json "json_extract(j, '\$.blocks')" "$(sqlite3 "$MEMPATH_DB" 'SELECT count(DISTINCT block) FROM managed_resident WHERE run = 1')"
json "round(json_extract(j, '\$.resident_mb'), 6)" "$(sqlite3 "$MEMPATH_DB" "SELECT round(sum(4096 * pages * (til - cycle)) / 1e6 / last, 6) FROM (SELECT pages, cycle, last,
    lead(cycle, 1, last) OVER (PARTITION BY tenant, block ORDER BY cycle) AS til
    FROM managed_resident r JOIN managed_window w USING (run, component) WHERE run = 1)")"
head -c 4 residency-run1.png | grep -q PNG || wrong 'no PNG picture'
refused 'run 2 has no window of managed memory.*--trace-window FIRST:LAST' plot residency 2
refused 'run 2 has no window of managed memory' plot faults 2

# A part of the run begins with what is resident, and has the actions that the whole has there.
last=$(sqlite3 "$MEMPATH_DB" 'SELECT cycles FROM run WHERE id = 1')
managed expect 0 --set tenants.0.managed=true --trace-window "$((last / 2)):$((3 * last / 4))"
stored "SELECT group_concat(block || ' ' || pages) FROM (SELECT * FROM managed_resident WHERE run = 3
    AND cycle = (SELECT first FROM managed_window WHERE run = 3) ORDER BY block)" "$(sqlite3 "$MEMPATH_DB" "
    SELECT group_concat(block || ' ' || pages) FROM (SELECT block, pages, max(cycle) FROM managed_resident WHERE run = 1
        AND cycle <= $((last / 2)) GROUP BY block HAVING pages > 0 ORDER BY block)")"
stored "SELECT count(*) FROM managed_action WHERE run = 3" "$(sqlite3 "$MEMPATH_DB" "SELECT count(*) FROM managed_action
    WHERE run = 1 AND began < $((3 * last / 4)) AND ended >= $((last / 2))")"

# Two servers.
expect 0 run star-a100-mig --set tenants.0.app=MT --set tenants.0.slices=3 --set tenants.1.app=ST --set tenants.1.slices=2 \
    --set tenants.size=small --set machine.page_bytes=4096 --set tenants.managed=true --trace-window 0:99999999 --quiet
stored "SELECT group_concat(path || ' ' || tenant) FROM (SELECT DISTINCT path, tenant FROM managed_action a JOIN component c
    ON c.run = a.run AND c.id = a.component WHERE a.run = 4 ORDER BY path)" 'gpu.mig0.uvm 0,gpu.mig1.uvm 1'
expect 0 plot faults
expect 0 plot residency
finished
