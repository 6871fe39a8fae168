#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The drivers, the trap dump, and tenants that start and end, on the core itself.
images=$(realpath "$2")
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

# Every access is done, every page came by a fault; with small pages faults come faster than the buffer has room.
expect 0 firmware run "$images/tenants.elf" --workload 0=NW:small
says '^[1-9][0-9]* came, accesses 16704, .*, pages 34, storms 0$'
expect 0 firmware run "$images/tenants.elf" --workload 0=MT:small --set machine.page_bytes=4096
says '^[1-9][0-9]* came, accesses 4096, .*, pages 512, storms [1-9]'

# Instances with pages of different sizes at the same time: those that the machine has, and no others.
expect 0 firmware run "$images/pages.elf" --workload 0=MT:small --check
[ "$(grep -c '^pages of 64 KB: 32, accesses ' "$work/out")" = 2 ] || wrong 'no address space with 64 KB, or with others'
[ "$(grep -c '^pages of 2048 KB: ' "$work/out")" = 2 ] || wrong 'no address space with 2 MB'
grep 'AS_CONFIG.PAGE: no pages of 4096 B; of 65536, 2097152 B, since machine.page_bytes = 65536' "$work/err" ||
    wrong 'the refusal does not say which sizes there are'
expect 0 firmware run "$images/pages.elf" --workload 0=MT:small --set machine.page_bytes=4096 --check
[ "$(grep -c '^pages of 4 KB: 512, accesses ' "$work/out")" = 3 ] || wrong 'no address space with 4 KB'
[ "$(grep -c '^pages of 64 KB: ' "$work/out")" = 3 ] || wrong 'no address space with 64 KB'
[ "$(grep -c '^pages of 2048 KB: ' "$work/out")" = 3 ] || wrong 'no address space with 2 MB'
finished
