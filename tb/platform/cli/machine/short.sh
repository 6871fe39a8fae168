#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# MIG with slices that have a TPC less than the others: instances of them have fewer SMs, natively, through TLM, with threads
# and under firmware.
. "$(dirname "$0")/../lib.sh"

short='--set machine.short_slices=3'
set -- star-a100-mig --set tenants.0.app=MT --set tenants.0.size=small --set tenants.0.slices=4 \
    --set tenants.1.app=MT --set tenants.1.size=small --set tenants.1.slices=3
expect 0 machine "$@" --json
json "(SELECT count(*) FROM json_each(j, '\$.blocks') WHERE value ->> 'level' = 'sm')" 98
# shellcheck disable=SC2086 # two words
expect 0 machine "$@" $short --json
json "(SELECT count(*) FROM json_each(j, '\$.blocks') WHERE value ->> 'level' = 'sm')" 92
json "(SELECT group_concat(n, ' ') FROM (SELECT count(*) n FROM json_each(j, '\$.blocks') WHERE value ->> 'level' = 'sm'
    GROUP BY substr(value ->> 'path', 1, 8) ORDER BY substr(value ->> 'path', 1, 8)))" '14 14 14 14 12 12 12'

digest=''
for way in '' --force-tlm '--threads 2' '--set neighbours.policy=none'; do
    # shellcheck disable=SC2086 # words
    expect 0 run "$@" $short $way --check --quiet --json
    got=$(grep -o '"digest": "[0-9a-f]*"' "$work/out")
    [ "${digest:=$got}" = "$got" ] || wrong "$way: digest $got, not $digest"
done
json "(SELECT count(DISTINCT value ->> 'cycles') FROM json_each(j, '\$.runs[0].tenants'))" 2
digest=''
for way in '' --force-tlm; do
    # shellcheck disable=SC2086 # words
    expect 0 run "$@" $short --set neighbours.policy=ring $way --check --quiet --json
    got=$(grep -o '"digest": "[0-9a-f]*"' "$work/out")
    [ "${digest:=$got}" = "$got" ] || wrong "neighbours $way: digest $got, not $digest"
done

# Firmware's instances are of 3, 2 and 2 slices.
# shellcheck disable=SC2086 # two words
expect 0 firmware run $short --check --workload 0=MT:small --workload 1=MT:small --workload 2=MT:small
says '^done$'
finished
