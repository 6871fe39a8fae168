#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Unified memory alone: responses worked out by hand, options, refusals, one document as JSON.
. "$(dirname "$0")/../lib.sh"

# In session.txt: a stimulus, "->", the response that the rules give.
session() {
    sed -n 's/ *->.*//p' session.txt >stimuli.txt
    sed -n 's/.*-> //p' session.txt >wanted.txt
    expect 0 replay uvm "$@" stimuli.txt
    cmp -s wanted.txt "$work/out" || {
        diff wanted.txt "$work/out" >&2
        wrong "replay uvm $*: not what was worked out by hand"
    }
}

# Two blocks; a fault brings its 64 KB; the host takes them back; a store makes a page dirty.
cat >session.txt <<'END'
R 0 0x40000000 0x400000   -> blocks=2
F 1 0 0 0x40000000 r      -> entry 1
B 1                       -> block 0:512 fault=0 prefetch=1-15 zero=0-15 copy=- remote=- held=- done=- cancel=- ignore=- | batch entries=1 merged=0 duplicates=0 dropped=0 left=0 replays=1
A 2 0 0x40000fff w        -> hit
A 2 0 0x40010000 r        -> fault
H 3 0 0x40001000 r        -> move 0-15
H 3 0 0x40001000 w        -> host
H 3 0 0x40010000 w        -> zero
H 3 1 0x40010000 w        -> refused
F 4 0 0 0x40011000 w      -> entry 1
F 4 1 0 0x40011000 r      -> entry 2
F 4 1 0 0x40400000 p      -> entry 3
F 4 2 0 0x40401000 a      -> entry 4
B 4                       -> block 0:512 fault=17 prefetch=16,18-31 zero=17-31 copy=16 remote=- held=- done=- cancel=- ignore=- | block 0:514 fault=- prefetch=- zero=- copy=- remote=- held=- done=- cancel=1 ignore=0 | batch entries=4 merged=1 duplicates=1 dropped=0 left=0 replays=1
D 0                       -> units=1 | 512 gpu=16-31 remote=- thrashing=- pinned=-
D 7                       -> units=0
U 5 0 0x40000000          -> freed pages=16 units=1
D 0                       -> units=0
B 5                       -> batch entries=0 merged=0 duplicates=0 dropped=0 left=0 replays=0
END
session
session --page 0x1000 --prefetch tree --prefetch-full same --evict lru2m --migrate first-touch --link pcie

# A pool of 32 units of 64 KB: a page of each of 34 big pages; the two that were touched first leave.
{
    echo 'R 3 0x40000000 0x600000 ro -> blocks=3'
    for i in $(seq 0 33); do echo "F 9 $i 3 $((0x40000000 + i * 65536)) r -> entry $((i + 1))"; done
    all=$(seq -s, 0 16 496)
    rest='copy=- remote=- held=- done=- cancel=- ignore=-'
    echo "B 9 -> block 3:512 fault=$all prefetch=- zero=$all $rest | evict 3:512 back=0 drop=- | evict 3:512 back=16 drop=- | block 3:513 fault=0,16 prefetch=- zero=0,16 $rest | batch entries=34 merged=0 duplicates=0 dropped=0 left=0 replays=1"
    echo 'F 10 0 3 0x40000000 w -> entry 1'
    echo 'B 10 -> block 3:512 fault=- prefetch=- zero=- copy=- remote=- held=- done=- cancel=0 ignore=- | batch entries=1 merged=0 duplicates=0 dropped=0 left=0 replays=1'
} >session.txt
session --chunks 1 --evict lru64k --prefetch none

# Memory leaves ahead of need, the oldest first, and no more of a space than leaves its reserve.
cat >session.txt <<'END'
Q 1 1 2                   -> reserve=1 limit=2
R 0 0x40000000 0x400000   -> blocks=2
R 1 0x40000000 0x1000     -> blocks=1
E 1                       -> evicted=0 spare=3
F 2 0 0 0x40000000 r      -> entry 1
F 2 0 0 0x40200000 r      -> entry 2
F 2 0 1 0x40000000 r      -> entry 3
B 2                       -> block 0:512 fault=0 prefetch=- zero=0 copy=- remote=- held=- done=- cancel=- ignore=- | block 0:513 fault=0 prefetch=- zero=0 copy=- remote=- held=- done=- cancel=- ignore=- | block 1:512 fault=0 prefetch=- zero=0 copy=- remote=- held=- done=- cancel=- ignore=- | batch entries=3 merged=0 duplicates=0 dropped=0 left=0 replays=1
E 3                       -> evict 0:512 back=0 drop=- | evicted=1 spare=1
E 4                       -> evicted=0 spare=1
END
session --chunks 3 --prefetch none

# Remote pages and their counters: three loads of a granule give a notice.
cat >session.txt <<'END'
R 0 0x40000000 0x200000   -> blocks=1
H 1 0 0x40000000 w        -> zero
H 1 0 0x40002000 w        -> zero
F 2 0 0 0x40000000 r      -> entry 1
B 2                       -> block 0:512 fault=- prefetch=- zero=- copy=- remote=0 held=- done=- cancel=- ignore=- | batch entries=1 merged=0 duplicates=0 dropped=0 left=0 replays=1
A 3 0 0x40000000 r        -> remote 1
A 3 0 0x40000000 a        -> fault
A 3 0 0x40000000 r        -> remote 2
A 3 0 0x40000000 r        -> remote 3 notice
A 3 0 0x40000000 r        -> remote 4
C 4                       -> block 0:512 fault=0,2 prefetch=1,3-15 zero=1,3-15 copy=0,2 | notices=1 left=0
C 4                       -> notices=0 left=0
A 5 0 0x40000000 r        -> hit
N 5 0 0x401f0000 0x1 2    -> remote 2
N 5 0 0x40000000 1 0      -> fault
N 5 0 0x50000000 1 3      -> fault
N 5 0 0x40000000 1 9      -> remote 11 notice
C 6                       -> block 0:512 fault=- prefetch=- zero=- copy=- | notices=1 left=0
END
session --migrate counter --counter 3
session --migrate counter --counter 3 --granule 65536

# Quotas, and the policies of replays.
cat >session.txt <<'END'
Q 1 2 3                   -> reserve=2 limit=3
R 1 0 0x200000            -> blocks=1
F 1 0 1 0 r               -> entry 1
F 1 0 1 0x1000 r          -> entry 2
F 1 0 1 0x2000 r          -> full
B 1                       -> block 1:0 fault=0 prefetch=1-15 zero=0-15 copy=- remote=- held=- done=- cancel=- ignore=- | batch entries=1 merged=0 duplicates=0 dropped=0 left=1 replays=0
B 1                       -> block 1:0 fault=- prefetch=- zero=- copy=- remote=- held=- done=1 cancel=- ignore=- | batch entries=1 merged=0 duplicates=0 dropped=0 left=0 replays=1
END
session --chunks 3 --entries 2 --batch 1 --replay-policy once

# Draws follow from the seed alone.
{
    echo 'R 0 0 0x200000'
    for i in 0 100 200 300; do echo "F 1 0 0 $((i * 4096)) r"; done
    echo 'B 1'
} >stimuli.txt
for seed in 1 2; do
    for try in 1 2; do
        expect 0 replay uvm --prefetch random --seed $seed stimuli.txt
        cp "$work/out" "seed$seed.$try"
    done
    cmp -s seed$seed.1 seed$seed.2 || wrong "seed $seed: two runs differ"
done
cmp -s seed1.1 seed2.1 && wrong 'two seeds draw the same pages'

# A bad line: responses before it are printed, none after it.
while IFS='|' read -r line why; do
    printf 'R 0 0x40000000 0x200000\nF 5 0 0 0x40000000 r\n\n%s\nD 0\n' "$line" >bad.txt
    expect 2 replay uvm --chunks 2 bad.txt
    [ "$(cat "$work/out")" = 'blocks=1
entry 1' ] || wrong "$line: not just the responses before it"
    [ "$(cat "$work/err")" = "mempath: bad.txt:4: $why" ] || wrong "$line: $(cat "$work/err")"
done <<'END'
X 0|'X' is not a stimulus; R, Q, F, B, A, H, N, C, E, U or D
F 5 0 0 0x40000000|no ACCESS; F T SM ASID VA ACCESS
F 5 0 0 0x40000000 x|ACCESS 'x' is unknown; F T SM ASID VA ACCESS, ACCESS is p, r, w or a
A 5 0 0x40000000 p|ACCESS 'p' is of faults only; r, w or a
F 4 0 0 0x40000000 r|T '4' is before 5; time does not go back
B 0|T '0' is too small; T is in ns, from 1
R 8 0 0x1000|ASID '8' is too large; R ASID VA BYTES, ASID from 0 to 0x7
R 0 0x401ff000 0x2000|range: it overlaps the one at 0x40000000 of 2097152 B
R 0 0x800 0x1000|range: 0x800 and 4096 B are not whole pages; multiples of 4096 B
R 0 0 0|range: 0x0 and 0 B are not whole pages; multiples of 4096 B
R 0 0 0x1000 rw|'rw' is unexpected; R ASID VA BYTES
R 0 0x1fffffffffff000 0x2000|range: it does not end below 2^57
R 0 0x80000000 0x10000000000|range: there is no room for its 524288 blocks of 2 MB; at most 262144 in all
Q 1 2 2|reserve: 3 chunks would be reserved in all; at most 2, the pool
Q 1 1 3|limit: 3 is out of range; 1, the reserve, to 2 chunks
Q 1 0 1|reserve: 0 is out of range; 1 to 2 chunks
U 5 0 0x40001000|range: none of space 0 begins at 0x40001000
END
refused 'bad.txt:4: ' replay uvm --chunks 2 bad.txt --json

cat >stimuli.txt <<'END'
R 0 0x40000000 0x400000
F 1 0 0 0x40000000 r
F 1 0 0 0x40200000 r
B 1
A 1 0 0x40000000 r
H 1 0 0x40200000 r
D 0
END
expect 0 replay uvm --json --chunks 1 --evict lru2m --migrate adaptive stimuli.txt
json "json_extract(j, '\$.evict')" lru2m
json "json_extract(j, '\$.min_faults')" 1
json "json_extract(j, '\$.replay_policy')" batch_flush
json "json_extract(j, '\$.responses[3].parts[1]')" '{"what":"evict","asid":0,"block":512,"back":"0-15","drop":"-"}'
json "json_extract(j, '\$.responses[3].parts[2].zero')" 0-15
json "json_extract(j, '\$.responses[3].entries')" 2
json "json_extract(j, '\$.responses[4]')" '{"line":5,"stimulus":"A","what":"remote","count":1,"notice":false}'
json "json_extract(j, '\$.responses[5].pages')" 0-15
json "json_extract(j, '\$.responses[6].units')" 1
json "json_extract(j, '\$.responses[6].blocks[0].remote')" 0-15

refused "--prefetch: no 'trees'; did you mean 'tree'" replay uvm --prefetch trees stimuli.txt
refused "--evict: no 'lru'" replay uvm --evict lru stimuli.txt
refused "--link: no 'usb'; pcie or c2c" replay uvm --link usb stimuli.txt
refused "--thrashing: no 'maybe'; off or on" replay uvm --thrashing maybe stimuli.txt
refused '--page: 8192 is not a page size of managed memory; 4096 or 65536' replay uvm --page 8192 stimuli.txt
refused '--granule: 4096 is not a granule; 65536 or 2097152' replay uvm --granule 4096 stimuli.txt
refused '--chunks: 0 is out of range; 1 to 65536' replay uvm --chunks 0 stimuli.txt
refused '--min-faults: 21 is out of range; 1 to 20' replay uvm --min-faults 21 stimuli.txt
refused '--seed: ' replay uvm --seed 0 stimuli.txt
refused 'no stimuli; a FILE' replay uvm
expect 0 replay uvm --help
says 'lru64k'
says 'oversub'
expect 0 replay
says 'uvm'
[ ! -e "$MEMPATH_DB" ] || wrong 'a replay made a database'
finished
