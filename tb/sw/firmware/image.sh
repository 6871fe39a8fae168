#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The drivers and the trap dump on the core itself.
images=$2
. "$(dirname "$0")/../../platform/cli/lib.sh"

expect 0 firmware run "$images/drivers.elf" --max-instructions 10000000
says '^drivers: [0-9]* ticks'
cp "$work/out" "$work/first"
expect 0 firmware run "$images/drivers.elf" --max-instructions 10000000
cmp "$work/out" "$work/first" || wrong 'two runs differ'

expect 1 firmware run "$images/crash.elf" --max-instructions 1000000
pc=$(riscv64-unknown-elf-nm "$images/crash.elf" | sed -n 's/^0*\([0-9a-f]*\) . crash_here$/\1/p')
says "^trap: illegal instruction (cause 2) at pc $pc, value ffffffff, "
says ' a7 fffffffffffffffe '
says ' s5 0000000000005555 '
says ' t3 0000000000003333 '
finished
