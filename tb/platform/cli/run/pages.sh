#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs whose buffers have pages of several sizes: every translation is right under every design, and the results are
# the same natively, through TLM and in threads.
. "$(dirname "$0")/../lib.sh"

digest() { # arguments
    expect 0 "$@" --json --quiet
    grep -o '"digest": "[0-9a-f]*"' "$work/out"
}

small="--set tenants.size=small --set tenants.1.app=FFT --set machine.page_bytes=4096"
mixed="run demo $small --set tenants.0.page_bytes=auto --set tenants.1.page_bytes=65536,0=2097152 --set l3_tlb.entries=16"
# shellcheck disable=SC2086 # words
wanted=$(digest $mixed --set l3_tlb.policy=star)
for way in --force-tlm '--threads 2' '--threads 3' --check '--check --threads 2'; do
    # shellcheck disable=SC2086
    [ "$(digest $mixed --set l3_tlb.policy=star $way)" = "$wanted" ] || wrong "$way: another digest"
done
for policy in subentry star star4 static static-star mask depot page half-double-way-seq colt thp mesc; do
    # shellcheck disable=SC2086
    expect 0 $mixed --set l3_tlb.policy=$policy --check --quiet
done

# Hints and walks that complete others find pages of all sizes, too.
for design in 'l2_tlb.prefetch=distance' 'l2_tlb.prefetch=stride --set walk.method=neighborhood'; do
    one=''
    for way in --check --force-tlm '--threads 2'; do
        # shellcheck disable=SC2086
        got=$(digest $mixed --set l3_tlb.policy=star --set $design $way)
        [ "${one:=$got}" = "$got" ] || wrong "$design $way: digest $got, not $one"
    done
done

# Designs whose walks answer with ranges or large pages, of which a tenant's own pages are others.
for design in colt thp mesc; do
    l1=$design
    [ $design != mesc ] || l1=page
    expect 0 run mesc-16cu --set tenants.0.app=MT --set tenants.1.app=ATAX --set tenants.size=small \
        --set tenants.0.page_bytes=4096,0=2097152 --set tenants.1.page_bytes=auto --set l1_tlb.policy=$l1 \
        --set l3_tlb.policy=$design --set walk.method=$design --check --quiet
done
expect 0 run mesc-16cu --set tenants.0.app=MT --set tenants.0.size=small --set tenants.0.page_bytes=auto \
    --set vm.frames=buddy --check --quiet

# With pages of 2 MB for all, a machine for 4 KB translates the same addresses as one for 2 MB.
addresses() { # file, arguments
    to=$1
    shift
    expect 0 run star/w2 --set tenants.size=small "$@" --observe 'gpu.gpc*.tpc*.sm*.l1d' -o "$work/l1d.csv" --quiet
    cut -d, -f3,6,7 "$work/l1d.csv" | sort -u >"$to"
}
addresses "$work/large" --set machine.page_bytes=2097152
addresses "$work/mixed" --set machine.page_bytes=4096 --set tenants.page_bytes=2097152
[ "$(wc -l <"$work/large")" -gt 1000 ] || wrong 'too few addresses'
cmp "$work/large" "$work/mixed" || wrong 'other physical addresses'

# Walks are counted by the size of their page.
counted() { # size, tenant, expression
    got=$(sqlite3 "$MEMPATH_DB" "SELECT sum(value) $3 FROM counters WHERE run = (SELECT max(run) FROM counters)
        AND metric = '$1' AND CAST(tenant AS INTEGER) = $2")
    [ "$got" = 1 ] || wrong "tenant $2: walks $1 not $3"
}
expect 0 run star/w2 --set tenants.size=small --set machine.page_bytes=4096 --set tenants.1.page_bytes=64KiB \
    --set tenants.2.page_bytes=2MiB --quiet
counted of_4k 0 '> 0'
counted of_64k 0 '= 0'
counted of_64k 1 '> 0'
counted of_4k 1 '= 0'
counted of_2m 2 '> 0'
counted of_64k 2 '= 0'

expect 0 machine demo --set tenants.0.page_bytes=auto
says '^  tenant 0: MT medium, 3 GPC slices, page_bytes auto$'
refused 'array has pages of one size' run star/w2 --set tenants.size=small --set tenants.page_bytes=2MiB \
    --observe l3_tlb_array -o "$work/array.txt"
finished
