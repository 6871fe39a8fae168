#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Pointer chases: knees where the machine's levels end, measurements of a GPU, a fit, the CUDA program, refusals.
. "$(dirname "$0")/../lib.sh"

expect 0 chase --footprint 16MiB:8GiB --stride 2MiB -o curves.svg --csv tlbs.csv
says '^l1_tlb  *32 MiB  *32 MiB '
says '^l2_tlb  *4 GiB  *3.5 GiB '
says '^l3_tlb  *64 GiB  *not measured'
grep -q '<svg' curves.svg || wrong 'no picture'
[ "$(head -n 1 tlbs.csv)" = stride,page_bytes,sm,footprint,cycles ] || wrong 'not the columns'
expect 0 query chase run=1
says '^2097152  *2097152  *0  *16777216 '

# A stride and footprints that are no powers of two.
expect 0 chase --stride 5 --footprint 5:100
says '^ *5 B '

# Twice the entries, twice the reach; any SM; pages of another size.
expect 0 chase --footprint 16MiB:128MiB --stride 2MiB --set l1_tlb.entries=32 --sm 107
says '^l1_tlb  *64 MiB  *64 MiB '
expect 0 chase --footprint 256KiB:4MiB --stride 64KiB --page 64KiB --json
json "j -> 'curves' -> 0 -> 'levels' -> 0 ->> 'level'" l1_tlb
json "j -> 'curves' -> 0 -> 'levels' -> 0 ->> 'holds'" 1048576
json "j -> 'curves' -> 0 -> 'levels' -> 0 ->> 'knee'" 1048576

# Its own measurements differ by nothing; published ones by less than a per cent.
expect 0 chase --beside tlbs.csv
says '^residual 0.00 %'
expect 0 chase --beside a100.csv --json
json "j ->> 'residual' < 0.01" 1
expect 0 chase h100-sxm --beside h100.csv --json
json "j ->> 'residual' < 0.01" 1

# A fit finds the value that made the measurements.
expect 0 chase --footprint 64KiB:256KiB --stride 128 --set l2d.latency=301 --csv slow.csv
expect 0 chase --beside slow.csv --fit l2d.latency=100:400
says '^residual 0.00 %'
says '^  --set l2d.latency=301$'

# The kernels of the CUDA program follow the chain that they link.
expect 0 chase --cuda chase.cu
if [ -x "$(dirname "$mempath")/mempath-record" ]; then
    expect 0 record --cu chase.cu --kernel link_chain --grid 1 --block 32 --arg buf:base:char:4096 \
        --arg buf:order:ulong:32 --arg buf:offset:ulong:32 --arg ulong:0 -o link.gwt
fi

refused 'demo has tenants, and a chase runs alone' chase demo
refused 'SM 108 of a100-80g, which has 108; 0 to 107' chase --sm 108
refused '--page 8KiB: 4KiB, 64KiB or 2MiB' chase --page 8KiB
refused '--fit: needs measurements; --beside FILE' chase --fit l2d.latency=1:2
refused '--fit: l2d.late is no parameter; mempath params lists them' chase --beside slow.csv --fit l2d.late=1:2
refused '--beside: its file says stride' chase --beside slow.csv --stride 128
refused '--stride: 128 twice; each value once' chase --stride 128 --stride 128
refused '--beside /dev/zero: larger than 1 MiB' chase --beside /dev/zero
refused '--footprint 4MiB:1MiB: the first is larger; FIRST:LAST' chase --footprint 4MiB:1MiB
printf 'stride,page_bytes,sm,footprint,cycles\n128,4096,0,4096,10\n128,4096,0,2048,10\n' >down.csv
refused 'down.csv:3: footprint = 2048 after 4096; footprints of a curve ascend' chase --beside down.csv
printf 'stride,page_bytes,sm,footprint,cycles\n128,4096,0,4096,-1\n' >less.csv
refused 'less.csv:2: cycles = -1; more than 0' chase --beside less.csv
refused '--beside nothing.csv: No such file or directory' chase --beside nothing.csv
finished
