#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The TLB model alone: responses worked out by hand, refusals, one document as JSON.
. "$(dirname "$0")/../lib.sh"

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

# The default is STAR's L3 TLB, 128 sets of 8 ways, so the ninth base of a set evicts; bases of a set are 128 apart.
for i in 0 1 2 3 4 5 6 7 8; do echo "I 1 $((i * 128 * 16)) 1"; done >ninth.txt
echo 'L 1 0x800' >>ninth.txt
expect 0 replay tlb --policy subentry ninth.txt
[ "$(tail -n 3 "$work/out" | tr '\n' ' ')" = 'vacant way=7 evicted=0 evict way=0 evicted=1 hit 1 40 ' ] ||
    wrong "the default geometry is not that of STAR's L3 TLB"

# A bad line: responses before it are printed, none after it.
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
refused 'is unexpected; one FILE' replay tlb --policy subentry stimuli.txt more.txt
refused '--sets: .0. is too small' replay tlb --policy subentry --sets 0 stimuli.txt
refused '--sub-entries: 3 is not a power of two' replay tlb --policy subentry --sub-entries 3 stimuli.txt
refused '--sets: .*at most 1048576 entries' replay tlb --policy subentry --sets 32768 --ways 64 stimuli.txt
refused '--ways: .*1 to 64' replay tlb --policy subentry --ways 65 stimuli.txt
refused '--sub-entries: .*1 to 16' replay tlb --policy subentry --sub-entries 32 stimuli.txt
refused '--stride: ' replay tlb --policy star --stride 3 stimuli.txt
refused '--stride: subentry has no such parameter; none' replay tlb --policy subentry --stride 2 stimuli.txt
refused '--set epoch: subentry has no such parameter; none' replay tlb --policy subentry --set epoch=2 stimuli.txt
refused '--set: .stride. is not NAME=VALUE' replay tlb --policy star --set stride stimuli.txt
refused '--policy: .*--tenant-ways 4,2,2' replay tlb --policy static stimuli.txt
refused '--tenant-ways: .*only static and static-star do' replay tlb --policy star --tenant-ways 4,4 stimuli.txt
refused '--tenant-ways: the sum is 7.*8' replay tlb --policy static --tenant-ways 4,3 stimuli.txt
refused '--tenant-ways: .*1 to 64' replay tlb --policy static --tenant-ways 4,,4 stimuli.txt
refused '--tenant-ways: more than 8' replay tlb --policy static --tenant-ways 1,1,1,1,1,1,1,1,1 stimuli.txt
refused '--sub-entries: 8 are too few for star; 16 at least' replay tlb --policy star --sub-entries 8 stimuli.txt
refused '--sub-entries: 1 are too few for half-double-set; 2 at least' replay tlb --policy half-double-set --sub-entries 1 stimuli.txt
refused '--ways: 64 are too many for half-double-way; 32 at most' replay tlb --policy half-double-way --ways 64 stimuli.txt
refused '--stride: 2 is too large for star4; 1 at most' replay tlb --policy star4 --stride 2 stimuli.txt
refused '--policy: mask needs warps' replay tlb --policy mask stimuli.txt
echo 'L 2 0' >foreign.txt
refused 'foreign.txt:1: ASID 2 is not a tenant of this policy; 0 to 1' replay tlb --policy static --tenant-ways 4,4 foreign.txt
refused "no block 'tlc'; did you mean 'tlb'" replay tlc
expect 0 replay
says 'tlb'
expect 0 --json replay
json "json_extract(j, '\$[0].block')" tlb
expect 0 replay --help
says 'L ASID VPN'
expect 0 replay tlb --help
says 'subentry  '
code=0
"$mempath" replay tlb --policy subentry stimuli.txt >/dev/full 2>"$work/err" || code=$?
[ $code = 1 ] || wrong "a full disk gives $code, not 1"

# Three sets of one way: base = vpn / 4, set = base mod 3, so bases 0, 3 and 6 share a set and 4 and 2 do not.
cat >session.txt <<'END'
I 1 0 100   -> vacant way=0 evicted=0
I 1 16 116  -> vacant way=0 evicted=0
I 1 8 108   -> vacant way=0 evicted=0
L 1 0       -> hit 100 3
I 1 12 112  -> evict way=0 evicted=1
L 1 0       -> miss 3
L 1 16      -> hit 116 3
L 1 8       -> hit 108 3
I 1 25 125  -> evict way=0 evicted=1
L 1 12      -> miss 3
F           -> invalidated=3
END
session --policy subentry --sets 3 --ways 1 --sub-entries 4 --latency 3

# STAR, one set of two ways: base = vpn / 16. What each step does to the sets is in the comments.
cat >session.txt <<'END'
L 1 0      # the set is empty                                            -> miss 40
I 1 0 100  #                                                             -> vacant way=0 evicted=0
I 1 1 101  # way 0: base 0 with indices 0, 1                             -> update way=0 evicted=0
I 1 16 116 # way 1: base 1 with 0                                        -> vacant way=1 evicted=0
L 1 16     #                                                             -> hit 116 40
L 2 32     # nothing is shared yet                                       -> miss 40
I 2 32 232 # joins the emptier entry; one index is a run                 -> share-sequential way=1 evicted=0
L 2 32     # it is base 1 there                                          -> hit 232 50
L 1 16     #                                                             -> hit 116 40
L 1 2      # base 0 of way 0 matches, index 2 is not there               -> miss 40
L 1 64     # no match: both positions were compared                      -> miss 50
I 1 24 124 # index 8 wants the slot of index 0                           -> replace way=1 evicted=1
L 1 16     #                                                             -> miss 40
L 1 24     #                                                             -> hit 124 40
I 2 33 233 # the other base fills its eight slots                        -> update way=1 evicted=0
I 2 34 234 #                                                             -> update way=1 evicted=0
I 2 35 235 #                                                             -> update way=1 evicted=0
I 2 36 236 #                                                             -> update way=1 evicted=0
I 2 37 237 #                                                             -> update way=1 evicted=0
I 2 38 238 #                                                             -> update way=1 evicted=0
I 2 39 239 #                                                             -> update way=1 evicted=0
I 2 40 240 # a ninth: it takes the entry alone, asid 1 loses its one     -> revert way=1 evicted=1
L 2 40     #                                                             -> hit 240 40
L 2 32     # now base 0                                                  -> hit 232 40
L 1 24     #                                                             -> miss 40
I 1 3 103  # way 0: 0, 1, 3                                              -> update way=0 evicted=0
I 3 48 348 # a gap: stride; 3 moves to slot 2, 1 finds slot 0 taken      -> share-stride way=0 evicted=1
L 1 3      #                                                             -> hit 103 40
L 1 1      #                                                             -> miss 40
L 3 48     #                                                             -> hit 348 50
I 1 80 180 # way 0 is shared, way 1 has nine: the older one goes         -> evict way=1 evicted=9
A 1        # 0 and 3 in way 0, 80 in way 1                               -> invalidated=3
L 3 48     # alone in its entry again                                    -> hit 348 40
V 3 48     #                                                             -> invalidated=1
F          #                                                             -> invalidated=0
END
session --policy star --sets 1 --ways 2 --set lone=sequential
cat >session.txt <<'END'
I 1 0 10   -> vacant way=0 evicted=0
I 2 0 20   -> share-stride way=0 evicted=0
I 3 0 30   -> share4 way=0 evicted=0
L 3 0      -> hit 30 60
I 4 0 40   -> share4 way=0 evicted=0
L 4 0      -> hit 40 70
L 1 0      -> hit 10 40
I 5 0 50   -> evict way=0 evicted=4
END
session --policy star4 --sets 1 --ways 1
cat >session.txt <<'END'
I 1 0 10   -> vacant way=0 evicted=0
I 1 8 18   -> vacant way=0 evicted=0
I 1 16 26  -> evict way=0 evicted=1
L 1 8      -> hit 18 40
END
session --policy half-double-set --sets 1 --ways 1
cat >session.txt <<'END'
I 1 0 10   -> vacant way=0 evicted=0
L 1 0      -> hit 10 40
I 1 8 18   -> vacant way=1 evicted=0
L 1 8      -> hit 18 50
L 1 16     -> miss 50
END
session --policy half-double-way-seq --sets 1 --ways 1
cat >session.txt <<'END'
I 1 0 10   -> vacant way=2 evicted=0
I 1 16 26  -> evict way=2 evicted=1
I 0 0 10   -> vacant way=0 evicted=0
I 0 16 26  -> vacant way=1 evicted=0
L 1 16     -> hit 26 40
END
session --policy static --sets 1 --ways 3 --tenant-ways 2,1
cat >session.txt <<'END'
I 1 0 10   -> vacant way=2 evicted=0
I 1 16 26  -> share-stride way=2 evicted=0
I 0 0 10   -> vacant way=0 evicted=0
L 1 16     -> hit 26 50
END
session --policy static-star --sets 1 --ways 3 --tenant-ways 2,1

# Page 1 is walked again soon after it has left: pages 3 and 4 leave instead of it.
cat >session.txt <<'END'
I 1 1 11    -> vacant way=0 evicted=0
I 1 2 12    -> vacant way=1 evicted=0
I 1 3 13    -> evict way=0 evicted=1
I 1 1 11    -> evict way=1 evicted=1
I 1 4 14    -> evict way=0 evicted=1
I 1 5 15    -> evict way=0 evicted=1
L 1 1       -> hit 11 3
L 1 4       -> miss 3
I 1 6 16    -> evict way=0 evicted=1
END
session --policy depot --set length=2 --sets 1 --ways 2 --sub-entries 1 --latency 3

[ ! -e "$MEMPATH_DB" ] || wrong 'a replay made a database'
finished
