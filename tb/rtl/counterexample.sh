#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A proof that fails says what fails, where, and after which events. $1 is rtl/, $2 a folder to work in. Two events are
# ready in one clock; an operand is overwritten while a request is at work; and what a set answers of one request is
# wrong.
set -u
rtl=$1
rm -rf "$2"
mkdir -p "$2" && cd "$2" || exit 1

bad() {
    printf 'FAILED: %s\n' "$*" >&2
    [ ! -f out ] || sed 's/^/  | /' out >&2
    exit 1
}

# A file, its text and the fault that is there instead; the block and its proof; what it says.
fails() {
    rm -rf copy work
    cp -R "$rtl" copy
    file=$4/$1
    awk -v from="$2" -v to="$3" '{ i = index($0, from) }
        i { $0 = substr($0, 1, i - 1) to substr($0, i + length(from)); n++ }
        { print }
        END { exit n != 1 }' "$rtl/$file" >"copy/$file" || bad "'$2' is not in exactly one line of $1"
    sh "copy/$4/formal/prove.sh" work "$5" >out 2>&1 && bad "$5 is proven with: $3"
    shift 3
    block=$1 proof=$2
    shift 2
    for line; do
        grep -Eq -- "$line" out || bad "$block $proof does not say '$line'"
    done
    waves=$(sed -n 's/^  waveform: //p' out)
    grep -q '^[$]var ' "$waves" || bad "no waveform '$waves'"
    grep -q '^#2' "$waves" || bad "one clock in $waves"
}

fails mp_dws_arbiter.sv 'own_ready_o & ~own_valid_i' own_ready_o dws any-8 'WRONG: any owners: not proven' \
    "  mp_dws_events_rules.svh:[0-9]+: assert \(!\(taken\[1\] & done_valid_i\)" 'At most one event is taken' \
    '^  clock  .* 1 .* 2' '^  own_valid_i .* 1$' '^  enq_valid_i .* 1$' '^  enq_ready_o .* 1$'
fails mp_star_tlb_set.sv 'if (take) begin' 'if (req_valid_i) begin' star tlb0 'mp_star_tlb, MODE 0: not proven' \
    '  mp_star_tlb_set.sv:[0-9]+: assert \(.* == seen_operands_q\)' '^  req_valid_i .* 1' '^  req_vpn_i '
# The message if the record of a fault is missing or names no assertion.
rm -rf copy
cp -R "$rtl" copy
sed 's/^assert mp_walk_queues.sv: used_i .*/assert mp_walk_queues.sv: used_i == 7/' "$rtl/dws/formal/faults.txt" >copy/dws/formal/faults.txt
sh copy/dws/formal/prove.sh work listed >out 2>&1 && bad 'an assertion without a fault'
grep -q "mp_walk_queues.sv:[0-9]*: no fault in faults.txt that refutes: assert (used_i != '0)" out || bad 'the assertion is not named'
grep -q 'mp_walk_queues.sv: 0 assertions, not one, with: used_i == 7' out || bad 'the record is not named'
for script in "$rtl"/*/formal/prove.sh; do
    sh "$script" work listed >out 2>&1 || bad "$script: not every assertion has a fault"
done
