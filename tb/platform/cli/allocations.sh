#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: allocations.sh MEMPATH CACHE LIBRARY
# No design allocates while it simulates: a run that is cut at cycle 45,000 allocates no more than one that is cut at
# 10,000, although it translates at least three times as often. (Runs with --force-tlm are not here: the pool of TLM's
# payloads grows with the requests in flight.) All CTAs of the trace are placed before the first cut: reading a CTA
# allocates, and nothing else may.
set -eu
mempath=$1 library=$3
export MEMPATH_CACHE="$2"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM

allocations() { # cycle, arguments of run; prints translations, walks and allocations
    cycle=$1
    shift
    rm -f "$dir/n"
    LD_PRELOAD=$library MEMPATH_ALLOCATIONS=$dir/n "$mempath" run "$@" --until "$cycle" --json --quiet \
        --db "$dir/db" >"$dir/json"
    for metric in translations walks; do
        sed -n "s/^ *\"$metric\": *\([0-9]*\).*/\1/p" "$dir/json" | head -n 1
    done
    sort -n "$dir/n" | tail -n 1
}

few=16 # the text of results may need some more
bad=0
while read -r arguments; do
    case $arguments in '' | '#'*) continue ;; esac
    # shellcheck disable=SC2086 # words
    set -- $arguments --set tenants.0.app=ATAX --set tenants.0.size=small
    # shellcheck disable=SC2046 # words
    set -- "$@" $(allocations 10000 "$@") $(allocations 45000 "$@")
    while [ $# -gt 6 ]; do shift; done
    [ "$4" -ge $(($1 * 3)) ] && [ "$3" -gt 0 ] && [ "$6" -le $(($3 + few)) ] && continue
    printf 'allocations: run %s:\n  %s translations, %s walks, %s allocations until cycle 10,000; %s, %s, %s until 45,000\n' \
        "$arguments" "$@" >&2
    bad=$((bad + 1))
done <<'RUNS'
mesc-16cu --set l3_tlb.entries=16 --set l3_tlb.ways=4 --set l3_tlb.sub_ways=2 --set walk.msc=8
mesc-16cu --set l3_tlb.entries=16 --set l3_tlb.ways=4 --set l3_tlb.sub_ways=2 --set walk.msc=8 --set l1_tlb.policy=colt --set walk.method=colt
mesc-16cu --set l3_tlb.entries=16 --set l3_tlb.ways=4 --set l3_tlb.sub_ways=2 --set walk.msc=8 --set l1_tlb.policy=colt --set l3_tlb.policy=colt --set walk.method=colt
mesc-16cu --set l3_tlb.entries=16 --set l3_tlb.ways=4 --set l3_tlb.sub_ways=2 --set walk.msc=8 --set l1_tlb.policy=thp --set l3_tlb.policy=thp --set walk.method=thp --set vm.thp=true
mesc-16cu --set l3_tlb.entries=16 --set l3_tlb.ways=4 --set l3_tlb.sub_ways=2 --set walk.msc=8 --set l3_tlb.policy=mesc --set walk.method=mesc
mesc-16cu --set l3_tlb.entries=16 --set l3_tlb.ways=4 --set l3_tlb.sub_ways=2 --set walk.msc=8 --set l1_tlb.policy=colt --set l3_tlb.policy=mesc --set walk.method=mesc
mesc-16cu --set l3_tlb.entries=16 --set l3_tlb.ways=4 --set l3_tlb.sub_ways=2 --set walk.msc=8 --set l1_tlb.policy=colt --set l3_tlb.policy=mesc-full-colt --set walk.method=mesc
neidty-16sm --set l2_tlb.entries=16 --set neighbours.policy=direct
neidty-16sm --set l2_tlb.entries=16 --set neighbours.policy=ring
neidty-16sm --set l2_tlb.entries=16 --set neighbours.policy=neidty
dws-30sm --set l2_tlb.entries=16
dws-30sm --set l2_tlb.entries=16 --set walk.scheduler=static
dws-30sm --set l2_tlb.entries=16 --set walk.scheduler=dws
dws-30sm --set l2_tlb.entries=16 --set walk.scheduler=dws++
star-a100-mig --set l3_tlb.entries=16 --set tenants.0.slices=7 --set machine.page_bytes=4096
star-a100-mig --set l3_tlb.entries=16 --set tenants.0.slices=7 --set machine.page_bytes=4096 --set l3_tlb.policy=star
star-a100-mig --set l3_tlb.entries=16 --set tenants.0.slices=7 --set machine.page_bytes=4096 --set l3_tlb.policy=star4
star-a100-mig --set l3_tlb.entries=16 --set tenants.0.slices=7 --set machine.page_bytes=4096 --set l3_tlb.policy=mask
star-a100-mig --set l3_tlb.entries=16 --set tenants.0.slices=7 --set machine.page_bytes=4096 --set l3_tlb.policy=half-double-way-seq
star-a100-mig --set l3_tlb.entries=16 --set tenants.0.slices=7 --set machine.page_bytes=4096 --set l1_tlb.prefetch=stride --set l2_tlb.prefetch=distance --set l3_tlb.prefetch=distance
fgpu-gtx1080 --set l2_tlb.entries=16 --set vm.frames=coloured --set machine.page_bytes=4096
fgpu-v100 --set l2_tlb.entries=16 --set machine.sharing=threads
RUNS
[ $bad = 0 ] || exit 1
