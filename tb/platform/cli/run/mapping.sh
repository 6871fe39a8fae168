#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Memory that a trace maps and unmaps: a cache that grows and shrinks gives its frames back, so that it fits into less memory
# than it maps in all; calls, sockets and threads give the same digest, and every translation is right; an access to what
# was unmapped fails.
. "$(dirname "$0")/../lib.sh"

for page in 4096 65536 2097152; do
    set -- star-a100-mig --set tenants.0.app=SERVE --set tenants.0.size=small --set tenants.0.slices=7 \
        --set machine.page_bytes=$page
    expect 0 run "$@" --check --json --quiet
    digest=''
    for way in --force-tlm '--threads 2' ''; do
        # shellcheck disable=SC2086 # perhaps no argument
        expect 0 run "$@" $way --json --quiet
        got=$(grep -o '"digest": "[0-9a-f]*"' "$work/out")
        [ "${digest:=$got}" = "$got" ] || wrong "$page $way: digest $got, not $digest"
    done
done

# All that is mapped is more than there is.
expect 0 record SERVE --size medium -o serve.gwt.zst
expect 0 trace info serve.gwt.zst --json
json "j ->> 'allocated_bytes' > 16777216" 1
expect 0 run star-a100-mig --set tenants.0.trace=serve.gwt.zst --set tenants.0.slices=1 \
    --set machine.memory_per_slice=16777216 --quiet

# A page is mapped and accessed, unmapped, and accessed again.
launch='K\001k\001\001\001\040\001\001\000\002\020L\001\005\040S\001\006B\000\001W\000\002\010\014\001\000\004\200\100\101\001E'
printf 'GWT1M\200\040\200\040%b' "$launch" >once.gwt
printf 'GWT1M\200\040\200\040%bU\200\040\200\040%b' "$launch" "$launch" >twice.gwt
printf 'GWT1M\200\040\200\040%bU\200\040\200\040M\200\040\200\040%b' "$launch" "$launch" >again.gwt
for trace in once again; do
    expect 0 run star-a100-mig --set tenants.0.trace=$trace.gwt --set tenants.0.slices=1 --check --quiet
done
expect 2 run star-a100-mig --set tenants.0.trace=twice.gwt --set tenants.0.slices=1 --quiet
grep -q 'which no buffer holds' "$work/err" || wrong 'an access to what was unmapped is not named'
expect 0 trace dump twice.gwt
says '^4096 bytes at 0x1000 are unmapped$'

# The firmware maps what it can before a launch, and does what the launch asks for: at its end, the address space has the
# pages of its buffers alone.
expect 0 firmware run --workload 0=SERVE:small --check
says '^tenant 0: 3g, .*, 13 pages mapped$'
[ "$(grep -c '^tenant 0: 5 pages$' "$work/out")" = 2 ] || wrong 'ranges that were unmapped still have pages'
finished
