#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Pages of a running job move, on a machine whose walks use contiguity bits: the job does the same work, and no
# translation differs from the page tables. Firmware that sets wrong bits, or forgets to invalidate, is found.
images=$(realpath "$2")
. "$(dirname "$0")/../../platform/cli/lib.sh"

run_image() { # what the exit code is, which image, options
    code=$1 image=$images/contiguity_$2.elf
    shift 2
    expect "$code" firmware run "$image" --gpu mesc-16cu --set machine.sharing=mig --set walk.method=mesc \
        --set l3_tlb.policy=mesc --workload 0=NW:small "$@"
}

complains() { # pattern in the last command's error
    grep -q -- "$1" "$work/err" || wrong "the error does not say '$1'"
}

run_image 0 0
says '^before: 516 pages, 512 in contiguous subregions'
work_done=$(grep '^accesses ' "$work/out")
[ -n "$work_done" ] || wrong 'no accesses were counted'
run_image 0 1
says '^[1-9][0-9]* pages moved'
says "^$work_done\$"
cp "$work/out" "$work/unchecked"
run_image 0 1 --check
cmp "$work/out" "$work/unchecked" || wrong '--check changes what the firmware sees'

# Designs that use less of the bits, on the same tables.
run_image 0 1 --check --set walk.method=thp --set l1_tlb.policy=thp --set l3_tlb.policy=thp
run_image 0 1 --check --set l1_tlb.policy=colt --set l3_tlb.policy=colt --set walk.method=colt
run_image 0 1 --check --set l1_tlb.policy=colt --set l3_tlb.policy=mesc-full-colt

for wrong_image in 2 3; do
    run_image 1 $wrong_image --check
    complains "^again: mempath firmware run .*contiguity_$wrong_image.elf --gpu mesc-16cu .*--check\$"
    cp "$work/err" "$work/wrong_$wrong_image"
done
cp wrong_2 err
complains "cycle [0-9]*, gpu[.].*: page 0x[0-9a-f]* was translated to frame 0x[0-9a-f]* rw, but the page table has "
complains "of 2 MB has C = 0x[0-9a-f]*, AC = [01]; walk: 0x[0-9a-f]* at 0x[0-9a-f]*, "
# A page that is not invalidated is found by its old translation, or, if that has left the TLBs, by the frame's contents.
cp wrong_3 err
complains 'cycle [0-9]*, gpu[.].*: page 0x[0-9a-f]* \(was translated to frame\|of space 0 .* was moved from frame\) 0x[0-9a-f]*'
finished
