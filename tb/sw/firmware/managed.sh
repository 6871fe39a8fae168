#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Managed memory in scenes that drivers are known to fail in, with faults of the hardware and bugs of the firmware
# (image/managed.c): the shipped service survives, and each bug is found and named in one line.
# $2 is the folder of the images.
images=$(realpath "$2")
. "$(dirname "$0")/../../platform/cli/lib.sh"

# exit code; image; workload; fault on purpose or -; pattern in the output or the errors
while IFS='|' read -r code image workload fault pattern; do
    set -- firmware run "$images/managed_$image.elf" --check --set machine.page_bytes=4096 --set uvm.host_accesses=false --workload "0=$workload:small"
    if [ "$fault" != - ]; then
        printf 'faults:\n  - {fault: %b}\n' "$fault" >plan.yaml
        set -- "$@" --inject plan.yaml
    fi
    expect "$code" "$@"
    cat out err >both
    grep -q -- "$pattern" both || wrong "$image, fault $fault: '$pattern' is not said"
    [ "$code" = 0 ] || [ "$fault" != - ] || grep -q '^again: ' err || wrong "$image: no command to run it again"
    [ "$(grep -c "^mempath: .*managed_$image.elf: " err)" = "$code" ] || wrong "$image: not one line"
    [ "$image" != storm ] || cp out storm
done <<'END'
0|tenants|MT|-|^2048 entries, .*, 5 evictions, 1024 pages came again$
0|tight|NW|-|, 54 evictions, 608 pages came again$
0|small_ring|MT|-|, 5 evictions, 1024 pages came again$
0|storm|FIR|-|^14 SMs$
0|churn|MT|-|^space 0: done$
0|pools|NW|-|^both: done$
0|pools|NW|-|^[1-9][0-9]* evictions there$
0|shared_link|MT|-|^a copy takes [0-9]* ns, and [0-9]* ns next to accesses$
0|tenants|MT|valid-bit-lost, event: 4|never became valid, and was left out (1)$
0|tenants|MT|valid-bit-late, event: 4, by: 1us|, in cycle [0-9]*: recovered$
0|tenants|MT|valid-bit-late, event: 4, by: 10us|, in cycle [0-9]*: recovered$
0|tenants|MT|valid-bit-late, event: 4, by: 100us|never became valid, and was left out (1)$
0|small_ring|MT|valid-bit-late, event: 4, by: 100us|, in cycle [0-9]*: recovered$
0|small_ring|MT|valid-bit-late, event: 4, by: 20ms|, in cycle [0-9]*: recovered$
0|tenants|MT|fault-buffer-full, event: 3, for: 1ms|: recovered$
0|tenants|MT|copy-late, event: 2, by: 20ms|: recovered$
0|tight|NW|copy-fails, event: 5|, in cycle [0-9]*: recovered$
0|tenants|MT|copy-fails, event: 2}\n  - {fault: copy-fails, event: 3|^space 0: an access was given up$
0|churn|MT|copy-fails, event: 3|, in cycle [0-9]*: recovered$
0|tenants|MT|invalidation-late, event: 1, by: 50ms|an invalidation was late (1)$
0|tenants|MT|invalidation-late, event: 1, by: ever|^space 1: an access was given up$
0|tenants|MT|copy-late, event: 1, by: ever|^space 0: an access was given up$
0|tenants|MT|replay-lost, event: 2|^space 0: the launch was stopped$
0|small_ring|MT|fault-buffer-full, event: 3|^space 0: the launch was stopped$
1|never_replays|MT|-|gpu_stop.*: the launch in space 0 is stopped, and [0-9]* of its accesses wait: .* no replay for
1|never_takes|MT|-|gpu_stop.*: the launch in space 0 is stopped, and its accesses wait: the ring's GET, 0x0, has not moved for
1|replays_twice|MT|-|gpu_replay.*: space 0 is replayed again: since its latest replay none of its accesses has faulted
1|no_fence|MT|-|(ce.c:[0-9]*): copy 4 of engine IN is queued, which writes 0x100000 bytes at 0x0, and copy 1 of engine OUT, which reads
1|no_copy_in|MT|-|: page 0x[0-9a-f]* of space 0 was translated to frame 0x[0-9a-f]*, and the copy to it has not ended; walk: 
1|half_copy_out|NW|-|was moved from frame 0x[0-9a-f]* to frame 0x[0-9a-f]* without its contents: .* words of the old frame were not
1|no_invalidation|MT|-|was translated to frame 0x[0-9a-f]* rw, but the page table has nothing; .*stored at .* from gmmu_clear
1|no_valid_bit|MT|valid-bit-late, event: 4, by: 10us|gpu_ring_take.*: entry 0x3 of the ring of faults was taken before its valid bit came, which was 10000 ns after the entry$
1|spins|MT|-|: endless loop: every [0-9]* instructions all is as it was
END

# The storm: all 14 SMs have faulted at the same page.
most=$(sed -n 's/^F [0-9]* \([0-9]*\) 0 \(0x[0-9a-f]*\) .*/\2 \1/p' storm | sort -u | cut -d' ' -f1 | sort | uniq -c | sort -rn | head -1)
[ "$(echo "$most" | sed 's/^ *\([0-9]*\) .*/\1/')" = 14 ] || wrong "storm: $most is the page of most SMs"
finished
