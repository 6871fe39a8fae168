#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `mempath cosim`: equal RTL, faulty RTL ($3 is a library with it), recorded streams, stored results, refusals.
. "$(dirname "$0")/../lib.sh"
faulty=$3

expect 0 cosim
says 'star '
expect 0 cosim --json
json "json_extract(j, '\$[0].block')" star
expect 0 cosim star --help
says 'Examples:'
says 'subentry'

# Random transactions. The same seed gives the same transactions, configurations and manners.
expect 0 cosim star --transactions 20000 --json
json "json_extract(j, '\$.status')" equal
json "json_extract(j, '\$.transactions')" 20000
json "json_extract(j, '\$.not_run')" ''
json "json_extract(j, '\$.options') || json_extract(j, '\$.replay')" 'mempath cosim star --seed 1 --transactions 20000'
clocks=$(sed -n 's/^  "clocks": \([0-9]*\),$/\1/p' "$work/out")
expect 0 cosim star --transactions 20000 --seed 1 --json
json "json_extract(j, '\$.clocks')" "$clocks"
expect 0 cosim star --transactions 20000 --seed 2 --json
json "json_extract(j, '\$.clocks') <> $clocks" 1

# A run draws its configurations, lists those that it did not include, and has resets during transactions.
expect 0 cosim star --transactions 1200
says '^star drawn, cosim [0-9]*: equal after 1200 transactions'
says '^not run: .*star-sequential'
expect 0 cosim star --transactions 100000 --json
json "json_extract(j, '\$.resets') > 5" 1
expect 0 cosim star --mode star4 --transactions 2000
says '^star star4, cosim [0-9]*: equal after 2000 transactions'
says '^not run: subentry; star, stride 1; .*star-stride, stride 4; star-lone; star4-lone$'
expect 0 cosim star --all --transactions 2000
for mode in subentry star star-sequential star-stride star4 star-lone star4-lone; do
    says "^star $mode, cosim [0-9]*: equal after 2000 transactions"
done
expect 0 cosim star --all --transactions 600 --json
json "json_array_length(j) || ' ' || json_extract(j, '\$[3].mode')" '7 star-stride'
expect 0 cosim star-set --transactions 20000
says '^star-set drawn, cosim [0-9]*: equal after 20000 transactions'
says '^all configurations were run$'

# The result says which points were reached, the last new one's transaction, and those that were not.
expect 0 cosim star --mode subentry --transactions 1000
says ' points reached, the last new one in transaction [1-9][0-9]*$'
says '^not reached: subentry: '
expect 0 cosim star --transactions 1000 --json
json "json_extract(j, '\$.points_reached') < json_extract(j, '\$.points')" 1
json "(SELECT count(*) FROM json_each(j, '\$.coverage') WHERE value ->> 'taken' > 0) = json_extract(j, '\$.points_reached')" 1
json "(SELECT max(value ->> 'first') FROM json_each(j, '\$.coverage')) = json_extract(j, '\$.last_new_point')" 1
json "json_extract(j, '\$.last_new_point') BETWEEN 1 AND 1000" 1
expect 0 cosim star --mode star --stride 4 --transactions 2000 --coverage
says 'star: share-stride: alone to stride'
says 'mp_star_tlb_set.sv  *[1-9]'
expect 0 cosim star --mode subentry --transactions 30000 --coverage --json
json "json_extract(j, '\$.lines') > 150" 1
json "json_extract(j, '\$.lines_taken') + json_extract(j, '\$.lines_explained') = json_extract(j, '\$.lines')" 1
json "json_array_length(j, '\$.lines_not_taken') = json_extract(j, '\$.lines_explained')" 1
expect 0 query lines
says 'mp_star_entry.sv .* 100\|mp_star_entry.sv .* [1-9][0-9]\.'
expect 0 query lines_not_taken
says 'Revert: begin .*only an entry that bases share'

# Stimuli of a file, here the traffic of a run's L3 TLB: pages of 64 KB, so the last four digits of an address are
# cut.
expect 0 run demo --set tenants.size=small --observe l3_tlb -o l3.csv
awk -F, 'function page(address) { return length(address) > 6 ? substr(address, 1, length(address) - 4) : 0 }
         NR > 1 { print "L", $3, page($6)
                  if ($8 == "miss") print "I", $3, page($6), page($7) }' l3.csv >l3.txt
[ "$(wc -l <l3.txt)" -gt 5000 ] || wrong 'the recorded stream is short'
for mode in subentry star star4; do
    expect 0 cosim star --mode "$mode" l3.txt --json
    json "json_extract(j, '\$.status') || json_extract(j, '\$.transactions')" "equal$(wc -l <l3.txt)"
    json "json_extract(j, '\$.stimuli')" l3.txt
done
"$mempath" cosim star --json - <l3.txt >"$work/out" || wrong 'stimuli from stdin'
json "json_extract(j, '\$.transactions')" "$(wc -l <l3.txt)"

awk 'NR <= 3000 { print $1, $2 % 256, NR % 997, $4 }' l3.txt >set.txt
expect 0 cosim star-set --mode star4 set.txt
says '^star-set star4, cosim [0-9]*: equal after 3000 transactions'
says '^run in one configuration, --mode star4; no other$'
expect 0 query cosim
says 'l3.txt .*equal'
expect 0 query coverage
says 'vacant: none to alone'

# Faulty RTL stops at the first difference and prints the command that repeats it.
mkdir faulty
cp "$mempath" "$faulty" faulty/
expect 0 cosim star --mode star4 --transactions 5000 # that one has no fault
mempath=faulty/mempath
expect 1 cosim star --mode subentry --transactions 100000
says 'first difference: state of set'
says '^\* recency of ways '
says ' before  *model  *rtl '
[ "$(wc -l <out)" -lt 30 ] || wrong 'the report is long'
says '^again: mempath cosim star --mode subentry --seed 1 --transactions [0-9]*$'
grep -q '^mempath: cosim star: state of set .* differs between RTL and model after transaction' "$work/err" || wrong 'no error line'
cp out first
again=$(sed -n 's/^again: mempath //p' first)
# shellcheck disable=SC2086 # a list of words
expect 1 $again
grep -v 'a minute' first >first-state
grep -v 'a minute' out | cmp - first-state || wrong 'the replay differs from what it replays'
# shellcheck disable=SC2086
expect 1 $again --full
says '^  way 0  base.valid\[0\]'
expect 1 cosim star --mode subentry l3.txt --json
json "json_extract(j, '\$.status')" different
json "json_extract(j, '\$.replay')" 'mempath cosim star --mode subentry --seed 1 l3.txt'
expect 0 query "SELECT count(*) AS n FROM cosim WHERE status = 'different' AND report LIKE '%* %'" --json
json "json_extract(j, '\$[0].n')" 4

# Refusals.
rm faulty/libmempath-cosim.so
refused 'the RTL is not built .*; in the sources, platform/mempath cosim' cosim star
echo 'no library' >faulty/libmempath-cosim.so
refused 'rebuild it' cosim star
mempath=$1
refused "no block 'stra'; did you mean 'star'" cosim stra
refused "no mode 'star5'" cosim star --mode star5
refused '3 is not one of 1, 2 and 4' cosim star --stride 3
refused 'star4 has a stride of 1' cosim star --mode star4 --stride 2
refused 'either a FILE or --transactions' cosim star --transactions 1 l3.txt
refused 'epoch: star does not have this option' cosim star --epoch 3
refused 'either --all or --mode' cosim star --all --mode star4
refused 'is too small' cosim star --transactions 0
refused 'is unexpected' cosim star a b
refused 'No such file' cosim star nowhere.txt
printf 'L 1 2\nL 256 2\n' >wide.txt
refused 'wide.txt:2: ASID 256 is too wide for the RTL; 8 bits' cosim star wide.txt
printf 'L 1 0x200000000\n' >wide.txt
refused 'wide.txt:1: VPN 0x200000000 is too wide' cosim star wide.txt
printf 'X\n' >wide.txt
refused "wide.txt:1: 'X' is not a stimulus" cosim star wide.txt

# A library that was built with other headers, here simulated by another checksum.
mkdir older
cp "$mempath" older/
LC_ALL=C sed -E 's/[0-9a-f]{64}/0000000000000000000000000000000000000000000000000000000000000000/' \
    "$(dirname "$mempath")/libmempath-cosim.so" >older/libmempath-cosim.so
mempath=older/mempath
refused 'was built for another version of mempath; platform/mempath cosim rebuilds it' cosim star
refused 'was built for another version of mempath' run demo --rtl l3_tlb

finished
