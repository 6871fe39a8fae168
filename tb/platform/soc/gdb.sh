#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A scripted session of gdb-multiarch: registers, CSRs, memory, breakpoints, watchpoints, steps, a backtrace from a
# trap handler, Ctrl-C while the core runs and while it waits.
images=$(realpath "$2")
. "$(dirname "$0")/../cli/lib.sh"
command -v gdb-multiarch >/dev/null || exit 77 # skipped

# Starts an image; $server and $port are then those to connect to.
serve() {
    "$mempath" firmware run "$images/$1.elf" --gdb 0 --uart "$work/uart" 2>"$work/err" &
    server=$!
    for _ in $(seq 100); do
        grep -q 'target remote' "$work/err" && break
        sleep 0.1
    done
    port=$(sed -n 's/.*target remote ://p' "$work/err")
    [ -n "$port" ] || wrong 'no port'
}

serve debug

cat >"$work/script" <<SESSION
set pagination off
set confirm off
target remote :$port
printf "start %#lx\n", \$pc
break step_on
continue
printf "first by %lu counter %lu\n", by, counter
bt
stepi
stepi
printf "two steps on, instruction %#lx\n", \$pc > 0
finish
break trap
continue
printf "trap cause %lu\n", cause
printf "mcause %lu mepc is in main %d\n", \$mcause, \$mepc >= (unsigned long)main
bt
delete
set var counter = 100
break step_on
continue
printf "second by %lu counter %lu\n", by, counter
delete
x/1gx &counter
watch counter
continue
printf "watched, counter %lu\n", counter
delete
rwatch never
continue
printf "read in main %d\n", \$pc > (unsigned long)main
delete
awatch asleep
continue
printf "asleep is %lu\n", asleep
delete
info registers csr
p/x \$mtvec == (unsigned long)trap_entry
python
import threading, os, signal
def stop():
    os.kill(os.getpid(), signal.SIGINT)
def stop_soon():
    threading.Timer(1.0, stop).start()
stop_soon()
end
continue
printf "interrupted, counter %lu\n", counter
set var asleep = 1
python stop_soon()
continue
printf "awake behind %#x\n", *(unsigned *)(\$pc - 4)
stepi
set var never = 1
continue
SESSION
timeout 30 gdb-multiarch -q -nx -batch -x "$work/script" "$images/debug.elf" >"$work/out" 2>&1 || wrong 'gdb failed'
code=0
wait "$server" || code=$?
[ "$code" = 0 ] || wrong "mempath ended with $code"
for line in 'start 0x1000' 'first by 2 counter 40' 'Value returned is .1 = 42' 'trap cause 11' 'mcause 11' \
    'signal handler called' '#2 .*main ()' 'second by 3 counter 100' 'Old value = 100' 'New value = 103' \
    'watched, counter 103' 'read in main 1' '^mstatus ' '^mip ' '^minstret ' '^.[0-9]* = 0x1' 'SIGINT' \
    'interrupted, counter 103' 'awake behind 0x10500073' 'exited normally'; do
    grep -q -- "$line" "$work/out" || wrong "the session has no '$line'"
done
[ "$(grep -c 'Program received signal SIGINT' "$work/out")" = 2 ] || wrong 'not interrupted twice'
[ "$(grep -c '#1 .* in main' "$work/out")" -ge 1 ] || wrong 'no backtrace to main'
[ "$(cat "$work/uart")" = 'counter 103' ] || wrong 'wrong console'

# In a task of U-mode, memory is that of its pages, and the privilege and S-mode's CSRs are there.
serve modes
cat >"$work/script" <<SESSION
set pagination off
set confirm off
target remote :$port
break *((unsigned long)paged_task - 0x40000000)
continue
printf "privilege %lu, mode of satp %lu\n", \$priv, \$satp >> 60 & 15
printf "the same code: %d\n", *(unsigned *)\$pc == *(unsigned *)paged_task
python
try:
    gdb.execute('x/1gx 0x40100000')
except gdb.MemoryError as error:
    print(error)
end
printf "sp %#lx\n", \$sp
delete
continue
SESSION
timeout 30 gdb-multiarch -q -nx -batch -x "$work/script" "$images/modes.elf" >"$work/out" 2>&1 || wrong 'gdb failed'
wait "$server" || wrong 'the image ended badly'
for line in 'privilege 0, mode of satp 8' 'the same code: 1' 'Cannot access memory at address 0x40100000' \
    'sp 0x40200000' 'exited normally'; do
    grep -q -- "$line" "$work/out" || wrong "the session has no '$line'"
done
