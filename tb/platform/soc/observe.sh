#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks what a run shows: traces, the location of an address, and the last actions of a run without progress.
images=$(realpath "$2")
. "$(dirname "$0")/../cli/lib.sh"

in_file() { grep -Eq -- "$2" "$1" || wrong "$1 has no '$2': $(head -n 5 "$1")"; }

# Every character of the console is a bus access with its register; the trace of a second run is equal.
for n in 1 2; do
    expect 0 firmware run "$images/hello.elf" --trace-bus -o "$work/bus$n"
done
cmp "$work/bus1" "$work/bus2" || wrong 'two traces differ'
[ "$(grep -c 'write 1  0x10000000  UART.THR ' "$work/bus1")" = 6 ] || wrong 'not six characters'
in_file "$work/bus1" '^ +[0-9]+  core  0x800[0-9a-f]+  put[^ ]* +write 1  0x10000000  UART.THR +0x68  ok$'
in_file "$work/bus1" ' _exit[^ ]* +write 4  0x00100000  FINISHER.FINISH +0x00005555  ok$'

# The responses, and the copy engine as an initiator.
expect 1 firmware run "$images/waits.elf" --trace-bus -o "$work/waits"
in_file "$work/waits" 'fw_read[^ ]* +read  4  0x70000000  - +-  refused$'
in_file "$work/waits" 'fw_read[^ ]* +read  1  0x10000100  UART.0x100 +-  error$'
in_file "$work/waits" 'fw_write[^ ]* +write 8  0x100100[0-9a-f]+  DMA[^ ]* +-  refused$'
in_file "$work/waits" 'fw_write[^ ]* +write 4  0x00001000  ROM +-  refused$'
expect 0 firmware run "$images/devices.elf" --trace-bus -o "$work/devices"
in_file "$work/devices" ' dma  - +- +write [0-9]+  0x80[0-9a-f]+  RAM +0x[0-9a-f]+  ok$'
expect 0 firmware run "$images/walk_regs.elf" --trace-bus -o "$work/walk"
in_file "$work/walk" 'write 1  0x10000000  UART.DLL '
in_file "$work/walk" 'read  8  0x10100108  GPU.AS_ROOT.1. '

# Each instruction appears once, with its number and symbol.
expect 0 firmware run "$images/hello.elf" --trace-insn 1:40 -o "$work/insn"
[ "$(grep -c '^ .* insn ' "$work/insn")" = 40 ] || wrong 'not forty instructions'
in_file "$work/insn" '^ +0  core  0x00001000  - +insn 1  0x00000297  auipc t0, 0$'
in_file "$work/insn" '_start.* insn 6  0x'
# Its text has the mnemonics of binutils, which writes add for addi.
riscv64-unknown-elf-objdump -d "$images/hello.elf" | awk '/^ *[0-9a-f]+:/ { sub(":", "", $1); print "0x" $1, $3 }' | sort >"$work/theirs"
awk '/ core  0x8/ { for (i = 1; $i != "insn"; i++) if ($i ~ /^0x8/) pc = $i; print pc, $(i + 3) }' "$work/insn" | sed 's/ addi$/ add/' | sort -u >"$work/ours"
[ "$(wc -l <"$work/ours")" -gt 15 ] || wrong 'few instructions have a text'
[ -z "$(comm -23 "$work/ours" "$work/theirs")" ] || wrong "other mnemonics than objdump's: $(comm -23 "$work/ours" "$work/theirs")"
expect 0 firmware run "$images/hello.elf" --trace-insn 30:31 --trace-bus
[ "$(grep -c ' insn 3[01]  0x' "$work/err")" = 2 ] || wrong 'no traces on stderr'
refused 'not a range' firmware run "$images/hello.elf" --trace-insn 7
refused '7 to ' firmware run "$images/hello.elf" --trace-insn 7:6
refused '1 to ' firmware run "$images/hello.elf" --trace-insn 0:6
refused 'nothing to write' firmware run "$images/hello.elf" -o "$work/none"
refused 'writable file' firmware run "$images/hello.elf" --trace-bus -o "$work/no/where"

# A run without progress reports the reason, the position, the interrupts and the last accesses.
expect 1 firmware run --elf "$images/polls.elf" --stall-limit 2000
in_file "$work/err" 'no progress: 2000 instructions without .*, wait_for_character.*, reads UART.LSR at 0x10000005, value 0x60; --stall-limit N, now 2000; 0 for none$'
expect 1 firmware run --elf "$images/polls.elf"
in_file "$work/err" 'endless loop: every [0-9]+000 instructions all is as it was, .*, wait_for_character.*, reads UART.LSR at 0x10000005, value 0x60; --stall-limit 0 lets it run$'
in_file "$work/err" '^pc 0x80[0-9a-f]+  wait_for_character[^ ]*  .*/polls.c:[0-9]+$'
in_file "$work/err" '^called by 0x80[0-9a-f]+  main[^ ]*  .*/polls.c:[0-9]+$'
in_file "$work/err" 'latest 16 of [0-9]+ bus accesses'
[ "$(grep -c 'read  1  0x10000005  UART.LSR  *0x60  ok' "$work/err")" = 16 ] || wrong 'not the last 16 accesses'
sed 's/, [0-9.]* million.*//; s/^mempath: run [0-9]*:/mempath:/' "$work/err" >"$work/first"
expect 1 firmware run --elf "$images/polls.elf" --stall-limit 100000
sed 's/, [0-9.]* million.*//; s/^mempath: run [0-9]*:/mempath:/' "$work/err" >"$work/second"
cmp "$work/first" "$work/second" || wrong 'two ends differ'
expect 1 firmware run --elf "$images/polls.elf" --stall-limit 0 --max-instructions 3000000
in_file "$work/err" 'not done after 3000000'
expect 1 firmware run "$images/waits.elf"
in_file "$work/err" 'waits for an interrupt .WFI., and none will come'
in_file "$work/err" 'interrupts pending: none; enabled in mie: external; mstatus.MIE 0'
in_file "$work/err" 'active: none; enabled: GPU_FAULT DMA; claimed'

# Pages that are never mapped: the number of replays ends such a run, but does not end a run that works.
expect 1 firmware run "$images/livelock.elf" --workload 0=MT:small --replay-limit 50
in_file "$work/err" 'livelock: page 0x[0-9a-f]+0000 of address space 1 faulted again after each of 50 replays, and no other page came; the frame is not aligned to the page size: level 3, entry at 0x[0-9a-f]+ holds 0x[0-9a-f]+8003; --replay-limit$'
in_file "$work/err" 'faults in the buffer, the oldest at .*; the frame is not aligned'
[ "$(sqlite3 "$MEMPATH_DB" 'SELECT outcome FROM firmware ORDER BY run DESC LIMIT 1')" = stuck ] || wrong 'the row does not say that it was stuck'
expect 1 firmware run "$images/livelock.elf" --workload 0=MT:small
in_file "$work/err" 'each of 1000 replays'
expect 1 firmware run "$images/livelock.elf" --workload 0=MT:small --replay-limit 0 --max-instructions 300000
in_file "$work/err" 'not done after 300000'
expect 0 firmware run "$images/demand.elf" --workload 0=MT:small --replay-limit 2
refused '0 to 65535' firmware run "$images/demand.elf" --replay-limit 70000

# A launch that is polled takes longer than the limit, but the GPU works.
expect 0 firmware run "$images/polled.elf" --workload 0=NW:small --stall-limit 2000

# Translates addresses to source lines.
main=$(sed -n 's/.* \(0x80[0-9a-f]*\)  main .*/\1/p' "$work/insn" | head -n 1)
main=${main:-$(awk '/ put/ { print $3; exit }' "$work/bus1")}
expect 0 firmware where --elf "$images/hello.elf" "$main" 0x100
says 'fw.c:[0-9]\|hello.c:[0-9]'
says '^ *0x100  *-  *-'
expect 0 firmware where --elf "$images/hello.elf" "$main" --json
json "json_array_length(j)" 1
riscv64-unknown-elf-strip -g -o "$work/plain.elf" "$images/hello.elf"
refused 'no debug information; .*-g' firmware where --elf "$work/plain.elf" "$main"
refused 'an ELF executable is needed' firmware where --elf "$0" "$main"
refused 'No such file' firmware where --elf "$work/none.elf" "$main"
refused 'no image; --elf' firmware where "$main"
refused 'no address' firmware where --elf "$images/hello.elf"
refused 'not a whole number' firmware where --elf "$images/hello.elf" main
finished
