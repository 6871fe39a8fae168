#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: checkpoint.sh MEMPATH IMAGES [SEED [POINTS]]
# Firmware that goes on from a checkpoint ends as the uninterrupted run does, wherever the checkpoint was taken.
images=$(realpath "$2")
seed=${3:-$(date +%s)} points=${4:-1}
. "$(dirname "$0")/../cli/lib.sh"
echo "seed $seed"

random() { # of what is below the argument; sets `drawn`
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    drawn=$((seed / 65536 % $1))
}

# The last document without what every run has differently.
results() { grep -v '"run":\|"seconds":\|_seconds":' "$work/out"; }

# Compares the run of these arguments with those that write a checkpoint and go on from it.
same() {
    expect 0 firmware run "$@" --json
    results >"$work/whole"
    end=$(sqlite3 "$MEMPATH_DB" 'SELECT max(instructions) FROM firmware WHERE run = (SELECT max(run) FROM firmware)')
    for _ in $(seq "$points"); do
        random $((end - 1000))
        expect 0 firmware run "$@" --checkpoint-at $((drawn + 1)) -o point --json
        results >"$work/taken"
        [ -s point ] || wrong "$*: no checkpoint at $((drawn + 1))"
        expect 0 firmware run "$@" --from point --json
        results >"$work/gone_on"
        cmp whole taken || wrong "$*: the run with a checkpoint at $((drawn + 1)) differs"
        cmp whole gone_on || wrong "$*: going on from $((drawn + 1)) differs"
    done
}
same
same --check
same "$images/rtos.elf"
same "$images/traps.elf"
same "$images/demand.elf" --workload 0=MT:small
printf 'send "\\n"\nwait "> "\nsend help\nwait this list within 100ms\npause 2ms\nsend quit\nwait done\n' >dialogue
same --script dialogue
printf '\nspaces\nhelp\nquit\n' >lines
same --input lines
cat >host.yaml <<'STEPS'
- create: {instance: 0, slices: 3}
- open: {instance: 0, space: 0, page: 64K}
- promise: {space: 0, va: 0, bytes: 0x1000000000000}
- launch: {instance: 0, space: 0, workload: 0, tag: 7}
- wait: {tag: 7, within: 20ms}
- pause: 1ms
STEPS
same --host host.yaml

# Each run that goes on is a row, whose parent wrote the checkpoint.
expect 0 firmware run --checkpoint-at 400000 -o fw.checkpoint
parent=$(sqlite3 "$MEMPATH_DB" 'SELECT max(id) FROM run')
cp out console
grep -q 'fw.checkpoint: a checkpoint after 40[0-9]* instructions' err || wrong 'no line about the checkpoint'
expect 0 firmware run --from fw.checkpoint --db other.db
expect 0 firmware run --from fw.checkpoint
[ "$(sqlite3 "$MEMPATH_DB" 'SELECT parent FROM run ORDER BY id DESC LIMIT 1')" = "$parent" ] || wrong 'no parent'
[ "$(sqlite3 other.db 'SELECT count(*) FROM run')" = 1 ] || wrong 'another database has no row'
tail -n 5 console >end
tail -n 5 out | cmp - end || wrong 'the console ends otherwise'

# The process that goes on may look closer: traces are those of a whole run from there on.
expect 0 firmware run --trace-insn 500001:500100 -o whole.txt
expect 0 firmware run --from fw.checkpoint --trace-insn 500001:500100 -o part.txt --uart console.txt
cmp whole.txt part.txt || wrong 'the traces of instructions differ'
[ -s console.txt ] || wrong 'no console in its file'
expect 0 firmware run --trace-bus -o whole.txt
expect 0 firmware run --from fw.checkpoint --trace-bus -o part.txt
[ "$(wc -l <part.txt)" -gt 100 ] || wrong 'no trace'
tail -n +2 part.txt >after
tail -n "$(wc -l <after)" whole.txt | cmp - after || wrong 'the traces of the bus differ'
expect 1 firmware run --from fw.checkpoint --max-instructions 450000
grep -q 'not done after 450000 instructions' err || wrong 'no limit'

# GDB attaches where the checkpoint was taken.
if command -v gdb-multiarch >/dev/null; then
    "$mempath" firmware run --from fw.checkpoint --gdb 0 --uart uart 2>"$work/err" &
    server=$!
    for _ in $(seq 100); do
        grep -q 'target remote' "$work/err" && break
        sleep 0.1
    done
    port=$(sed -n 's/.*target remote ://p' "$work/err")
    gdb-multiarch -batch -nx -ex "target remote :$port" -ex 'printf "at %lu\n", $minstret' -ex continue >session 2>&1
    wait "$server" || wrong 'the debugged run failed'
    grep -q '^at 40[0-9]*$' session || wrong "GDB: $(cat session)"
fi

refused 'the image was another one there; the same' firmware run "$images/rtos.elf" --from fw.checkpoint
refused '--check was another one there; the same' firmware run --check --from fw.checkpoint
refused '--script was another one there; the same' firmware run --script dialogue --from fw.checkpoint
refused '--workload 0 was another one there; the same' firmware run --workload 0=FIR:small --from fw.checkpoint
refused 'l3_tlb.entries is 1024 there and 512 here' firmware run --set l3_tlb.entries=512 --from fw.checkpoint
refused 'of instruction 40[0-9]*; a later one' firmware run --max-instructions 1000 --from fw.checkpoint
refused 'omit --inject' firmware run --inject plan.yaml --checkpoint-at 1000 -o x
refused 'omit --host-socket' firmware run --host-socket s --checkpoint-at 1000 -o x
refused '--host was another one there; the same' firmware run --host host.yaml --from fw.checkpoint
refused 'omit --coverage' firmware run --coverage lines --from fw.checkpoint
refused 'omit --gdb' firmware run --gdb 0 --checkpoint-at 1000 -o x
refused 'omit traces' firmware run --trace-bus --checkpoint-at 1000 -o x
refused 'no file to write to; add -o FILE' firmware run --checkpoint-at 1000
refused 'mempath firmware run has written it' run star/w2 --set tenants.size=small --quiet --from fw.checkpoint
refused -- '--max-instructions 500 is before it' firmware run --max-instructions 500 --checkpoint-at 1000 -o x
head -c 100000 fw.checkpoint >cut
refused 'ends early' firmware run --from cut
expect 1 firmware run --checkpoint-at 1000000000 -o late
grep -q 'the run ended after [0-9]* instructions; an earlier one' err || wrong 'no reason'
[ ! -e late ] || wrong 'a checkpoint that was never reached has a file'
finished
