#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Page-walk schedulers alone: responses worked out by hand, refusals, one document as JSON.
. "$(dirname "$0")/../lib.sh"

# In session.txt: a stimulus, "->", its response. IDs are in order, so responses are, too.
session() {
    sed -n 's/ *->.*//p' session.txt >stimuli.txt
    sed -n 's/.*-> //p' session.txt >wanted.txt
    expect 0 replay walks --latency 100 --walkers 2 "$@" stimuli.txt
    cmp -s wanted.txt "$work/out" || {
        diff wanted.txt "$work/out" >&2
        wrong "replay walks $*: not what was worked out by hand"
    }
}

cat >session.txt <<'END'
0 0 1    -> 1 0 0 0 100 0 0
0 1 2    -> 2 1 0 0 100 1 0
1 1 3    -> 3 1 1 100 200 0 0
2 0 4    -> 4 0 2 100 200 1 0
3 0 5    -> 5 0 3 200 300 0 0
4 1 6    -> 6 1 4 200 300 1 0
100 0 7  -> 7 0 100 300 400 0 0
400 1 8  -> 8 1 400 400 500 0 0
END
session --policy fcfs --queue 2
session --policy fcfs --queue 2 --compat hpca21

# Walk 3 and 5 wait for room in the only place of their tenant's queue; walk 4 is not held back.
cat >session.txt <<'END'
0 0 1    -> 1 0 0 0 100 0 0
1 0 2    -> 2 0 1 100 200 0 0
2 0 3    -> 3 0 2 200 300 0 0
3 1 4    -> 4 1 3 3 103 1 0
4 0 5    -> 5 0 4 300 400 0 0
END
session --policy static --queue 2

# Walker 1 is idle when walk 2 arrives, and no walk of its owner waits when it completes walk 4.
cat >session.txt <<'END'
0 0 1    -> 1 0 0 0 100 0 0
1 0 2    -> 2 0 1 1 101 1 1
2 0 3    -> 3 0 2 100 200 0 0
3 1 4    -> 4 1 3 101 201 1 0
4 0 5    -> 5 0 4 200 300 0 0
150 0 6  -> 6 0 150 201 301 1 1
END
session --policy dws --queue 2

# The published simulator: walk 1 goes to the lowest idle walker. At 100 walk 5 comes in from outside, the only one in
# that cycle, and walk 7 overtakes walk 6.
cat >session.txt <<'END'
0 1 1    -> 1 1 0 0 100 0 1
0 1 2    -> 2 1 0 0 100 1 0
1 1 3    -> 3 1 1 100 200 1 0
2 0 4    -> 4 0 2 100 200 0 0
3 1 5    -> 5 1 3 200 300 1 0
4 0 6    -> 6 0 4 300 400 0 0
100 0 7  -> 7 0 100 200 300 0 0
END
session --policy dws --queue 2 --compat hpca21

# At 100 eight walks of tenant 1 and one of tenant 0 wait: 7/20 is more than 0.3, and walker 0 steals. At 200 it does
# not. At 300 no walk of its owner waits.
cat >session.txt <<'END'
0 0 1    -> 1 0 0 0 100 0 0
0 1 2    -> 2 1 0 0 100 1 0
1 0 3    -> 3 0 1 200 300 0 0
1 1 4    -> 4 1 1 100 200 0 1
1 1 5    -> 5 1 1 100 200 1 0
1 1 6    -> 6 1 1 200 300 1 0
1 1 7    -> 7 1 1 300 400 0 1
1 1 8    -> 8 1 1 300 400 1 0
1 1 9    -> 9 1 1 400 500 0 1
1 1 10   -> 10 1 1 400 500 1 0
1 1 11   -> 11 1 1 500 600 0 1
END
session --policy dws++ --queue 20 --epoch 2 --thresholds aggressive --queue-threshold 0.1
sed 's/^1 0 3 .*/1 0 3 -> 3 0 1 100 200 0 0/; s/^1 1 4 .*/1 1 4 -> 4 1 1 100 200 1 0/; s/^1 1 5 .*/1 1 5 -> 5 1 1 200 300 0 1/' \
    session.txt >own.txt
mv own.txt session.txt
session --policy dws++ --queue 20 --epoch 2 --thresholds aggressive --queue-threshold 0.09

# Instruction 1/0/0 goes on with walk 3; then 3/0/0 needs one read and 2/0/0 two.
cat >session.txt <<'END'
0 0 1 0 0 0 4    -> 1 0 0 0 100 0 0
0 1 2 1 0 0 4    -> 2 1 0 0 100 1 0
1 1 3 1 0 0 4    -> 3 1 1 100 200 0 0
2 0 4 2 0 0 2    -> 4 0 2 200 300 0 0
3 0 5 3 0 0 1    -> 5 0 3 100 200 1 0
END
session --policy sjf --queue 8
session --policy sjf --queue 8 --set patience=50

# A line has the entries of 8 pages. Walk 4 waits and walk 9 joins, and walk 7 joins the other walker's when walker 0
# is done; those of tenant 1 are of another address space.
cat >session.txt <<'END'
0 0 1 0 0 0 1 16    -> 1 0 0 0 100 0 0 1
0 1 2 0 0 0 1 17    -> 2 1 0 0 100 1 0 2
1 0 3 0 0 0 1 40    -> 3 0 1 100 200 0 0 3
2 0 4 0 0 0 1 23    -> 4 0 2 100 100 0 0 1
3 0 5 0 0 0 1 24    -> 5 0 3 100 200 1 0 5
4 0 6 0 0 0 1 41    -> 6 0 4 200 200 0 0 3
150 0 7 0 0 0 1 31  -> 7 0 150 200 200 1 0 5
500 0 8 0 0 0 1 0   -> 8 0 500 500 600 0 0 8
510 0 9 0 0 0 1 1   -> 9 0 510 600 600 0 0 8
END
session --policy fcfs --queue 8 --line 8
expect 0 replay walks --policy fcfs --line 8 stimuli.txt --json
json "json_extract(j, '\$.responses[8].by')" 8
sed 's/\(5 0 3 100 200 1\) 0/\1 1/' session.txt >stolen.txt
mv stolen.txt session.txt
session --policy dws --queue 8 --line 8
printf '0 0 1 0 0 0 1 5\n0 0 2 0 0 0 1\n' >bad.txt
refused 'bad.txt:2: no PAGE, which --line asks for; CYCLE TENANT ID SM WARP INSTRUCTION READS PAGE' \
    replay walks --policy fcfs --line 8 bad.txt
refused "'513' is too large; 0 to 512" replay walks --policy fcfs --line 513 bad.txt

# In order of IDs, whatever that of the stimuli; from stdin, with comments and hexadecimal numbers.
printf '# two\n0 0 0x20\n\n0x5\t1 7 # last\r\n' >mixed.txt
"$mempath" replay walks --policy dws - <mixed.txt >"$work/out" || wrong 'stdin is not read'
[ "$(cat "$work/out")" = "$(printf '7 1 5 5 405 1 0\n32 0 0 0 400 0 0')" ] || wrong 'not in order of IDs'
: >empty.txt
expect 0 replay walks --policy fcfs empty.txt
[ ! -s "$work/out" ] || wrong 'no stimulus, yet a response'

expect 0 replay walks --policy fcfs mixed.txt --json
json "json_extract(j, '\$.policy')" fcfs
json "json_extract(j, '\$.responses[1].finish')" 400

refused 'absent.txt: ' replay walks --policy fcfs absent.txt
printf '0 0 1\n0 2 2\n' >bad.txt
refused 'bad.txt:2: there is no tenant 2; 0 to 1' replay walks --policy fcfs bad.txt
printf '5 0 1\n4 0 2\n' >bad.txt
refused 'bad.txt:2: cycle 4 is before the last; 5 or later' replay walks --policy fcfs bad.txt
printf '5 0 1\n\n6 0 1\n' >bad.txt
refused 'bad.txt:3: ID 1 is also in line 1; each once' replay walks --policy fcfs bad.txt
printf '5 0\n' >bad.txt
refused 'bad.txt:1: no ID; CYCLE TENANT ID' replay walks --policy fcfs bad.txt
refused 'no policy; ' replay walks mixed.txt
refused 'no stimuli; ' replay walks --policy fcfs
refused "did you mean 'dws'" replay walks --policy dwz mixed.txt
refused '65 are too many for dws; 64 at most' replay walks --policy dws --walkers 65 mixed.txt
refused '2 are too few for 3 tenants under static; 3 at least' replay walks --policy static --walkers 2 --tenants 3 mixed.txt
refused '4096 is too large for dws; 4095 at most' replay walks --policy dws --queue 4096 mixed.txt
refused 'hpca21 does not have static; use one of .*, or compat paper' replay walks --policy static --compat hpca21 mixed.txt
refused 'hpca21 supports 2 tenants under dws++, not 3' replay walks --policy dws++ --compat hpca21 --tenants 3 mixed.txt
refused "'artifact' is no choice; paper|hpca21" replay walks --policy dws --compat artifact mixed.txt
for x in 1.01 2 .5 0.511 -1 '' 1.5 0. 0,5; do
    refused '0 to 1 in steps of 0.01' replay walks --policy dws++ --queue-threshold "$x" mixed.txt
done
for x in 0 1 0.5 0.51 1.00; do
    expect 0 replay walks --policy dws++ --queue-threshold "$x" mixed.txt
done

[ ! -e "$MEMPATH_DB" ] || wrong 'a replay made a database'
finished
