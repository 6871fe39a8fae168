#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Firmware that never ends: the run stops after --stall-limit instructions, or as soon as a loop is known to be endless,
# and one line says what the firmware does.
# Firmware that takes long, but works or waits for something that comes, is not stopped.
images=$(realpath "$2")
. "$(dirname "$0")/../../platform/cli/lib.sh"

limit=100000

# Checks the end of image stall_KIND. Progress is made first, when the program starts and by writes that are new. The
# pattern is for what it does; the place is in the function of this name unless another is given.
stalls() { # kind, instructions that make progress at most, pattern of what it does, place if it is not the function
    expect 1 firmware run "$images/stall_$1.elf" --stall-limit $limit --max-instructions 1000000
    place=${4:-$1}
    pattern="the code at 0x80[0-9a-f]*, ${place}[^ ]* (stalls[.]c:[0-9]*)\\( from [^,]*\\)\\?, $3"
    pattern="$pattern; --stall-limit N, now $limit; 0 for none"
    pattern="^mempath: [^ ]*: pc 0x80[0-9a-f]*: no progress: [0-9]* instructions without .*; $pattern\$"
    grep -q -- "$pattern" "$work/err" ||
        wrong "$1: not '$pattern': $(grep '^mempath: .*stall_' "$work/err")"
    without=$(sed -n 's/.*no progress: \([0-9]*\) instructions without .*/\1/p' "$work/err")
    total=$(sed -n 's/^mempath: run [0-9]*: \([0-9]*\) instructions, .*/\1/p' "$work/err")
    [ "$without" = $limit ] || wrong "$1: $without instructions, not $limit"
    [ "$((total - without))" -le "$2" ] || wrong "$1: $((total - without)) instructions were progress, more than $2"
}

# Loops in which nothing can change are found at once: the second argument is the largest number of instructions.
endless() { # kind, instructions at most, pattern of what it does
    expect 1 firmware run "$images/stall_$1.elf"
    pattern="pc 0x80[0-9a-f]*: endless loop: every [0-9]*000 instructions all is as it was, and nothing will change what they read"
    pattern="$pattern; the code at 0x80[0-9a-f]*, $1[^ ]* (stalls[.]c:[0-9]*)\( from [^,]*\)\?, $3; --stall-limit 0 lets it run"
    grep -q -- "^mempath: [^ ]*: $pattern\$" "$work/err" || wrong "$1: not '$pattern': $(grep '^mempath: .*stall_' "$work/err")"
    total=$(sed -n 's/^mempath: run [0-9]*: \([0-9]*\) instructions, .*/\1/p' "$work/err")
    [ "$total" -le "$2" ] || wrong "$1: $total instructions, more than $2"
    expect 1 firmware run "$images/stall_$1.elf" --stall-limit 0 --max-instructions 1000000
    grep -q 'not done after 1000000' "$work/err" || wrong "$1: --stall-limit 0 does not let it run"
}

endless spin 10000 'accesses no device and waits for no memory: it computes, or loops'
endless poll_gpu 10000 'reads GPU[.]DONE_COUNT at 0x10100[0-9a-f]*, value 0x0'
endless poll_flag 10000 'reads flag at 0x80[0-9a-f]*, value 0x0'
endless poll_lock 20000 'reads flag at 0x80[0-9a-f]*, value 0x1'

start=2000 # of the program, before main
stalls same_write $start 'writes UART[.]SCR at 0x10000007, value 0x5a'
instance='writes GPU[.]MIG_INSTANCE at 0x10100[0-9a-f]*, values such as 0x[24]'
scratch='writes UART[.]SCR at 0x10000007, values such as 0x[13]'
stalls two_registers $start "\\($instance, $scratch\\|$scratch, $instance\\)"
stalls counting_register 40000 'writes GPU[.]INV_VA at 0x10100[0-9a-f]*, values such as 0x[0-9a-f]*'
stalls timer_set 420000 '.*writes CLINT[.]MTIMECMP at 0x2004000, value.*'
stalls timer_postponed 420000 '.*writes CLINT[.]MTIMECMP at 0x2004000, value.*'
stalls patterns 20000 'writes GPU_MEMORY at 0x10000000[0-9a-f]*, value.* and others'
stalls copies 20000 '.*DMA.*'
stalls poll_time $start 'reads CLINT[.]MTIME at 0x200bff8, which changes by time alone'
stalls poll_csr $start 'reads CSR time, which changes by time alone'
stalls poll_slowly $start 'reads UART[.]LSR at 0x10000005, value 0x60'
stalls interrupt_storm $start 'reads .*; a timer interrupt is taken again and again' '[a-z_]*'

# A delay may be longer than the limit only if the limit is raised.
stalls delay_long $start 'reads CLINT[.]MTIME at 0x200bff8, which changes by time alone' delay
expect 0 firmware run "$images/stall_delay_long.elf" --stall-limit 2000000
expect 0 firmware run "$images/stall_delay_long.elf"
expect 0 firmware run "$images/stall_delay_long.elf" --stall-limit 0
expect 0 firmware run "$images/stall_delay_short.elf" --stall-limit $limit
stalls compute $start 'accesses no device and waits for no memory: it computes, or loops'
expect 0 firmware run "$images/stall_compute.elf" --stall-limit 1000000

for kind in sleep_until_timer spin_until_timer many_ticks same_ticks fill long_copy; do
    expect 0 firmware run "$images/stall_$kind.elf" --stall-limit $limit
done
# The watch of the last quantum and a trace do not disturb each other.
expect 1 firmware run "$images/stall_poll_time.elf" --stall-limit $limit --trace-insn 99990:100009
[ "$(grep -c ' insn [0-9]' "$work/err")" = 20 ] || wrong 'not twenty instructions'
grep -q 'reads CLINT.MTIME at' "$work/err" || wrong 'with a trace it does not say what the firmware reads'
expect 1 firmware run "$images/stall_poll_flag.elf" --trace-insn 2990:3009
[ "$(grep -c ' insn [0-9]' "$work/err")" = 20 ] || wrong 'not twenty instructions of the loop'
expect 1 firmware run "$images/stall_poll_flag.elf" --stall-limit $limit --trace-insn 1000:1001
[ "$(grep -c ' insn [0-9]' "$work/err")" = 2 ] || wrong 'not two instructions'

# Two runs end in the same way.
cp "$work/err" "$work/first"
expect 1 firmware run "$images/stall_poll_flag.elf" --stall-limit $limit --trace-insn 1000:1001
for i in first err; do
    sed 's/, [0-9.]* million.*//; s/^mempath: run [0-9]*:/mempath:/' "$work/$i" >"$work/$i.plain"
done
cmp "$work/first.plain" "$work/err.plain" || wrong 'two ends differ'
finished
