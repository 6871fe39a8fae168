#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proves what dws_arbiter must hold always: without a bound, by induction over k clocks. Then each kind of assertion,
# alone, is shown to fail in a design with a fault. A line for each on stdout; exit code 1 when one does not come out so.
# prove.sh [WORKFOLDER]
set -u
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# walkers, places, tenants, definitions, folder of the sources, other parameters
design() {
    cat <<END
read_verilog -sv -formal $4 -I$5 $5/dws_pkg.sv $5/star_choice.sv $5/dws_arbiter.sv
chparam -set WALKERS $1 -set DEPTH $2 -set TENANTS $3 ${6-} dws_arbiter
prep -flatten -top dws_arbiter
memory_map
async2sync
opt
dffunmap
chformal -early
opt_clean
END
}

# what, walkers, places, tenants, definitions
prove() {
    {
        design "$2" "$3" "$4" "$5" "$rtl"
        # shellcheck disable=SC2016 # $assert is a kind of cell
        printf '%s\n' 'select -count t:$assert' 'select -count t:$assume' \
            'sat -verify -prove-asserts -set-assumes -tempinduct -maxsteps 6'
    } >prove.ys
    start=$(date +%s)
    if yosys -s prove.ys >prove.log 2>&1 && grep -q 'Induction step proven: SUCCESS' prove.log; then
        k=$(sed -n 's/^\*\* Trying induction with length \([0-9]*\).*/\1/p' prove.log | tail -n 1)
        # shellcheck disable=SC2046,SC2183 # two words
        printf '%-22s %2u walkers x %2u places, %u tenants: proven, k = %u; %u assertions, %u assumptions; %u s\n' \
            "$1" "$2" "$3" "$4" "$k" $(sed -n 's/^\([0-9]*\) objects\.$/\1/p' prove.log) $(($(date +%s) - start))
    else
        wrong "$1" 'not proven' prove.log
    fi
}

# The comment above assertions, their file; text of $into and the fault that is there instead; their folder; definitions;
# walkers, places and tenants.
into=dws_arbiter.sv
fault() {
    insert "$1" "$into" "$3" "$4" && assertions "$1" "$5$2" || return
    {
        # shellcheck disable=SC2086 # three words
        design ${7-4 2 2} "${6-}" "$work/faulty" '-set EPOCH_W 2'
        # shellcheck disable=SC2016
        printf '%s\n' "select -set those$lines" 'delete t:$assert @those %d' 'select -assert-min 1 t:$assert' \
            'sat -falsify -prove-asserts -set-assumes -tempinduct-baseonly -maxsteps 40'
    } >fault.ys
    if yosys -s fault.ys >fault.log 2>&1; then
        printf '  %-78s fails with: %s\n' "$1" "$4"
    else
        wrong "$1" "holds with: $4" fault.log
    fi
}

prove 'any owners' 16 12 2 ''
prove 'owners that stay' 16 12 2 -DFV_OWNERS_STAY
prove 'any owners' 8 3 3 ''
served='-DFV_OWNERS_STAY -DFV_CLOCKS'
prove 'all walkers complete' 4 2 2 "$served=24"

a=dws_arbiter.sv
p=dws_arbiter.svh
fault 'FWA neither over- nor underflows' $a "(home[w] & free != '0)" 'home[w]' ''
fault 'FWA is what is free' $p "drains = pop_o ?" 'drains = pop_o & plus_i ?' formal/
fault 'PEND_WALKS neither over- nor underflows' $a "Account & head_tenant_i == TENANT_W'(t)" \
    "Account & who_q == WTM_W'(t)" ''
fault 'PEND_WALKS is what waits of the tenant' $p "Account & head_tenant_i == TENANT_W'(t)" \
    "Account & who_q == WTM_W'(t)" formal/
fault 'TWM and WTM agree' $a "<= own_tenant_i == WTM_W'(t)" "<= own_tenant_i <= WTM_W'(t)" ''
fault 'Nothing is stolen under DWS while a queue' $a "mine[w] ? 2'd2 : 2'd3" "mine[w] ? 2'd3 : 2'd2" ''
fault "Nothing is stolen under DWS while a walk of the owner's is pending anywhere" $p "mine[w] ? 2'd2 : 2'd3" \
    "mine[w] ? 2'd3 : 2'd2" formal/ -DFV_OWNERS_STAY
fault 'No walker is idle while a walk waits' $a 'any ? idle_q : idle_q | busy' 'idle_q | busy' ''
fault 'One queue, or one walker' $a 'choice_q <= choice' "choice_q <= choice | WALKERS'(done_q)" ''
fault "Of EPOCH's arrivals" $p "state_q == Epoch ? '0 : twm" "state_q == Choose ? '0 : twm" formal/
fault 'EPOCH does not overflow' $p ">= {1'b0, epoch_i}" "== {1'b0, epoch_i}" formal/
fault 'It keeps its place' $p "FREE_W'(drains[w])" "(FREE_W'(drains[w]) << 1)" formal/
fault 'It is granted once' $p 'pop_o ? Account' 'pop_o & plus_i ? Account' formal/
fault 'Every turn of its walker' $p "own ? 2'd1" "own ? 2'd3" formal/ "$served=12" '2 1 2'
fault 'It awaits no more completions' $p "own ? 2'd1" "own ? 2'd3" formal/ "$served=12" '2 1 2'
# Half the bound does not hold: what is assumed lets walks wait.
into=formal/$p
# shellcheck disable=SC2016
fault 'It is granted in time' $p '* `FV_CLOCKS + 2)' '* `FV_CLOCKS / 2)' formal/ "$served=12" '2 1 2'
exit "$failed"
