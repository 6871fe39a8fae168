#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Hosts that drive the GPU by commands to the firmware: scripts, and a driver in a second process. $2 is the folder of
# the images, $3 the example of a host program, $4 a program that asks the driver.
images=$(realpath "$2")
example=$(realpath "$3")
client=$(realpath "$4")
. "$(dirname "$0")/../cli/lib.sh"

counter() { sed -n "s/^mempath: host: space $1:.* $2 \\([0-9]*\\).*/\\1/p" "$work/err"; }

# Two launches at once, pages on demand and mapped in advance, statuses and counters.
cat >two.yaml <<'SCRIPT'
- query:
- create: {instance: 0, slices: 3}
- create: {instance: 1, slices: 2}
- create: {instance: 2, slices: 3, status: no_room}
- open: {instance: 0, space: 0}
- open: {instance: 1, space: 1, page: 64K}
- promise: {space: 0, va: 0, bytes: 0x1000000000000}
- promise: {space: 1, va: 0, bytes: 0x1000000000000}
- map: {space: 0, va: 0x600000000000, bytes: 1M}
- protect: {space: 0, va: 0x600000000000, bytes: 64K, access: read}
- map: {space: 0, va: 0x600000000000, bytes: 64K, status: exists}
- policy: {level: 3, policy: star}
- scheduler: {instance: 0, scheduler: dws}
- launch: {instance: 0, space: 0, workload: 0, tag: 7}
- launch: {instance: 1, space: 1, workload: 1, tag: 8}
- launch: {instance: 1, space: 1, workload: 1, tag: 8, status: exists}
- destroy: {instance: 0, status: busy}
- ping: {value: 3, within: 100us}    # the ring is served while both run
- wait: {tag: 8, within: 20ms}
- wait: {tag: 7, within: 20ms}
- wait: {tag: 7, status: not_there}
- counters: {space: 0}
- counters: {space: 1}
- expect: {counter: accesses, space: 0, is: 4096}
- expect: {counter: walk_faults, space: 1, least: 1}
- invalidate: {scope: page, space: 0, va: 0x600000000000}
- unmap: {space: 0, va: 0x600000000000, bytes: 1M}
- pause: 1ms
- close: {space: 1}
- reset:
- destroy: {instance: 0, status: not_there}
SCRIPT
expect 0 firmware run --host two.yaml
says '^done$'
[ "$(counter 0 accesses)" = 4096 ] || wrong 'the counters are not printed'
[ "$(counter 1 walk_faults)" -gt 0 ] || wrong 'no page of space 1 has come by a fault'
cp err first
first=$(sqlite3 "$MEMPATH_DB" 'SELECT instructions FROM firmware ORDER BY run DESC LIMIT 1')
expect 0 firmware run --host two.yaml --check
[ "$(sqlite3 "$MEMPATH_DB" 'SELECT instructions FROM firmware ORDER BY run DESC LIMIT 1')" = "$first" ] || wrong 'two runs differ'

# The console is served besides the host.
printf 'send "\\n"\nwait "> "\nsend mig\nwait "0: 3g at" within 50ms\n' >console
printf -- '- create: {instance: 0, slices: 3}\n- pause: 60ms\n' >slow.yaml
expect 0 firmware run --host slow.yaml --script console
says '^0: 3g at'
printf 'send "\\n"\nsend quit\n' >console
expect 1 firmware run --host slow.yaml --script console
grep -q 'slow.yaml:2: pause: the firmware has ended before this step has' err || wrong 'the rest of the script was not missed'

# Steps that fail: a status, a counter, a time; the run ends there, with the step's line.
fails() { # line and text, then the script's lines
    pattern=$1
    shift
    printf '%s\n' "$@" >failing.yaml
    expect 1 firmware run --host failing.yaml
    grep -q "failing.yaml:$pattern" err || wrong "the error does not say '$pattern'"
}
fails '2: create: status exists (.*); ok is expected' '- create: {instance: 0, slices: 1}' '- create: {instance: 0, slices: 1}'
fails '1: create: status ok (done); busy is expected' '- create: {instance: 0, slices: 1, status: busy}'
fails '3: expect: cycles of space 0 is 0; 1 or more is expected' '- create: {instance: 0, slices: 1}' \
    '- open: {instance: 0, space: 0}' '- expect: {counter: cycles, space: 0, least: 1}'
fails '1: expect: the instance, address space, .* does not exist' '- expect: {counter: cycles, space: 0, least: 1}'
fails '5: wait: no completion within 10 us; a later time' '- create: {instance: 0, slices: 3}' \
    '- open: {instance: 0, space: 0}' '- promise: {space: 0, va: 0, bytes: 0x1000000000000}' \
    '- launch: {instance: 0, space: 0, workload: 0, tag: 1}' '- wait: {tag: 1, within: 10us}'
grep -q '^host: rings READY; 0 commands not taken, 0 completions not taken' err || wrong 'where the host is, is not printed'
[ "$(sqlite3 "$MEMPATH_DB" 'SELECT nanoseconds < 5000000 FROM firmware ORDER BY run DESC LIMIT 1')" = 1 ] || wrong 'it ended late'

# Firmware that knows no host: it ends, hangs in a loop, or waits for an interrupt for ever.
printf -- '- ping: {within: 5ms}\n' >ping.yaml
expect 1 firmware run "$images/hello.elf" --host ping.yaml
grep -q 'ping.yaml:1: ping: the firmware has ended before' err || wrong 'hello.elf has no host'
expect 1 firmware run "$images/waits.elf" --host ping.yaml
grep -q 'ping.yaml:1: ping: no firmware serves the host within 5000 us' err || wrong 'waits.elf serves no host'
expect 1 firmware run "$images/polls.elf" --host ping.yaml
grep -q 'ping.yaml:1: ping: no firmware serves the host within 5000 us' err || wrong 'polls.elf serves no host'

# A driver in a second process does as a script, and the runs are the same.
cat >same.yaml <<'SCRIPT'
- create: {instance: 0, slices: 3}
- open: {instance: 0, space: 0}
- promise: {space: 0, va: 0, bytes: 0x1000000000000}
- launch: {instance: 0, space: 0, workload: 0, tag: 0}
- create: {instance: 1, slices: 2}
- open: {instance: 1, space: 1}
- promise: {space: 1, va: 0, bytes: 0x1000000000000}
- launch: {instance: 1, space: 1, workload: 1, tag: 1}
- wait: {tag: 0}
- counters: {space: 0}
- wait: {tag: 1}
- counters: {space: 1}
SCRIPT
outcome() {
    sqlite3 "$MEMPATH_DB" 'SELECT firmware.instructions, nanoseconds, digest FROM firmware JOIN run ON run.id = firmware.run
        ORDER BY run.id DESC LIMIT 1'
}
serve() { # options: a run in the background, to which a driver can connect then
    rm -f "$work/err"
    "$mempath" firmware run --host-socket gpu.sock "$@" >"$work/out" 2>"$work/err" </dev/null &
    server=$!
    for _ in $(seq 200); do
        ! grep -qs 'socket is gpu.sock' "$work/err" || return 0
        sleep 0.05
    done
    wrong 'no socket'
}
ends() { # exit code
    code=0
    wait "$server" || code=$?
    [ "$code" = "$1" ] || wrong "the run with a driver has exit code $code, not $1"
    [ ! -e gpu.sock ] || wrong 'the socket is left'
    checks=$((checks + 1))
}
expect 0 firmware run --host same.yaml
cp err by_script
scripted=$(outcome)
serve
[ "$(stat -c %a gpu.sock)" = 600 ] || wrong "the socket has mode $(stat -c %a gpu.sock)"
"$example" gpu.sock >driven || wrong 'the driver has failed'
ends 0
[ "$(outcome)" = "$scripted" ] || wrong "with a driver: $(outcome), with a script: $scripted"
for space in 0 1; do
    line="space $space: cycles $(sed -n "s/.*host: space $space: cycles \([0-9]*\),.*/\1/p" by_script), accesses "
    grep -q "^$line" driven || wrong "the driver has no '$line'"
done

# Drivers that do not do as they should, and users who do not.
serve
"$client" vanish gpu.sock || wrong vanish
ends 1
grep -q 'gpu.sock: the driver has closed the connection; BYE is its last message' err || wrong 'it did not vanish'
serve
"$client" garbage gpu.sock || wrong garbage
ends 1
grep -q 'gpu.sock: the driver has sent a message that is none of the protocol' err || wrong 'garbage is a message'
serve
"$client" outside gpu.sock || wrong outside
ends 1
grep -q 'gpu.sock: the driver has sent bytes outside of HOST_MEMORY' err || wrong 'it has read outside'
printf 'pause 5ms\nsend "\\n"\nsend quit\n' >console
for how in leave second; do
    serve --script console
    "$client" $how gpu.sock || wrong "$how"
    ends 0
done
serve --script console
"$client" remain gpu.sock || wrong remain
ends 1
grep -q 'gpu.sock: the firmware has ended before the driver has said BYE' err || wrong 'BYE was not missed'
serve
kill -INT "$server"
ends 130
grep -q 'interrupted at pc' err || wrong 'it was not interrupted'

# Another user, if this one may try: the mode keeps it out, and if somebody has changed the mode, the platform does.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    chmod 755 "$work"
    serve --script console
    for mode in 600 666; do
        chmod $mode gpu.sock
        ! setpriv --reuid 65534 --clear-groups "$client" leave "$work/gpu.sock" || wrong "another user is let in (mode $mode)"
    done
    "$client" leave gpu.sock || wrong 'after another user, no driver is let in'
    ends 0
fi

touch gpu.sock
refused 'gpu.sock: Address already in use; a name that does not exist yet' firmware run --host-socket gpu.sock
refused 'one of both' firmware run --host-socket gpu.sock --host same.yaml

refused 'none.yaml: No such file or directory; a readable file' firmware run --host none.yaml
printf -- '- ping:\n- fly:\n' >bad.yaml
refused "bad.yaml:2: unknown step 'fly'; ping, query" firmware run --host bad.yaml
finished
