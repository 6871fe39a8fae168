#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs that are estimates: near the full run, the same each time, marked everywhere, and never taken for a finished run.
. "$(dirname "$0")/lib.sh"

stored() { # a statement about the database, and what it must give
    got=$(sqlite3 "$MEMPATH_DB" "$1" 2>&1)
    [ "$got" = "$2" ] || wrong "$1 is '$got', not '$2'"
}
pair() {
    expect 0 run dws-30sm --set tenants.0.app=GUPS --set tenants.0.sms=15 --set tenants.1.app=MM --set tenants.1.sms=15 \
        --set tenants.size=medium --set walk.scheduler=dws --quiet "$@"
}
of() { sqlite3 :memory: "SELECT json_extract(CAST(readfile('$work/out') AS TEXT), '\$.runs[0].$1')"; }

pair --json
full=$(of digest)
pair --json --estimate
digest=$(of digest) ipc=$(of 'tenants[1].estimate.ipc.value')
[ "$digest" != "$full" ] || wrong 'an estimate has the digest of the full run: nothing was skipped'
json "json_extract(j, '\$.runs[0].status')" estimate
json "json_extract(j, '\$.runs[0].detail') BETWEEN 0.1 AND 0.9" 1
json "json_extract(j, '\$.runs[0].tenants[0].cycles')" ''
json "(SELECT min(value ->> '\$.estimate.ipc.half_width' > 0 AND value ->> '\$.estimate.windows' > 0)
    FROM json_each(j, '\$.runs[0].tenants'))" 1
stored "SELECT count(*) FROM estimates e JOIN ipc f ON f.run = 1 AND f.tenant = e.tenant
    WHERE e.run = 2 AND name = 'ipc' AND abs(value / ipc - 1) < 0.25" 2
stored "SELECT count(*) FROM estimates e JOIN tlb_hit_rate f ON f.run = 1 AND f.tenant = e.tenant AND name = level || '_hit_rate'
    WHERE e.run = 2 AND abs(value - hit_rate) < 0.1" 4

# The same inputs give the same estimate.
pair --json --estimate
[ "$(of digest) $(of 'tenants[1].estimate.ipc.value')" = "$digest $ipc" ] || wrong 'the estimate is another one'
pair --estimate --error 20%
says '^run 4, an estimate, '
says '^estimates with 95 % intervals; [0-9.]* % of the cycles in detail$'

# Not taken for a finished run.
stored 'SELECT group_concat(status) FROM runs' 'done,estimate,estimate,estimate'
stored "SELECT count(*) FROM run WHERE status = 'interrupted' AND cut_at IS NULL AND detail > 0" 3
stored 'SELECT run FROM latest_run' 1
stored 'SELECT DISTINCT run FROM value' 1
stored 'SELECT count(*) FROM tenant WHERE run > 1 AND cycles IS NOT NULL' 0
stored 'SELECT DISTINCT run FROM ipc' 1

# A run that ends before functional mode begins is in detail; its requests of a cycle are in another order.
expect 0 run star/w10 --set tenants.size=small --json --quiet
ipc=$(of 'tenants[0].ipc')
expect 0 run star/w10 --set tenants.size=small --json --quiet --estimate
json "json_extract(j, '\$.runs[0].detail', '\$.runs[0].tenants[0].estimate.ipc.half_width')" '[1,0]'
json "abs(json_extract(j, '\$.runs[0].tenants[0].estimate.ipc.value') / $ipc - 1) < 0.01" 1

refused "--error: '3' is not an error" run star/w2 --estimate --error 3
refused '--error: ' run star/w2 --estimate --error 0%
refused '--error: ' run star/w2 --estimate --error 99%
refused 'add --estimate' run star/w2 --error 3%
refused 'omit --alone' run star/w2 --estimate --alone
refused 'omit --compare' run star/w2 --estimate --compare l3_tlb.latency=40,50
refused 'omit --until' run star/w2 --estimate --until 10
refused 'omit --epochs' run star/w2 --estimate --epochs 1000
refused 'stats.epoch = 1000' run star/w2 --estimate --set stats.epoch=1000
refused 'omit --observe' run star/w2 --estimate --observe l3_tlb -o x.csv
refused 'omit --trace-window' run star/w2 --estimate --trace-window 10:20
refused 'omit --rtl' run star/w2 --estimate --rtl l3_tlb
refused 'omit --force-tlm' run star/w2 --estimate --force-tlm
finished
