#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Firmware that does not know the address functions finds them by time, and colours the pages and tables of running
# tenants by what it found. Whether their frames share a module is what the platform says of the machine's functions.
images=$(realpath "$2")
. "$(dirname "$0")/../../platform/cli/lib.sh"

seed=7
run_image() { # which, size of the inputs, options
    image=$1
    size=$2
    shift 2
    expect 0 firmware run "$images/colours_$image.elf" --gpu fgpu/gtx1080-mig --set machine.functions=hidden \
        --set machine.functions_seed=$seed --workload "0=VA:$size" --workload "1=VA:$size" "$@"
}

modules() { # of a tenant's frames
    sed -n "s/^frame $1 /M /p" "$work/out" | sort -u >frames
    [ "$(wc -l <frames)" -gt 15 ] || wrong "tenant $1 has few frames"
    "$mempath" replay colours --hidden-seed $seed frames | cut -d' ' -f1 | sort -u
}

share_modules() { # whether both tenants have frames in a module
    modules 0 >first
    modules 1 >second
    [ -n "$(comm -12 first second)" ]
}

cycles() { # before or after, which
    sed -n "s/^$1: alone \([0-9]*\) cycles, together \([0-9]*\)\$/\\$2/p" "$work/out"
}

run_image 0 medium
cp "$work/out" found
"$mempath" reveal --hidden-seed $seed --page-size 4096 >revealed || wrong 'reveal'
[ "$(grep -c '^module' found) $(grep -c '^module' revealed)" = '3 3' ] || wrong 'not three functions'
grep '^module' revealed | while read -r _ bits; do
    mask=0
    for bit in $bits; do mask=$((mask | 1 << bit)); done
    grep -q "^module 0x$(printf %x $mask)\$" found || wrong "the firmware has not found $bits"
done
share_modules && wrong 'the tenants still share a module'
[ "$(cat first second | wc -l)" = 8 ] || wrong 'the tenants do not use all modules'

# Together twice the time before, and within 3 % of that alone afterwards.
[ "$(cycles before 2)" -gt $(($(cycles before 1) * 3 / 2)) ] || wrong 'the tenants did not disturb each other before'
[ "$(cycles after 2)" -lt $(($(cycles after 1) * 103 / 100)) ] || wrong 'the tenants still disturb each other'

# Every translation is as the page tables say, also while pages and tables move.
run_image 1 small --check
share_modules || wrong 'wrong functions separate the tenants: the test finds nothing'
finished
