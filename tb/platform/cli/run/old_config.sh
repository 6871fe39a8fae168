#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs that an earlier revision stored can be run again from their configuration, although parameters have been replaced
# since. The digests here are those of today's models; they are taken again with those of golden.txt.
fixture=$(dirname -- "$(readlink -f -- "$0")")/../../../db/fixture/a5943b1.sql
. "$(dirname "$0")/../lib.sh"

sqlite3 old.db <"$fixture"
"$mempath" run star-a100-mig --set tenants.0.app=MT --set tenants.0.size=small --set tenants.0.slices=1 --quiet \
    --db new.db >out 2>err || wrong 'no database'
sqlite3 old.db "PRAGMA user_version = 10; PRAGMA application_id = $(sqlite3 new.db 'PRAGMA application_id')"
# Three levels of TLBs under MIG; two under MPS.
for stored in 2=15969e501dad2107a1fb5fc5294e5ed0 6=d3115b67d27c4363fd87648c1513a43e; do
    run=${stored%%=*} digest=${stored#*=}
    "$mempath" query config "run=$run" --db old.db >config.yaml || wrong "query config run=$run"
    grep -q '^  tlb_levels: [23]$' config.yaml || wrong "run $run has no parameter that has been replaced"
    "$mempath" run config.yaml --json --quiet >out 2>err || wrong "run $run cannot be run again"
    json "json_extract(j, '\$.runs[0].digest')" "$digest"
    "$mempath" query config "run=$run" --db old.db | "$mempath" run - --json --quiet >out 2>err ||
        wrong "run $run cannot be piped"
    json "json_extract(j, '\$.runs[0].digest')" "$digest"
done
printf 'preset: demo\nwalk:\n  queue: many\n' | "$mempath" run - >out 2>err && wrong 'a bad standard input is run'
grep -q "^mempath: standard input:3: " err || wrong 'the message does not name standard input and the line'

refused "machine.tlb_levels = '4' is no longer a parameter; l3_tlb.per: none for 2, machine for 3" \
    run demo --set machine.tlb_levels=4
printf 'preset: demo\nwalk:\n  per_tenant: perhaps\n' >old.yaml
refused "old.yaml:3: walk.per_tenant = 'perhaps' is no longer a parameter; walk.per: instance for false, tenant for true" \
    run old.yaml
one='star-a100-mig --set tenants.0.app=MT --set tenants.0.size=small --set tenants.0.slices=1 --quiet --json'
# shellcheck disable=SC2086 # a list of words
expect 0 run $one --set machine.tlb_levels=2
first=$(sqlite3 :memory: "SELECT json_extract(CAST(readfile('$work/out') AS TEXT), '\$.runs[0].digest')")
# shellcheck disable=SC2086 # a list of words
expect 0 run $one --set l3_tlb.per=none
json "json_extract(j, '\$.runs[0].digest')" "$first"

# Parameters of which only the path has changed.
printf 'preset: dws-30sm\nwalk:\n  pwc_fill: optimistic\n  epoch: 20\n  thresholds: aggressive\n  queue_threshold: 7\n' >old.yaml
expect 0 machine old.yaml --json
expect 0 run old.yaml --set tenants.0.app=MT --set tenants.0.size=small --quiet --db paths.db
stored=$("$mempath" query config --db paths.db | grep -cE '^  (method: optimistic|epoch: 20|thresholds: aggressive|queue_threshold: 7)$')
[ "$stored" = 4 ] || wrong "the values of old.yaml are not those of the run's configuration: $stored of 4"
printf 'preset: dws-30sm\nwalk:\n  epoch: 0\n' >old.yaml
refused "old.yaml:3: dws++.epoch = '0' is too small; 1 to 4095 (walks)" run old.yaml
refused "walk.method = 'mosc' is no choice" run demo --set walk.pwc_fill=mosc

finished
