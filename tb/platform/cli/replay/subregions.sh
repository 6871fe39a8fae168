#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# MESC's tables, walks and TLBs alone: responses worked out by hand, refusals, one document as JSON.
. "$(dirname "$0")/../lib.sh"

# In session.txt: a stimulus, "->", its response by the rules of the design.
session() {
    sed -n 's/ *->.*//p' session.txt >stimuli.txt
    sed -n 's/.*-> //p' session.txt >wanted.txt
    expect 0 replay subregions "$@" stimuli.txt
    cmp -s wanted.txt "$work/out" || {
        diff wanted.txt "$work/out" >&2
        wrong "replay subregions $*: not what was worked out by hand"
    }
}

# The paper's examples: Sec. IV-A's frame, page 0x80188 of Fig. 6, and Fig. 9's frame 0x80200.
cat >session.txt <<'END'
P 0x80000 0x6000a rw 512    -> mapped=512
P 0x80200 0xf87 rw 256      -> mapped=256
P 0x80300 0x201d rw 64      -> mapped=64
P 0x80340 0x5000 rw 127     -> mapped=127
P 0x803bf 0x9000 rw         -> mapped=1
P 0x803c0 0x205d rw 64      -> mapped=64
S                           -> frames=2 c=15 ac=1 huge=0 changed=2
T 0x80188                   -> large 393618 rw 423 mem=4+0 l1=524680+1 sub=524288+512
T 0x80188                   -> l1 393618 rw 1
T 0x80189                   -> sub 393619 rw 21 l1=524681+1
T 0x80241                   -> subregion 4040 rw 223 mem=2+6 l1=524865+1 sub=524800+256
T 0x80301                   -> subregion 8222 rw 123 mem=1+0 l1=525057+1 sub=525056+64
T 0x803ff                   -> subregion 8348 rw 123 mem=1+0 l1=525311+1 sub=525248+64
T 0x803bf                   -> page 36864 rw 123 mem=1+0 l1=525247+1 iommu=525247+1
R 0x80340 0x5000 r          -> l1=0 iommu=0 sub=0 msc=1 pwc=3 c=159 ac=0
U 0x80188                   -> l1=1 iommu=0 sub=1 msc=0 pwc=1 c=191 ac=0
T 0x80340                   -> page 20480 r 423 mem=4+0 l1=525120+1 iommu=525120+1
T 0x80188                   -> fault 223 mem=2+0
T 0x7                       -> fault 123 mem=1+0
F                           -> l1=6 iommu=2 sub=3 msc=0 pwc=4
T 0x80188                   -> fault 423 mem=4+0
END
session --policy mesc

cat >session.txt <<'END'
P 512 1024 r 512   -> mapped=512
S                  -> frames=1 c=8 ac=1 huge=1 changed=1
T 600              -> huge 1112 r 322 mem=3+0 l1=512+512 iommu=512+512
T 1023             -> l1 1535 r 1
F                  -> l1=1 iommu=1 sub=0 msc=0 pwc=2
T 600              -> huge 1112 r 322 mem=3+0 l1=512+512 iommu=512+512
U 600              -> l1=1 iommu=1 sub=0 msc=0 pwc=2 c=253 ac=0
T 601              -> page 1113 r 422 mem=4+0 l1=601+1 iommu=601+1
END
session --policy thp

cat >session.txt <<'END'
P 9 0x77 rw 5   -> mapped=5
T 10            -> page 120 rw 421 mem=4+0 l1=9+3 iommu=9+3
T 12            -> page 122 rw 421 mem=4+0 l1=12+2 iommu=12+2
T 11            -> iommu 121 rw 21 l1=9+3
R 9 0x78 rw     -> l1=1 iommu=1 sub=0 msc=0 pwc=0 c=0 ac=0
T 10            -> page 120 rw 421 mem=4+0 l1=10+2 iommu=10+2
END
session --policy full-colt --l1 1 --pwc 0

# The same from stdin, with comments, blank lines, tabs and DOS line ends, and without a last newline.
sed 's/^T/# a translation\n\n\tT/; s/$/ # done\r/' stimuli.txt | head -c -1 >commented.txt
"$mempath" replay subregions --policy full-colt --l1 1 --pwc 0 - <commented.txt >"$work/out" ||
    wrong 'comments are not passed over'
cmp -s wanted.txt "$work/out" || wrong 'comments change the responses'

# Options without effect change nothing; small TLBs do not need them.
expect 0 replay subregions --policy full-colt --l1 1 --pwc 0 --msc 0 --sub-ways 1 --layout standard stimuli.txt
cmp -s wanted.txt "$work/out" || wrong '--msc and --sub-ways change a design without subregions'
expect 0 replay subregions --policy baseline --ways 4 stimuli.txt
refused '--sub-ways: 8 are more than the ways of a set, 4; 1 to 4' replay subregions --policy mesc --ways 4 stimuli.txt
expect 0 replay subregions --policy mesc --ways 4 --sub-ways 4 --msc 8 --msc-ways 2 --l1 128 --sets 1 stimuli.txt

# A bad line: responses before it are printed, none after it.
printf 'P 5 5 rw\n\nP 5 6 rw\nT 5\n' >bad.txt
expect 2 replay subregions --policy mesc bad.txt
[ "$(cat "$work/out")" = 'mapped=1' ] || wrong 'a bad line: not just the response before it'
[ "$(cat "$work/err")" = 'mempath: bad.txt:3: VPN 0x5 is mapped; P maps pages that are not, R changes others' ] ||
    wrong 'a bad line is not named'
printf '\nU 5\n' >bad.txt
refused 'bad.txt:2: VPN 0x5 is not mapped; U changes mapped pages' replay subregions --policy mesc bad.txt
printf 'P 1 2 x\n' >bad.txt
refused 'bad.txt:1: PERM .x. is not a permission' replay subregions --policy mesc bad.txt --json
refused 'absent.txt: ' replay subregions --policy mesc absent.txt

expect 0 replay subregions --policy full-colt --l1 1 --pwc 0 --json stimuli.txt
json "json_extract(j, '\$.policy')" full-colt
json "json_extract(j, '\$.pwc')" 0
json "json_array_length(j, '\$.responses')" 6
json "json_extract(j, '\$.responses[0]')" '{"line":1,"stimulus":"P","mapped":5}'
json "json_extract(j, '\$.responses[1].l1')" '{"first":9,"pages":3}'
json "json_extract(j, '\$.responses[1].where')" page
json "json_extract(j, '\$.responses[4].iommu')" 1
json "json_extract(j, '\$.responses[4].ac')" 0

refused 'no policy; --policy' replay subregions stimuli.txt
refused "did you mean 'mesc-colt'" replay subregions --policy mesc-cold stimuli.txt
refused 'no stimuli; a FILE' replay subregions --policy mesc
refused 'is unexpected; one FILE' replay subregions --policy mesc stimuli.txt more.txt
refused '--sets: .0. is too small' replay subregions --policy mesc --sets 0 stimuli.txt
refused '--ways: .*1 to 64' replay subregions --policy mesc --ways 65 stimuli.txt
refused '--l1: .*1 to 128' replay subregions --policy mesc --l1 129 stimuli.txt
refused '--sub-ways: 9 are more' replay subregions --policy baseline --ways 8 --sub-ways 9 stimuli.txt
refused '--msc: 24 entries in 8 ways' replay subregions --policy mesc --msc 24 stimuli.txt
refused '--msc: 512 entries in 3 ways' replay subregions --policy baseline --msc-ways 3 stimuli.txt
refused '--pwc: ' replay subregions --policy mesc --pwc -1 stimuli.txt
refused '--layout: no layout .heads.*did you mean .head' replay subregions --policy mesc --layout heads stimuli.txt
expect 0 replay subregions --help
says 'mesc-full-colt'
says 'P VPN PFN PERM \[N\]'
expect 0 --json replay
json "(SELECT count(*) FROM json_each(j) WHERE value ->> 'block' = 'subregions')" 1
code=0
"$mempath" replay subregions --policy mesc stimuli.txt >/dev/full 2>"$work/err" || code=$?
[ $code = 1 ] || wrong "a full disk gives $code, not 1"

[ ! -e "$MEMPATH_DB" ] || wrong 'a replay made a database'
finished
