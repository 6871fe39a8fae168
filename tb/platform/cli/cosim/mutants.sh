#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `mempath cosim --mutants`: faults are found and stored; refusals. $3 is the folder of DWS's mutants.
. "$(dirname "$0")/../lib.sh"
folder=$3

# Four of them, far apart; the same ones are found after the same transactions.
expect 0 cosim star --mutants 4 --json
json "json_extract(j, '\$.mutants') || ' ' || json_extract(j, '\$.killed')" '4 4'
json "json_extract(j, '\$.score')" 100
grep '"transactions"' out >first
expect 0 cosim star --mutants 4 --json
grep '"transactions"' out | cmp - first || wrong 'the same mutants, other transactions'
expect 0 query mutants
says 'killed .*star'
expect 0 query mutation
says 'star *star *4 *4 *0 *0 *100'

# Of each block 98 of 100 faults are found that are not proven to be none. At most two survivors have no reason.
expect 0 cosim
blocks=$(awk '{ print $1 }' out)
for block in $blocks; do
    code=0
    "$mempath" cosim "$block" --mutants 200 --json >out 2>err || code=$?
    grep -q "$block has none" err && continue
    checks=$((checks + 1))
    blocks_checked=${blocks_checked:+$blocks_checked }$block
    [ $code = 0 ] || wrong "$block: exit code $code"
    json "json_extract(j, '\$.score') >= 98" 1
    json "json_extract(j, '\$.survived') - json_extract(j, '\$.explained') <= 2" 1
done

[ "$(echo "$blocks_checked" | wc -w)" -ge 6 ] || wrong "only $blocks_checked have mutants"

# A mutant that one transaction does not find is equal to the design, or survives.
sed -n '/ -cell u_choice -port any_o /=' "$folder/mutants" >numbers
[ -s numbers ] || wrong 'no mutant of an output that is not used'
sh "$folder/equal.sh" "$(head -n 1 numbers)" || wrong 'not proven that an unused output may be anything'
sed -n '/ -port rsp_action_o /=' "$folder/mutants" >numbers
[ -s numbers ] || wrong 'no mutant of a response'
! sh "$folder/equal.sh" "$(head -n 1 numbers)" || wrong 'proven that another response is the same'

refused 'are too many; 1 to 400' cosim star --mutants 100000
refused 'without a FILE' cosim star --mode star4 --mutants 3
refused 'without a FILE' cosim star --mutants 3 --stride 2
refused 'is too small' cosim dws --mutants 0
refused '--mutants: star-set has none; the --help of a block that has them shows it' cosim star-set --mutants 3

finished
