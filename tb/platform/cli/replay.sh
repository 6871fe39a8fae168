#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The TLB model alone: responses worked out by hand, refusals, one document as JSON.
. "$(dirname "$0")/lib.sh"

# In session.txt: a stimulus, "->", the response that the rules of the policy give.
# Replays the left side and compares with the right one.
session() {
    sed -n 's/ *->.*//p' session.txt >stimuli.txt
    sed -n 's/.*-> //p' session.txt >wanted.txt
    expect 0 replay tlb "$@" stimuli.txt
    cmp -s wanted.txt "$work/out" || {
        diff wanted.txt "$work/out" >&2
        wrong "replay tlb $*: not what was worked out by hand"
    }
}

# Two sets of two ways, four pages an entry: base = vpn / 4, set = base mod 2.
cat >session.txt <<'END'
L 1 0       -> miss 3
I 1 0 100   -> vacant way=0 evicted=0
I 1 3 103   -> update way=0 evicted=0
L 1 3       -> hit 103 3
L 1 2       -> miss 3
L 2 3       -> miss 3
I 2 3 203   -> vacant way=1 evicted=0
I 1 4 104   -> vacant way=0 evicted=0
L 1 0       -> hit 100 3
I 1 8 108   -> evict way=1 evicted=1
L 2 3       -> miss 3
L 1 0x8     -> hit 108 3
I 1 0x10 9  -> evict way=0 evicted=2
L 1 3       -> miss 3
V 1 8       -> invalidated=1
V 1 8       -> invalidated=0
I 3 0 300   -> vacant way=1 evicted=0
I 3 0 0xff  -> update way=1 evicted=0
L 3 0       -> hit 255 3
A 1         -> invalidated=2
A 1         -> invalidated=0
F           -> invalidated=1
L 3 0       -> miss 3
END
small='--sets 2 --ways 2 --sub-entries 4 --latency 3'
# shellcheck disable=SC2086 # a list of words
session --policy subentry $small

# The same from stdin, with comments, blank lines, tabs and DOS line ends, and without a last newline.
sed 's/^L/# a lookup\n\n\tL/; s/$/ # done\r/' stimuli.txt | head -c -1 >commented.txt
# shellcheck disable=SC2086
"$mempath" replay tlb --policy subentry $small - <commented.txt >"$work/out" || wrong 'comments are not passed over'
cmp -s wanted.txt "$work/out" || wrong 'comments change the responses'
: >empty.txt
expect 0 replay tlb --policy subentry empty.txt
[ ! -s "$work/out" ] || wrong 'no stimulus, yet a response'

# STAR's L3 TLB unless said otherwise: 128 sets of 8 ways, so the ninth base of a set evicts, 128 bases further on.
for i in 0 1 2 3 4 5 6 7 8; do echo "I 1 $((i * 128 * 16)) 1"; done >ninth.txt
echo 'L 1 0x800' >>ninth.txt
expect 0 replay tlb --policy subentry ninth.txt
[ "$(tail -n 3 "$work/out" | tr '\n' ' ')" = 'vacant way=7 evicted=0 evict way=0 evicted=1 hit 1 40 ' ] ||
    wrong "the default geometry is not that of STAR's L3 TLB"

# A bad line: what came before stands, nothing follows.
printf 'L 1 1\n\nL 1\nL 1 1\n' >bad.txt
expect 2 replay tlb --policy subentry bad.txt
[ "$(cat "$work/out")" = 'miss 40' ] || wrong 'a bad line: not just the response before it'
[ "$(cat "$work/err")" = 'mempath: bad.txt:3: no VPN; L ASID VPN' ] || wrong 'a bad line is not named'
refused 'bad.txt:3: ' replay tlb --policy subentry bad.txt --json
refused 'absent.txt: ' replay tlb --policy subentry absent.txt

expect 0 replay tlb --policy subentry stimuli.txt --sets 2 --ways 2 --sub-entries 4 --latency 3 --json
json "json_extract(j, '\$.policy')" subentry
json "json_extract(j, '\$.ways')" 2
json "json_array_length(j, '\$.responses')" 23
json "json_extract(j, '\$.responses[3]')" '{"line":4,"stimulus":"L","hit":true,"pfn":103,"cycles":3}'
json "json_extract(j, '\$.responses[9].action')" evict
json "json_extract(j, '\$.responses[19].invalidated')" 2

refused 'no policy; --policy' replay tlb stimuli.txt
refused "did you mean 'subentry'" replay tlb --policy subentri stimuli.txt
refused 'no stimuli; a FILE' replay tlb --policy subentry
refused 'too much; one FILE' replay tlb --policy subentry stimuli.txt more.txt
refused '--sets: 3 is not a power of two' replay tlb --policy subentry --sets 3 stimuli.txt
refused '--sets: .*at most 1048576 entries' replay tlb --policy subentry --sets 32768 --ways 64 stimuli.txt
refused '--ways: .*1 to 64' replay tlb --policy subentry --ways 65 stimuli.txt
refused '--sub-entries: .*1 to 16' replay tlb --policy subentry --sub-entries 32 stimuli.txt
refused '--stride: ' replay tlb --policy subentry --stride 3 stimuli.txt
refused "no block 'tlc'; did you mean 'tlb'" replay tlc
expect 0 replay
says 'tlb'
expect 0 --json replay
json "json_extract(j, '\$[0].block')" tlb
expect 0 replay --help
says 'L ASID VPN'
expect 0 replay tlb --help
says 'subentry  '
expect 2 replay tlb --policy subentry /dev/full/x
code=0
"$mempath" replay tlb --policy subentry stimuli.txt >/dev/full 2>"$work/err" || code=$?
[ $code = 1 ] || wrong "a full disk gives $code, not 1"
[ ! -e "$MEMPATH_DB" ] || wrong 'a replay made a database'
finished
