#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds an image with FreeRTOS' kernel, which is unmodified and where you have put it:
# build.sh OUTPUT.elf FREERTOS-KERNEL SOURCE... [OPTION OF GCC...]
set -eu
here=$(dirname -- "$(readlink -f -- "$0")")
fail() {
    printf 'build.sh: %s\n' "$1" >&2
    exit 2
}
[ $# -ge 3 ] || fail 'no sources; build.sh OUTPUT.elf FREERTOS-KERNEL SOURCE... [OPTION OF GCC...]'
output=$1 kernel=$2
shift 2
port=$kernel/portable/GCC/RISC-V
chip=$port/chip_specific_extensions/RISCV_MTIME_CLINT_no_extensions
for file in "$kernel/tasks.c" "$port/portASM.S" "$chip/freertos_risc_v_chip_specific_extensions.h"; do
    [ -f "$file" ] || fail "$file: no such file; the second argument is a folder with FreeRTOS-Kernel V10.5 or later"
done
exec "$here/../build.sh" "$output" "$@" "$here/rtos.c" "$kernel/tasks.c" "$kernel/queue.c" "$kernel/list.c" \
    "$port/port.c" "$port/portASM.S" "$kernel/portable/MemMang/heap_4.c" \
    -I"$here" -I"$kernel/include" -I"$port" -I"$chip"
