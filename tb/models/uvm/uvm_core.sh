#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The library of unified memory decides on the management core what it decides on the host: the digests of all designs.
host=$(realpath "$3") core=$(realpath "$4")
. "$(dirname "$0")/../../platform/cli/lib.sh"

"$host" | grep '^uvm ' >wanted
[ "$(sort -u wanted | wc -l)" = 40 ] || wrong 'not 40 digests'
[ "$(sed 's/.* //' wanted | sort -u | wc -l)" -gt 35 ] || wrong 'designs decide alike'
expect 0 firmware run "$core" --max-instructions 4000000000
grep '^uvm ' "$work/out" >got
cmp wanted got || wrong 'the core decides otherwise'
# What a fault costs, with room for what compilers do: 2400 instructions unless something is evicted.
[ "$(grep -c '^cost ' "$work/out")" = 10 ] || wrong 'no costs of faults'
awk '/^cost .*without/ && $(NF - 2) > 2400 { exit 1 }' "$work/out" || wrong "$(grep '^cost ' "$work/out")"
finished
