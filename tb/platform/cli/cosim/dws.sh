#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `mempath cosim dws`: equal RTL, faulty RTL ($3 is a library with it), recorded walks, refusals.
. "$(dirname "$0")/../lib.sh"
faulty=$3

expect 0 cosim
says 'dws '
expect 0 cosim dws --help
says 'CYCLE TENANT ID'
for mode in dws dws++ dws++-conservative dws++-aggressive; do
    expect 0 cosim dws --mode "$mode" --transactions 20000
    says "dws $mode, cosim [0-9]*: equal after 2000[0-9] transactions"
done
expect 0 cosim dws --transactions 60000 --coverage
says 'dws++ 16/12/2: threshold: the difference is DIFF_THRES, no'
says 'dws++ 16/12/2: queue 15: 12 long'
says '^not run: dws++, 24/8/8, changing; ' # the RTL that counts lines has 16 walkers and two tenants

# What is drawn, and what options fix.
expect 0 cosim dws --transactions 30000 --json
json "json_extract(j, '\$.not_run') LIKE '%/%'" 0
expect 0 cosim dws --mode dws++ --tenants 4 --owners blocked --epoch 7 --diff-thresholds 1,2,3,4,never --queue-threshold 60 \
    --transactions 5000 --json
json "json_extract(j, '\$.not_run') LIKE '%epochs of 1 arrival; epochs of 16 %walkers owned interleaved'" 1
json "json_extract(j, '\$.replay')" 'mempath cosim dws --mode dws++ --tenants 4 --owners blocked --epoch 7 --diff-thresholds 1,2,3,4,never --queue-threshold 60 --seed 1 --transactions 5000'

# Other sizes: of those that are drawn, and one that is built first.
expect 0 cosim dws --size 24/8/8 --transactions 5000 --json
json "json_extract(j, '\$.replay')" 'mempath cosim dws --size 24/8/8 --seed 1 --transactions 5000'
expect 0 cosim dws --size 7/2/5 --transactions 20000
says 'equal after 2000[0-9] transactions'
printf '1 0 1\n1 2 2\n' >three.txt
expect 0 cosim dws --tenants 3 three.txt

# Walks of a run: what missed in the L3 TLB, of two tenants, in order of time.
expect 0 run demo --set tenants.size=small --observe l3_tlb -o l3.csv
awk -F, '$8 == "miss" { print $1, $3 != 0, NR }' l3.csv | sort -n -k1,1 -k3,3 >walks.txt
[ "$(wc -l <walks.txt)" -gt 5000 ] || wrong 'the recorded stream is short'
for mode in dws dws++; do
    expect 0 cosim dws --mode "$mode" --latency 300 walks.txt --json
    json "json_extract(j, '\$.status')" equal
    # each arrives at least once and completes once
    json "json_extract(j, '\$.transactions') >= 2 * $(wc -l <walks.txt)" 1
    json "json_extract(j, '\$.latency')" 300
done
expect 0 query cosim
says 'latency 300 *walks.txt .*equal'

# Faulty RTL stops at the first difference and prints the command that repeats it.
mkdir faulty
cp "$mempath" "$faulty" faulty/
mempath=faulty/mempath
expect 1 cosim dws --mode dws++-aggressive --size 16/12/2 --transactions 1000000
says '^first difference: .* of a'
says '^\* '
cp out first
again=$(sed -n 's/^again: mempath //p' first)
# shellcheck disable=SC2086 # a list of words
expect 1 $again
grep -v 'a minute' first >first-state
grep -v 'a minute' out | cmp - first-state || wrong 'the replay differs from what it replays'
awk 'BEGIN { for (c = 0; c < 40000; c += 10) print c, (c % 2000 > 1500), c }' >imbalance.txt
expect 1 cosim dws --mode dws++-aggressive --latency 200 imbalance.txt
says '^again: mempath cosim dws --mode dws++-aggressive --owners interleaved --epoch 200 --latency 200 --seed 1 imbalance.txt$'
says '^cycle [0-9]* of the stimuli$'

# Refusals.
mempath=$1
refused "no mode 'dws++-agressive'; did you mean 'dws++-aggressive'" cosim dws --mode dws++-agressive
refused 'it applies to the walks of a FILE' cosim dws --latency 3
refused 'it applies to the walks of a FILE' cosim star --latency 3 walks.txt
refused 'latency: .*is too small' cosim dws --latency 0 walks.txt
refused 'stride: dws does not have this option' cosim dws --stride 2
refused 'is not five of them; as in' cosim dws --diff-thresholds 1,2
refused 'is not one of 2, 3, 4 and 8' cosim dws --tenants 5
refused "'16/12' is not WALKERS/PLACES/TENANTS; as in 16/12/2" cosim dws --size 16/12
refused 'size: walkers.*too large' cosim dws --size 65/12/2
refused 'use either --size or --tenants' cosim dws --size 16/12/2 --tenants 2
refused 'only the RTL of two tenants counts lines' cosim dws --size 5/3/3 --coverage
refused 'a mode of DWS++' cosim dws --mode dws --epoch 3
printf '5 0 1\n4 0 2\n' >bad.txt
refused 'bad.txt:2: cycle 4 is before the last; 5 or later' cosim dws bad.txt
printf '5 2 1\n' >bad.txt
refused 'bad.txt:1: there is no tenant 2; 0 to 1' cosim dws bad.txt

finished
