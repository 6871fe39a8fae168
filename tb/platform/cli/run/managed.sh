#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Managed memory: a run takes the decisions that `replay uvm` takes for its faults, and stores its counters.
. "$(dirname "$0")/../lib.sh"

ask() { sqlite3 "$MEMPATH_DB" "$1"; }
counted() { ask "SELECT sum(value) FROM counters WHERE run = (SELECT max(id) FROM run) AND kind = 'uvm' AND metric = '$1'"; }

# The responses of replay, summed up: "faulted prefetched zeroed copied done evictions evicted batches merged duplicates
# dropped blocks".
replayed() {
    awk 'function pages(list,  n, i, k, part, ends) {
             n = 0
             if (list == "-") return 0
             k = split(list, part, ",")
             for (i = 1; i <= k; i++) n += split(part[i], ends, "-") == 2 ? ends[2] - ends[1] + 1 : 1
             return n
         }
         / \| batch |^batch / {
             batches += /block /
             for (i = 1; i <= NF; i++) {
                 if ($i == "evict") evictions++
                 if ($i == "block") blocks++
                 if (split($i, w, "=") != 2) continue
                 if (w[1] ~ /^(fault|prefetch|zero|copy|done|back)$/) sum[w[1]] += pages(w[2])
                 if (w[1] ~ /^(merged|duplicates|dropped)$/ && /block /) sum[w[1]] += w[2]
             }
         }
         END { print sum["fault"] + 0, sum["prefetch"] + 0, sum["zero"] + 0, sum["copy"] + 0, sum["done"] + 0, evictions + 0,
                     sum["back"] + 0, batches + 0, sum["merged"] + 0, sum["duplicates"] + 0, sum["dropped"] + 0, blocks + 0 }' "$1"
}

run='run star-a100-mig --quiet --set tenants.0.slices=1 --set tenants.0.size=small --set machine.page_bytes=4096
     --set tenants.0.managed=true'
alike() { # settings
    # shellcheck disable=SC2086 # words
    expect 0 $run "$@" --observe faults -o faults.txt
    options=$(sed -n '1s/^# //p' faults.txt)
    # shellcheck disable=SC2086 # words
    expect 0 replay uvm $options faults.txt
    got=$(for m in faulted prefetched zeroed copied 'done' evictions evicted batches merged duplicates dropped blocks; do
        counted $m
    done | paste -sd' ' -)
    [ "$(replayed "$work/out")" = "$got" ] || wrong "$*: replay: $(replayed "$work/out"); the run: $got"
}
alike --set tenants.0.app=MT
[ "$(counted copied)" = 512 ] || wrong 'not every page of two buffers was copied'
[ "$(counted evictions)" = 0 ] || wrong 'units left although all had room'
alike --set tenants.0.app=MT --set uvm.oversubscription=125
[ "$(counted evictions)" -gt 0 ] || wrong 'no unit left'
alike --set tenants.0.app=BFS --set uvm.oversubscription=150 --set uvm.prefetch=random --set uvm.seed=7 --set uvm.evict=random
alike --set tenants.0.app=BFS --set uvm.oversubscription=200 --set uvm.evict=tbne --set uvm.prefetch=tbn
alike --set tenants.0.app=BFS --set uvm.oversubscription=200 --set uvm.evict=lru4k --set uvm.prefetch_full=none --set uvm.chunks=1
alike --set tenants.0.app=BFS --set uvm.begin=nowhere --set uvm.threshold=90 --set uvm.batch=16 --set uvm.replay=batch
alike --set tenants.0.app=MT --set uvm.replay=block --set uvm.entries=64 --set machine.page_bytes=65536
alike --set tenants.0.app=MT --set uvm.replay=once --set uvm.batch=8 --set uvm.min_faults=3
alike --set tenants.0.app=GUPS --set uvm.oversubscription=200

# Observing changes nothing, and a design that decides otherwise is seen.
# shellcheck disable=SC2086 # words
expect 0 $run --set tenants.0.app=GUPS --set uvm.oversubscription=200
[ "$(counted evictions)" -gt 0 ] || wrong 'GUPS has room'
[ "$(ask 'SELECT count(DISTINCT digest) FROM run WHERE id >= (SELECT max(id) - 1 FROM run)')" = 1 ] ||
    wrong 'observing changed the results'
expect 0 replay uvm --chunks 64 faults.txt
[ "$(replayed "$work/out" | cut -d' ' -f6)" = 0 ] || wrong 'more memory makes no difference'

# Who has no server, or two.
# shellcheck disable=SC2086 # words
refused "0 instances have managed memory; one" $run --set tenants.0.app=MT --set tenants.0.managed=false --observe faults -o x
# shellcheck disable=SC2086 # words
refused "2 instances have managed memory; one" $run --set tenants.0.app=MT --set tenants.1.app=MT --set tenants.1.size=small \
    --set tenants.1.slices=1 --set tenants.1.managed=true --observe faults -o x
# shellcheck disable=SC2086 # words
refused "machine.memory_per_slice sets the size" $run --set tenants.0.app=MT --set uvm.chunks=60000

# Accesses touch pages, unless loads alone do.
run='run uvm/smart --quiet --set tenants.0.app=HS --set tenants.0.size=uvm --set tenants.0.managed=true
     --set uvm.oversubscription=110 --set uvm.prefetch=tbn --set uvm.evict=tbne'
alike
touched=$(counted copied)
grep -q '^A ' faults.txt || wrong 'no access that a walk has found is observed'
alike --set uvm.touch=load
! grep -q '^A ' faults.txt || wrong 'an access is a touch with uvm.touch = load'
[ "$(counted copied)" != "$touched" ] || wrong 'accesses change no eviction'
finished
