#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A machine whose L1 TLBs ask each other: direct calls, TLM sockets and threads give the same digest; what is counted.
. "$(dirname "$0")/../lib.sh"

# Runs the case of the arguments in three ways, and leaves its row as the last run.
three_ways() {
    digest=''
    for way in '' --force-tlm '--threads 2'; do
        # shellcheck disable=SC2086 # perhaps no argument
        expect 0 run "$@" $way --json --quiet
        got=$(grep -o '"digest": "[0-9a-f]*"' "$work/out")
        [ "${digest:=$got}" = "$got" ] || wrong "run $* $way: digest $got, not $digest"
    done
}

# The sum of counters over all L1 TLBs in the last run: of a kind of component, by name.
counted() {
    kind=$1 names=''
    shift
    for name in "$@"; do names="$names'$name', "; done
    sqlite3 "$MEMPATH_DB" "SELECT ifnull(sum(value), 0) FROM metrics WHERE run = (SELECT max(id) FROM run)
        AND kind = '$kind' AND metric IN (${names%, })"
}

small='--set tenants.0.app=MT --set tenants.0.size=small'
for policy in none direct ring neidty; do
    # shellcheck disable=SC2086 # a list of words
    three_ways neidty-16sm $small --set neighbours.policy=$policy
    requests=$(counted l1_tlb lookups)
    all=$(counted $policy local left right below walked)
    [ $policy = none ] || [ "$all" = "$requests" ] || wrong "$policy: $all answers for $requests requests"
    case $policy in
    none) [ "$(counted none local)" = 0 ] || wrong 'the baseline counts what it does not need' ;;
    direct | ring) [ "$(counted $policy probes)" -gt "$(counted $policy in_vain)" ] || wrong "$policy: no probe helped" ;;
    neidty)
        [ "$(counted neidty left)" -gt 0 ] || wrong 'neidty: the left neighbour never answered'
        expect 0 query neighbours --json
        json "json_extract(j, '\$[0].requests')" "$requests"
        json "json_extract(j, '\$[0].r_remote') > 0 AND json_extract(j, '\$[0].accuracy') BETWEEN 0 AND 1" 1
        ;;
    esac
done

# Two tenants on one ring; a ring in each slice, which threads divide.
two='--set tenants.0.app=FIR --set tenants.1.app=MT --set tenants.size=small'
for update in exclusive twice twice-entry; do
    # shellcheck disable=SC2086
    three_ways neidty-16sm $two --set neighbours.policy=neidty --set neighbours.update=$update
done
for policy in direct ring neidty; do
    # shellcheck disable=SC2086
    three_ways star-a100-mig $two --set tenants.0.slices=2 --set tenants.1.slices=1 --set neighbours.policy=$policy
done

# Other neighbours than those of a ring; entries that hold several pages.
for topology in pairs two-rings mesh; do
    # shellcheck disable=SC2086
    three_ways neidty-16sm $small --set neighbours.policy=neidty --set neighbours.topology=$topology
    [ "$(counted neidty local left right below walked)" = "$(counted l1_tlb lookups)" ] || wrong "$topology: answers"
done
# shellcheck disable=SC2086
three_ways neidty-16sm $small --set neighbours.policy=neidty --set l1_tlb.sub_entries=4
[ "$(counted neidty in_vain)" -gt 0 ] || wrong 'every neighbour with a base had the page'

# Who has the pages of requests, under any policy; counting changes nothing else.
# shellcheck disable=SC2086
expect 0 run neidty-16sm $small --json --quiet
cycles=$(grep -o '"cycles": [0-9]*' "$work/out" | head -n 1)
# shellcheck disable=SC2086
three_ways neidty-16sm $small --set stats.sharing=true
[ "$(grep -o '"cycles": [0-9]*' "$work/out" | head -n 1)" = "$cycles" ] || wrong 'stats.sharing changes the cycles'
[ "$(counted none missed)" = "$(counted l1_tlb misses)" ] || wrong 'stats.sharing: not all misses are counted'
[ "$(counted none neighbour_has)" -gt 0 ] || wrong 'stats.sharing: no neighbour ever had a page'

refused 'in a ring of 2 L1 TLBs; 3 at least' run neidty-16sm --set neighbours.policy=ring --set machine.tpcs_per_slice=2
finished
