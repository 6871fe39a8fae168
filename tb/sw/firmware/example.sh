#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The firmware library as a user without this repository has it: writes it to a folder, builds the example there with one
# command, and runs it. Then builds a user's program with CMake.
root=$(readlink -f "$(dirname "$0")/../../..")
# shellcheck source=../../platform/cli/lib.sh
. "$root/tb/platform/cli/lib.sh"

expect 0 firmware sdk fw
says 'fw/build.sh tenants.elf fw/example/tenants.c'
if grep -rq --exclude-dir=lib "$root" fw; then wrong "the folder refers to $root"; fi
mv fw elsewhere # it depends on no place
elsewhere/build.sh tenants.elf elsewhere/example/tenants.c -Werror || wrong 'the example does not build'
expect 0 firmware run --elf tenants.elf --workload 0=MT:small --workload 1=FIR:small
says '^tenant 0: 4 slices, 32 pages mapped$'
says '^tenant 1: 3 slices, 0 pages mapped$'
says '^tenant 0: 32 pages, 0 faults served, 0 replays$'
says '^tenant 1: 4 pages, 4 faults served, [1-9][0-9]* replays$'
[ "$(grep -c '^  accesses  *4096$' out)" = 1 ] || wrong 'tenant 0 has not the accesses of MT'
expect 1 firmware run --elf tenants.elf --workload 0=MT:small
says '^tenants: not there$'

# The driver on the host, compiled from the folder alone.
cc -std=c11 -Wall -Wextra -Werror -Ielsewhere/include -o launch elsewhere/host/*.c || wrong 'the driver does not build'
"$mempath" firmware run --host-socket gpu.sock >out 2>err &
server=$!
for _ in $(seq 200); do
    ! grep -qs 'socket is gpu.sock' err || break
    sleep 0.05
done
./launch gpu.sock >driven || wrong 'the driver has failed'
wait "$server" || wrong 'the run with a driver has failed'
grep -q '^space 0: cycles [0-9]*, accesses 4096, ' driven || wrong 'the driver has other counters'

# The command writes nothing to a folder that is not empty, and never writes a part of the files.
refused 'a new or empty writable folder' firmware sdk elsewhere
[ "$(ls -d elsewhere*)" = elsewhere ] || wrong 'something was left behind'
refused 'a new or empty writable folder' firmware sdk no/where
refused 'no folder; firmware sdk DIR' firmware sdk
refused 'is unexpected' firmware sdk one two
mkdir empty
expect 0 firmware sdk empty/ --json
json "j ->> 'files' > 20" 1

# A program that uses only the registers, and one whose exception the library's handler reports.
mkdir own
cat >own/main.c <<'PROGRAM'
#include <stdio.h>
#include "soc/regs.h"
int main(void)
{
    printf("%u slices\n", *(volatile uint32_t *)(MP_GPU_BASE + MP_GPU_SLICES));
    return *(volatile int *)0x40000000;
}
PROGRAM
cat >own/CMakeLists.txt <<'PROGRAM'
cmake_minimum_required(VERSION 3.25)
project(own NONE)
include(../elsewhere/mempath-fw.cmake)
mempath_firmware_image(own main.c)
PROGRAM
{ cmake -S own -B own/build && cmake --build own/build; } >/dev/null || wrong 'CMake does not build it'
expect 1 firmware run --elf own/build/own.elf
says '^7 slices$'
grep -q 'code 255; unhandled exception: load access fault at pc 0x80[0-9a-f]*, main+0x[0-9a-f]* (main.c:6): 0x40000000 is in no window' err ||
    wrong "another end: $(tail -n 1 err)"

# The same in C++, with each header, a static object and a virtual function.
for header in elsewhere/include/fw/*.h elsewhere/include/soc/*.h elsewhere/include/reverse/reverse.h; do
    echo "#include \"${header#elsewhere/include/}\""
done >own/main.cc
cat >>own/main.cc <<'PROGRAM'
#include <stdio.h>
struct Shape {
    virtual unsigned sides() const = 0;
};
struct Square : Shape {
    explicit Square(unsigned n) : n(n) {}
    unsigned sides() const override { return n; }
    unsigned n;
};
static unsigned (*const slices)() = gpu_slices;
static Square square(slices() ? 4 : 0);
int main()
{
    const Shape &shape = square;
    printf("%u slices, %u sides\n", gpu_slices(), shape.sides());
    return 0;
}
PROGRAM
elsewhere/build.sh plus.elf own/main.cc -Wall -Wextra -Werror || wrong 'a program in C++ does not build'
expect 0 firmware run plus.elf
says '^7 slices, 4 sides$'

# FreeRTOS, of which the tests have a stand-in: the configuration, the build script and the example.
elsewhere/freertos/build.sh rtos.elf "$root/tb/sw/firmware/freertos" elsewhere/freertos/main.c -Werror ||
    wrong 'the example for FreeRTOS does not build'
expect 0 firmware run --elf rtos.elf
for item in 0 1 2 3 4 5 6 7 8 9; do
    says "^tick $((10 * item + 10)): item $item\$"
done
says '^done$'
# An exception in a task: the drivers' handler skips the access, and the task goes on. In an interrupt handler it ends the
# run. The tasks' registers survive both.
cat >own/probe.c <<'PROGRAM'
#include "FreeRTOS.h"
#include "task.h"
#include "rtos.h"
#include "fw/boot.h"
#include "fw/cpu.h"
#include "fw/print.h"
#include "fw/trap.h"
#include "soc/regs.h"
#define NOWHERE 0x40000000u
static void poked(void)
{
    *(volatile uint32_t *)(MP_CLINT_BASE + MP_CLINT_MSIP) = *(volatile uint32_t *)NOWHERE;
}
static void probe(void *unused)
{
    uint64_t value = 0;
    (void)unused;
    for (unsigned i = 0; i < 20; i++) {
        configASSERT(!trap_read(NOWHERE, i % 2 ? 8 : 4, &value));
        configASSERT(trap_read(MP_CLINT_BASE + MP_CLINT_MTIME, 8, &value) && value);
        vTaskDelay(1);
    }
    print("%u caught\n", (unsigned)trap_caught());
    trap_attach(CPU_SOFTWARE, poked);
    *(volatile uint32_t *)(MP_CLINT_BASE + MP_CLINT_MSIP) = 1;
    for (;;)
        vTaskDelay(1);
}
static void count(void *unused)
{
    uint64_t a = 0, b = 0, c = 0;
    (void)unused;
    for (;;) {
        a += 1, b += 2, c += 3;
        __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c)); /* in registers */
        configASSERT(b == 2 * a && c == 3 * a);
    }
}
int main(void)
{
    boot();
    xTaskCreate(probe, "probe", 512, NULL, 2, NULL);
    xTaskCreate(count, "count", 512, NULL, 1, NULL);
    rtos_start();
    return 2;
}
PROGRAM
elsewhere/freertos/build.sh probe.elf "$root/tb/sw/firmware/freertos" own/probe.c || wrong 'the probe does not build'
expect 1 firmware run --elf probe.elf
says '^20 caught$'
says '^exception 5 in an interrupt handler, at pc 80[0-9a-f]*, value 40000000$'
elsewhere/freertos/build.sh rtos.elf own elsewhere/freertos/main.c 2>err && wrong 'it builds without a kernel'
grep -q '^build.sh: own/tasks.c: no such file; ' err || wrong "without a kernel: $(cat err)"

# The error names what is missing.
elsewhere/build.sh own.elf 2>err && wrong 'it builds nothing'
grep -q '^build.sh: no sources; ' err || wrong "without sources: $(cat err)"
elsewhere/build.sh own/main.c own.elf 2>err && wrong 'it overwrites a source'
grep -q 'the output comes first' err || wrong "the wrong way round: $(cat err)"
mkdir path
ln -s "$(command -v dirname)" "$(command -v readlink)" path
PATH=$PWD/path /bin/sh elsewhere/build.sh own.elf own/main.c 2>err && wrong 'it builds without a compiler'
grep -q 'the Debian packages gcc-riscv64-unknown-elf' err || wrong "without a compiler: $(cat err)"
sh "$root/sw/firmware/sdk/build.sh" own.elf own/main.c 2>err && wrong 'it builds without the library'
grep -q 'no lib/libmempath-fw.a; mempath firmware sdk DIR' err || wrong "without the library: $(cat err)"
cp "$mempath" alone
mempath=$work/alone
refused 'mempath-firmware-sdk: No such file' firmware sdk new
finished
