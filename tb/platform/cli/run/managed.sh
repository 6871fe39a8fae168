#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Managed memory: a run takes the decisions that `replay uvm` takes for its faults, and stores its counters.
. "$(dirname "$0")/../lib.sh"

ask() { sqlite3 "$MEMPATH_DB" "$1"; }
counted() { ask "SELECT sum(value) FROM counters WHERE run = (SELECT max(id) FROM run) AND kind = 'uvm' AND metric = '$1'"; }

# The responses of replay, summed up: "faulted prefetched zeroed copied done evictions evicted batches merged duplicates
# dropped blocks remote notices counted host_faults held naps"; then what the last notices have of copied, evictions and evicted, of which the
# end of the application may come first.
replayed() {
    awk 'function pages(list,  n, i, k, part, ends) {
             n = 0
             if (list == "-") return 0
             k = split(list, part, ",")
             for (i = 1; i <= k; i++) n += split(part[i], ends, "-") == 2 ? ends[2] - ends[1] + 1 : 1
             return n
         }
         /^remote / { remote++; notices += / notice$/; next }
         /^move / { moves++; next }
         /^hold / { naps++; next }
         / \| batch |^batch / { batches += /block / }
         / \| batch |^batch | \| (notices|evicted)=/ {
             split("", last)
             for (i = 1; i <= NF; i++) {
                 if ($i == "evict") { evictions++; last["evict"] += / (notices|evicted)=/ }
                 if ($i == "block") blocks += !/ notices=/ || $(i + 2) != "fault=-"
                 if (split($i, w, "=") != 2) continue
                 if (/ (notices|evicted)=/ && w[1] ~ /^(copy|back|drop)$/) last[w[1]] += pages(w[2])
                 if (w[1] == "fault" && / notices=/) counted += pages(w[2])
                 else if (w[1] ~ /^(fault|prefetch|zero|copy|done|held|back|drop)$/) sum[w[1]] += pages(w[2])
                 if (w[1] ~ /^(merged|duplicates|dropped)$/ && /block /) sum[w[1]] += w[2]
             }
         }
         END { print sum["fault"] + 0, sum["prefetch"] + 0, sum["zero"] + 0, sum["copy"] + 0, sum["done"] + 0, evictions + 0,
                     sum["back"] + sum["drop"], batches + 0, sum["merged"] + 0, sum["duplicates"] + 0, sum["dropped"] + 0, blocks + 0,
                     remote + 0, notices + 0, counted + 0, moves + 0, sum["held"] + 0, naps + 0
               print last["copy"] + 0, last["evict"] + 0, last["back"] + last["drop"] }' "$1"
}

run='run star-a100-mig --quiet --set tenants.0.slices=1 --set tenants.0.size=small --set machine.page_bytes=4096
     --set tenants.0.managed=true'
alike() { # settings
    # shellcheck disable=SC2086 # words
    expect 0 $run "$@" --observe faults -o faults.txt
    options=$(sed -n '1s/^# //p' faults.txt)
    # shellcheck disable=SC2086 # words
    expect 0 replay uvm $options faults.txt
    got=$(for m in faulted prefetched zeroed copied 'done' evictions evicted batches merged duplicates dropped blocks remote notices \
        counted host_faults held naps; do
        counted $m
    done | paste -sd' ' -)
    replayed "$work/out" >replayed.txt
    echo "$got" | awk 'FNR == NR && FNR == 1 { n = split($0, of) }
        FNR == NR && FNR == 2 { late[4] = $1; late[6] = $2; late[7] = $3 }
        FNR < NR { for (i = 1; i <= n; i++) if ($i > of[i] || $i < of[i] - late[i]) exit 1 }' replayed.txt - ||
        wrong "$*: replay: $(paste -sd' ' replayed.txt); the run: $got"
}
alike --set tenants.0.app=MT
[ "$(counted copied)" = 512 ] || wrong 'not every page of two buffers was copied'
[ "$(counted evictions)" = 0 ] || wrong 'units left although all had room'
[ "$(counted host_moved)" = 256 ] || wrong 'the host has not read the whole result'
[ "$(counted bytes_out)" = 1048576 ] || wrong 'the bytes out are not those of the result'
of() { ask "SELECT total(count) FROM distributions WHERE run = (SELECT max(id) FROM run) AND component_kind = 'uvm' AND metric = '$1'"; }
[ "$(ask 'SELECT accuracy, prefetch_lost FROM managed_memory ORDER BY run DESC LIMIT 1')" = '1.0|0' ] ||
    wrong 'not every prefetched page is used'
for metric in batch_time batch_entries batch_blocks; do
    [ "$(of $metric)" = "$(counted batches).0" ] || wrong "$metric does not have every batch"
done
[ "$(of fault_latency)" = "$(counted faults).0" ] || wrong 'not every access that faulted has a latency'
copies() { ask "SELECT sum(value) FROM counters WHERE run = (SELECT max(id) FROM run) AND kind = 'copy' AND metric = '$1'"; }
[ "$(copies written) $(copies read)" = '16384 8192' ] || wrong 'copies have other lines than their pages'
alike --set tenants.0.app=MT --set uvm.copy_lines=false
[ -z "$(copies written)" ] || wrong 'uvm.copy_lines=false: copies have lines'
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

# The host reads between kernels, under each design, whose pages the next kernel needs again.
for evict in driver lru64k tbne lru4k; do
    alike --set tenants.0.app=BFS --set uvm.oversubscription=200 --set uvm.prefetch=none --set uvm.evict=$evict
    [ "$(counted host_faults)" -gt 1 ] || wrong "$evict: the host reads nothing between kernels"
done

# Pages that stay on the host are accessed there, over the link, and are kept in no cache.
lines() { ask "SELECT sum(value) FROM counters WHERE run = (SELECT max(id) FROM run) AND kind = 'host' AND metric IN ('reads', 'writes')"; }
alike --set tenants.0.app=MT --set uvm.migrate=host
[ "$(counted mapped)" = 512 ] || wrong "$(counted mapped) of 512 pages are mapped to the host's memory"
[ "$(counted copied)$(counted evictions)" = 00 ] || wrong 'a page moved although all stay'
[ "$(lines)" = "$(counted remote)" ] || wrong 'the link has other lines than the counter'
alike --set tenants.0.app=MT --set uvm.migrate=host --set uvm.begin=nowhere
[ "$(counted zeroed)" = 256 ] || wrong 'pages that nobody has written have no memory of the GPU'
[ "$(counted mapped)" = 256 ] || wrong 'pages that the host has written are not on the host'
alike --set tenants.0.app=MT --set uvm.migrate=host --set uvm.begin=nowhere --set uvm.host_accesses=false
[ "$(counted zeroed)" = 512 ] || wrong 'pages of nowhere have no memory of the GPU'
[ "$(counted remote)$(counted host_faults)" = 00 ] || wrong 'pages of nowhere are on the host'

# Loads are remote until enough were counted, and stores move pages.
alike --set tenants.0.app=MT --set uvm.migrate=counter --set uvm.counter=64
[ "$(counted notices)" -gt 0 ] || wrong 'no notice'
[ "$(counted counted)" -gt 0 ] || wrong 'no notice moved a page'
alike --set tenants.0.app=MT --set uvm.migrate=counter --set uvm.counter=60000
[ "$(counted notices)" = 0 ] || wrong 'a notice came before its count'
[ "$(counted copied)" = 256 ] || wrong 'not only the pages that are stored to have moved'
alike --set tenants.0.app=MT --set uvm.migrate=counter --set uvm.counter=32 --set uvm.granule=65536 --set uvm.replay=block
alike --set tenants.0.app=BFS --set uvm.migrate=counter --set uvm.counter=128 --set uvm.oversubscription=200
[ "$(counted evictions)" -gt 0 ] || wrong 'no unit left with access counters'
alike --set tenants.0.app=GUPS --set uvm.migrate=counter --set uvm.counter=16 --set uvm.oversubscription=200 --set uvm.evict=tbne
alike --set tenants.0.app=BFS --set uvm.migrate=oversub --set uvm.counter=64 --set uvm.oversubscription=200 --set uvm.evict=lru2m
[ "$(counted remote)" -gt 0 ] || wrong 'no access is remote after the first eviction'
alike --set tenants.0.app=BFS --set uvm.migrate=oversub
[ "$(counted remote)" = 0 ] || wrong 'oversub maps pages remotely although all have room'
alike --set tenants.0.app=BFS --set uvm.migrate=adaptive --set uvm.counter=64 --set uvm.oversubscription=200
[ "$(counted counted)" -gt 0 ] || wrong 'adaptive moves no page for its count'
alike --set tenants.0.app=GUPS --set uvm.migrate=adaptive --set uvm.counter=8 --set uvm.penalty=8 --set uvm.oversubscription=200

# Pages that both want are held and pinned, to the host or on a coherent link to the GPU. Pins end in time.
quick='--set uvm.thrashing=true --set uvm.thrash_events=1 --set uvm.thrash_throttles=1 --set uvm.thrash_lapse=50000'
alike --set tenants.0.app=COLOR --set uvm.thrashing=true
[ "$(counted held)" -gt 0 ] || wrong 'no page is held'
[ "$(counted naps)" -gt 0 ] || wrong 'no access of the host waits'
# shellcheck disable=SC2086 # words
alike --set tenants.0.app=COLOR $quick
[ "$(counted pinned)$(counted mapped)$(counted unpinned)" = 110 ] || wrong 'the page of the flag is not pinned to the host'
[ "$(counted remote)" -gt 0 ] || wrong 'the GPU does not access it there'
[ "$(lines)" = "$(counted remote)" ] || wrong 'the link has other lines than the counter'
# shellcheck disable=SC2086 # words
alike --set tenants.0.app=COLOR $quick --set uvm.thrash_pin=1
[ "$(counted unpinned)" -gt 0 ] || wrong 'no pin ends'
# shellcheck disable=SC2086 # words
alike --set tenants.0.app=COLOR $quick --set uvm.c2c=true
[ "$(counted pinned)$(counted host_mapped)$(counted mapped)" = 110 ] || wrong 'the page is not pinned to the GPU'
[ "$(counted host_lines)" -gt 0 ] || wrong 'the host does not access it there'
# shellcheck disable=SC2086 # words
alike --set tenants.0.app=COLOR $quick --set uvm.c2c=true --set uvm.thrash_pin=1 --set uvm.oversubscription=200
# shellcheck disable=SC2086 # words
alike --set tenants.0.app=BFS $quick --set uvm.prefetch=none --set uvm.migrate=counter --set uvm.counter=16 --set uvm.thrash_pin=2
# shellcheck disable=SC2086 # words
alike --set tenants.0.app=QTC $quick --set uvm.thrash_nap=2 --set uvm.replay=once --set uvm.writeback=dirty

# Pages that were prefetched are used, are lost, or stay.
for evict in lru64k driver; do
    alike --set tenants.0.app=BFS --set uvm.chunks=1 --set uvm.evict=$evict
    [ "$(($(counted prefetch_used) + $(counted prefetch_lost)))" = "$(counted prefetched)" ] || wrong "$evict: a prefetched page is nowhere"
done
[ "$(counted prefetch_lost)" -gt 0 ] || wrong 'no prefetched page is lost'

# Memory leaves ahead of need, and with a unit more while others come.
alike --set tenants.0.app=MT --set uvm.chunks=1 --set uvm.evict_overlap=true
alike --set tenants.0.app=BFS --set uvm.oversubscription=200 --set uvm.evict=lru64k --set uvm.evict_overlap=true
alike --set tenants.0.app=GUPS --set uvm.chunks=2 --set uvm.ahead=1 --set uvm.evict_overlap=true
grep -q '^E ' faults.txt || wrong 'nothing left ahead of need'
# shellcheck disable=SC2086 # words
refused "uvm.ahead = 1 of 1 times 2 MB of managed memory; less" $run --set tenants.0.app=MT --set uvm.chunks=1 --set uvm.ahead=1

# Clean pages are dropped, and not copied out.
alike --set tenants.0.app=MT --set uvm.oversubscription=125 --set uvm.writeback=dirty
[ "$(counted bytes_out)" = "$((4096 * ($(counted written_back) + $(counted host_moved))))" ] || wrong 'the bytes out are not those of dirty pages'
[ "$(counted written_back)" -lt "$(counted evicted)" ] || wrong 'pages that were only read are written back'
alike --set tenants.0.app=BFS --set uvm.oversubscription=200 --set uvm.writeback=dirty --set uvm.evict=lfu2m
alike --set tenants.0.app=GUPS --set uvm.oversubscription=200 --set uvm.writeback=dirty --set uvm.migrate=oversub
alike --set tenants.0.app=BFS --set uvm.begin=nowhere --set uvm.chunks=1 --set uvm.writeback=dirty

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
