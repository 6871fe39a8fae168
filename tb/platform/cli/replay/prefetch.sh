#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prefetchers alone: responses worked out by hand, refusals, JSON.
. "$(dirname "$0")/../lib.sh"

# In session.txt: a stimulus, "->", its response.
session() {
    sed -n 's/ *->.*//p' session.txt >stimuli.txt
    sed -n 's/.*-> //p' session.txt >wanted.txt
    expect 0 replay prefetch "$@" stimuli.txt
    cmp -s wanted.txt "$work/out" || {
        diff wanted.txt "$work/out" >&2
        wrong "replay prefetch $*: not what was worked out by hand"
    }
}

# 10 has followed 1, and 1 has followed 10. Address spaces are apart; 2^45 - 1 is the last page.
cat >session.txt <<'END'
M 0 0 0 100             -> -
M 0 0 0 101             -> -
M 1 0 0 101             -> -
M 0 5 3 111             -> -
M 0 0 0 112             -> 122
M 0 0 0 122             -> 123
M 0 0 0 122             -> -
M 1 0 0 102             -> -
A 0                     -> -
M 0 0 0 123             -> -
M 0 0 0 124             -> -
M 2 0 0 0x1ffffffffffb  -> -
M 2 0 0 0x1ffffffffffc  -> -
M 2 0 0 0x1ffffffffffd  -> -
M 2 0 0 0x1ffffffffffe  -> 35184372088831
M 2 0 0 0x1fffffffffff  -> -
F                       -> -
M 2 0 0 0x1ffffffffffc  -> -
M 2 0 0 0x1ffffffffffd  -> -
END
session
session --policy distance --set rows=16

# One row of one distance.
cat >session.txt <<'END'
M 0 0 0 100  -> -
M 0 0 0 101  -> -
M 0 0 0 102  -> -
M 0 0 0 103  -> 104
M 0 0 0 108  -> -
M 0 0 0 109  -> 114
M 0 0 0 110  -> -
END
session --set rows=1 --set slots=1

# A stride that was seen twice; of warps, and of an SM.
cat >session.txt <<'END'
M 0 1 0 10  -> -
M 0 1 1 13  -> -
M 0 1 0 16  -> -
M 0 1 1 19  -> -
M 0 1 0 22  -> 28 34
M 0 1 1 25  -> 31 37
END
session --policy stride --set degree=2
cat >session.txt <<'END'
M 0 1 0 10  -> -
M 0 1 1 13  -> -
M 0 1 0 16  -> 19
M 0 2 0 19  -> -
END
session --policy stride --set by=sm

printf 'M 0 0 0 5\n' >one.txt
expect 0 replay prefetch --json --policy stride one.txt
json "j ->> '$.policy'" stride
json "j ->> '$.degree'" 1
json "j -> '$.responses[0].pages'" '[]'
expect 0 replay prefetch --help
says 'distance'
says 'degree=1 (1 to 16)'

refused "no policy 'none'" replay prefetch --policy none one.txt
refused 'rows: .3. is not a power of two' replay prefetch --set rows=3 one.txt
refused 'distance has no such parameter; rows, ways, slots' replay prefetch --set degree=2 one.txt
refused 'no stimuli' replay prefetch
printf 'M 0 0 0 5\nM 8 0 0 5\n' >bad.txt
expect 2 replay prefetch bad.txt
grep -q "bad.txt:2: ASID '8'" "$work/err" || wrong 'the error does not say where'
printf 'L 0 0 0 5\n' >bad.txt
refused 'is not a stimulus; M, A or F' replay prefetch bad.txt
finished
