#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Waves of a window: of transactions in a co-simulation, of cycles in a run, before a difference. The files are
# readable and have the requested signals and times; results do not change. $3 is rtl/, $4 reads FST.
# shellcheck disable=SC2086 # lists of words
. "$(dirname "$0")/../lib.sh"
rtl=$3 fst=$4

# waves FILE FIRST LAST SCOPE: the file is readable and has clock, state and ports of that module, and two times per
# clock without a gap. Its transactions or cycles begin not before FIRST and end not after LAST; "=" before a number:
# exactly there.
waves() {
    "$fst" "$1" >shown || wrong "$1: cannot be read"
    for signal in "$4.clk_i 1" "$4.rst_ni 1" "$4.rsp_valid_o 1" 'mempath.number 64'; do
        grep -q "^signal [a-z.]*$signal$" shown || wrong "$1: no signal $signal in $(head -n 30 shown)"
    done
    times=$(sed -n 's/^time //p' shown)
    "$fst" "$1" "$(sed -n "s/^signal \([a-z.]*$4.clk_i\) 1$/\1/p" shown | head -n 1)" >clock
    [ "$(sed -n '1s/ .*//p' clock) $(sed -n '$s/ .*//p' clock)" = "$times" ] || wrong "$1: the clock does not go from end to end"
    [ "$(wc -l <clock)" = $((${times#* } - ${times% *} + 1)) ] || wrong "$1: the clock does not run"
    "$fst" "$1" mempath.number | sed 's/.* //' >numbers
    first=$(head -n 1 numbers) last=$(tail -n 1 numbers)
    case $2 in =*) [ "=$first" = "$2" ] || wrong "$1: begins with $first" ;; *) [ "$first" -ge "$2" ] || wrong "$1: begins with $first" ;; esac
    case $3 in =*) [ "=$last" = "$3" ] || wrong "$1: ends with $last" ;; *) [ "$last" -le "$3" ] || wrong "$1: ends with $last" ;; esac
}

digest() { sed -n 's/^ *"digest": "\(.*\)",$/\1/p' "$work/out"; }

expect 0 cosim star --mode star --transactions 3000 --json
json "json_extract(j, '\$.waves') IS NULL" 1
clocks=$(sed -n 's/^  "clocks": \([0-9]*\),$/\1/p' out)
expect 0 cosim star --mode star --transactions 3000 --waves few.fst --waves-window 1100:1120 --json
json "json_extract(j, '\$.clocks') || json_extract(j, '\$.waves')" "${clocks}few.fst"
waves few.fst =1100 =1119 mp_star_tlb
[ "$(wc -l <numbers)" = 20 ] || wrong 'not every transaction has its number'
grep -q '^signal .*\.u_set\.state_q ' shown || wrong 'no state inside the block'
expect 0 cosim dws --mode dws++ --tenants 2 --transactions 3000 --waves dws.fst --waves-window 10:200
says '^waves: dws.fst$'
waves dws.fst 10 199 mp_dws_scheduler
expect 0 cosim dws --mode dws++ --tenants 2 --transactions 3000 --waves late.fst --waves-window 90000:90001
says '^waves: none, for the window was not reached$'
[ ! -e late.fst ] || wrong 'a file without waves'

# In a run, by cycle.
mps='dws-30sm --set tenants.0.app=GUPS --set tenants.0.sms=15 --set tenants.1.app=MT --set tenants.1.sms=15
     --set tenants.size=small --set walk.scheduler=dws'
expect 0 run $mps --json
digest=$(digest)
expect 0 run $mps --rtl walk_arbiter --waves run.fst --waves-window 4000:5000 --json
[ "$(digest)" = "$digest" ] || wrong 'waves changed the results'
waves run.fst 4000 4999 mp_dws_scheduler
small='demo --set tenants.size=small --set l3_tlb.entries=1024 --set l3_tlb.policy=star'
expect 0 run $small --rtl-shadow l3_tlb --waves l3.fst --waves-window 400:2600
says '^waves: l3.fst$'
waves l3.fst 400 2599 mp_star_tlb
refused "gpu.walk0 and gpu.walk1 would write the same file" run $mps --set walk.per=tenant --rtl walk_arbiter --waves two.fst --waves-window 1:2
[ ! -e two.fst ] || wrong "refused, yet a file of waves"

# Up to a difference, without a window: the order of use is lost by a file that is found before ours.
sed 's/^module mp_star_tlb /module mine /' "$rtl/star/mp_star_tlb.sv" >mine.sv
sed 's/way_i\[j\] ? forget_i/way_i[j] ? order_i[P]/' "$rtl/common/mp_lru_order.sv" >mp_lru_order.sv
! cmp -s "$rtl/common/mp_lru_order.sv" mp_lru_order.sv || wrong 'no fault'
expect 1 cosim star --mode star --rtl-top mine.sv --transactions 100000 --waves difference.fst --json
last=$(sed -n 's/^  "transactions": \([0-9]*\),$/\1/p' out)
waves difference.fst =$((last > 100 ? last - 99 : 1)) =$last mine
expect 1 run $small --rtl-shadow l3_tlb --rtl-top mine.sv --waves l3.fst
says '^\* recency of ways '
says '^waves: l3.fst$'
cycle=$(sed -n 's/^mempath: .* differs between RTL and model in cycle \([0-9]*\), transaction .*/\1/p' err)
waves l3.fst $((cycle > 1000 ? cycle - 1000 : 0)) =$cycle mine
rm mp_lru_order.sv
expect 0 cosim star --mode star4 --transactions 2000 --waves none.fst
says '^waves: none, for nothing differs$'
[ ! -e none.fst ] || wrong 'a file without waves'

finished
