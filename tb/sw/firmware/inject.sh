#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Faults on purpose: what becomes of each kind with the included image, which recovers, and with one that does not.
# $2 is the folder of the images, $3 that of other images.
images=$(realpath "$2")
others=$(realpath "$3")
. "$(dirname "$0")/../../platform/cli/lib.sh"

fault() { printf 'faults:\n  - {fault: %s}\n' "$1" >plan.yaml; }
ask() { sqlite3 "$MEMPATH_DB" "$1"; }

# outcome, what the firmware says, fault
becomes() {
    fault "$3"
    [ "$1" = recovered ] && code=0 || code=1
    expect "$code" firmware run --inject plan.yaml
    grep -q "^mempath: fault 1: .*, in cycle [0-9]*: $1\$" err || wrong "$3: not $1"
    [ -z "$2" ] || says "^recovery: .*$2"
    [ "$(ask 'SELECT outcome FROM injection ORDER BY run DESC LIMIT 1')" = "$1" ] || wrong "$3: the row has another outcome"
}

becomes recovered 'an interrupt was lost' 'interrupt-lost, source: gpu-queue, event: 6'
becomes recovered 'an interrupt was lost' 'interrupt-lost, source: gpu-invalidate, event: 8'
becomes recovered 'without an event' 'interrupt-spurious, source: gpu-queue, event: 3'
becomes recovered 'is polled now (1)' 'interrupt-spurious, source: gpu-queue, cycle: 300800000, for: ever'
becomes recovered '' 'invalidation-late, event: 3, by: 100us'
becomes recovered 'an invalidation was late (1)' 'invalidation-late, event: 3, by: 50ms'
becomes detected 'an invalidation was late' 'invalidation-late, event: 3, by: ever'
for device in gpu uart plic clint gpu-memory; do
    becomes recovered 'the access was made again (1)' "bus-error, device: $device, event: 12"
done
becomes recovered '' 'walker-stuck, event: 3, for: 100us'
becomes recovered 'its page walks began again (1)' 'walker-stuck, event: 3'
becomes recovered 'was corrected (1)' 'ecc-entry, kind: corrected, event: 20'
becomes detected 'a page table entry was lost' 'ecc-entry, kind: poisoned, event: 20'
says '^an access was given up$'
becomes recovered 'is not used any more (1)' 'ecc-page, kind: corrected, event: 20'
becomes detected 'data of a page was lost (1)' 'ecc-page, kind: poisoned, event: 20'
says '^data was lost$'
becomes recovered '' 'fault-buffer-full, event: 2, for: 100us'
becomes detected 'a launch was stopped (1)' 'fault-buffer-full, event: 2'
becomes detected 'a launch was stopped (1)' 'launch-hangs, event: 2'
says '^the launch was stopped$'

# At the console: a launch that fails is detected, too. The copy engine of a page that moves.
printf '\nmake 0 3\nopen 0 0\npromise 0 0 0x1000000000000\nrun 0 0 0\nrun 0 0 0\nmap 0 0x1000000 64K\nremap 0 0x1000000 64K\nrecovery\nquit\n' >keys
at_console() {
    fault "$1"
    expect "$2" firmware run --input keys --inject plan.yaml
    grep -q "^mempath: fault 1: .*: $3\$" err || wrong "at the console, $1: not $3"
}
at_console 'launch-hangs, event: 2' 0 detected
says '^run: the launch was stopped'
says '^       1 a launch was stopped'
# The launch's only faults: no other interrupt brings firmware to them.
at_console 'interrupt-lost, source: gpu-fault, event: 1' 0 recovered
says '^       1 an interrupt was lost'
at_console 'interrupt-lost, source: dma, event: 1' 0 recovered
says '^       1 an interrupt was lost'
at_console 'interrupt-spurious, source: dma, cycle: 300000' 0 recovered
at_console 'launch-hangs, event: 3' 0 'not reached'
# Nothing looks for a key that did not interrupt.
at_console 'interrupt-lost, source: uart, event: 1' 0 'wrong result'
at_console 'interrupt-lost, source: uart, event: 3' 1 undetected
grep -q 'firmware has taken none of it for 10 s' err || wrong 'it does not say that no input is taken'
at_console 'interrupt-spurious, source: uart, event: 2, for: 100us' 0 recovered

# A dropped entry and a page that moves are right for --check, too.
for kind in 'ecc-entry, kind: poisoned' 'ecc-page, kind: corrected'; do
    fault "$kind, event: 20"
    "$mempath" firmware run --check --inject plan.yaml >out 2>err || true
    grep -q '^mempath: fault 1: .*: \(recovered\|detected\)$' err || wrong "--check, $kind"
done

# A program that only waits for interrupts does not survive, and one that looks the state up sees no difference.
alone() {
    fault "$3"
    expect "$1" firmware run "$others/$2.elf" --workload 0=FIR:small --inject plan.yaml
    grep -q "^mempath: fault 1: .*: $4\$" err || wrong "$2, $3: not $4"
}
alone 1 demand 'interrupt-lost, source: gpu-fault, event: 1' undetected
alone 1 demand 'walker-stuck, event: 1' undetected
alone 1 demand 'launch-hangs, event: 1' undetected
alone 0 demand 'invalidation-late, event: 1, by: 50ms' recovered

# The same plan again: the same rows. Without a fault that happens, the run is as without a plan.
printf 'faults:\n  - {fault: bus-error, device: rom, event: 1}\nrandom: {faults: 3}\n' >plan.yaml
rows() { ask "SELECT number, fault, place, planned, seed, cycle, outcome FROM injection
    WHERE run = (SELECT max(run) FROM injection) ORDER BY number"; }
n=0
for seed in 5 5 6; do
    code=0
    "$mempath" firmware run --inject plan.yaml --seeds $seed >out 2>err || code=$?
    [ $code -lt 2 ] || wrong "seed $seed: exit code $code"
    n=$((n + 1))
    rows >"rows.$n"
done
[ "$(wc -l <rows.1)" = 4 ] || wrong 'not four rows'
cmp rows.1 rows.2 || wrong 'the same seed has other rows'
! cmp -s rows.1 rows.3 || wrong 'another seed has the same rows'
grep -q '^1|bus-error|rom|event 1|||not reached$' rows.1 || wrong 'the row of a fault that is not reached'
fault 'bus-error, device: rom, event: 1'
expect 0 firmware run --json
digest=$(sqlite3 :memory: "SELECT CAST(readfile('out') AS TEXT) ->> 'digest'")
expect 0 firmware run --json --inject plan.yaml
json "j ->> 'digest'" "$digest"
json "j ->> '$.injections[0].outcome'" 'not reached'
grep -q '^mempath: fault 1: bus-error rom, event 1 of 0: not reached$' err || wrong 'the number of events is not said'

# A campaign: a process and a row per seed, and a table of outcomes by kind.
printf 'random: {kinds: [launch-hangs, bus-error]}\n' >plan.yaml
expect 0 firmware run --inject plan.yaml --seeds 1:6 --quiet
says '^fault  *faults  recovered  detected  undetected  wrong result  not reached$'
says '^launch-hangs  *[1-5]  *0  *[1-5]  *0  *0  *0$'
expect 0 firmware run --inject plan.yaml --seeds 1:6 --json --quiet --jobs 1
sed '/"run":/d' out >alone
expect 0 firmware run --inject plan.yaml --seeds 1:6 --json --quiet --jobs 3
sed '/"run":/d' out | cmp - alone || wrong 'parallel runs have other results'
json 'json_array_length(j, "$.runs")' 6
json "(SELECT sum(value ->> 'faults') FROM json_each(j, '\$.recovery'))" 6
expect 0 query injections
says 'launch-hangs'
expect 0 query recovery
says '^.*mempath-firmware.elf  *bus-error .* 100$'

fault 'fire, event: 1'
refused "plan.yaml:2: no kind of fault 'fire'; interrupt-lost, " firmware run --inject plan.yaml
refused 'cannot be read' firmware run --inject none.yaml
fault 'launch-hangs, event: 1'
refused 'draws no faults; it needs random' firmware run --inject plan.yaml --seeds 1:3
refused 'add --inject FILE' firmware run --seeds 1:3
refused 'do not repeat' firmware run --inject plan.yaml --uart pty
# Without faults, the program must work.
expect 1 firmware run --set machine.slices=6 --inject plan.yaml
grep -q '^mempath: --inject: without faults: .*: the firmware failed with code 1' err || wrong 'it says nothing of the run without faults'
finished
