#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Address functions by time alone: the facts in their order, JSON, the database, the picture, refusals.
. "$(dirname "$0")/../lib.sh"

expect 0 reveal --jitter 16
[ "$(head -n 1 "$work/out")" = 'machine gtx1080' ] || wrong 'not the machine first'
[ "$(cut -d' ' -f1 "$work/out" | uniq | tr '\n' ' ')" = \
    'machine bank set module line row ways colours probes cycles span ' ] || wrong 'not the facts in their order'
[ "$(grep -c '^bank' "$work/out") $(grep -c '^set' "$work/out") $(grep -c '^module' "$work/out")" = '7 10 3' ] ||
    wrong 'not as many functions as Figure 6 has'
grep '^line\|^row\|^ways\|^colours\|^span' "$work/out" >sizes.txt
cmp -s - sizes.txt <<'END' || wrong 'not the sizes of Appendix B'
line 128
row 2048
ways 16
colours 1024 8
colours 2048 4
colours 4096 2
colours 8192 1
colours 16384 1
colours 32768 1
colours 65536 1
colours 2097152 1
span bank equal
span set equal
span module equal
END
grep '^bank\|^set\|^module' "$work/out" >functions.txt

# Jitter changes the readings only; the database has the same functions.
expect 0 reveal --machine gtx1080
grep '^bank\|^set\|^module' "$work/out" | cmp -s - functions.txt || wrong 'jitter changes what is found'
sqlite3 -separator ' ' "$MEMPATH_DB" "SELECT resource, bits FROM reveal_function WHERE run = 2
    ORDER BY instr('bank set module', resource), number" | cmp -s - functions.txt || wrong 'not recorded'
[ "$(sqlite3 "$MEMPATH_DB" "SELECT group_concat(jitter || ' ' || line_bytes || ' ' || ways || ' ' || (hidden_seed IS NULL))
    FROM reveal")" = '16 128 16 1,0 128 16 1' ] || wrong 'not recorded'
expect 0 query reveal run=1
says '^bank .* equal$'

# Other functions of the same geometry.
expect 0 reveal --hidden-seed 18446744073709551615 --json
json "json_extract(j, '\$.machine')" gtx1080
json "json_extract(j, '\$.spans.bank') || json_extract(j, '\$.spans.set') || json_extract(j, '\$.spans.module')" \
    equalequalequal
json "json_array_length(json_extract(j, '\$.bank'))" 7
json "json_extract(j, '\$.ways')" 16
json "json_extract(j, '\$.run')" 3
[ "$(sqlite3 "$MEMPATH_DB" "SELECT hidden_seed FROM reveal WHERE run = 3")" = -1 ] || wrong 'the seed was not recorded'
expect 0 reveal --hidden-seed 7
says '^machine gtx1080 hidden 7$'

# Progress for a program: the part that is done grows, and the time left is known.
"$mempath" reveal --progress json 2>progress.txt >"$work/out" || wrong 'reveal --progress json'
grep -q '"job": "sets", "done": 6[0-9], "total": 66, "unit": "bits", .*"seconds_left": [0-9]' progress.txt ||
    wrong 'no progress as JSON'

# The pairs of loads: a picture with the limit between the two kinds.
expect 0 plot pairs 2
[ "$(tr '\n' ' ' <"$work/out")" = './pairs-run2.svg ./pairs-run2.png ' ] || wrong 'not the names of two files'
limit=$(sqlite3 "$MEMPATH_DB" "SELECT pair_limit FROM reveal WHERE run = 2")
for text in "limit, $limit cycles" 'one bank, two rows' 'no conflict'; do
    grep -q "$text" pairs-run2.svg || wrong "the picture does not say '$text'"
done
expect 0 plot pairs 1 --json
json "json_extract(j, '\$.conflicts') > 50 AND json_extract(j, '\$.pairs') > 1000" 1
expect 0 run fgpu-gtx1080 --set tenants.0.app=GUPS --set tenants.size=small --quiet
refused 'run 6 has no pairs of loads; mempath reveal measures them' plot pairs 6

# Pages of 4 KB: walks leave lines in the L2 and rows open in the banks. Half of these seeds failed with lines that
# were loaded for their translations alone and differed from the addresses at random.
for seed in 26 27 30 32 35 36; do
    expect 0 reveal --hidden-seed $seed --page-size 4096
done

# Threads on other SMs that load at random; V100 has more of them.
expect 0 reveal --neighbours 8 --json
json "(j ->> 'neighbours') || ' ' || (j ->> 'gap')" '8 100000'
[ "$(sqlite3 "$MEMPATH_DB" "SELECT group_concat(neighbours || ' ' || gap) FROM reveal WHERE neighbours")" = '8 100000' ] ||
    wrong 'the neighbours were not recorded'
expect 0 reveal --neighbours 12 --hidden-seed 3
expect 1 reveal --neighbours 20
grep -q '20 neighbours on 20 SMs; at most 19' "$work/err" || wrong 'too many neighbours'

# So much jitter hides what is looked for: a failure, which is recorded as one.
expect 1 reveal --jitter 1000
grep -q 'not found in' "$work/err" || wrong 'no reason'
[ "$(sqlite3 "$MEMPATH_DB" "SELECT status FROM run ORDER BY id DESC LIMIT 1")" = failed ] || wrong 'not a failed run'

refused "no machine 'gtx1070'; did you mean 'gtx1080'" reveal --machine gtx1070
refused 'jitter: .*; 0 to 1000' reveal --jitter 1001
refused '8192: 4096, 65536 or 2097152' reveal --page-size 8192
refused 'hidden-seed: ' reveal --hidden-seed -1
refused 'is unexpected; options only' reveal gtx1080
finished
