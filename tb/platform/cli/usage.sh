#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The help text of every command, and the refusal of unknown commands and options.
. "$(dirname "$0")/lib.sh"

expect 0
says 'mempath run'
expect 0 --help
expect 0 help
expect 0 record --help
says 'Usage: mempath record'
says 'Examples:'
for command in run sweep merge query params machine plot report replay cosim rtl reproduce bench firmware import trace plugin; do
    expect 0 "$command" --help
    says "Usage: mempath $command"
    says 'Examples:'
    says '--db=FILE'
    expect 0 help "$command"
    says 'Examples:'
    refused "$command --help\|did you mean" "$command" --no-such-thing
    refused '--db: needs a value' "$command" --db
    refused '--json: takes no value' "$command" --json=yes
    refused "--progress: unknown form 'maybe'; json, or no value" "$command" --progress=maybe
done

refused 'unknown command; did you mean .run' rum
refused 'unknown command' xyzzyxyzzy
refused 'platform/mempath test' test
refused 'platform/mempath models' models lib
refused 'platform/mempath package' package debian
refused 'no command' --quiet
refused "unknown command 'xyzzy'" help xyzzy

refused 'unknown option; did you mean --jobs' run --jbs 3
refused '--estimate: unknown option' run --estimate
refused '--set: .* has no value' run --set l3_tlb.entries
refused '--seed: .* not a whole number' run --seed abc
refused "--seed: '-1' is negative; 0 to 18446744073709551615" run --seed -1
refused "--seed: '99999999999999999999' is too large; 0 to 18446744073709551615" run --seed 99999999999999999999
refused "--jobs: '0' is too small; 1 to 64" run --jobs 0
refused "--jobs: '65' is too large; 1 to 64" run --jobs 65
refused '--epochs: ' run --epochs 0
refused '-o FILE' run --observe l3_tlb
refused '--observe LINK' run -o x
refused 'one experiment' run star/w1 star/w2 --alone
refused '--size: unknown size' reproduce star/table2 --size huge
refused '--size star: dws has no such inputs' reproduce dws/fig5 --size star
refused 'nothing named' reproduce moon/fig1
refused 'nothing named' reproduce starfig
refused '--size: unknown size' bench --size huge
refused 'is unexpected' bench now
refused '--repeat: ' bench --repeat 0
refused 'is unexpected' params a b
refused 'no parameter has' params no.such.parameter
refused 'not a parameter' query runs 7

expect 0 params
says 'l3_tlb.entries'
expect 0 params l3_tlb --json
json "json_extract(j, '\$[1].path')" l3_tlb.entries
json "json_extract(j, '\$[1].default')" 1024
expect 0 query
says 'runs'
expect 0 query --json
expect 0 cosim --list
says '^star '
expect 0 cosim --list --json
json "json_extract(j, '\$[0].block')" star
json "json_valid(j)" 1
expect 0 reproduce
says 'star/fig3'
expect 0 run --list
says 'star/w11'
expect 0 --json run --list
json "json_valid(j)" 1
[ ! -e "$MEMPATH_DB" ] || wrong 'asking for help made a database'
finished
