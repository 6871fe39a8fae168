#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proves the invariants of mp_dws_arbiter and mp_dws_scheduler without a bound, by induction over k clocks. Then shows
# that each assertion alone fails in a design with a fault (faults.txt). Prints a line for each on stdout, and for a
# failed proof the assertion, the last clocks and a waveform. The exit code is 1 if any result is not as expected.
# prove.sh [WORKFOLDER [PROOF...]]: these proofs only, without the faults
set -u
# shellcheck source-path=SCRIPTDIR source=../../formal/lib.sh
. "$(dirname "$0")/../../formal/lib.sh"

# PROOF: top, walkers, places, tenants, definitions, other parameters
proofs='
any:mp_dws_arbiter:16:12:2::
stay:mp_dws_arbiter:16:12:2:-DFV_OWNERS_STAY:
any-8:mp_dws_arbiter:8:3:3::
served:mp_dws_arbiter:4:2:2:-DFV_OWNERS_STAY -DFV_CLOCKS=24:
scheduler:mp_dws_scheduler:16:12:2:-DFV_PROTOCOL:-set ID_W 2
fault-any:mp_dws_arbiter:4:2:2::-set EPOCH_W 2
fault-stay:mp_dws_arbiter:4:2:2:-DFV_OWNERS_STAY:-set EPOCH_W 2
fault-served:mp_dws_arbiter:2:1:2:-DFV_OWNERS_STAY -DFV_CLOCKS=12:-set EPOCH_W 2
fault-scheduler:mp_dws_scheduler:4:2:2:-DFV_PROTOCOL:-set EPOCH_W 2 -set ID_W 2'

of() { # proof: $top $walkers $places $tenants $definitions $parameters
    IFS=: read -r top walkers places tenants definitions parameters <<END
$(printf '%s\n' "$proofs" | sed -n "s/^$1://p")
END
}

design() {
    of "$1"
    printf '%s\n' "$(sources "$2" mp_dws_scheduler "$definitions")" \
        "chparam -set WALKERS $walkers -set DEPTH $places -set TENANTS $tenants $parameters $top"
    elaborate "$top"
}

steps() {
    echo 40
}

prove() { # proof, what
    {
        design "$1" "$rtl"
        # shellcheck disable=SC2016 # $assert is a kind of cell
        printf '%s\n' 'write_rtlil design.il' 'select -count t:$assert' 'select -count t:$assume' \
            'sat -verify -prove-asserts -set-assumes -tempinduct -maxsteps 6'
    } >prove.ys
    of "$1"
    start=$(date +%s)
    if yosys -s prove.ys >prove.log 2>&1 && grep -q 'Induction step proven: SUCCESS' prove.log; then
        k=$(sed -n 's/^\*\* Trying induction with length \([0-9]*\).*/\1/p' prove.log | tail -n 1)
        # shellcheck disable=SC2046,SC2183 # two words
        printf '%-22s %2u walkers x %2u places, %u tenants: proven, k = %u; %u assertions, %u assumptions; %u s\n' \
            "$2" "$walkers" "$places" "$tenants" "$k" $(sed -n 's/^\([0-9]*\) objects\.$/\1/p' prove.log) \
            $(($(date +%s) - start))
    elif grep -q '^[0-9]* objects\.$' prove.log; then
        wrong "$2" 'not proven'
        counterexample "$1" '-tempinduct -maxsteps 6'
    else
        wrong "$2" 'no design' prove.log
    fi
}

[ $# -gt 0 ] || set -- any stay any-8 served scheduler faults
for proof in "$@"; do
    case $proof in
    any | any-8) prove "$proof" 'any owners' ;;
    stay) prove "$proof" 'owners that stay' ;;
    served) prove "$proof" 'all walkers complete' ;;
    scheduler) prove "$proof" 'arbiter and queues' ;;
    listed | faults)
        listed "$block/mp_dws_arbiter.sv" "$block/mp_dws_scheduler.sv" "$block/mp_walk_queues.sv" "$block/checks/mp_dws_events_rules.svh" \
            "$block/checks/mp_dws_scheduler_rules.svh" "$block/formal/dws_arbiter.svh"
        [ "$proof" = listed ] || refuted fault-any fault-stay fault-served fault-scheduler
        ;;
    *) wrong "$proof" 'no such proof: any, stay, any-8, served, scheduler, listed, faults' ;;
    esac
done
exit "$failed"
