#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proves of star_tlb_set what star_tlb_set_proof.sv says: of any request to any proper row, so without a bound on requests.
# Then each kind of assertion, alone, is shown to fail in a design with a fault. A line for each on stdout; exit code 1 when
# one does not come out so. prove_star.sh [WORKFOLDER]
set -u
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# Top, ways, folder of the sources, what is done to its assertions: the design as design.aig, with counts of assertions and
# assumptions in yosys.log. What yosys leaves open may be anything.
design() {
    yosys -p "read_verilog -sv -formal $3/star_pkg.sv $3/star_choice.sv $3/star_reform.sv $3/lru_order.sv $3/star_tlb_set.sv
        read_verilog -sv -formal $3/formal/star_tlb_set_view.sv $3/formal/$1.sv
        chparam -set WAYS $2 $1
        prep -flatten -top $1
        memory_map; async2sync; opt; dffunmap; chformal -early; opt_clean
        $4
        select -count t:\$assert; select -count t:\$assume
        setundef -anyseq; techmap; opt -fast; dffunmap; aigmap; setundef -anyseq; opt_clean
        write_aiger -I -B -zinit -no-startoffset design.aig" >yosys.log 2>&1
}

# A request is over, and was checked, in less clocks than these.
check() {
    yosys-abc -c 'read_aiger design.aig; fold; strash; bmc3 -F 12' >abc.log 2>&1
}

# top, ways, its assertions: none may have got lost
prove() {
    start=$(date +%s)
    if design "$1" "$2" "$rtl" "select -assert-count $3 t:\$assert" && check &&
        grep -q '^No output asserted in 12 frames' abc.log; then
        # shellcheck disable=SC2046,SC2183 # two words
        printf '%-22s %u ways: proven; %u assertions, %u assumptions; %u s\n' \
            "$1" "$2" $(sed -n 's/^\([0-9]*\) objects\.$/\1/p' yosys.log) $(($(date +%s) - start))
    else
        cat yosys.log >>abc.log
        wrong "$1" 'not proven' abc.log
    fi
}

# The top, the comment above its assertions, a file of the RTL, its text and the fault that is there instead.
fault() {
    insert "$2" "$3" "$4" "$5" && assertions "$2" "formal/$1.sv" || return
    if design "$1" 2 "$work/faulty" "select -set those$lines; delete t:\$assert @those %d; select -assert-min 1 t:\$assert" &&
        check && grep -q 'was asserted in frame' abc.log; then
        printf '  %-60s fails with: %s\n' "$2" "$5"
    else
        cat yosys.log >>abc.log
        wrong "$2" "holds with: $5" abc.log
    fi
}

p=star_tlb_set_proof
prove $p 2 22
fault $p 'A base stands once in a set' star_tlb_set.sv "if (equal != '0 || used_above == '0)" \
    "if (equal != '0 || used_above != '1)"
fault $p 'What stands there was inserted last' star_reform.sv "assign aib0_o = to_shared ? take : '0" \
    "assign aib0_o = to_shared ? comes : '0"
fault $p 'A lookup hits what stands there' star_tlb_set.sv \
    'assign same_index = slot_valid & {aib1[slot], aib0[slot]} == aib' 'assign same_index = slot_valid'
fault $p 'Entries stay proper' star_tlb_set.sv "kind_q == New ? '0 : remains" "kind_q == New ? '0 : base_valid"
fault $p 'Every request ends' star_tlb_set.sv "if (equal != '0 || used_above == '0)" "if (equal != '0)"
fault $p 'Lookups change nothing' star_tlb_set.sv 'state_d  = Respond' 'state_d  = Act'
fault $p 'What was inserted stands there' star_tlb_set.sv "next_base_valid | 4'd1 << put_base" 'next_base_valid'
fault $p 'What is lost is counted' star_tlb_set.sv "+ 5'(replaced)" "+ 5'd0"
a=star_tlb_set_alone
prove $a 2 33
fault $a 'The same clock by clock' star_tlb_set.sv "base_valid[b] & base_q < 2'(b)" "base_q < 2'(b)"
fault $a 'The same answer' star_tlb_set.sv "used < 5'd8" "used < 5'd9"
fault $a 'The same entry and recency are written' star_tlb_set.sv 'put_aib[0] ? placed_aib0' '!put_aib[0] ? placed_aib0'
exit "$failed"
