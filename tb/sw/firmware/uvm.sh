#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Unified memory served by the firmware: it decides as `mempath replay uvm` does for the faults that it took, for
# designs with units of 2 MB, 64 KB and a page; data survives evictions; wrong use changes nothing.
. "$(dirname "$0")/../../platform/cli/lib.sh"

# steps LINE...: the console's script with these lines.
steps() {
    printf 'send x\nwait >\n'
    for line; do printf 'send %s\nwait >\n' "$line"; done
    printf 'send quit\n'
}

# console PAGE WORKLOAD LINE...: a run with these lines. What the host of the workload accesses moves nothing, if hosts
# is false.
hosts=false
console() {
    machine="--set machine.page_bytes=$1 --workload 0=$2 --set uvm.host_accesses=$hosts"
    shift 2
    steps "$@" >script
    # shellcheck disable=SC2086 # options are words
    expect 0 firmware run --check --script script $machine
    cp out console
}

# compare BATCHES VICTIMS: what the firmware has decided is what replay decides, with at least that
# number of batches and victims.
compare() {
    grep '^[RUFBHNCE] ' console >lines
    sed -n 's/^= //p' console >decided
    options=$(sed -n 's/^# //p' console)
    # shellcheck disable=SC2086
    expect 0 replay uvm $options lines
    cmp decided out >&2 || wrong "$options: the firmware has decided otherwise"
    [ "$(grep -c 'batch entries=' out)" -ge "$1" ] || wrong "$options: fewer than $1 batches"
    [ "$(grep -o 'evict ' out | wc -l)" -ge "$2" ] || wrong "$options: fewer than $2 victims"
    cp console out
}

# Numbers of a prefetch and an eviction design, of which `uvm designs` has the names.
while read -r page prefetch evict; do
    console "$page" NW:small 'make 0 2' "open 0 0 $page" "uvm pool 0 1 $page $prefetch $evict" 'uvm trace' \
        'managed buffers 0 0' 'uvm host 0 0x10000000 64K' 'run 0 0 0' 'run 0 0 0' 'uvm host 0 0x10000000 64K' \
        'uvm end 0 0x10000000' uvm recovery 'close 0' 'drop 0'
    compare 4 8
    says ' 0 pages whose accesses were given up$'
    says '[1-9][0-9]* of these, copied to the host before$'
    says ' 0 a bus error, and the access was made again$'
done <<END
4096 0 0
4096 1 3
4096 4 4
4096 2 6
4096 0 7
65536 3 5
END

# Replays after each batch without a flush, after each block, and once per round: --check lets them pass.
for policy in 1 2 3; do
    console 4096 NW:small 'make 0 2' 'open 0 0 4K' 'uvm pool 0 1 4K 0 6' "uvm replay 0 $policy" 'uvm trace' \
        'managed buffers 0 0' 'run 0 0 0' 'run 0 0 0' uvm
    compare 4 8
    says ' 0 faults discarded before a replay$'
    says ' 0 pages whose accesses were given up$'
done
says ', replay once, thrashing off, '

# The same for migration policies, counters and granules: pages stay on the host, and notices of access counters bring
# them.
while read -r page prefetch evict migrate counter granule batches victims notices; do
    console "$page" NW:small 'make 0 2' "open 0 0 $page" \
        "uvm pool 0 1 $page $prefetch $evict $migrate $counter $granule" 'uvm trace' 'managed buffers 0 0' \
        'uvm host 0 0x10000000 512K' 'run 0 0 0' 'run 0 0 0' 'uvm host 0 0x10000000 64K' 'uvm end 0 0x10000000' uvm \
        recovery 'close 0' 'drop 0' 'make 0 2' mig
    compare "$batches" "$victims"
    [ "$(grep -c ' notice$' out)" -ge "$notices" ] || wrong "$migrate: fewer than $notices notices"
    says ' 0 pages whose accesses were given up$'
    says '[1-9][0-9]* pages that the GPU accesses on the host$'
    says '^0: 2g at 0x0, 10240 of 10240 MB free$'
done <<END
4096 4 5 1 0 0 4 0 0
4096 0 0 2 8 2097152 4 4 4
65536 0 0 3 4 65536 4 8 20
4096 0 5 4 8 65536 4 20 20
END

# Units leave ahead of need, and copies overlap; what the workload's host reads and writes moves pages.
hosts=true
while read -r evict ahead overlaps; do
    console 4096 NW:small 'make 0 2' 'open 0 0 4K' "uvm pool 0 2 4K 0 $evict" "uvm early 0 $ahead $overlaps" 'uvm trace' \
        'managed buffers 0 0' 'run 0 0 0' 'run 0 0 0' uvm requests 'uvm end 0 0x10000000' 'close 0' 'drop 0' 'make 0 2' mig
    compare 4 2
    says '^= .*evict .*evicted=[1-9][0-9]* spare=[1-9]'
    says '[1-9][0-9]* of these, ahead of need$'
    says '^= zero$'
    says '^= move [0-9]'
    says '^    0 .* [1-9][0-9]*         0$'
    says ' 0 pages whose accesses were given up$'
    says '^0: 2g at 0x0, 10240 of 10240 MB free$'
done <<END
0 1 0
3 1 1
6 1 1
END
hosts=false

# The host and the GPU want the same pages, which are held, and pinned to the host.
set --
for _ in 1 2 3 4 5 6 7 8; do set -- "$@" 'run 0 0 0' 'uvm host 0 0x10000000 4K'; done
console 4096 NW:small 'make 0 2' 'open 0 0 4K' 'uvm pool 0 2 4K' 'uvm thrashing 0 1 1 5000000 1 2000 1' 'uvm trace' \
    'managed buffers 0 0' "$@" 'uvm thrashing 0 0' 'run 0 0 0' uvm \
    'uvm end 0 0x10000000' 'close 0' 'drop 0' 'make 0 2' mig
compare 4 0
says '^= hold [0-9]*$'
says '^= move [-0-9,]* pinned$'
says ' held=[0-9]'
says ' 0 pages whose accesses were given up$'
says '^uvm thrashing: in use$'
says '^0: 2g at 0x0, 10240 of 10240 MB free$'

# Two instances, each with a pool of other designs: each decides as if it were alone.
console 4096 NW:small 'make 0 2' 'make 1 2' 'open 0 0 4K' 'open 1 1 4K' 'uvm pool 0 1 4K 0 6' 'uvm pool 1 1 4K 4 4' \
    'uvm trace' 'managed buffers 0 0' 'managed buffers 1 0' 'run 0 0 0' 'run 1 1 0' 'uvm host 0 0x10000000 64K' \
    'run 1 1 0' 'run 0 0 0' uvm 'drop 1' uvm 'run 0 0 0' 'make 1 2' mig
says '^instance 0: 1 chunks.* evict hpe'
says '^instance 1: 1 chunks.* evict lru64k'
says '^1: 2g at 0x[0-9a-f]*, 10240 of 10240 MB free$'
cp console both
for pool in 0 1; do
    awk -v pool=$pool '/^@ / { of = $2 } of + 0 == pool' both >console
    compare 4 8
done

# A write to a page that is on the GPU survives its eviction for another space, and the memory comes back.
console 4096 MT:small 'make 0 2' 'open 0 0 4K' 'open 0 1 4K' 'uvm pool 0 3 4K' 'managed buffers 0 0' \
    'managed buffers 1 0' 'run 0 0 0' 'walk 0 0x10000000' 'poke 0x10000000000 0x1234567890abcdef 8' 'run 0 1 0' \
    'walk 0 0x10000000' 'peek 0x20000000000 8' 'run 0 0 0' 'walk 0 0x10000000' 'uvm host 0 0x10000000 4K' \
    'poke 0x20000000000 0 8' 'drop 0' 'make 0 2' mig
says '^0x10000000 is at 0x0$'
says '^0x10000000 has no page$'
says '^0x1234567890abcdef$'
says '^0: 2g at 0x0, 10240 of 10240 MB free$'

# Wrong use gets an error and changes nothing.
console 4096 MT:small 'make 0 2' 'open 0 0 4K' 'open 0 1 64K' 'managed 0 0x50000000 4K' 'uvm pool 1 1 4K' \
    'uvm pool 0 4096 4K' 'uvm pool 0 1 8K' 'uvm pool 0 1 4K 9' 'uvm pool 0 1 4K 0 9' 'uvm pool 0 1 4K 0 0 9' \
    'uvm pool 0 1 4K 0 0 2 65536' 'uvm pool 0 1 4K 0 0 2 8 4K' 'uvm thrashing 0 3' 'uvm pool 0 2 4K' \
    'uvm thrashing 0 8' 'uvm thrashing 0 3 10 500000 21' 'uvm replay 0 4' 'uvm replay 1 0' 'uvm early 0 2' \
    'uvm early 0 1 2' 'uvm early 1 0' \
    'managed 1 0x50000000 64K' 'managed 0 0x50000000 4K' 'map 0 0x50000000 4K' 'unmap 0 0x50000000 4K' \
    'remap 0 0x50000000 4K' 'readonly 0 0x50000000 4K' 'managed 0 0x50000000 8K' 'managed 0 0x50000800 4K' \
    'map 0 0x60000000 4K' 'managed 0 0x5ffff000 8K' 'managed 0 0x70000000 3G' 'managed 0 0x70000000 4K 2' \
    'uvm pool 0 3 4K' 'uvm end 0 0x50001000' 'uvm host 0 0x50001000 4K' uvm 'uvm end 0 0x50000000' \
    'uvm host 0 0x50000000 4K' 'managed buffers 0 0' 'run 0 0 0'
grep ': [a-z]' console | grep -v '^mempath\|^space\|^instance' >errors
cmp - errors >&2 <<END || wrong 'other errors'
managed: not there
uvm pool: not there
uvm pool: an argument is out of range
uvm pool: an argument is out of range
uvm pool: an argument is out of range
uvm pool: an argument is out of range
uvm pool: an argument is out of range
uvm pool: an argument is out of range
uvm pool: an argument is out of range
uvm thrashing: not there
uvm thrashing: an argument is out of range
uvm thrashing: an argument is out of range
uvm replay: an argument is out of range
uvm replay: not there
uvm early: an argument is out of range
uvm early: an argument is out of range
uvm early: not there
managed: the machine cannot do that
map: in use
unmap: in use
remap: in use
readonly: in use
managed: in use
managed: an argument is out of range
managed: there already
managed: no room
managed: an argument is out of range
uvm pool: in use
uvm end: not there
uvm host: not there
uvm host: not there
END
says '^instance 0: 2 chunks of 2 MB, pages of 4 KB, prefetch tree, evict driver, migrate first-touch, replay batch_flush, thrashing off, 2 units free$'

# The tree of a block: 16 pages went to the host.
console 4096 MT:small 'make 0 2' 'open 0 0 4K' 'uvm pool 0 2 4K' 'managed 0 0x10000000 1M' 'managed 0 0x10200000 1M' 'run 0 0 0' \
    'uvm host 0 0x10040000 64K' 'uvm tree 0 0x10080000' 'uvm tree 0 0x10200000' 'uvm tree 0 0x20000000'
grep -v '^[>d]\|^0x' console | tail -n 10 >tree
cmp - tree >&2 <<'END' || wrong "$(cat tree)"
0-255: 240 of 256
  0-127: 112 of 128
    0-63: 64 of 64
    64-127: 48 of 64
      64-95: 16 of 32
        80-95: 16 of 16
      96-127: 32 of 32
  128-255: 128 of 128
0-255: 256 of 256
uvm tree: not there
END

# Stores to a read-only range end the launch, and what it has loaded is there; so does an access outside.
console 4096 MT:small 'make 0 2' 'open 0 0 4K' 'uvm pool 0 2 4K' 'uvm trace' 'managed 0 0x10000000 1M' \
    'managed 0 0x10200000 1M 1' 'run 0 0 0' 'uvm end 0 0x10200000' 'run 0 0 0' 'managed 0 0x10200000 1M' 'run 0 0 0' uvm
compare 3 0
[ "$(grep -c '^run: an access was given up$' console)" = 2 ] || wrong 'not two launches were given up'
finished
