#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Firmware that crashes in each of the usual ways: one line reports the cause, the place, and what the address is.
images=$(realpath "$2")
. "$(dirname "$0")/../../platform/cli/lib.sh"

# Checks the failure of image crash_KIND. In the pattern, LINE is its line of crashes.c and PC its program counter.
crashes() { # kind, pattern of the whole message
    expect 1 firmware run "$images/crash_$1.elf" --stall-limit 20000000
    [ "$(grep -c '^mempath: .*crash_' "$work/err")" = 1 ] || wrong "$1: not one line: $(cat "$work/err")"
    pattern=$(printf '%s' "$2" | sed "s/PC/pc 0x80[0-9a-f]*, $1[^ ]* (crashes[.]c:[0-9]*)/")
    grep -q -- "^mempath: [^ ]*: $pattern\(; called by .*\)\?\$" "$work/err" || wrong "$1: not '$pattern': $(grep '^mempath: .*crash_' "$work/err")"
}

failed='the firmware failed with code 255; unhandled exception: '
crashes missing_register "${failed}load access fault at PC: 0x10100f00 is no register of GPU; nearest is NOTICE_STATUS at 0x101006ec"
crashes read_only_register "${failed}store access fault at PC: 0x10100000 is GPU.ID, which is read-only"
crashes wrong_width "${failed}load access fault at PC: 0x10100008 is GPU.MEMORY, which is accessed with 8 bytes, not 4"
crashes misaligned "${failed}load access fault at PC: 0x10100102 is inside GPU.AS_ROOT\[0\], which has 8 bytes at 0x10100100"
crashes misaligned_atomic "${failed}misaligned store or atomic at PC: 0x80[0-9a-f]* is not aligned to the 4 bytes of an atomic"
crashes jump_to_nowhere "${failed}instruction access fault at pc 0x40000000: 0x40000000 is in no window of the address map; nearest is [A-Z_]*, .*; the jump is at 0x80[0-9a-f]*, jump_to_nowhere+0x[0-9a-f]* (crashes[.]c:[0-9]*)"
crashes null_pointer "${failed}store access fault at PC: 0x8 is next to address 0: a null pointer and an offset?"
crashes null_function "${failed}instruction access fault at pc 0x0: 0x0 is a null pointer; the jump is at 0x80[0-9a-f]*, null_function+0x[0-9a-f]* (crashes[.]c:[0-9]*)"
crashes stack_below_ram "${failed}store access fault at PC: 0x7d[0-9a-f]* is in no window of the address map; nearest is RAM, 0x80000000 to 0x83ffffff; the stack pointer 0x7d[0-9a-f]* is below RAM: stack overflow?"
crashes illegal_instruction "${failed}illegal instruction at PC: 0xffffffff is no instruction of RV64IMAC"
crashes floating_point "${failed}illegal instruction at PC: 0x02a58553 is a floating-point instruction; compile with -march=rv64imac"
crashes missing_csr "${failed}illegal instruction at PC: 0x12302073 uses CSR 0x123, which does not exist or is read-only"
crashes environment_call "${failed}environment call at PC: an ecall instruction, and there is nothing above M-mode to call"
crashes gpu_memory_end "${failed}load access fault at PC: 0x17ffffffff8 is beyond the memory of the GPU, which ends at 0x[0-9a-f]*"
crashes rom "${failed}store access fault at PC: 0x1040 is in ROM, which cannot be written"
crashes handler_traps "pc 0x80[0-9a-f]*: .*; unhandled exception: load access fault at PC: 0x30000000 is in no window .*; then load access fault at pc 0x80[0-9a-f]*, broken_handler.*"
crashes handled 'the firmware failed with code 3; latest exception, from which its handler returned: load access fault at PC: 0x30000000 is in no window .*'

# The calls that led there, from the stack.
expect 1 firmware run "$images/crash_null_pointer.elf"
grep -q '; called by main+0x[0-9a-f]* (crashes[.]c:[0-9]*), _start+0x[0-9a-f]* (start[.]S:[0-9]*)$' "$work/err" ||
    wrong "no callers: $(grep '^mempath: .*crash_' "$work/err")"
expect 1 firmware run "$images/crash_endless_recursion.elf"
grep -q '; called by recursion[^,]*, recursion[^,]*, recursion[^,]*, recursion[^,]* and others$' "$work/err" ||
    wrong "no recursion: $(grep '^mempath: .*crash_' "$work/err")"

# The stack overwrites the program, with any effect.
expect 1 firmware run "$images/crash_endless_recursion.elf" --stall-limit 20000000
grep -q '^mempath: .*; unhandled exception: .*; the stack pointer 0x[78][0-9a-f]* is .*stack overflow?' "$work/err" ||
    wrong "endless_recursion: $(grep '^mempath: .*crash_' "$work/err")"

# Also in the document and in the database, and without debug information.
expect 1 firmware run "$images/crash_null_pointer.elf" --json
json "j ->> 'exception' LIKE 'store access fault at pc 0x80%, null_pointer%0x8 is next to address 0%'" 1
[ "$(sqlite3 "$MEMPATH_DB" "SELECT error LIKE '%store access fault at pc%null_pointer%' FROM run ORDER BY id DESC LIMIT 1")" = 1 ] ||
    wrong 'the row does not say what the exception was'
riscv64-unknown-elf-strip -o plain.elf "$images/crash_null_pointer.elf"
expect 1 firmware run plain.elf
grep -q 'unhandled exception: store access fault at pc 0x80[0-9a-f]*: 0x8 is next to address 0' "$work/err" || wrong 'without symbols it says nothing'
finished
