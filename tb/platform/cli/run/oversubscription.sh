#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Applications with 100, 110, 125 and 150 % of the GPU's memory in managed buffers: each run ends, every translation is that of
# the page tables, and the application has executed what it does without managed memory. With a third argument `long`, every
# application that the recorder has.
. "$(dirname "$0")/../lib.sh"
ask() { sqlite3 "$MEMPATH_DB" "$1"; }

apps='BFS MT ST GEMM GUPS'
if [ "${3:-quick}" = long ]; then
    expect 0 record --list
    apps=$(awk '/^[A-Z0-9]/ { print $1 }' "$work/out")
fi
size=100,110,125,150
for app in $apps; do
    expect 0 run uvm/mt --set tenants.0.app="$app" --set tenants.size=small --set tenants.0.managed=false --quiet
    free=$(ask 'SELECT max(id) FROM run')
    expect 0 run uvm/mt --set tenants.0.app="$app" --set tenants.size=small --compare uvm.oversubscription=$size --check --quiet
    [ "$(ask "SELECT count(*) FROM run WHERE id > $free AND status = 'done'")" = 4 ] || wrong "$app: not four runs"
    [ "$(ask "SELECT count(*) FROM (SELECT DISTINCT instructions, thread_instructions, accesses FROM tenant WHERE run >= $free)")" = 1 ] ||
        wrong "$app: another number of instructions or accesses"
    # What came and did not leave is in the pool, and what came again had left.
    [ "$(ask "SELECT count(*) FROM managed_memory WHERE run > $free AND (refetched > evicted OR copied + zeroed < evicted
        OR copied + zeroed <> faulted + prefetched)")" = 0 ] || wrong "$app: pages are lost"
    [ "$(ask "SELECT sum(evictions) FROM managed_memory m JOIN parameter p USING (run) WHERE run > $free AND p.value = 100
        AND p.path = 'uvm.oversubscription'")" = 0 ] || wrong "$app: units left although all had room"
    ask "SELECT printf('%-10s %4d %% %12d cycles %8d evictions %9d pages came again', '$app', p.value, r.cycles, m.evictions, m.refetched)
        FROM managed_memory m JOIN run r ON r.id = m.run JOIN parameter p ON p.run = m.run AND p.path = 'uvm.oversubscription'
        WHERE m.run > $free ORDER BY m.run"
done
[ "$(ask "SELECT count(*) > 0 FROM managed_memory WHERE refetched > 0")" = 1 ] || wrong 'no page came again'
finished
