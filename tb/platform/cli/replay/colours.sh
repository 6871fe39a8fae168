#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Addresses and colours of a GPU alone: responses worked out by hand, options, refusals, one document as JSON.
. "$(dirname "$0")/../lib.sh"

# In session.txt: a stimulus, "->", the response that the functions and rules give.
session() {
    sed -n 's/ *->.*//p' session.txt >stimuli.txt
    sed -n 's/.*-> //p' session.txt >wanted.txt
    expect 0 replay colours "$@" stimuli.txt
    cmp -s wanted.txt "$work/out" || {
        diff wanted.txt "$work/out" >&2
        wrong "replay colours $*: not what was worked out by hand"
    }
}

# The GTX 1080 has two colours of 4 KB pages: the XOR of bits 12, 13, 18, 19, 22, ...
cat >session.txt <<'END'
M 0                -> 0 0 0 0 0
M 0x1000           -> 7 23 7 0 1
M 262144           -> 4 548 4 1 1
T 1                -> 4096
T 1 # once more    -> 8192
T 0                -> 0
G 4096             -> given
G 4096             -> refused
G 0x7000           -> refused
T 1                -> 4096
U 0x200000 1 0x1f  -> 2101279
U 0 0 0xfffff      -> 2097151
END
session
session --machine gtx1080 --page-size 4096 --colours 2
session --page-size 0x1000

# The V100 has eight; four are the first two functions, so that bit 12 is colour bit 0 and bit 13 colour bit 1.
cat >session.txt <<'END'
M 0x1000           -> 4 6 6 0 1
M 0x2000           -> 11 12 8 0 2
M 0x8000           -> 22 240 16 0 1
T 3                -> 12288
T 3                -> 28672
T 0                -> 0
U 0 3 4096         -> 28672
END
session --machine v100 --colours 4

# One colour has every page; pages of 1 KiB have eight.
cat >session.txt <<'END'
M 0x1000           -> 7 23 7 0 0
T 0                -> 0
T 0                -> 4096
U 0x200000 0 5000  -> 2102152
END
session --colours 1
cat >session.txt <<'END'
M 1024             -> 1 49 1 0 1
M 0x1800           -> 5 21 5 0 5
T 5                -> 6144
END
session --page-size 1024

# Hidden functions follow from the seed alone; they are others than those of the machine and of other seeds.
for seed in 0 1 18446744073709551615; do
    for address in 0x1000 0x12345678 0x1fffffff0; do echo "M $address"; done >stimuli.txt
    for try in 1 2; do
        expect 0 replay colours --hidden-seed $seed stimuli.txt
        cp "$work/out" "hidden$seed.$try"
    done
    cmp -s hidden$seed.1 hidden$seed.2 || wrong "hidden seed $seed: two runs differ"
done
expect 0 replay colours stimuli.txt
cmp -s "$work/out" hidden0.1 && wrong 'seed 0 hides nothing'
cmp -s hidden1.1 hidden0.1 && wrong 'two seeds give the same machine'

# A bad line: responses before it are printed, none after it.
printf 'M 0\n\nT 2\nM 0\n' >bad.txt
expect 2 replay colours bad.txt
[ "$(cat "$work/out")" = '0 0 0 0 0' ] || wrong 'a bad line: not just the response before it'
[ "$(cat "$work/err")" = "mempath: bad.txt:3: COLOUR '2' is too large; T COLOUR, COLOUR from 0 to 0x1" ] ||
    wrong 'a bad line is not named'
refused 'bad.txt:3: ' replay colours bad.txt --json
refused 'absent.txt: ' replay colours absent.txt
: >empty.txt
expect 0 replay colours empty.txt
[ ! -s "$work/out" ] || wrong 'no stimulus, yet a response'

printf 'M 0x1000\nT 0\nG 0\nG 0\n' >stimuli.txt
expect 0 replay colours --json --hidden-seed 7 --machine v100 --page-size 2097152 stimuli.txt
json "json_extract(j, '\$.machine')" v100
json "json_extract(j, '\$.hidden_seed')" 7
json "json_extract(j, '\$.colours')" 1
json "json_extract(j, '\$.responses[1]')" '{"line":2,"stimulus":"T","pa":0}'
json "json_extract(j, '\$.responses[2].given')" 1
json "json_extract(j, '\$.responses[3].given')" 0
expect 0 replay colours --json stimuli.txt
json "json_extract(j, '\$.responses[0]')" '{"line":1,"stimulus":"M","module":7,"set":23,"bank":7,"row":0,"colour":1}'

refused "no machine 'v101'; did you mean 'v100'" replay colours --machine v101 stimuli.txt
refused 'no stimuli; a FILE' replay colours
refused 'is unexpected; one FILE' replay colours stimuli.txt more.txt
refused '--page-size: .*1024 to 2097152' replay colours --page-size 512 stimuli.txt
refused '--page-size: .*1024 to 2097152' replay colours --page-size 4194304 stimuli.txt
refused '--page-size: 5000 is not a power of two' replay colours --page-size 5000 stimuli.txt
refused '--colours: 3 is not a power of two' replay colours --colours 3 stimuli.txt
refused '--colours: .*1 to 32' replay colours --colours 0 stimuli.txt
refused '--colours: pages of 4096 B cannot have 4; a power of two from 1 to 2' replay colours --colours 4 stimuli.txt
refused '--colours: pages of 65536 B cannot have 2' replay colours --machine v100 --page-size 65536 --colours 2 stimuli.txt
refused '--hidden-seed: ' replay colours --hidden-seed 18446744073709551616 stimuli.txt
refused '--hidden-seed: ' replay colours --hidden-seed -1 stimuli.txt
echo 'U 0 0 0' >frame.txt
refused 'frame.txt:1: U: pages of 2048 B; only with --page-size 4096' replay colours --page-size 2048 frame.txt
expect 0 replay colours --help
says 'U BASE COLOUR OFFSET'
expect 0 replay
says 'colours'
code=0
"$mempath" replay colours stimuli.txt >/dev/full 2>"$work/err" || code=$?
[ $code = 1 ] || wrong "a full disk gives $code, not 1"
[ ! -e "$MEMPATH_DB" ] || wrong 'a replay made a database'
finished
