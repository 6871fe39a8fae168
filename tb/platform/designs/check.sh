#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a design brings is found everywhere: the choice and the parameters in params, --set with its refusals, YAML, the
# stored configuration, replay, the counters in the database. The program has the designs of new/.
. "$(dirname "$0")/../cli/lib.sh"

small='--set tenants.size=small --set tenants.1.app=SRAD'
# shellcheck disable=SC2086 # a list of words
run() { expect 0 run demo $small --jobs 1 --quiet "$@"; }
says() { grep -q -- "$1" "$work/out" || wrong "the output does not say '$1'"; }
count() { sqlite3 "$MEMPATH_DB" "$1"; }

# path of the choice, design, parameter, a value, one that is too large, its refusal
while read -r choice design param value large refusal; do
    expect 0 params "$choice"
    says "|$design"
    expect 0 params "$design.$param"
    says "^$design.$param "
    refused "$design.$param = '$large' is too large; $refusal" run demo --set "$design.$param=$large"
    refused "nearest is $design.$param" run demo --set "$design.${param}x=1"
    printf '%s:\n  %s: %s\n' "$design" "$param" "$large" >large.yaml
    refused "large.yaml:2: $design.$param = '$large' is too large; $refusal" run large.yaml
    rm -f "$MEMPATH_DB"
    run --set "$choice=$design" --set "$design.$param=$value"
    [ "$(count 'SELECT status FROM run')" = 'done' ] || wrong "$design: the run is not done"
    [ "$(count "SELECT value FROM parameter WHERE path = '$design.$param'")" = "$value" ] ||
        wrong "$design: its parameter is not in the database"
    expect 0 query config run=1
    grep -q "^  $param: $value\$" "$work/out" || wrong "$design: its parameter is not in the stored configuration"
done <<'END'
l3_tlb.policy lazy every 3 17 1 to 16 (translations)
walk.scheduler lifo patience 2 1001 1 to 1000 (walks)
walk.method reread times 3 9 1 to 8 (reads)
machine.dispatch narrow groups 12 4097 1 to 4096 (work-groups)
machine.hash rotated by 5 64 0 to 63 (banks)
vm.frames sparse waste 2 65 0 to 64 (frames)
l2_tlb.prefetch ahead by 3 17 1 to 16 (pages)
END

# A design's own check, with the line of the later of the two parameters.
refused 'lazy.delay: 41 is longer than the lookup itself; 40 at most' \
    run demo --set l3_tlb.policy=lazy --set lazy.delay=41
refused 'reread.times: 6 reads take 600 cycles; 500 at most' \
    run demo --set walk.method=reread --set reread.times=6
refused 'sm.schedulers: 4 cannot share 5 work-groups; a divisor of narrow.groups' \
    run demo --set machine.dispatch=narrow --set narrow.groups=5

# Firmware selects a design by its number, which the project's own designs have.
refused 'l3_tlb.policy = lazy has no number in the register TLB_POLICY.*; subentry, ' \
    firmware run --elf none.elf --set l3_tlb.policy=lazy
refused 'walk.scheduler = lifo has no number in the register WALK_POLICY.*; fcfs, ' \
    firmware run --elf none.elf --set walk.scheduler=lifo
refused 'none.elf: No such file' firmware run --elf none.elf --set l3_tlb.per=none --set l3_tlb.policy=lazy

# Counters are recorded below the block, and only for a design that is in use.
rm -f "$MEMPATH_DB"
run
none=$(count "SELECT count(*) FROM component WHERE path LIKE '%.lazy' OR path LIKE '%.lifo' OR
              path LIKE '%.reread' OR path LIKE '%.narrow' OR path LIKE '%.ahead' OR
              path LIKE '%.hints'")
[ "$none" = 0 ] || wrong 'there are components of designs that are not in use'
rm -f "$MEMPATH_DB"
run --set l3_tlb.policy=lazy --set l2_tlb.policy=lazy --set l2_tlb.prefetch=ahead --set walk.scheduler=lifo --set walk.walkers_per_slice=1 \
    --set walk.method=reread --set reread.times=3 --set machine.dispatch=narrow --set narrow.groups=4
value() { # path, metric
    count "SELECT coalesce(sum(v.value), 0) FROM value v JOIN component c ON c.id = v.component
           JOIN metric m ON m.id = v.metric WHERE c.path GLOB '$1' AND m.name = '$2'"
}
[ "$(value gpu.l3_tlb.lazy skipped)" -gt 0 ] || wrong 'gpu.l3_tlb.lazy counted nothing'
[ "$(value 'gpu.gpc*.l2_tlb.lazy' skipped)" -gt 0 ] || wrong 'the L2 TLBs counted nothing'
[ "$(value 'gpu.gpc*.l2_tlb.ahead' issued)" -gt 0 ] || wrong 'the prefetcher counted nothing'
[ "$(value 'gpu.mig*.walk.lifo' newest)" -gt 0 ] || wrong 'the walk scheduler counted nothing'
walks=$(value 'gpu.mig*.walk' walks)
[ "$(value 'gpu.mig*.walk.reread' again)" -ge "$((2 * walks))" ] || wrong 'not two reads more for each walk'
for t in 0 1 2; do
    [ "$(value "gpu.mig$t.narrow" full)" -gt 0 ] || wrong "the dispatch policy counted nothing for tenant $t"
done

# Under firmware, too, if its image has been built.
if [ -f "${3-}" ]; then
    rm -f "$MEMPATH_DB"
    expect 0 firmware run --quiet --elf "$3" --workload 0=MT:small --workload 1=FFT:small --workload 2=FIR:small \
        --set machine.dispatch=narrow --set narrow.groups=4 --set walk.method=reread
    [ "$(value 'gpu.space?.narrow' full)" -gt 0 ] || wrong 'firmware: the dispatch policy counted nothing'
    [ "$(value 'gpu.*walk.reread' again)" -gt 0 ] || wrong 'firmware: the walk method counted nothing'
fi

# Replay: the values decide the responses.
printf 'I 1 16 7\nI 1 17 8\nI 1 18 9\nL 1 16\nL 1 17\n' >tlb.txt
expect 0 replay tlb --policy lazy --set every=3 --set delay=5 tlb.txt
printf 'vacant way=0 evicted=0\nskip way=0 evicted=0\nskip way=0 evicted=0\nhit 7 45\nmiss 45\n' >wanted
cmp -s wanted "$work/out" || wrong 'replay tlb: not the responses that the values give'
refused "--set every: '17' is too large; 1 to 16" replay tlb --policy lazy --set every=17 tlb.txt
refused '--set depth: lazy has no such parameter; every, delay' replay tlb --policy lazy --set depth=1 tlb.txt
printf 'M 0 0 0 7\n' >misses.txt
expect 0 replay prefetch --policy ahead --set by=5 misses.txt
[ "$(cat "$work/out")" = 12 ] || wrong 'replay prefetch: not the page that the value gives'
expect 0 replay tlb --help
says 'every=2 (1 to 16): one in this many'
printf '0 0 1\n1 0 2\n2 0 3\n3 0 4\n' >walks.txt
expect 0 replay walks --policy lifo --walkers 1 --latency 10 --set patience=1 walks.txt
printf '1 0 0 0 10 0 0\n2 0 1 20 30 0 0\n3 0 2 30 40 0 0\n4 0 3 10 20 0 0\n' >wanted
cmp -s wanted "$work/out" || wrong 'replay walks: not the order that the values give'
refused "--set patience: '0' is too small; 1 to 1000" replay walks --policy lifo --set patience=0 walks.txt
echo "$checks checks"
