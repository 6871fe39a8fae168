#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prefetchers of translations in a machine: direct calls, TLM sockets and threads give the same digest, and every
# translation is right; where each hint went; what an observer and an X-ray see of hints.
. "$(dirname "$0")/../lib.sh"

# Runs the case of the arguments with every translation checked, then in three ways, and leaves its row as the last run.
three_ways() {
    expect 0 run "$@" --check --json --quiet
    digest=''
    for way in --force-tlm '--threads 2' ''; do
        # shellcheck disable=SC2086 # perhaps no argument
        expect 0 run "$@" $way --json --quiet
        got=$(grep -o '"digest": "[0-9a-f]*"' "$work/out")
        [ "${digest:=$got}" = "$got" ] || wrong "run $* $way: digest $got, not $digest"
    done
}

# The sum of counters in the last run: of components whose paths match, by name.
counted() {
    paths=$1 names=''
    shift
    for name in "$@"; do names="$names'$name', "; done
    sqlite3 "$MEMPATH_DB" "SELECT ifnull(sum(v.value), 0) FROM value v JOIN component c ON c.run = v.run AND c.id = v.component
        JOIN metric m ON m.id = v.metric WHERE v.run = (SELECT max(id) FROM run) AND c.path GLOB '$paths'
        AND m.name IN (${names%, })"
}

# Each hint that level $1 has sent went somewhere: those of the levels below and of the walks are the rest.
conserved() {
    level=$1 prefetcher=$2
    [ "$(counted "gpu.*$level.$prefetcher" named)" = \
        "$(counted "gpu.*$level.$prefetcher" known outside no_room issued)" ] || wrong "$level: pages that were named"
    issued=$(counted "gpu.*$level.$prefetcher" issued)
    [ "$issued" -gt 0 ] || wrong "$level: $prefetcher has prefetched nothing"
    ended=$(counted "gpu.*$level.$prefetcher" dropped faults stale late useful useless)
    room=$((16 * $(sqlite3 "$MEMPATH_DB" "SELECT count(*) FROM component WHERE run = (SELECT max(id) FROM run)
        AND path GLOB 'gpu.*$level.$prefetcher'")))
    left=$((issued - ended))
    [ $left -ge 0 ] || wrong "$level: $ended of $issued hints"
    [ $left -le $((2 * room)) ] || wrong "$level: $left hints are lost"
    walked=$(counted 'gpu.*walk.hints' walks)
    [ "$walked" -le "$issued" ] || wrong "$level: more walks than hints"
    [ "$(counted 'gpu.*walk.hints' faults)" = "$(counted "gpu.*$level.$prefetcher" faults)" ] ||
        wrong "$level: faults of walks and of hints"
    [ "$(counted 'gpu.*_tlb' lookups)" = "$(counted 'gpu.*_tlb' hits misses)" ] || wrong "$level: hits and misses"
}

# No prefetcher: nothing is recorded of hints.
small='--set tenants.0.app=ST --set tenants.1.app=MT --set tenants.2.app=ATAX --set tenants.size=small
    --set machine.page_bytes=4096'
# shellcheck disable=SC2086 # a list of words
expect 0 run demo $small --quiet
[ "$(sqlite3 "$MEMPATH_DB" "SELECT count(*) FROM component WHERE path GLOB '*.hints' OR path GLOB '*.none'")" = 0 ] ||
    wrong 'there are components of hints without a prefetcher'

while read -r level prefetcher; do
    # shellcheck disable=SC2086
    three_ways demo $small --set $level.prefetch=$prefetcher --set stride.by=sm
    conserved "$level" "$prefetcher"
done <<'END'
l1_tlb stride
l2_tlb distance
l3_tlb distance
l3_tlb stride
END
[ "$(counted 'gpu.l3_tlb.hints' passed)" = 0 ] || wrong 'hints of the L3 TLB came to itself'

# Under a scheduler whose walkers have owners, with a method that answers early, with neighbours, and in a TLB that
# looks up little at a time.
three_ways dws-30sm --set tenants.0.app=GUPS --set tenants.0.sms=15 --set tenants.1.app=JPEG --set tenants.1.sms=15 \
    --set tenants.size=small --set l2_tlb.entries=64 --set l2_tlb.prefetch=distance --set walk.scheduler=dws++
conserved l2_tlb distance
three_ways mesc-16cu --set tenants.0.app=MT --set tenants.0.size=small --set walk.method=mesc --set l3_tlb.policy=mesc \
    --set l3_tlb.entries=16 --set l3_tlb.ways=4 --set l3_tlb.sub_ways=2 --set l1_tlb.prefetch=distance
conserved l1_tlb distance
three_ways neidty-16sm --set tenants.0.app=MT --set tenants.0.size=small --set neighbours.policy=neidty \
    --set l1_tlb.prefetch=distance
conserved l1_tlb distance
three_ways star-mgpusim --set tenants.0.app=ST --set tenants.0.slices=3 --set tenants.0.size=small \
    --set l2_tlb.prefetch=distance
conserved l2_tlb distance

# What observers of the walks see. A hint that was taken is a walk that arrives.
alone='star-a100-mig --set tenants.0.app=NW --set tenants.0.slices=2 --set tenants.0.size=small --set machine.page_bytes=4096
    --set l2_tlb.prefetch=distance --quiet'
# shellcheck disable=SC2086
expect 0 run $alone --observe 'gpu.mig*.walk' -o walks.csv
while read -r outcome count; do
    [ "$count" -gt 0 ] || wrong "nothing is $outcome"
    [ "$(grep -c ",$outcome\$" walks.csv)" = "$count" ] || wrong "not $count lines of $outcome"
done <<END
hint_fault $(counted 'gpu.*walk.hints' faults)
hint_dropped $(counted 'gpu.*walk.hints' dropped)
hint $(($(counted 'gpu.*walk.hints' walks) - $(counted 'gpu.*walk.hints' faults)))
END
# shellcheck disable=SC2086
expect 0 run $alone --observe walks -o walks.txt
[ "$(wc -l <walks.txt)" = $(($(counted 'gpu.mig0.walk' walks) + $(counted 'gpu.*walk.hints' walks))) ] ||
    wrong 'not a line for each walk'

# An X-ray: the hint of the L2 TLB waits for that of the L3 TLB.
busy='demo --set tenants.0.app=GUPS --set tenants.1.app=ATAX --set tenants.2.app=NW --set tenants.size=small
    --set machine.page_bytes=4096 --set l2_tlb.prefetch=distance --quiet'
# shellcheck disable=SC2086
expect 0 run $busy --until 8000 --xray x.txt
grep -Eq '^gpu\.gpc[0-9]\.l2_tlb .* hints 1 of 16' x.txt || wrong 'no room of hints'
grep -Eq ' hint .* gpu\.gpc[0-9]\.l2_tlb +hint 0' x.txt || wrong 'no hint in an L2 TLB'
grep -Eq ' hint .* gpu\.l3_tlb +MSHR' x.txt || wrong 'no hint in the L3 TLB'

# A checkpoint has the buffers and what is on its way.
# shellcheck disable=SC2086
"$mempath" run $busy --checkpoint-at 8000 -o point >out 2>err ||
    grep -q 'need a build without sanitizers' err || wrong 'no checkpoint'
if [ -e point ]; then
    # shellcheck disable=SC2086
    expect 0 run $busy --from point
    [ "$(sqlite3 "$MEMPATH_DB" "SELECT count(DISTINCT digest) FROM (SELECT digest FROM run ORDER BY id DESC LIMIT 2)")" = 1 ] ||
        wrong 'another digest after the checkpoint'
fi

# Firmware maps and unmaps pages while hints are on their way, and serves the faults of requests only. --check finds
# translations that a shootdown should have removed.
if [ -f "$(dirname "$mempath")/mempath-firmware.elf" ]; then
    expect 0 firmware run --quiet --check --set l1_tlb.prefetch=distance
    [ "$(counted 'gpu.*l1_tlb.distance' stale)" -gt 0 ] || wrong 'firmware: no hint was invalidated'
    [ "$(counted 'gpu.*l1_tlb.distance' faults)" -gt 0 ] || wrong 'firmware: no hint has faulted'
    [ "$(counted 'gpu.*walk' faults)" -gt 0 ] || wrong 'firmware: no request has faulted'
fi

# In the machine's picture, in params, refused elsewhere.
expect 0 params l2_tlb.prefetch
says 'none|distance|stride'
refused "l2_tlb.prefetch = 'markov'" run demo --set l2_tlb.prefetch=markov
refused "distance.rows = '3' is not a power of two" run demo --set distance.rows=3
finished
