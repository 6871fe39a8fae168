#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The rules of the ports ($3 is rtl/) are bound to a foreign block, here ours without its assertions and with an
# answer that the rules exclude, and are not bound again to a copy of ours, which has them.
. "$(dirname "$0")/../lib.sh"
rtl=$3

fault='s/hit_o = |found;/hit_o = lookup_i \& |found;/'
sed -e 's/^module mp_l1_tlb /module copy /' -e "$fault" "$rtl/l1_tlb/mp_l1_tlb.sv" >copy.sv
awk '/^`ifndef SYNTHESIS/ { skip = 1 } !skip { print } /^`endif/ { skip = 0 }' copy.sv |
    sed 's/^module copy /module mine /' >mine.sv
grep -q 'checks/' copy.sv || wrong 'a copy without the rules'
! grep -q 'checks/mp_l1_tlb' mine.sv || wrong 'a foreign block with the rules'
for block in mine copy; do
    expect 1 cosim l1-tlb --mode 2 --rtl-top $block.sv --transactions 1000
    says '^mp_l1_tlb_rules.svh:[0-9]*: an assertion of the RTL failed$'
    [ "$(grep -c 'Assertion failed' err)" = 1 ] || wrong "$block: not one failed assertion"
done
grep -q 'Assertion failed in l1_tlb.copy: ' err || wrong 'the copy has the rules of another module'

finished
