#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# L1 TLBs that ask each other: responses worked out by hand, a session per rule; refusals; one document as JSON.
. "$(dirname "$0")/../lib.sh"

# In session.txt: a stimulus, "->", its response.
session() {
    sed -n 's/ *->.*//p' session.txt >stimuli.txt
    sed -n 's/.*-> //p' session.txt >wanted.txt
    expect 0 replay neighbours "$@" stimuli.txt
    cmp -s wanted.txt "$work/out" || {
        diff wanted.txt "$work/out" >&2
        wrong "replay neighbours $*: not what was worked out by hand"
    }
}

# The directory names neighbours; bit 0 of asid 1 flips bit 17 of a tag; a load evicts.
cat >session.txt <<'END'
L 0 1 7 70  -> miss 70 11 probes=0 load=1 out=-
L 1 1 7 70  -> sm0 70 4 probes=1 load=1 out=-
D 2         -> 131079:101
L 1 1 8 80  -> miss 80 11 probes=0 load=1 out=1:7
D 2         -> 131079:001 131080:100
END
session --sms 3 --entries 1

# Without neighbours. A look-up makes a page most recent; the least recent one leaves.
cat >session.txt <<'END'
L 0 1 7 70  -> miss 70 11 probes=0 load=1 out=-
L 1 1 7 70  -> miss 70 11 probes=0 load=1 out=-
L 0 1 8 80  -> miss 80 11 probes=0 load=1 out=-
L 0 1 7 71  -> hit 70 1 probes=0 load=0 out=-
L 0 1 9 90  -> miss 90 11 probes=0 load=1 out=1:8
L 0 2 7 72  -> miss 72 11 probes=0 load=1 out=1:7
D 1         -> -
END
session --policy none --entries 2

# Both are asked at once, left's answer first; a probe counts as a use only if its answer is used.
cat >session.txt <<'END'
L 0 0 1 10  -> miss 10 19 probes=2 load=1 out=-
L 2 0 1 12  -> miss 12 19 probes=2 load=1 out=-
L 1 0 1 0   -> sm0 10 14 probes=2 load=1 out=-
L 2 0 2 20  -> miss 20 19 probes=2 load=1 out=-
L 0 0 2 0   -> miss 0 19 probes=2 load=1 out=-
L 1 0 1 0   -> hit 10 3 probes=0 load=0 out=-
L 1 0 5 50  -> miss 50 19 probes=2 load=1 out=-
L 1 0 6 60  -> miss 60 19 probes=2 load=1 out=0:1
L 1 0 1 0   -> sm0 10 14 probes=2 load=1 out=0:5
L 0 0 3 30  -> miss 30 19 probes=2 load=1 out=0:2
L 2 0 3 0   -> miss 0 19 probes=2 load=1 out=0:1
D 0         -> -
END
session --policy direct --entries 2 --latency 3 --hop 4 --below 5 --sms 5

# A probe goes to the right round the group and stops; the answer goes on round it. The last group is smaller, and a
# group of one asks no TLB.
cat >session.txt <<'END'
L 0 0 1 10  -> miss 10 25 probes=2 load=1 out=-
L 1 0 1 11  -> sm0 10 15 probes=2 load=1 out=-
L 2 0 1 12  -> sm0 10 12 probes=1 load=1 out=-
L 3 0 1 13  -> miss 13 13 probes=0 load=1 out=-
L 3 0 1 14  -> hit 13 3 probes=0 load=0 out=-
END
session --policy ring --group 3 --sms 4 --latency 3 --hop 2

# A hop of no cycle; 4 - 2 = 2 cycles less.
cat >session.txt <<'END'
L 0 1 7 70  -> miss 70 11 probes=0 load=1 out=-
L 1 1 7 70  -> sm0 70 2 probes=1 load=1 out=-
END
session --hop 0

# Left before right, and left only: it is the only one that is asked.
cat >session.txt <<'END'
L 2 0 1 12  -> miss 12 11 probes=0 load=1 out=-
D 1         -> 1:001
D 3         -> 1:100
L 1 0 1 0   -> sm2 12 4 probes=1 load=0 out=-
L 0 0 1 10  -> miss 10 11 probes=0 load=1 out=-
D 1         -> 1:101
L 1 0 1 0   -> sm0 10 4 probes=1 load=0 out=-
D 1         -> 1:101
END
session --update exclusive --sms 5

# The two ends of the row are neighbours.
cat >session.txt <<'END'
L 0 0 1 10  -> miss 10 11 probes=0 load=1 out=-
L 15 0 1 0  -> sm0 10 4 probes=1 load=1 out=-
L 8 0 1 18  -> miss 18 11 probes=0 load=1 out=-
D 15        -> 1:011
END
session

# A tag is the XOR of the four-bit pieces of a page, and asids flip bits. A probe in vain changes no bit.
cat >session.txt <<'END'
L 0 0 0x21 10    -> miss 10 11 probes=0 load=1 out=-
D 1              -> 3:100
L 1 0 3 30       -> miss 30 14 probes=1 load=1 out=-
D 1              -> 3:110
L 1 0 0x12 50    -> miss 50 14 probes=1 load=1 out=0:3
D 1              -> 3:110
L 0 4 0x2 20     -> miss 20 11 probes=0 load=1 out=0:33
D 1              -> 0:100
L 0 0x20 1 20    -> miss 20 11 probes=0 load=1 out=4:2
D 1              -> 5:100
END
session --entries 1 --tag-bits 4 --sms 4

# Tags alike: what was evicted takes the bit of the page that is still there.
cat >session.txt <<'END'
L 0 0 0x01 1  -> miss 1 11 probes=0 load=1 out=-
L 0 0 0x10 2  -> miss 2 11 probes=0 load=1 out=-
D 1           -> 1:100
L 0 0 0x02 3  -> miss 3 11 probes=0 load=1 out=0:1
D 1           -> 2:100
L 1 0 0x10 2  -> miss 2 11 probes=0 load=1 out=-
END
session --entries 2 --tag-bits 4

# A full directory: the oldest entry that the TLB itself holds leaves, else the oldest of all. Ages are not refreshed.
cat >session.txt <<'END'
L 0 0 1 1     -> miss 1 11 probes=0 load=1 out=-
L 0 0 2 2     -> miss 2 11 probes=0 load=1 out=-
L 1 0 2 2     -> sm0 2 4 probes=1 load=1 out=-
D 1           -> 1:100 2:110
L 0 0 3 3     -> miss 3 11 probes=0 load=1 out=-
D 1           -> 1:100 3:100
L 2 0 1 9     -> miss 9 11 probes=0 load=1 out=-
D 1           -> 1:101 3:100
L 0 0 4 4     -> miss 4 11 probes=0 load=1 out=-
D 1           -> 3:100 4:100
L 0 0 2 2     -> hit 2 1 probes=0 load=0 out=-
L 1 0 1 5     -> miss 5 11 probes=0 load=1 out=-
L 2 0 2 6     -> sm1 2 4 probes=1 load=1 out=-
D 1           -> 4:100 2:011
END
session --directory 2 --sms 4

# twice: the same page in two answers in a row; hits and answers of the L2 TLB between them do not matter.
cat >session.txt <<'END'
L 0 0 1 1     -> miss 1 11 probes=0 load=1 out=-
L 0 0 2 2     -> miss 2 11 probes=0 load=1 out=-
L 1 0 1 1     -> sm0 1 4 probes=1 load=0 out=-
L 1 0 2 2     -> sm0 2 4 probes=1 load=0 out=-
L 1 0 1 1     -> sm0 1 4 probes=1 load=0 out=-
L 1 0 3 3     -> miss 3 11 probes=0 load=1 out=-
L 1 0 3 3     -> hit 3 1 probes=0 load=0 out=-
L 1 0 1 1     -> sm0 1 4 probes=1 load=1 out=-
L 1 0 1 1     -> hit 1 1 probes=0 load=0 out=-
L 1 0 2 2     -> sm0 2 4 probes=1 load=0 out=-
V 0 2         -> invalidated=1
L 0 0 2 4     -> miss 4 11 probes=0 load=1 out=-
L 1 0 2 2     -> sm0 4 4 probes=1 load=0 out=-
L 1 0 2 2     -> sm0 4 4 probes=1 load=1 out=-
END
session --update twice

# twice-entry: a bit of each entry, so answers for other pages do not matter.
cat >session.txt <<'END'
L 0 0 1 1     -> miss 1 11 probes=0 load=1 out=-
L 0 0 2 2     -> miss 2 11 probes=0 load=1 out=-
L 1 0 1 1     -> sm0 1 4 probes=1 load=0 out=-
D 1           -> 1:100* 2:100
L 1 0 2 2     -> sm0 2 4 probes=1 load=0 out=-
L 1 0 1 1     -> sm0 1 4 probes=1 load=1 out=-
D 1           -> 1:110 2:100*
END
session --update twice-entry

# Invalidations: all arrays, all directories; the entry of a tag leaves, even if another page has it.
cat >session.txt <<'END'
L 0 0 1 1     -> miss 1 11 probes=0 load=1 out=-
L 1 0 1 1     -> sm0 1 4 probes=1 load=1 out=-
L 0 1 2 2     -> miss 2 11 probes=0 load=1 out=-
L 0 0 0x20 3  -> miss 3 11 probes=0 load=1 out=-
D 1           -> 1:110 10:100 2:100
V 0 1         -> invalidated=2
V 0 2         -> invalidated=0
D 1           -> 10:100
A 1           -> invalidated=1
D 1           -> -
L 1 0 0x20 5  -> miss 5 11 probes=0 load=1 out=-
F             -> invalidated=2
D 0           -> -
L 1 0 0x20 6  -> miss 6 11 probes=0 load=1 out=-
END
session --tag-bits 4

# A frame is that of the TLB it comes from, be it an old one.
cat >session.txt <<'END'
L 0 0 1 100   -> miss 100 11 probes=0 load=1 out=-
L 1 0 1 200   -> sm0 100 4 probes=1 load=1 out=-
END
session

# From stdin, with comments, blank lines, tabs and DOS line ends, and without a last newline.
sed 's/^L/# a request\n\n\tL/; s/$/ # done\r/' stimuli.txt | head -c -1 >commented.txt
"$mempath" replay neighbours - <commented.txt >"$work/out" || wrong 'comments are not passed over'
cmp -s wanted.txt "$work/out" || wrong 'comments change the responses'

# A bad line: responses before it are printed, none after it.
printf 'L 0 0 1 1\n\nL 16 0 1 1\nF\n' >bad.txt
expect 2 replay neighbours bad.txt
[ "$(cat "$work/out")" = 'miss 1 11 probes=0 load=1 out=-' ] || wrong 'a bad line: not just the response before it'
[ "$(cat "$work/err")" = "mempath: bad.txt:3: SM '16' is too large; L SM ASID VPN PFN, SM from 0 to 0xf" ] ||
    wrong 'a bad line is not named'
refused 'bad.txt:3: ' replay neighbours bad.txt --json
refused 'absent.txt: ' replay neighbours absent.txt

printf 'L 0 1 7 70\nL 1 1 7 70\nL 1 1 8 80\nD 2\nF\n' >some.txt
expect 0 replay neighbours --sms 3 --entries 1 --json some.txt
json "json_extract(j, '\$.policy')" neidty
json "json_extract(j, '\$.update')" default
json "json_extract(j, '\$.responses[1]')" \
    '{"line":2,"stimulus":"L","who":"sm0","pfn":70,"cycles":4,"probes":1,"load":true,"out":null}'
json "json_extract(j, '\$.responses[2].out')" 1:7
json "json_extract(j, '\$.responses[3].directory[1]')" '{"tag":131080,"map":"100","once":false}'
json "json_extract(j, '\$.responses[4].invalidated')" 2

# Both ends of each range, and what is outside of it.
ends() {
    for value in $2 $3; do expect 0 replay neighbours --policy "$4" "--$1" "$value" some.txt --sms 4; done
    refused "--$1: '$(($2 - 1))' is too small; $2 to $3\\|--$1: .*$2 to $3" replay neighbours "--$1" $(($2 - 1)) some.txt
    refused "--$1: .*$2 to $3" replay neighbours "--$1" $(($3 + 1)) some.txt
}
ends entries 1 64 neidty
ends directory 1 256 neidty
ends tag-bits 4 52 neidty
ends latency 1 10000 direct
ends hop 0 10000 neidty
ends below 1 100000 none
ends group 2 64 ring
for sms in 3 64; do expect 0 replay neighbours --sms $sms some.txt; done
refused '--sms: .*3 to 64' replay neighbours --sms 2 some.txt
refused '--sms: .*3 to 64' replay neighbours --sms 65 some.txt
refused "--policy: no policy 'rings'; did you mean 'ring'" replay neighbours --policy rings some.txt
refused "--update: 'thrice' is no choice; default|exclusive|twice|twice-entry" replay neighbours --update thrice some.txt
for policy in none direct ring; do
    refused "--update: twice-entry needs a directory, which $policy has not" \
        replay neighbours --policy $policy --update twice-entry some.txt
done
expect 0 replay neighbours --policy ring --update twice some.txt
refused 'no stimuli; a FILE' replay neighbours
refused 'is unexpected; one FILE' replay neighbours some.txt more.txt
expect 0 replay neighbours --help
says 'L SM ASID VPN PFN'
says 'twice-entry  '
code=0
"$mempath" replay neighbours some.txt >/dev/full 2>"$work/err" || code=$?
[ $code = 1 ] || wrong "a full disk gives $code, not 1"

[ ! -e "$MEMPATH_DB" ] || wrong 'a replay made a database'
finished
